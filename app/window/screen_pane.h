#pragma once
// The desktop of a session with its time line below: live, or at any moment of its past.

#include <QFrame>
#include <memory>

#include "app/window/action_mark.h"
#include "app/window/session_item.h"

class QComboBox;
class QHBoxLayout;
class QLabel;
class QToolButton;

namespace app {

class DesktopHand;
class ScreenFeed;
class ScreenView;
class SessionModel;
class TimelineView;

class ScreenPane : public QFrame {
  Q_OBJECT

 public:
  explicit ScreenPane(SessionModel* model, QWidget* parent = nullptr);
  ~ScreenPane() override;

  void set_display(const QString& display);  // from now on there is something live
  void set_placeholder(const QString& text);
  void show_coming(const std::optional<ActionMark>& mark);  // what is about to be done; nothing: it is over
  void set_driven(bool is_driven);                          // the user has the wheel
  bool is_driven() const;

  void look_at(int row);  // shows the screen as it was at this item
  void look_live();
  int looked_at() const { return looked_at_; }  // −1: the present
  ScreenView& screen() { return *screen_; }
  TimelineView& timeline() { return *timeline_; }

 Q_SIGNALS:
  void moment_changed(int row);             // the user looks at another moment; −1: the present
  void export_wanted(const QString& form);  // of the part that is cut out
  void branch_wanted(int row);              // a new session shall go on from this item
  void hand_failed(const QString& why);

 protected:
  void showEvent(QShowEvent* event) override;
  void hideEvent(QHideEvent* event) override;

 private:
  QLayout* make_bar();
  QLayout* make_player();
  void add_cut(QHBoxLayout* row);
  void show_cut();
  void on_frame();
  void on_change();
  void show_recorded();
  void show_comparison();
  void update_label();
  qint64 picture_before(int row) const;

  SessionModel* model_;
  std::unique_ptr<ScreenFeed> feed_;
  std::unique_ptr<DesktopHand> hand_;
  int looked_at_ = -1;
  bool is_comparing_ = false;

  ScreenView* screen_;
  TimelineView* timeline_;
  QLabel* label_ = nullptr;
  QLabel* time_ = nullptr;
  QToolButton* live_ = nullptr;
  QToolButton* branch_ = nullptr;
  QToolButton* cut_ = nullptr;
  QToolButton* compare_ = nullptr;
  QToolButton* play_ = nullptr;
  QComboBox* speed_ = nullptr;
};

}  // namespace app
