#include "inference/training/screens/windows.h"

#include <QBoxLayout>
#include <QFormLayout>
#include <QGridLayout>
#include <QGroupBox>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QTabWidget>

#include "inference/training/screens/icons.h"

namespace screens {
namespace {

// Adds rows until the widget has taken the room, so that windows are as full as real ones.
int rows_that_fit(Context& context, QSize room) {
  return std::max(1, room.height() / (context.theme.font.pixelSize() + context.theme.spacing + 12));
}

QString fill_form(Context& context, QWidget* window, QSize room) {
  auto* all = new QVBoxLayout(window);
  set_margins(context, all);
  auto* form = new QFormLayout;
  form->setSpacing(context.theme.spacing);
  for (int n = context.random.between(2, rows_that_fit(context, room) - 1); n > 0; --n) {
    if (context.random.chance(0.55))
      form->addRow(context.text.label() + (context.random.chance(0.6) ? ":" : ""), make_field(context));
    else if (context.random.chance(0.6))
      form->addRow(context.text.label(), make_option(context));
    else
      form->addRow(make_option(context));
  }
  all->addLayout(form);
  all->addStretch();
  add_button_row(context, all, context.random.between(1, 3));
  return context.text.label();
}

QString fill_editor(Context& context, QWidget* window, QSize) {
  auto* all = new QVBoxLayout(window);
  all->setContentsMargins(0, 0, 0, 0);
  all->setSpacing(0);
  if (context.random.chance(0.9)) add_menu_bar(context, all);
  if (context.random.chance(0.6)) add_tool_bar(context, all);
  QWidget* area = make_text_area(context, context.random.between(0, 26), context.random.chance(0.4));
  if (context.random.chance(0.25)) {
    auto* tabs = new QTabWidget;
    tabs->addTab(area, context.text.file_name());
    for (int n = context.random.between(1, 3); n > 0; --n) tabs->addTab(new QWidget, context.text.file_name());
    area = tabs;
  }
  all->addWidget(area, 1);
  if (context.random.chance(0.6)) add_status_bar(context, all);
  return context.text.file_name() + context.random.pick({QStringLiteral(" - Text Editor"), QStringLiteral(" - Notes"),
                                                         QStringLiteral(""), QStringLiteral(" *")});
}

QString fill_files(Context& context, QWidget* window, QSize) {
  auto* all = new QVBoxLayout(window);
  all->setContentsMargins(2, 2, 2, 2);
  all->setSpacing(2);
  if (context.random.chance(0.5)) add_menu_bar(context, all);
  auto* bar = new QHBoxLayout;
  for (int n = context.random.between(2, 5); n > 0; --n) add_icon_button(context, bar);
  bar->addWidget(new QLineEdit(context.text.path()), 1);
  all->addLayout(bar);
  auto* middle = new QHBoxLayout;
  if (context.random.chance(0.7)) middle->addWidget(make_list(context, context.random.between(4, 9)), 1);
  middle->addWidget(make_file_view(context, context.random.between(3, 16)), 3);
  all->addLayout(middle, 1);
  if (context.random.chance(0.6)) add_status_bar(context, all);
  return context.random.chance(0.5) ? context.text.word() : QStringLiteral("File Manager");
}

QString fill_chooser(Context& context, QWidget* window, QSize room) {
  fill_files(context, window, room);
  auto* all = qobject_cast<QBoxLayout*>(window->layout());
  auto* name = new QHBoxLayout;
  name->addWidget(new QLabel(QStringLiteral("Name:")));
  name->addWidget(new QLineEdit(context.random.chance(0.5) ? context.text.file_name() : QString()), 1);
  all->addLayout(name);
  auto* row = new QHBoxLayout;
  row->addStretch();
  add_button(context, row, QStringLiteral("Cancel"));
  const bool save = context.random.chance(0.5);
  add_button(context, row, save ? QStringLiteral("Save") : QStringLiteral("Open"));
  all->addLayout(row);
  return save ? QStringLiteral("Save As") : QStringLiteral("Open File");
}

QString fill_sheet(Context& context, QWidget* window, QSize) {
  auto* all = new QVBoxLayout(window);
  all->setContentsMargins(0, 0, 0, 0);
  all->setSpacing(1);
  if (context.random.chance(0.7)) add_menu_bar(context, all);
  if (context.random.chance(0.7)) add_tool_bar(context, all);
  if (context.random.chance(0.4)) all->addWidget(make_field(context));
  all->addWidget(make_table(context, context.random.between(4, 18), context.random.between(2, 7)), 1);
  if (context.random.chance(0.4)) add_status_bar(context, all);
  return context.text.file_name();
}

QString fill_calculator(Context& context, QWidget* window, QSize) {
  auto* all = new QVBoxLayout(window);
  set_margins(context, all);
  auto* display = new QLineEdit(context.text.number());
  display->setAlignment(Qt::AlignRight);
  all->addWidget(display);
  auto* grid = new QGridLayout;
  grid->setSpacing(context.theme.spacing);
  QStringList keys = {"7", "8", "9", "/", "4", "5", "6", "*", "1", "2", "3", "-", "0", ".", "=", "+"};
  if (context.random.chance(0.5)) keys = QStringList{"C", "(", ")", "%"} + keys;
  if (context.random.chance(0.4)) keys = QStringList{"sin", "cos", "tan", "sqrt", "ln", "log", "pi", "e"} + keys;
  int columns = 4;
  if (context.theme.split == Split::Train) {  // calculators differ; the examination keeps the one that it always had
    if (context.random.chance(0.5))
      keys.replaceInStrings("*", "×").replaceInStrings("/", "÷").replaceInStrings("-", "−");
    if (context.random.chance(0.4)) keys = QStringList{"AC", "√", "x²", "±", "mod", "x!", "1/x", "π"} + keys;
    columns = context.random.pick({4, 4, 4, 5, 6, 8});
  }
  for (int i = 0; i < keys.size(); ++i) {
    auto* key = new QPushButton(keys[i]);
    key->setMinimumWidth(30);
    key->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
    grid->addWidget(key, i / columns, i % columns);
  }
  all->addLayout(grid, 1);
  return QStringLiteral("Calculator");
}

QString fill_terminal(Context& context, QWidget* window, QSize) {
  auto* all = new QVBoxLayout(window);
  all->setContentsMargins(0, 0, 0, 0);
  all->setSpacing(0);
  if (context.random.chance(0.4)) add_menu_bar(context, all);
  auto* area = new QPlainTextEdit;
  QStringList lines;
  for (int n = context.random.between(1, 24); n > 0; --n) lines << context.text.shell_line();
  area->setPlainText((lines << QStringLiteral("$ ")).join('\n'));
  area->setFont(context.theme.mono);
  give_font_of_its_own(context.random, context.theme, 0.3, area);
  QPalette palette = area->palette();
  const bool black = context.random.chance(0.75);
  palette.setColor(QPalette::Base, black ? QColor(context.random.between(0, 45), context.random.between(0, 40),
                                                  context.random.between(0, 45))
                                         : QColor(253, 246, 227));
  palette.setColor(QPalette::Text,
                   black ? context.random.pick({QColor(230, 230, 230), QColor(120, 230, 120), QColor(240, 190, 90)})
                         : QColor(40, 50, 60));
  area->setPalette(palette);
  all->addWidget(area, 1);
  return context.random.chance(0.6) ? QStringLiteral("Terminal")
                                    : QStringLiteral("user@%1: ~").arg(context.text.word().toLower());
}

QString fill_settings(Context& context, QWidget* window, QSize room) {
  auto* all = new QVBoxLayout(window);
  set_margins(context, all);
  auto* middle = new QHBoxLayout;
  if (context.random.chance(0.5)) middle->addWidget(make_list(context, context.random.between(4, 9)), 1);
  auto* page = new QWidget;
  auto* options = new QGridLayout(page);
  set_margins(context, options);
  const int n_columns = context.random.between(1, 3),
            n_rows = context.random.between(2, rows_that_fit(context, room) - 2);
  for (int i = 0; i < n_rows * n_columns; ++i) {
    if (context.random.chance(0.1)) continue;
    options->addWidget(context.random.chance(0.12) ? new QLabel(context.text.label()) : make_option(context),
                       i / n_columns, i % n_columns);
  }
  if (context.random.chance(0.6)) {
    auto* tabs = new QTabWidget;
    for (int n = context.random.between(0, 2); n > 0; --n) tabs->addTab(new QWidget, context.text.label());
    tabs->setCurrentIndex(tabs->addTab(page, context.text.label()));
    for (int n = context.random.between(0, 2); n > 0; --n) tabs->addTab(new QWidget, context.text.label());
    middle->addWidget(tabs, 3);
  } else if (context.random.chance(0.5)) {
    auto* box = new QGroupBox(context.text.label());
    box->setLayout(options);
    delete page;
    middle->addWidget(box, 3);
  } else {
    middle->addWidget(page, 3);
  }
  all->addLayout(middle, 1);
  add_button_row(context, all, context.random.between(1, 3));
  return context.random.chance(0.4) ? QStringLiteral("Settings") : context.text.label();
}

QString fill_reader(Context& context, QWidget* window, QSize) {
  auto* all = new QVBoxLayout(window);
  all->setContentsMargins(3, 3, 3, 3);
  if (context.random.chance(0.7)) add_tool_bar(context, all);
  auto* middle = new QHBoxLayout;
  middle->addWidget(context.random.chance(0.5) ? make_list(context, context.random.between(4, 14))
                                               : make_tree(context, context.random.between(4, 14)),
                    2);
  middle->addWidget(make_text_area(context, context.random.between(2, 14), false), 3);
  all->addLayout(middle, 1);
  return context.random.pick({QStringLiteral("Mail"), QStringLiteral("Notes"), QStringLiteral("Documents")}) +
         QStringLiteral(" - ") + context.text.word();
}

QString fill_page(Context& context, QWidget* window, QSize room) {
  auto* all = new QVBoxLayout(window);
  set_margins(context, all);
  auto* bar = new QHBoxLayout;
  for (int n = context.random.between(2, 4); n > 0; --n) add_icon_button(context, bar);
  bar->addWidget(
      new QLineEdit(QStringLiteral("https://%1/%2").arg(context.text.email().remove('@'), context.text.word())), 1);
  all->addLayout(bar);
  int room_left = rows_that_fit(context, room) - 3;
  while (room_left > 0) {
    auto* label = new QLabel;
    switch (context.random.between(0, 4)) {
      case 0: {
        label->setText(context.text.phrase(context.random.between(1, 4)));
        QFont large = context.theme.font;
        large.setPixelSize(context.theme.font.pixelSize() + context.random.between(4, 14));
        large.setBold(true);
        label->setFont(large);
        --room_left;
        break;
      }
      case 1:
        label->setText(QStringLiteral("<a href='x'>%1</a>").arg(context.text.phrase(context.random.between(1, 4))));
        break;
      case 2:
        add_button_row(context, all, context.random.between(1, 4));
        break;
      default:
        label->setText(context.text.sentence(context.random.between(4, 10)));
    }
    give_font_of_its_own(context.random, context.theme, 0.4, label);
    label->text().isEmpty() ? delete label : all->addWidget(label);
    --room_left;
  }
  all->addStretch();
  window->setAutoFillBackground(true);
  return context.text.phrase(2) + QStringLiteral(" - Web Browser");
}

QString fill_jumble(Context& context, QWidget* window, QSize room) {
  auto* grid = new QGridLayout(window);
  set_margins(context, grid);
  const int n_columns = context.random.between(2, 5), n_rows = context.random.between(2, rows_that_fit(context, room));
  for (int i = 0; i < n_rows * n_columns; ++i) {
    QWidget* part = nullptr;
    switch (context.random.weighted({40, 35, 15, 10})) {
      case 0:
        part = new QPushButton(context.text.label());
        break;
      case 1:
        part = make_option(context);
        break;
      case 2:
        part = new QLabel(context.text.label());
        break;
      default:
        break;
    }
    if (part) grid->addWidget(part, i / n_columns, i % n_columns);
  }
  return context.text.label();
}

}  // namespace

Window make_window(Context& context, QSize room) {
  using Fill = QString (*)(Context&, QWidget*, QSize);
  static constexpr Fill kKinds[] = {fill_form,   fill_editor,     fill_files,    fill_chooser,
                                    fill_sheet,  fill_calculator, fill_terminal, fill_settings,
                                    fill_reader, fill_page,       fill_jumble};
  const int kind = context.theme.split == Split::Train  // more lines of text than in the examination
                       ? context.random.weighted({13, 15, 10, 6, 11, 6, 11, 12, 11, 12, 10})
                       : context.random.weighted({14, 11, 10, 6, 9, 6, 8, 14, 8, 8, 12});
  Window window{std::make_unique<QWidget>(), {}};
  window.widget->setFont(context.theme.font);
  window.title = kKinds[kind](context, window.widget.get(), room);
  QSize size(context.random.between(room.width() * 2 / 5, room.width()),
             context.random.between(room.height() * 2 / 5, room.height()));
  if (kind == 5)
    size = QSize(std::min(size.width(), context.random.between(150, 320)),
                 std::min(size.height(), context.random.between(180, 360)));
  window.widget->resize(size.boundedTo(room));
  return window;
}

Window make_message_box(Context& context) {
  Window window{std::make_unique<QWidget>(), {}};
  auto* all = new QVBoxLayout(window.widget.get());
  set_margins(context, all);
  auto* row = new QHBoxLayout;
  auto* picture = new QLabel;
  const QString name =
      context.random.pick({QStringLiteral("info"), QStringLiteral("warning"), QStringLiteral("close")});
  picture->setPixmap(make_icon(name, 32, context.theme.icon_color, 1.2, true).pixmap(32, 32));
  row->addWidget(picture);
  auto* words = new QVBoxLayout;
  for (int n = context.random.between(1, 3); n > 0; --n)
    words->addWidget(new QLabel(context.text.sentence(context.random.between(3, 7))));
  row->addLayout(words);
  row->addStretch();
  all->addLayout(row);
  static const std::vector<QStringList> kButtons = {
      {"OK"},    {"Cancel", "OK"},     {"No", "Yes"},        {"Discard", "Cancel", "Save"},
      {"Close"}, {"Cancel", "Delete"}, {"Cancel", "Replace"}};
  auto* buttons = new QHBoxLayout;
  buttons->addStretch();
  for (const QString& text : context.random.pick(kButtons)) buttons->addWidget(new QPushButton(text));
  all->addLayout(buttons);
  window.title = context.random.pick({QStringLiteral("Warning"), QStringLiteral("Question"), QStringLiteral("Error"),
                                      QStringLiteral("Confirm"), QStringLiteral("Information")});
  window.widget->setFont(context.theme.font);
  window.widget->resize(window.widget->sizeHint().expandedTo(QSize(context.random.between(200, 340), 80)));
  return window;
}

}  // namespace screens
