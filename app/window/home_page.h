#pragma once
// Where a task begins: the composer in the middle, and a few things to try.

#include <QWidget>

#include "app/window/composer.h"
#include "app/window/session_list.h"

class QLabel;

namespace app {

class MachineCheck;

class HomePage : public QWidget {
  Q_OBJECT

 public:
  explicit HomePage(QWidget* parent = nullptr);
  Composer& composer() { return *composer_; }
  void offer_resume(const SessionEntry& session);
  void show_welcome();  // on the first start

 Q_SIGNALS:
  void resume_wanted(const app::SessionEntry& session);
  void demonstration_wanted();
  void welcome_seen();

 private:
  QFrame* make_offer(QWidget* parent);
  QFrame* make_welcome(QWidget* parent);

  QFrame* offer_;
  QFrame* welcome_;
  MachineCheck* check_ = nullptr;
  QLabel* offer_text_ = nullptr;
  SessionEntry offered_;
  Composer* composer_;
};

}  // namespace app
