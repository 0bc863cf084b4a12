#include "app/window/settings_page.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDir>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QScrollArea>
#include <QVBoxLayout>
#include <algorithm>

#include "agent/recorder.h"
#include "agent/rule_book.h"
#include "app/window/call_text.h"
#include "app/window/machine_check.h"
#include "app/window/preferences.h"
#include "app/window/server_form.h"
#include "app/window/translations.h"
#include "app/window/widgets.h"

namespace app {

SettingsPage::SettingsPage(Preferences* preferences, QWidget* parent) : QWidget(parent), preferences_(preferences) {
  auto* all = new QVBoxLayout(this);
  all->setContentsMargins(0, 0, 0, 0);
  auto* scroll = new QScrollArea(this);
  scroll->setWidgetResizable(true);
  scroll->setFrameShape(QFrame::NoFrame);
  scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  auto* middle = new QWidget;
  auto* across = new QHBoxLayout(middle);
  across->setContentsMargins(32, 26, 32, 26);
  auto* content = new QWidget;
  content->setMaximumWidth(760);
  column_ = new QVBoxLayout(content);
  column_->setContentsMargins(0, 0, 0, 0);
  column_->setSpacing(8);
  across->addStretch(1);
  across->addWidget(content, 10);
  across->addStretch(1);
  scroll->setWidget(middle);
  all->addWidget(scroll);
  column_->addWidget(make_label(tr("Settings"), "title", TextSize::Display, QFont::DemiBold));
  auto* search = new QLineEdit;
  search->setPlaceholderText(tr("Search settings"));
  search->setAccessibleName(tr("Search settings"));
  search->addAction(icon("search", IconColour::Dim), QLineEdit::LeadingPosition);
  search->setClearButtonEnabled(true);
  connect(search, &QLineEdit::textChanged, this, &SettingsPage::filter);
  column_->addWidget(search);
  add_appearance();
  add_work();
  add_models();
  add_servers();
  add_permissions();
  add_files();
  add_machine();
  column_->addStretch();
}

QVBoxLayout* SettingsPage::add_section(const QString& title) {
  auto* section = new QWidget(column_->parentWidget());
  auto* all = new QVBoxLayout(section);
  all->setContentsMargins(0, 14, 0, 0);
  all->setSpacing(6);
  all->addWidget(make_label(title, "section", TextSize::Small));
  auto* box = new QFrame(section);
  box->setProperty("role", "panel");
  auto* rows = new QVBoxLayout(box);
  rows->setContentsMargins(16, 6, 16, 6);
  rows->setSpacing(0);
  all->addWidget(box);
  column_->addWidget(section);
  return rows;
}

void SettingsPage::add_row(QVBoxLayout* section, const QString& title, const QString& detail, QWidget* control) {
  auto* row = new QWidget(section->parentWidget());
  auto* across = new QHBoxLayout(row);
  across->setContentsMargins(0, 9, 0, 9);
  across->setSpacing(16);
  auto* texts = new QVBoxLayout;
  texts->setSpacing(2);
  texts->addWidget(make_label(title));
  auto* more = make_label(detail, "dim", TextSize::Small);
  more->setWordWrap(true);
  texts->addWidget(more);
  if (detail.isEmpty()) more->hide();
  across->addLayout(texts, 1);
  if (control != nullptr) {
    if (control->accessibleName().isEmpty()) control->setAccessibleName(title);
    across->addWidget(control, 0, Qt::AlignVCenter);
  }
  section->addWidget(row);
  rows_.append({row, section->parentWidget()->parentWidget(), title + " " + detail});
}

void SettingsPage::add_appearance() {
  QVBoxLayout* section = add_section(tr("Appearance"));
  auto* theme = new QComboBox;
  theme->addItems({tr("As the desktop"), tr("Light"), tr("Dark")});
  theme->setCurrentIndex(static_cast<int>(preferences_->theme()));
  connect(theme, &QComboBox::activated, this, [this](int choice) {
    preferences_->set_theme(static_cast<ThemeChoice>(choice));
    Q_EMIT look_changed();
  });
  add_row(section, tr("Theme"), {}, theme);
  auto* language = new QComboBox;
  language->addItem(tr("As the desktop"), QString());
  for (const Language& one : languages()) language->addItem(one.name, one.code);
  language->setCurrentIndex(std::max(0, language->findData(preferences_->language())));
  connect(language, &QComboBox::activated, this, [this, language] {
    preferences_->set_language(language->currentData().toString());
    Q_EMIT language_changed();
  });
  add_row(section, tr("Language"), {}, language);
}

void SettingsPage::add_work() {
  QVBoxLayout* section = add_section(tr("Work"));
  auto* pace = new QComboBox;
  for (const auto& [ms, name] :
       {std::pair(0, tr("At once")), std::pair(350, tr("A moment")), std::pair(1500, tr("Slowly"))}) {
    pace->addItem(name, ms);
  }
  pace->setCurrentIndex(std::max(0, pace->findData(preferences_->show_ms())));
  connect(pace, &QComboBox::activated, this, [this, pace] {
    preferences_->set_show_ms(pace->currentData().toInt());
    Q_EMIT settings_changed();
  });
  add_row(section, tr("Show each action before it happens"), tr("Its target is drawn on the picture for so long."),
          pace);
  auto* notify = new QCheckBox;
  notify->setChecked(preferences_->notifies());
  connect(notify, &QCheckBox::toggled, this, [this](bool on) { preferences_->set_notifies(on); });
  add_row(section, tr("Notifications"),
          tr("When a session has finished or waits for you, and the window isn't in front."), notify);
  auto* network = new QCheckBox;
  network->setChecked(preferences_->network());
  connect(network, &QCheckBox::toggled, this, [this](bool on) { preferences_->set_network(on); });
  add_row(section, tr("Network for commands"),
          tr("Off: commands run without any network. On: each use is still judged by the rules below."), network);
}

void SettingsPage::add_models() {
  QVBoxLayout* section = add_section(tr("Models"));
  models_box_ = new QWidget;
  models_ = new QVBoxLayout(models_box_);
  models_->setContentsMargins(0, 0, 0, 0);
  models_->setSpacing(0);
  section->addWidget(models_box_);
  auto* add = make_button(tr("Add a folder…"), "", "plus");
  connect(add, &QPushButton::clicked, this, [this] {
    const QString folder = QFileDialog::getExistingDirectory(this, tr("A MiniMax-M3 checkpoint"));
    if (folder.isEmpty()) return;
    QStringList folders = preferences_->model_folders();
    folders.removeAll(folder);
    preferences_->set_model_folders(folders << folder);
    show_models();
    Q_EMIT settings_changed();
  });
  add_row(section, tr("MiniMax-M3 on this machine"),
          tr("A folder with config.json, weights, tokenizer.json and chat_template.jinja."), add);
  show_models();
}

// A line with what it is, and what can be done with it; `test` may be empty.
QWidget* SettingsPage::make_entry(const QString& text, const std::function<void()>& forget,
                                  const std::function<void()>& test) {
  auto* row = new QWidget;
  auto* across = new QHBoxLayout(row);
  across->setContentsMargins(0, 7, 0, 7);
  auto* name = new ElidedLabel;
  name->set_text(text);
  across->addWidget(name, 1);
  if (test) {
    auto* button = make_button(tr("Test"), "quiet");
    button->setAccessibleName(tr("Test %1").arg(text));
    connect(button, &QPushButton::clicked, this, test);
    across->addWidget(button);
  }
  auto* remove = make_icon_button("trash", tr("Forget %1").arg(text));
  connect(remove, &QToolButton::clicked, this, forget, Qt::QueuedConnection);  // the row itself goes
  across->addWidget(remove);
  return row;
}

void SettingsPage::show_models() {
  while (QLayoutItem* item = models_->takeAt(0)) {
    delete item->widget();
    delete item;
  }
  for (const QString& folder : preferences_->model_folders()) {
    const auto forget = [this, folder] {
      QStringList folders = preferences_->model_folders();
      folders.removeAll(folder);
      preferences_->set_model_folders(folders);
      show_models();
      Q_EMIT settings_changed();
    };
    models_->addWidget(make_entry(QDir::toNativeSeparators(folder), forget, {}));
  }
}

void SettingsPage::add_servers() {
  QVBoxLayout* section = add_section(tr("Model servers"));
  auto* box = new QWidget;
  servers_ = new QVBoxLayout(box);
  servers_->setContentsMargins(0, 0, 0, 0);
  servers_->setSpacing(0);
  section->addWidget(box);
  add_row(section, tr("A server that speaks OpenAI's language"),
          tr("vLLM, SGLang and llama.cpp do. What the model sees and reads is sent there, and nowhere else."), nullptr);
  server_form_ = new ServerForm(section->parentWidget());
  section->addWidget(server_form_);
  connect(server_form_, &ServerForm::added, this, [this](const QString& choice) {
    QStringList servers = preferences_->servers();
    servers.removeAll(choice);
    preferences_->set_servers(servers << choice);
    show_servers();
    Q_EMIT settings_changed();
  });
  show_servers();
}

void SettingsPage::show_servers() {
  while (QLayoutItem* item = servers_->takeAt(0)) {
    delete item->widget();
    delete item;
  }
  for (const QString& server : preferences_->servers()) {
    const auto forget = [this, server] {
      QStringList servers = preferences_->servers();
      servers.removeAll(server);
      preferences_->set_servers(servers);
      show_servers();
      Q_EMIT settings_changed();
    };
    const auto test = [this, server] {
      server_form_->set_address(server);
      server_form_->test();
    };
    servers_->addWidget(make_entry(server_title(server), forget, test));
  }
}

void SettingsPage::add_machine() {
  QVBoxLayout* section = add_section(tr("This machine"));
  auto* check = new MachineCheck(section->parentWidget());
  auto* run = make_button(tr("Check now"), "", "refresh");
  connect(run, &QPushButton::clicked, check, &MachineCheck::run);
  add_row(section, tr("What works here"), tr("Tries all that Deskhand needs, and says what to do where it fails."),
          run);
  section->addWidget(check);
}

void SettingsPage::add_permissions() {
  QVBoxLayout* section = add_section(tr("Permissions"));
  for (const tools::Effect effect : all_effects()) {
    const std::string_view key = agent::name_of(effect);
    const QString name = QString::fromUtf8(key.data(), static_cast<qsizetype>(key.size()));
    auto* choice = new QComboBox;
    choice->addItem(tr("Allow"), static_cast<int>(agent::Decision::Allow));
    choice->addItem(tr("Ask"), static_cast<int>(agent::Decision::Ask));
    choice->addItem(tr("Deny"), static_cast<int>(agent::Decision::Deny));
    choice->setCurrentIndex(choice->findData(static_cast<int>(preferences_->rule(effect))));
    connect(choice, &QComboBox::activated, this, [this, effect, choice] {
      preferences_->set_rule(effect, static_cast<agent::Decision>(choice->currentData().toInt()));
      Q_EMIT settings_changed();
    });
    choice->setAccessibleName(tr("What the model does: %1").arg(effect_text(name)));
    add_row(section, tr("The model %1").arg(effect_text(name)), " ", choice);
    count_labels_[name] = rows_.last().widget->findChildren<QLabel*>().last();
    count_labels_[name]->setText(count_text(0));
  }
  add_row(section, tr("Lasting answers"), tr("What you answered with “Always”. What you forget here is asked again."),
          nullptr);
  auto* box = new QWidget;
  answers_ = new QVBoxLayout(box);
  answers_->setContentsMargins(0, 0, 0, 0);
  answers_->setSpacing(0);
  section->addWidget(box);
  show_answers();
}

// As the file has them now: sessions write to it too.
void SettingsPage::show_answers() {
  while (QLayoutItem* item = answers_->takeAt(0)) {
    delete item->widget();
    delete item;
  }
  try {
    const agent::RuleBook book(agent::RuleBook::default_path());
    for (const agent::Rule& rule : book.rules()) {
      const QString subject = QString::fromStdString(agent::visible(rule.subject));
      const QString what = effect_text(QString::fromStdString(rule.name)) + (subject.isEmpty() ? "" : ": " + subject);
      const bool is_allowed = rule.decision == agent::Decision::Allow;
      const qint64 count = counts_.value({QString::fromStdString(rule.name), QString::fromStdString(rule.subject)});
      const auto forget = [this, rule] {
        agent::RuleBook now(agent::RuleBook::default_path());
        const auto found = std::find(now.rules().begin(), now.rules().end(), rule);
        if (found != now.rules().end()) now.forget(static_cast<std::size_t>(found - now.rules().begin()));
        show_answers();
      };
      answers_->addWidget(make_entry(is_allowed ? tr("Allowed: the model %1").arg(what) + " · " + count_text(count)
                                                : tr("Denied: the model %1").arg(what),
                                     forget, {}));
    }
  } catch (const std::exception& error) {
    auto* problem = make_label(QString::fromUtf8(error.what()), "dim", TextSize::Small);
    problem->setWordWrap(true);
    answers_->addWidget(problem);
  }
}

void SettingsPage::showEvent(QShowEvent* event) {
  show_answers();
  QWidget::showEvent(event);
}

QString SettingsPage::count_text(qint64 count) {
  return count == 0 ? tr("never so far") : tr("%n times so far", nullptr, static_cast<int>(count));
}

void SettingsPage::set_counts(const RuleCounts& counts) {
  counts_ = counts;
  for (auto label = count_labels_.begin(); label != count_labels_.end(); ++label) {
    label.value()->setText(count_text(counts.value({label.key(), QString()})));
  }
  show_answers();
}

void SettingsPage::add_files() {
  QVBoxLayout* section = add_section(tr("Your data"));
  const QString record = QString::fromStdString(agent::Recorder::default_path().string());
  add_row(section, tr("Sessions"), record, nullptr);
  auto* buttons = new QWidget;
  auto* across = new QHBoxLayout(buttons);
  across->setContentsMargins(0, 0, 0, 0);
  auto* give = make_button(tr("Export…"), "", "export");
  auto* take = make_button(tr("Import…"));
  across->addWidget(take);
  across->addWidget(give);
  connect(give, &QPushButton::clicked, this, [this] {
    const QString path = QFileDialog::getSaveFileName(this, tr("Export settings"), "deskhand-settings.conf");
    if (!path.isEmpty()) preferences_->export_to(path);
  });
  connect(take, &QPushButton::clicked, this, [this] {
    const QString path = QFileDialog::getOpenFileName(this, tr("Import settings"));
    if (path.isEmpty() || !preferences_->import_from(path)) return;
    Q_EMIT look_changed();
    Q_EMIT language_changed();  // builds this page anew, with all that came
  });
  add_row(section, tr("Settings"), preferences_->path(), buttons);
  add_row(
      section, tr("Nothing leaves this machine"),
      tr("No account, no telemetry. Only a model server that you name yourself, and the network where you allow it."),
      nullptr);
}

void SettingsPage::filter(const QString& text) {
  QHash<QWidget*, bool> sections;
  for (const Row& row : rows_) {
    const bool fits = text.isEmpty() || row.text.contains(text, Qt::CaseInsensitive);
    row.widget->setVisible(fits);
    sections[row.section] |= fits;
  }
  for (auto section = sections.begin(); section != sections.end(); ++section)
    section.key()->setVisible(section.value());
}

}  // namespace app
