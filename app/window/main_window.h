#pragma once
// The window: sessions on the left, one of them, a new task or the settings on the right.

#include <QMainWindow>
#include <filesystem>

#include "app/window/agent_bridge.h"
#include "app/window/composer.h"
#include "app/window/preferences.h"

class QDBusVariant;
class QStackedWidget;

namespace app {

class HomePage;
class SessionList;
struct SessionEntry;
class SessionPage;
class SettingsPage;
class Sidebar;
class TrayIcon;

class MainWindow : public QMainWindow {
  Q_OBJECT

 public:
  explicit MainWindow(std::filesystem::path record);
  ~MainWindow() override;

  void start_task(const TaskChoice& choice);
  void show_home();
  void show_session(qint64 session);
  void show_settings();
  void stop_all();
  QList<SessionPage*> pages() const { return pages_; }

 protected:
  void closeEvent(QCloseEvent* event) override;

 private Q_SLOTS:
  void follow_desktop(const QString& name_space, const QString& key, const QDBusVariant& value);  // a setting changed

 private:
  void build();
  void add_tray();
  void change_language();
  void show_page(QWidget* page);
  SessionPage* page_of(qint64 session) const;
  void add_page(SessionPage* page);
  void close_page(SessionPage* page);
  void run(SessionRequest request);
  SessionRequest make_request(const TaskChoice& choice) const;
  void update_marks();
  void update_models();
  void offer_resume();
  void resume(const SessionEntry& entry);
  void branch(qint64 session, qint64 last_event, const QString& task);
  SessionRequest request_like(const SessionEntry& entry) const;
  void watch(SessionPage* page);
  void update_tray();
  int n_busy() const;

  std::filesystem::path record_;
  Preferences preferences_;
  SessionList* sessions_;
  Sidebar* sidebar_;
  QStackedWidget* stack_;
  HomePage* home_;
  SettingsPage* settings_;
  TrayIcon* tray_ = nullptr;
  bool has_offered_ = false;
  QList<SessionPage*> pages_;
};

}  // namespace app
