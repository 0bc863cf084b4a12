#include "inference/training/screens/events.h"

#include <QAbstractButton>
#include <QCheckBox>
#include <QComboBox>
#include <QLineEdit>
#include <QListWidget>
#include <QMenuBar>
#include <QPlainTextEdit>
#include <QRadioButton>
#include <QScrollBar>
#include <QTabBar>
#include <QTreeWidget>

namespace screens {
namespace {

class Actor {
 public:
  Actor(Desktop& desktop, const Screen& screen)
      : desktop_(desktop), screen_(screen), random_(desktop.context().random), text_(desktop.context().text) {}

  Event act() {
    std::vector<int> candidates;
    bool popup = desktop_.layers().back().is_popup;
    for (std::size_t i = 0; i < screen_.items.size(); ++i) {
      const Item& item = screen_.items[i];
      if (!item.enabled || item.kind == "label" || item.kind == "group" || item.kind == "clock" ||
          item.kind == "progress bar")
        continue;
      if (popup && item.layer + 1 != static_cast<int>(desktop_.layers().size())) continue;
      const int weight =
          item.kind == "cell" || item.kind == "list item" || item.kind == "tree item" || item.kind == "menu" ? 1 : 3;
      for (int n = 0; n < weight; ++n) candidates.push_back(static_cast<int>(i));
      if (item.focused)
        for (int n = 0; n < 40; ++n) candidates.push_back(static_cast<int>(i));
    }
    if (candidates.empty()) return event_;
    event_.item = random_.pick(candidates);
    item_ = &screen_.items[static_cast<std::size_t>(event_.item)];
    event_.op = QStringLiteral("click");
    event_.effect = QStringLiteral("none");
    at_ = (item_->box.center() / desktop_.scale()).toPoint();
    desktop_.set_pointer(at_);
    if (random_.chance(0.12)) return event_;  // the desktop did not react
    apply();
    return event_;
  }

 private:
  void apply() {
    QWidget* widget = item_->widget;
    if (item_->kind == "check box" || item_->kind == "radio button")
      return toggle(qobject_cast<QAbstractButton*>(widget));
    if (item_->kind == "tab") return change_tab(qobject_cast<QTabBar*>(widget));
    if (item_->kind == "menu") return open_menu(at_menu(), QStringLiteral("menu opened"));
    if (item_->kind == "menu item") return use_menu_item();
    if (item_->kind == "combo box") return open_choices(qobject_cast<QComboBox*>(widget));
    if (item_->kind == "text field" || item_->kind == "text area") return use_field(widget);
    if (item_->kind == "window button") return use_window_button();
    if (item_->kind == "task button") return raise();
    if (item_->kind == "desktop icon") return open_by_double_click();
    if (item_->kind == "scroll bar") return scroll(qobject_cast<QScrollBar*>(widget));
    if (item_->kind == "list item" || item_->kind == "tree item" || item_->kind == "cell")
      return use_row(qobject_cast<QAbstractItemView*>(widget));
    if (item_->kind == "button" || item_->kind == "link") return use_button();
  }

  void toggle(QAbstractButton* button) {
    if (!button) return;
    button->setChecked(!button->isChecked());
    event_.effect = QStringLiteral("toggled");
  }

  void change_tab(QTabBar* tabs) {
    if (!tabs || tabs->currentIndex() == item_->index) return;
    tabs->setCurrentIndex(item_->index);
    event_.effect = QStringLiteral("tab changed");
  }

  QPoint at_menu() const { return (item_->box.bottomLeft() / desktop_.scale()).toPoint(); }

  void open_menu(QPoint at, const QString& effect) {
    desktop_.open_popup(make_menu(desktop_.context()), at);
    event_.effect = effect;
  }

  void use_menu_item() {
    desktop_.close_layer(item_->layer);
    event_.effect = QStringLiteral("menu closed");
    if (random_.chance(0.4)) open_dialog();
  }

  void open_dialog() {
    Window box = make_message_box(desktop_.context());
    event_.detail = box.title;
    event_.effect = QStringLiteral("dialog opened");
    desktop_.open_window(std::move(box), true);
  }

  void open_window() {
    const QSize room = desktop_.size_pt() * random_.between(45, 80) / 100;
    Window window = make_window(desktop_.context(), room);
    event_.detail = window.title;
    event_.effect = QStringLiteral("window opened");
    desktop_.open_window(std::move(window), true);
  }

  void open_choices(QComboBox* combo) {
    if (!combo) return;
    auto list = std::make_unique<QListWidget>();
    for (int i = 0; i < combo->count(); ++i) list->addItem(combo->itemText(i));
    list->setCurrentRow(combo->currentIndex());
    const int row = desktop_.context().theme.font.pixelSize() + 8;
    list->resize(std::max(90, combo->width()), row * combo->count() + 6);
    desktop_.open_popup(std::move(list), at_menu());
    event_.effect = QStringLiteral("choices opened");
  }

  void use_field(QWidget* widget) {
    if (!item_->focused) {
      desktop_.focus(widget);
      event_.effect = QStringLiteral("focused");
      return;
    }
    event_.op = QStringLiteral("type");
    event_.text = random_.chance(0.5) ? text_.value() : text_.phrase(random_.between(1, 3));
    event_.effect = QStringLiteral("typed");
    if (auto* field = qobject_cast<QLineEdit*>(widget))
      field->setText(field->echoMode() == QLineEdit::Normal && random_.chance(0.3) ? field->text() + event_.text
                                                                                   : event_.text);
    if (auto* area = qobject_cast<QPlainTextEdit*>(widget))
      area->setPlainText(event_.text + '\n' + area->toPlainText());
  }

  void use_window_button() {
    if (item_->icon == "close" || item_->icon == "minimize") {
      desktop_.close_layer(item_->layer);
      event_.effect = QStringLiteral("window closed");
    }
  }

  void raise() {
    std::vector<Layer>& layers = desktop_.layers();
    for (std::size_t i = 1; i + 1 < layers.size(); ++i)
      if (layers[i].title.startsWith(item_->text.left(6))) {
        desktop_.raise_layer(static_cast<int>(i));
        event_.effect = QStringLiteral("raised");
        return;
      }
  }

  void open_by_double_click() {
    event_.op = QStringLiteral("double_click");
    random_.chance(0.75) ? open_window() : open_menu(at_, QStringLiteral("popup opened"));
    if (event_.effect == "popup opened") event_.op = QStringLiteral("right_click");
  }

  void scroll(QScrollBar* bar) {
    if (!bar) return;
    event_.op = QStringLiteral("scroll");
    event_.amount = bar->value() == bar->maximum() ? -random_.between(2, 5) : random_.between(2, 5);
    const int before = bar->value();
    bar->setValue(before + event_.amount * bar->singleStep() * 3);
    if (bar->value() != before) event_.effect = QStringLiteral("scrolled");
  }

  void use_row(QAbstractItemView* view) {
    if (!view) return;
    if (random_.chance(0.2)) {
      event_.op = QStringLiteral("right_click");
      return open_menu(at_, QStringLiteral("popup opened"));
    }
    if (random_.chance(0.25)) {
      event_.op = QStringLiteral("double_click");
      return open_window();
    }
    const QModelIndex index = view->model()->index(item_->index / 1000, item_->index % 1000);
    const bool was = view->selectionModel()->isSelected(index);
    view->setCurrentIndex(index);
    if (desktop_.layers()[static_cast<std::size_t>(item_->layer)].is_popup) {
      desktop_.close_layer(item_->layer);
      event_.effect = QStringLiteral("menu closed");
    } else if (!was) {
      event_.effect = QStringLiteral("selected");
    }
  }

  void use_button() {
    static const QStringList kClosing = {"Close", "Cancel", "OK", "Quit", "Exit", "Done", "No", "Yes"};
    if (kClosing.contains(item_->text) && item_->layer > 0) {
      desktop_.close_layer(item_->layer);
      event_.effect = QStringLiteral("window closed");
    } else if (random_.chance(0.55)) {
      random_.chance(0.6) ? open_dialog() : open_window();
    }
  }

  Desktop& desktop_;
  const Screen& screen_;
  Random& random_;
  TextSource& text_;
  Event event_;
  const Item* item_ = nullptr;
  QPoint at_;
};

}  // namespace

Event act(Desktop& desktop, const Screen& screen) {
  return Actor(desktop, screen).act();
}

void prepare(Desktop& desktop, const Screen& draft) {
  Random& random = desktop.context().random;
  std::vector<const Item*> fields, menus;
  for (const Item& item : draft.items) {
    if (!item.enabled || item.layer + 1 != static_cast<int>(desktop.layers().size())) continue;
    if (item.kind == "text field" || item.kind == "text area") fields.push_back(&item);
    if (item.kind == "menu") menus.push_back(&item);
  }
  if (!menus.empty() && random.chance(0.35)) {
    desktop.open_popup(make_menu(desktop.context()),
                       (random.pick(menus)->box.bottomLeft() / desktop.scale()).toPoint());
  } else if (!fields.empty() && random.chance(0.6)) {
    desktop.focus(random.pick(fields)->widget);
  }
}

}  // namespace screens
