#include "app/window/main_window.h"

#include <QApplication>
#include <QCloseEvent>
#include <QDBusConnection>
#include <QDBusVariant>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QMessageBox>
#include <QShortcut>
#include <QStackedWidget>
#include <algorithm>
#include <utility>

#include "app/resources.h"
#include "app/window/call_text.h"
#include "app/window/home_page.h"
#include "app/window/server_form.h"
#include "app/window/session_list.h"
#include "app/window/session_page.h"
#include "app/window/settings_page.h"
#include "app/window/sidebar.h"
#include "app/window/translations.h"
#include "app/window/tray_icon.h"
#include "tools/session_bus.h"

namespace app {
namespace {

using DesktopKind = agent::WorkbenchOptions::DesktopKind;

bool is_waiting(const SessionPage* page) {
  return page->bridge() != nullptr && page->bridge()->state() == RunState::Asking;
}

// As the preferences keep it.
QString name_of_choice(const ModelChoice& model) {
  return model.server.isEmpty() ? QString::fromStdString(model.dir.string()) : model.server;
}

bool is_busy(const SessionPage* page) {
  return page->bridge() != nullptr && page->bridge()->is_busy();
}

}  // namespace

MainWindow::MainWindow(std::filesystem::path record) : record_(std::move(record)) {
  setWindowTitle("Deskhand");
  setWindowIcon(QIcon(":/icons/deskhand.svg"));
  resize(1320, 840);
  sessions_ = new SessionList(record_, this);
  connect(sessions_, &SessionList::refreshed, this, [this] {
    update_marks();
    settings_->set_counts(sessions_->rule_counts());
    offer_resume();
  });
  if (tools::has_session_bus()) {
    QDBusConnection::sessionBus().connect("", "/org/freedesktop/portal/desktop", "org.freedesktop.portal.Settings",
                                          "SettingChanged", this, SLOT(follow_desktop(QString, QString, QDBusVariant)));
  }
  auto* fresh = new QShortcut(QKeySequence::New, this);
  connect(fresh, &QShortcut::activated, this, &MainWindow::show_home);
  build();
  sessions_->refresh();
  show_home();
}

// All that has words in it; what was there before goes.
void MainWindow::build() {
  auto* all = new QWidget;
  setCentralWidget(all);
  sidebar_ = new Sidebar(sessions_, all);
  stack_ = new QStackedWidget(all);
  home_ = new HomePage(stack_);
  settings_ = new SettingsPage(&preferences_, stack_);
  stack_->addWidget(home_);
  stack_->addWidget(settings_);
  auto* row = new QHBoxLayout(all);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(0);
  row->addWidget(sidebar_);
  row->addWidget(stack_, 1);
  update_models();
  settings_->set_counts(sessions_->rule_counts());
  connect(&home_->composer(), &Composer::submitted, this, &MainWindow::start_task);
  connect(home_, &HomePage::resume_wanted, this, &MainWindow::resume);
  connect(home_, &HomePage::welcome_seen, this, [this] { preferences_.set_met(); });
  connect(home_, &HomePage::demonstration_wanted, this, [this] {
    TaskChoice choice;
    choice.task = "Open Calculator, then click 7";
    choice.model.dir = resource_path("models/nano");
    run(make_request(choice));
  });
  if (preferences_.is_first_run()) home_->show_welcome();
  connect(sidebar_, &Sidebar::new_task, this, &MainWindow::show_home);
  connect(sidebar_, &Sidebar::session_chosen, this, &MainWindow::show_session);
  connect(sidebar_, &Sidebar::settings_chosen, this, &MainWindow::show_settings);
  connect(settings_, &SettingsPage::settings_changed, this, &MainWindow::update_models);
  connect(settings_, &SettingsPage::look_changed, this, [this] { apply_theme(*qApp, preferences_.theme()); });
  // Not at once: the page that says it goes.
  connect(settings_, &SettingsPage::language_changed, this, &MainWindow::change_language, Qt::QueuedConnection);
  add_tray();
}

void MainWindow::add_tray() {
  delete tray_;
  tray_ = new TrayIcon(this);
  connect(tray_, &TrayIcon::window_wanted, this, [this] {
    show();
    raise();
    activateWindow();
  });
  connect(tray_, &TrayIcon::stop_all_wanted, this, &MainWindow::stop_all);
  connect(tray_, &TrayIcon::quit_wanted, this, &QWidget::close);
}

// Everything is built anew in the other language; sessions go on meanwhile.
void MainWindow::change_language() {
  struct Kept {
    std::unique_ptr<AgentBridge> bridge;
    qint64 session = 0;
  };
  std::vector<Kept> kept;
  for (SessionPage* page : pages_) kept.push_back({page->take_bridge(), page->session()});
  const auto* shown = qobject_cast<SessionPage*>(stack_->currentWidget());
  const qint64 shown_session = shown != nullptr ? shown->session() : 0;
  const bool has_settings = stack_->currentWidget() == settings_;
  pages_.clear();
  use_language(preferences_.language());
  build();
  for (Kept& one : kept) {
    if (one.bridge == nullptr) {
      show_session(one.session);
      continue;
    }
    auto* page = new SessionPage(std::move(one.bridge), stack_);
    watch(page);
    add_page(page);
  }
  if (has_settings) return show_settings();
  shown_session != 0 ? show_session(shown_session) : show_home();
}

MainWindow::~MainWindow() = default;

void MainWindow::follow_desktop(const QString& name_space, const QString& key, const QDBusVariant& value) {
  if (name_space != "org.freedesktop.appearance" || key != "color-scheme") return;
  note_desktop_scheme(value.variant().toUInt());
  apply_theme(*qApp, preferences_.theme());
}

void MainWindow::update_models() {
  QList<ModelChoice> models = {{tr("Nano"), resource_path("models/nano")}};
  for (const QString& folder : preferences_.model_folders()) {
    models.append({QFileInfo(folder).fileName(), folder.toStdString()});
  }
  for (const QString& server : preferences_.servers()) models.append({server_title(server), {}, server});
  int chosen = 0;
  for (int n = 1; n < models.size(); ++n) {
    if (name_of_choice(models[n]) == preferences_.model()) chosen = n;
  }
  home_->composer().set_models(models, chosen);
}

SessionRequest MainWindow::make_request(const TaskChoice& choice) const {
  SessionRequest request;
  request.task = choice.task;
  request.model_dir = choice.model.dir;
  request.server = choice.model.server.toStdString();
  request.workbench.desktop = choice.place == Place::Private ? DesktopKind::Private
                              : choice.place == Place::Mine  ? DesktopKind::Mine
                                                             : DesktopKind::None;
  request.workbench.workspace = choice.workspace.toStdString();
  request.workbench.allow_network = preferences_.network();
  request.policy = preferences_.policy();
  request.show_ms = preferences_.show_ms();
  request.record = record_;
  return request;
}

void MainWindow::start_task(const TaskChoice& choice) {
  preferences_.set_model(name_of_choice(choice.model));
  run(make_request(choice));
}

void MainWindow::run(SessionRequest request) {
  auto* page = new SessionPage(std::make_unique<AgentBridge>(std::move(request)), stack_);
  watch(page);
  add_page(page);
}

// To go on with a session where it was, by the model that it had.
SessionRequest MainWindow::request_like(const SessionEntry& entry) const {
  TaskChoice choice;
  choice.task = entry.task;
  choice.place = entry.desktop == "private" ? Place::Private : entry.desktop == "mine" ? Place::Mine : Place::FilesOnly;
  const bool has_workspace = QFileInfo(entry.workspace).isDir();
  choice.workspace = has_workspace ? entry.workspace : QString();
  choice.model.dir = resource_path("models/nano");
  for (const QString& folder : preferences_.model_folders()) {
    if (QFileInfo(folder).fileName() == entry.model) choice.model.dir = folder.toStdString();
  }
  for (const QString& server : preferences_.servers()) {
    if (server.section('#', 1) == entry.model) choice.model.server = server;
  }
  SessionRequest request = make_request(choice);
  request.resume = entry.id;
  return request;
}

// A session that was interrupted, by a crash or a lost machine, goes on where it was.
void MainWindow::resume(const SessionEntry& entry) {
  if (SessionPage* shown = page_of(entry.id); shown != nullptr && shown->bridge() == nullptr) {
    pages_.removeAll(shown);
    shown->deleteLater();
  }
  run(request_like(entry));
}

void MainWindow::branch(qint64 session, qint64 last_event, const QString& task) {
  for (const SessionEntry& entry : sessions_->entries()) {
    if (entry.id != session) continue;
    SessionRequest request = request_like(entry);
    request.task = task;
    request.branch_event = last_event;
    return run(std::move(request));
  }
}

void MainWindow::watch(SessionPage* page) {
  AgentBridge* bridge = page->bridge();
  connect(page, &SessionPage::state_changed, this, [this] {
    sessions_->refresh();
    update_tray();
  });
  const auto tell = [this, page](const QString& title) {
    if (preferences_.notifies() && !isActiveWindow()) tray_->notify(title, page->task());
  };
  connect(bridge, &AgentBridge::approval_wanted, this, [tell] { tell(tr("Deskhand asks for consent")); });
  connect(bridge, &AgentBridge::question_asked, this, [tell] { tell(tr("Deskhand has a question")); });
  connect(bridge, &AgentBridge::finished, this, [tell](const QString& status) { tell(ending_text(status)); });
}

void MainWindow::update_tray() {
  const auto n_waiting = static_cast<int>(std::count_if(pages_.begin(), pages_.end(), is_waiting));
  tray_->show_state(n_busy(), n_waiting);
}

void MainWindow::add_page(SessionPage* page) {
  connect(page, &SessionPage::close_wanted, this, [this, page] { close_page(page); });
  connect(page, &SessionPage::branch_wanted, this,
          [this, page](qint64 last_event, const QString& task) { branch(page->session(), last_event, task); });
  pages_.append(page);
  stack_->addWidget(page);
  show_page(page);
}

// The session ends behind the window; then the list says how.
void MainWindow::close_page(SessionPage* page) {
  if (std::unique_ptr<AgentBridge> bridge = page->take_bridge()) {
    connect(bridge.get(), &AgentBridge::ended, sessions_, &SessionList::refresh);
    AgentBridge::end(std::move(bridge));
  }
  pages_.removeAll(page);
  pages_.isEmpty() ? show_home() : show_page(pages_.last());
  stack_->removeWidget(page);
  page->deleteLater();
  update_tray();
}

void MainWindow::show_home() {
  show_page(home_);
  home_->composer().focus();
}

void MainWindow::show_settings() {
  show_page(settings_);
}

SessionPage* MainWindow::page_of(qint64 session) const {
  for (SessionPage* page : pages_) {
    if (page->session() == session) return page;
  }
  return nullptr;
}

void MainWindow::show_session(qint64 session) {
  if (SessionPage* page = page_of(session)) return show_page(page);
  for (const SessionEntry& entry : sessions_->entries()) {
    if (entry.id != session) continue;
    auto* page = new SessionPage(record_, session, entry.task, stack_);
    page->set_resumable(entry.status == "interrupted");
    connect(page, &SessionPage::resume_wanted, this, [this, entry] { resume(entry); });
    add_page(page);
  }
}

void MainWindow::offer_resume() {
  if (std::exchange(has_offered_, true)) return;
  for (const SessionEntry& entry : sessions_->entries()) {
    const bool is_recent = entry.began.daysTo(QDateTime::currentDateTime()) <= 7;
    if (entry.status == "interrupted" && is_recent) return home_->offer_resume(entry);
  }
}

void MainWindow::show_page(QWidget* page) {
  stack_->setCurrentWidget(page);
  auto* session = qobject_cast<SessionPage*>(page);
  session != nullptr ? session->take_focus() : page->setFocus();
  update_marks();
}

void MainWindow::update_marks() {
  const auto* page = qobject_cast<SessionPage*>(stack_->currentWidget());
  sidebar_->mark(page != nullptr ? page->session() : 0);
  sidebar_->mark_settings(stack_->currentWidget() == settings_);
}

int MainWindow::n_busy() const {
  return static_cast<int>(std::count_if(pages_.begin(), pages_.end(), is_busy));
}

void MainWindow::stop_all() {
  for (SessionPage* page : pages_) {
    if (page->bridge() != nullptr) page->bridge()->stop();
  }
}

void MainWindow::closeEvent(QCloseEvent* event) {
  if (n_busy() > 0) {
    const auto answer = QMessageBox::question(this, tr("Quit Deskhand?"),
                                              tr("%n sessions are running. Quitting stops them.", nullptr, n_busy()));
    if (answer != QMessageBox::Yes) return event->ignore();
  }
  stop_all();
  event->accept();
}

}  // namespace app
