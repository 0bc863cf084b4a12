#pragma once
// What the user has chosen, kept under XDG config (deskhand/window.conf).

#include <QSettings>
#include <QStringList>
#include <map>

#include "agent/permission.h"
#include "app/window/theme.h"

namespace app {

// One object for the UI thread. What is set is on disk soon after.
class Preferences {
 public:
  Preferences();

  ThemeChoice theme() const;
  void set_theme(ThemeChoice choice);
  QString language() const;  // "de", "zh_CN"; empty: the desktop's
  void set_language(const QString& language);
  bool notifies() const { return file_.value("notify", true).toBool(); }
  void set_notifies(bool on) { file_.setValue("notify", on); }
  int show_ms() const { return file_.value("show_ms", 350).toInt(); }  // an action is shown before it happens
  void set_show_ms(int ms) { file_.setValue("show_ms", ms); }
  bool network() const { return file_.value("network", false).toBool(); }
  void set_network(bool on) { file_.setValue("network", on); }

  QStringList model_folders() const { return file_.value("models").toStringList(); }  // beside the one that comes along
  void set_model_folders(const QStringList& folders) { file_.setValue("models", folders); }
  QStringList servers() const { return file_.value("servers").toStringList(); }  // "http://host:8000/v1#name"
  void set_servers(const QStringList& servers) { file_.setValue("servers", servers); }
  QString model() const {
    return file_.value("model").toString();
  }  // folder or server of the one chosen last; empty: nano
  void set_model(const QString& folder) { file_.setValue("model", folder); }

  agent::Policy policy() const;
  agent::Decision rule(tools::Effect effect) const;  // its own default where nothing was chosen
  void set_rule(tools::Effect effect, agent::Decision decision);

  bool is_first_run() const { return !file_.value("met", false).toBool(); }
  void set_met() { file_.setValue("met", true); }

  QString path() const { return file_.fileName(); }
  // All of it as a file for another machine, and back. False: it can't be written, or is no such file.
  bool export_to(const QString& path);
  bool import_from(const QString& path);

 private:
  QSettings file_;
};

// All effects, in the order in which they are listed.
const std::vector<tools::Effect>& all_effects();

}  // namespace app
