// The views that paint themselves, for screen readers and for programs that operate the window: the transcript is a
// list with an item per row, the time line a slider, the screen a picture.

#include "app/window/view_accessibility.h"

#include <QAccessibleWidget>
#include <QHash>
#include <QPointer>
#include <algorithm>

#include "app/window/call_text.h"
#include "app/window/screen_view.h"
#include "app/window/timeline_view.h"
#include "app/window/transcript_view.h"

namespace app {
namespace {

class RowAccessible final : public QAccessibleInterface, public QAccessibleActionInterface {
 public:
  RowAccessible(TranscriptView* view, int row) : view_(view), row_(row) {}

  bool isValid() const override { return view_ != nullptr && row_ < view_->n_rows(); }
  QObject* object() const override { return nullptr; }
  QAccessibleInterface* parent() const override { return QAccessible::queryAccessibleInterface(view_); }
  QAccessibleInterface* child(int) const override { return nullptr; }
  QAccessibleInterface* childAt(int, int) const override { return nullptr; }
  int childCount() const override { return 0; }
  int indexOfChild(const QAccessibleInterface*) const override { return -1; }
  QAccessible::Role role() const override { return QAccessible::ListItem; }
  QString text(QAccessible::Text kind) const override {
    return isValid() && kind == QAccessible::Name ? plain_line(view_->item(row_)) : QString();
  }
  void setText(QAccessible::Text, const QString&) override {}
  QRect rect() const override {
    if (!isValid()) return {};
    QRect rect = view_->row_rect(row_);
    rect.moveTopLeft(view_->viewport()->mapToGlobal(rect.topLeft()));
    return rect;
  }
  QAccessible::State state() const override {
    QAccessible::State state;
    state.selectable = true;
    state.focusable = true;
    if (!isValid()) return state;
    state.selected = view_->current_row() == row_;
    state.offscreen = !view_->viewport()->rect().intersects(view_->row_rect(row_));
    state.invisible = state.offscreen;
    return state;
  }
  void* interface_cast(QAccessible::InterfaceType type) override {
    return type == QAccessible::ActionInterface ? static_cast<QAccessibleActionInterface*>(this) : nullptr;
  }
  QStringList actionNames() const override { return {pressAction()}; }
  void doAction(const QString& action) override {
    if (isValid() && action == pressAction()) view_->activate(row_);
  }
  QStringList keyBindingsForAction(const QString&) const override { return {}; }

 private:
  QPointer<TranscriptView> view_;
  int row_;
};

class TranscriptAccessible final : public QAccessibleWidget {
 public:
  explicit TranscriptAccessible(TranscriptView* view) : QAccessibleWidget(view, QAccessible::List), view_(view) {}
  ~TranscriptAccessible() override {
    for (const QAccessible::Id id : rows_) QAccessible::deleteAccessibleInterface(id);
  }

  int childCount() const override { return view_->n_rows(); }
  QAccessibleInterface* child(int index) const override {
    if (index < 0 || index >= view_->n_rows()) return nullptr;
    const auto known = rows_.constFind(index);
    if (known != rows_.constEnd()) return QAccessible::accessibleInterface(*known);
    auto* row = new RowAccessible(view_, index);
    rows_[index] = QAccessible::registerAccessibleInterface(row);
    return row;
  }
  int indexOfChild(const QAccessibleInterface* child) const override {
    for (auto row = rows_.constBegin(); row != rows_.constEnd(); ++row) {
      if (QAccessible::accessibleInterface(*row) == child) return row.key();
    }
    return -1;
  }
  QAccessibleInterface* childAt(int x, int y) const override {
    for (int row = std::max(0, view_->first_visible_row()); row < view_->n_rows(); ++row) {
      QAccessibleInterface* one = child(row);
      if (one->rect().contains(x, y)) return one;
      if (one->rect().top() > y) break;
    }
    return nullptr;
  }

 private:
  TranscriptView* view_;
  mutable QHash<int, QAccessible::Id> rows_;
};

// Its value is the moment that is shown, in ms of the session.
class TimelineAccessible final : public QAccessibleWidget, public QAccessibleValueInterface {
 public:
  explicit TimelineAccessible(TimelineView* view) : QAccessibleWidget(view, QAccessible::Slider), view_(view) {}

  void* interface_cast(QAccessible::InterfaceType type) override {
    if (type == QAccessible::ValueInterface) return static_cast<QAccessibleValueInterface*>(this);
    return QAccessibleWidget::interface_cast(type);
  }
  QVariant currentValue() const override { return view_->now_ms(); }
  void setCurrentValue(const QVariant& value) override { view_->choose(value.toLongLong()); }
  QVariant maximumValue() const override { return view_->length_ms(); }
  QVariant minimumValue() const override { return 0; }
  QVariant minimumStepSize() const override { return 1; }

 private:
  TimelineView* view_;
};

QAccessibleInterface* make_accessible(const QString&, QObject* object) {
  if (auto* view = qobject_cast<TranscriptView*>(object)) return new TranscriptAccessible(view);
  if (auto* view = qobject_cast<TimelineView*>(object)) return new TimelineAccessible(view);
  if (auto* view = qobject_cast<ScreenView*>(object)) return new QAccessibleWidget(view, QAccessible::Graphic);
  return nullptr;
}

}  // namespace

void install_view_accessibility() {
  static const bool installed = [] {
    QAccessible::installFactory(make_accessible);
    return true;
  }();
  Q_UNUSED(installed);
}

}  // namespace app
