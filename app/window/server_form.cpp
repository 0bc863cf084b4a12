#include "app/window/server_form.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QLocale>
#include <QUrl>
#include <QVBoxLayout>

#include "agent/credentials.h"
#include "agent/error.h"
#include "app/window/widgets.h"

namespace app {

QString server_title(const QString& choice) {
  const QString host = QUrl(choice.section('#', 0, 0)).authority(), name = choice.section('#', 1);
  return name.isEmpty() ? host : QString("%1 (%2)").arg(name, host);
}

ServerForm::ServerForm(QWidget* parent) : QFrame(parent) {
  auto* all = new QVBoxLayout(this);
  all->setContentsMargins(0, 6, 0, 8);
  all->setSpacing(8);
  auto* first = new QHBoxLayout;
  first->setSpacing(8);
  address_ = new QLineEdit;
  address_->setPlaceholderText("http://localhost:8000/v1");
  address_->setAccessibleName(tr("Address of the server"));
  first->addWidget(address_, 3);
  key_ = new QLineEdit;
  key_->setPlaceholderText(tr("Key, if it wants one"));
  key_->setAccessibleName(tr("Key of the server"));
  key_->setEchoMode(QLineEdit::Password);
  first->addWidget(key_, 2);
  test_ = make_button(tr("Test"));
  test_->setEnabled(false);
  first->addWidget(test_);
  all->addLayout(first);
  said_ = make_label("", "dim", TextSize::Small);
  said_->setWordWrap(true);
  said_->hide();
  all->addWidget(said_);
  auto* second = new QHBoxLayout;
  models_ = new QComboBox;
  models_->setAccessibleName(tr("Model of the server"));
  add_ = make_button(tr("Add this model"), "primary", "plus", IconColour::OnAccent);
  second->addWidget(models_, 1);
  second->addWidget(add_);
  all->addLayout(second);
  models_->hide();
  add_->hide();
  connect(address_, &QLineEdit::textChanged, this, [this](const QString& text) {
    test_->setEnabled(!text.trimmed().isEmpty());
    models_->hide();
    add_->hide();
  });
  connect(address_, &QLineEdit::returnPressed, this, &ServerForm::test);
  connect(key_, &QLineEdit::returnPressed, this, &ServerForm::test);
  connect(test_, &QPushButton::clicked, this, &ServerForm::test);
  connect(add_, &QPushButton::clicked, this, &ServerForm::add);
}

void ServerForm::set_address(const QString& address) {
  address_->setText(address);
}

// On a thread of its own: a server may take its time, and the keyring may ask for its password.
ServerForm::Answer ServerForm::ask(agent::RemoteModelOptions options, bool has_own_key, const std::stop_token& stop) {
  Answer answer;
  try {
    if (!has_own_key) options.key = agent::server_key(options.endpoint.host, stop);
    options.max_attempts = 1;
    answer.models = agent::list_served_models(options, stop);
    if (answer.models.empty()) answer.problem = ServerForm::tr("The server answers, but has no model.");
  } catch (const std::exception& error) {
    answer.problem = QString::fromUtf8(error.what());
  }
  return answer;
}

void ServerForm::test() {
  QString address = address_->text().trimmed();
  if (address.isEmpty()) return;
  if (!agent::is_endpoint(address.toStdString())) address = "http://" + address;
  agent::RemoteModelOptions options;
  try {
    options.endpoint = endpoint_ = agent::parse_endpoint(address.toStdString());
  } catch (const agent::Error& error) {
    return show_answer({{}, QString::fromUtf8(error.what())});
  }
  const bool has_own_key = !key_->text().isEmpty();
  if (has_own_key) options.key = key_->text().toStdString();
  said_->setText(tr("Asking %1…").arg(QString::fromStdString(endpoint_.host)));
  said_->show();
  test_->setEnabled(false);
  asking_ = std::jthread([this, options, has_own_key](const std::stop_token& stop) {
    const Answer answer = ask(options, has_own_key, stop);
    if (stop.stop_requested()) return;
    QMetaObject::invokeMethod(
        this, [this, answer] { show_answer(answer); }, Qt::QueuedConnection);
  });
}

void ServerForm::show_answer(const Answer& answer) {
  test_->setEnabled(true);
  const bool is_good = answer.problem.isEmpty();
  said_->setText(is_good ? tr("It answers, and has %n models.", nullptr, static_cast<int>(answer.models.size()))
                         : answer.problem);
  said_->setAccessibleName(said_->text());
  said_->show();
  models_->clear();
  for (const agent::ServedModel& model : answer.models) {
    const QString name = QString::fromStdString(model.name);
    models_->addItem(
        model.context_tokens > 0
            ? tr("%1 (%2 tokens)").arg(name, QLocale().toString(static_cast<qlonglong>(model.context_tokens)))
            : name,
        name);
  }
  if (!endpoint_.model.empty()) {
    models_->setCurrentIndex(std::max(0, models_->findData(QString::fromStdString(endpoint_.model))));
  }
  models_->setVisible(is_good);
  add_->setVisible(is_good);
  Q_EMIT tested(is_good);
}

void ServerForm::add() {
  const QString name = models_->currentData().toString();
  if (name.isEmpty()) return;
  try {
    if (!key_->text().isEmpty()) agent::keep_server_key(endpoint_.host, key_->text().toStdString());
  } catch (const agent::Error& error) {
    return said_->setText(QString::fromUtf8(error.what()));
  }
  const QString choice = QString::fromStdString(endpoint_.base_url) + "#" + name;
  address_->clear();
  key_->clear();
  said_->hide();
  Q_EMIT added(choice);
}

}  // namespace app
