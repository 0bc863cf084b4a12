#pragma once
// The settings: few, in one column, found by typing.

#include <QHash>
#include <QWidget>
#include <functional>

#include "app/window/session_list.h"

class QLabel;
class QVBoxLayout;

namespace app {

class Preferences;
class ServerForm;

class SettingsPage : public QWidget {
  Q_OBJECT

 public:
  explicit SettingsPage(Preferences* preferences, QWidget* parent = nullptr);
  void set_counts(const RuleCounts& counts);  // how much each rule has allowed so far

 Q_SIGNALS:
  void look_changed();  // the theme
  void language_changed();
  void settings_changed();  // anything

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  // A titled box; rows are added to it.
  QVBoxLayout* add_section(const QString& title);
  void add_row(QVBoxLayout* section, const QString& title, const QString& detail, QWidget* control);
  void add_appearance();
  void add_work();
  void add_models();
  void add_servers();
  void add_machine();
  void add_permissions();
  void add_files();
  void show_models();
  void show_servers();
  void show_answers();
  static QString count_text(qint64 count);
  QWidget* make_entry(const QString& text, const std::function<void()>& forget, const std::function<void()>& test);
  void filter(const QString& text);

  struct Row {
    QWidget* widget;
    QWidget* section;
    QString text;  // what the search looks at
  };

  Preferences* preferences_;
  QVBoxLayout* column_;
  QList<Row> rows_;
  RuleCounts counts_;
  QHash<QString, QLabel*> count_labels_;  // by effect
  QVBoxLayout* models_ = nullptr;
  QWidget* models_box_ = nullptr;
  QVBoxLayout* servers_ = nullptr;
  ServerForm* server_form_ = nullptr;
  QVBoxLayout* answers_ = nullptr;
};

}  // namespace app
