#include "app/window/preferences.h"

#include <QFile>
#include <QFileInfo>
#include <QStandardPaths>

namespace app {
namespace {

QString rule_key(tools::Effect effect) {
  const std::string_view name = agent::name_of(effect);
  return "rules/" + QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size()));
}

constexpr const char* kThemes[] = {"system", "light", "dark"};
constexpr const char* kFormat = "deskhand-settings-1";

}  // namespace

Preferences::Preferences()
    : file_(QStandardPaths::writableLocation(QStandardPaths::GenericConfigLocation) + "/deskhand/window.conf",
            QSettings::IniFormat) {
  file_.setValue("format", kFormat);
}

ThemeChoice Preferences::theme() const {
  const QString name = file_.value("theme").toString();
  return name == "light" ? ThemeChoice::Light : name == "dark" ? ThemeChoice::Dark : ThemeChoice::System;
}

void Preferences::set_theme(ThemeChoice choice) {
  file_.setValue("theme", kThemes[static_cast<int>(choice)]);
}

QString Preferences::language() const {
  return file_.value("language").toString();
}

void Preferences::set_language(const QString& language) {
  file_.setValue("language", language);
}

agent::Decision Preferences::rule(tools::Effect effect) const {
  const std::string chosen = file_.value(rule_key(effect)).toString().toStdString();
  for (const agent::Decision decision : {agent::Decision::Allow, agent::Decision::Ask, agent::Decision::Deny}) {
    if (chosen == name_of(decision)) return decision;
  }
  return agent::default_decision(effect);
}

void Preferences::set_rule(tools::Effect effect, agent::Decision decision) {
  const std::string_view name = name_of(decision);
  file_.setValue(rule_key(effect), QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size())));
}

agent::Policy Preferences::policy() const {
  agent::Policy policy;
  for (const tools::Effect effect : all_effects()) {
    if (!file_.contains(rule_key(effect))) continue;
    const agent::Decision decision = rule(effect);
    // To be asked leaves room for lasting answers; the other two are for all that there is.
    if (decision == agent::Decision::Ask) {
      policy.remembered.push_back({std::string(agent::name_of(effect)), "", decision});
    } else {
      policy.rules[effect] = decision;
    }
  }
  return policy;
}

bool Preferences::export_to(const QString& path) {
  file_.sync();
  QFile::remove(path);
  return QFile::copy(file_.fileName(), path);
}

bool Preferences::import_from(const QString& path) {
  if (!QFileInfo(path).isFile()) return false;  // nor a pipe, which would keep the window waiting
  const QSettings other(path, QSettings::IniFormat);
  if (other.value("format").toString() != kFormat) return false;
  file_.clear();
  for (const QString& key : other.allKeys()) file_.setValue(key, other.value(key));
  file_.sync();
  return true;
}

const std::vector<tools::Effect>& all_effects() {
  using enum tools::Effect;
  static const std::vector<tools::Effect> all = {Observe,        Read,           ReadElsewhere, InputPrivate, InputUser,
                                                 WriteWorkspace, WriteElsewhere, Shell,         Network};
  return all;
}

}  // namespace app
