#include "app/window/machine_check.h"

#include <QCoreApplication>
#include <QHBoxLayout>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QVBoxLayout>
#include <algorithm>

#include "app/window/doctor_words.h"
#include "app/window/widgets.h"

namespace app {
namespace {

struct Checks {
  Q_DECLARE_TR_FUNCTIONS(Checks)

 public:
  // Of what the doctor calls it.
  static QString name(const QString& name) {
    if (name == "your display") return tr("Your display");
    if (name == "input on it") return tr("Mouse and keys on it");
    if (name == "private desktop") return tr("A desktop of its own");
    if (name == "widgets (AT-SPI)") return tr("Reading widgets");
    if (name == "sandboxed shell") return tr("Commands in a sandbox");
    if (name == "programs") return tr("Programs");
    if (name == "small model") return tr("The small model");
    if (name == "GPU") return tr("GPU");
    if (name == "record") return tr("The record");
    if (name == "disk") return tr("Disk");
    if (name == "portal") return tr("Desktop portal");
    if (name == "keyring") return tr("Keyring");
    return name;
  }
};

}  // namespace

MachineCheck::MachineCheck(QWidget* parent) : QWidget(parent) {
  auto* all = new QVBoxLayout(this);
  all->setContentsMargins(0, 0, 0, 0);
  all->setSpacing(4);
  auto* head = new QHBoxLayout;
  summary_ = make_label("");
  summary_->setWordWrap(true);
  head->addWidget(summary_, 1);
  details_ = make_button(tr("Details"), "quiet");
  details_->setCheckable(true);
  head->addWidget(details_);
  all->addLayout(head);
  list_ = new QWidget;
  rows_ = new QVBoxLayout(list_);
  rows_->setContentsMargins(0, 0, 0, 8);
  rows_->setSpacing(5);
  all->addWidget(list_);
  list_->hide();
  details_->hide();
  connect(details_, &QPushButton::toggled, list_, &QWidget::setVisible);
  doctor_.setProcessChannelMode(QProcess::SeparateChannels);
  connect(&doctor_, &QProcess::finished, this, [this] { show_report(doctor_.readAllStandardOutput()); });
  connect(&doctor_, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
    if (error == QProcess::FailedToStart) summary_->setText(tr("The check could not be run."));
  });
}

MachineCheck::~MachineCheck() {
  doctor_.disconnect(this);
  doctor_.terminate();
  if (!doctor_.waitForFinished(500)) doctor_.kill();
}

void MachineCheck::run() {
  if (doctor_.state() != QProcess::NotRunning) return;
  summary_->setText(tr("Checking what works on this machine…"));
  doctor_.start(QCoreApplication::applicationDirPath() + "/deskhand", {"doctor", "--json"});
}

void MachineCheck::clear() {
  names_.clear();
  while (QLayoutItem* item = rows_->takeAt(0)) {
    delete item->widget();
    delete item;
  }
}

void MachineCheck::show_report(const QByteArray& written) {
  clear();
  const QJsonObject report = QJsonDocument::fromJson(written).object();
  const QJsonArray findings = report["findings"].toArray();
  if (findings.isEmpty()) return summary_->setText(tr("The check could not be run."));
  int n_works = 0;
  for (const QJsonValue& finding : findings) {
    const QString state = finding["state"].toString();
    n_works += state == "works";
    add_finding(Checks::name(finding["name"].toString()), state, doctor_words(finding["what"].toString()),
                doctor_words(finding["remedy"].toString()));
  }
  align_names();
  const bool is_usable = report["usable"].toBool();
  summary_->setText(is_usable ? tr("All that is needed works here (%1 of %2 checks).").arg(n_works).arg(findings.size())
                              : tr("Something that is needed doesn't work here."));
  summary_->setAccessibleName(summary_->text());
  details_->show();
  details_->setChecked(!is_usable);
  Q_EMIT finished(is_usable);
}

// One column, as wide as the longest name is in this language.
void MachineCheck::align_names() {
  int width = 0;
  for (const QLabel* name : names_) width = std::max(width, name->sizeHint().width());
  for (QLabel* name : names_) name->setFixedWidth(width);
}

void MachineCheck::add_finding(const QString& name, const QString& state, const QString& what, const QString& remedy) {
  auto* row = new QWidget;
  auto* across = new QHBoxLayout(row);
  across->setContentsMargins(0, 0, 0, 0);
  across->setSpacing(9);
  const bool works = state == "works", is_broken = state == "broken";
  const IconColour colour = works ? IconColour::Good : is_broken ? IconColour::Bad : IconColour::Warn;
  across->addWidget(new Mark(15, works ? "check" : is_broken ? "cross" : "info", colour), 0, Qt::AlignTop);
  auto* title = make_label(name, "", TextSize::Small, QFont::DemiBold);
  names_.append(title);
  across->addWidget(title, 0, Qt::AlignTop);
  auto* text = make_label(remedy.isEmpty() ? what : what + "\n→ " + remedy, "dim", TextSize::Small);
  text->setWordWrap(true);
  across->addWidget(text, 1);
  rows_->addWidget(row);
}

}  // namespace app
