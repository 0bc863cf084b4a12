#pragma once
// Windows made of real widgets: the kinds of window that a desktop shows, with random content.

#include <QMenu>
#include <QString>
#include <QWidget>
#include <memory>

#include "inference/training/screens/theme.h"

class QBoxLayout;
class QLineEdit;
class QPushButton;
class QToolBar;

namespace screens {

struct Context {
  Random& random;
  TextSource& text;
  const Theme& theme;
};

struct Window {
  std::unique_ptr<QWidget> widget;  // sized
  QString title;
};

// One of the kinds of window below, by chance; `room` is the most it may take.
Window make_window(Context& context, QSize room);
Window make_message_box(Context& context);

std::unique_ptr<QMenu> make_menu(Context& context);

// Parts that several kinds of window use (parts.cpp).
QPushButton* add_button(Context& context, QBoxLayout* to, const QString& text);
void add_button_row(Context& context, QBoxLayout* to, int n);
void add_icon_button(Context& context, QBoxLayout* to);
void add_menu_bar(Context& context, QBoxLayout* to);
void add_tool_bar(Context& context, QBoxLayout* to);
void add_status_bar(Context& context, QBoxLayout* to);
QLineEdit* make_field(Context& context);
QWidget* make_option(Context& context);  // check box, radio button, combo box, slider, spin box, progress bar …
QWidget* make_list(Context& context, int n_rows);
QWidget* make_tree(Context& context, int n_rows);
QWidget* make_table(Context& context, int n_rows, int n_columns);
QWidget* make_file_view(Context& context, int n_rows);
QWidget* make_text_area(Context& context, int n_lines, bool code);
void set_margins(Context& context, QLayout* layout);

}  // namespace screens
