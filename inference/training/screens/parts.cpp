#include <QBoxLayout>
#include <QCheckBox>
#include <QComboBox>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QMenuBar>
#include <QPlainTextEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QRadioButton>
#include <QSlider>
#include <QSpinBox>
#include <QTableWidget>
#include <QToolButton>
#include <QTreeWidget>

#include "inference/training/screens/icons.h"
#include "inference/training/screens/windows.h"

namespace screens {
namespace {

QIcon random_icon(Context& context, QString& name, int size_px) {
  const Theme& theme = context.theme;
  if (!theme.icon_theme.isEmpty()) {
    name = context.random.pick(themed_icon_names(theme.icon_theme));
    return themed_icon(theme.icon_theme, name);
  }
  name = context.random.pick(icon_names());
  return make_icon(name, size_px, theme.icon_color, theme.icon_stroke, theme.icon_filled);
}

}  // namespace

void set_margins(Context& context, QLayout* layout) {
  const int margin = context.theme.margin;
  layout->setContentsMargins(margin, margin, margin, margin);
  layout->setSpacing(context.theme.spacing);
}

QPushButton* add_button(Context& context, QBoxLayout* to, const QString& text) {
  auto* button = new QPushButton(text);
  if (context.random.chance(0.15)) {
    QString name;
    button->setIcon(random_icon(context, name, 16));
  }
  if (context.random.chance(0.08)) button->setEnabled(false);
  if (context.random.chance(0.12)) button->setDefault(true);
  if (context.random.chance(0.05)) button->setFlat(true);
  to->addWidget(button);
  return button;
}

void add_button_row(Context& context, QBoxLayout* to, int n) {
  auto* row = new QHBoxLayout;
  const int side = context.random.between(0, 2);
  if (side != 0) row->addStretch();
  for (int i = 0; i < n; ++i) add_button(context, row, context.text.label());
  if (side != 1) row->addStretch();
  to->addLayout(row);
}

void add_icon_button(Context& context, QBoxLayout* to) {
  auto* button = new QToolButton;
  QString name;
  const int size = context.random.between(14, 26);
  button->setIcon(random_icon(context, name, size));
  button->setIconSize(QSize(size, size));
  button->setProperty("icon_name", name);
  button->setAutoRaise(context.random.chance(0.7));
  if (context.random.chance(0.2)) {
    button->setText(context.text.label());
    button->setToolButtonStyle(context.random.chance(0.6) ? Qt::ToolButtonTextBesideIcon : Qt::ToolButtonTextUnderIcon);
  }
  if (context.random.chance(0.07)) button->setEnabled(false);
  to->addWidget(button);
}

void add_menu_bar(Context& context, QBoxLayout* to) {
  auto* bar = new QMenuBar;
  const bool usual = context.random.chance(0.5);
  const QStringList names = {"File", "Edit", "View", "Tools", "Window", "Help"};
  const int n = context.random.between(2, 7);
  for (int i = 0; i < n; ++i) bar->addMenu(usual && i < names.size() ? names[i] : context.text.menu_title());
  to->addWidget(bar);
}

void add_tool_bar(Context& context, QBoxLayout* to) {
  auto* row = new QHBoxLayout;
  row->setContentsMargins(3, 2, 3, 2);
  row->setSpacing(context.random.between(0, 6));
  for (int n = context.random.between(3, 12); n > 0; --n) {
    add_icon_button(context, row);
    if (context.random.chance(0.12)) row->addSpacing(10);
  }
  if (context.random.chance(0.3)) row->addWidget(make_field(context));
  row->addStretch();
  to->addLayout(row);
}

void add_status_bar(Context& context, QBoxLayout* to) {
  auto* row = new QHBoxLayout;
  row->setContentsMargins(4, 1, 4, 1);
  row->addWidget(new QLabel(context.text.sentence(context.random.between(1, 5))));
  row->addStretch();
  for (int n = context.random.between(0, 3); n > 0; --n) row->addWidget(new QLabel(context.text.value()));
  to->addLayout(row);
}

QLineEdit* make_field(Context& context) {
  auto* field = new QLineEdit;
  if (context.random.chance(0.55))
    field->setText(context.text.value());
  else if (context.random.chance(0.5))
    field->setPlaceholderText(context.text.label());
  if (context.random.chance(0.06)) field->setEnabled(false);
  if (context.random.chance(0.06)) {
    field->setText(context.text.invented());
    field->setEchoMode(QLineEdit::Password);
  }
  return field;
}

QWidget* make_option(Context& context) {
  Random& random = context.random;
  QWidget* option = nullptr;
  switch (random.weighted({35, 20, 15, 8, 10, 5, 7})) {
    case 0: {
      auto* box = new QCheckBox(context.text.label());
      box->setChecked(random.chance(0.5));
      option = box;
      break;
    }
    case 1: {
      auto* radio = new QRadioButton(context.text.label());
      radio->setAutoExclusive(false);
      radio->setChecked(random.chance(0.35));
      option = radio;
      break;
    }
    case 2: {
      auto* combo = new QComboBox;
      for (int n = random.between(2, 6); n > 0; --n) combo->addItem(context.text.label());
      option = combo;
      break;
    }
    case 3: {
      auto* slider = new QSlider(Qt::Horizontal);
      slider->setRange(0, 100);
      slider->setValue(random.between(0, 100));
      slider->setMinimumWidth(80);
      option = slider;
      break;
    }
    case 4: {
      auto* spin = new QSpinBox;
      spin->setRange(0, 99999);
      spin->setValue(random.chance(0.5) ? random.between(0, 99) : random.between(0, 9999));
      option = spin;
      break;
    }
    case 5: {
      auto* bar = new QProgressBar;
      bar->setValue(random.between(0, 100));
      option = bar;
      break;
    }
    default:
      option = make_field(context);
  }
  if (random.chance(0.06)) option->setEnabled(false);
  return option;
}

QWidget* make_list(Context& context, int n_rows) {
  auto* list = new QListWidget;
  const bool icons = context.random.chance(0.4);
  const int kind = context.random.between(0, 3);
  for (int i = 0; i < n_rows; ++i) {
    const QString text = kind == 0   ? context.text.file_name()
                         : kind == 1 ? context.text.label()
                         : kind == 2 ? context.text.person()
                                     : context.text.phrase(context.random.between(1, 4));
    QString name;
    icons ? list->addItem(new QListWidgetItem(random_icon(context, name, 16), text)) : list->addItem(text);
  }
  if (context.random.chance(0.3)) list->setSpacing(context.random.between(1, 4));
  if (context.random.chance(0.6)) list->setCurrentRow(context.random.between(0, n_rows - 1));
  list->setMinimumWidth(110);
  give_font_of_its_own(context.random, context.theme, 0.25, list);
  return list;
}

QWidget* make_tree(Context& context, int n_rows) {
  auto* tree = new QTreeWidget;
  tree->setHeaderHidden(context.random.chance(0.5));
  tree->setHeaderLabel(context.text.label());
  QTreeWidgetItem* parent = nullptr;
  for (int i = 0; i < n_rows; ++i) {
    auto* item =
        new QTreeWidgetItem(QStringList(context.random.chance(0.5) ? context.text.file_name() : context.text.label()));
    if (parent && context.random.chance(0.6)) {
      parent->addChild(item);
    } else {
      tree->addTopLevelItem(item);
      parent = item;
    }
  }
  for (int i = 0; i < tree->topLevelItemCount(); ++i) tree->topLevelItem(i)->setExpanded(context.random.chance(0.6));
  if (context.random.chance(0.4)) tree->setCurrentItem(tree->topLevelItem(0));
  give_font_of_its_own(context.random, context.theme, 0.25, tree);
  return tree;
}

QWidget* make_table(Context& context, int n_rows, int n_columns) {
  auto* table = new QTableWidget(n_rows, n_columns);
  const bool letters = context.random.chance(0.5);
  for (int column = 0; column < n_columns; ++column)
    table->setHorizontalHeaderItem(column,
                                   new QTableWidgetItem(letters ? QString(QChar('A' + column)) : context.text.label()));
  const double filled = context.random.chance(0.5) ? 0.9 : 0.3;
  const bool lines = context.theme.split == Split::Train && context.random.chance(0.25);  // long cells
  for (int row = 0; row < n_rows; ++row)
    for (int column = 0; column < n_columns; ++column)
      if (context.random.chance(filled))
        table->setItem(
            row, column,
            new QTableWidgetItem(lines ? context.text.sentence(context.random.between(2, 7)) : context.text.value()));
  table->setAlternatingRowColors(context.random.chance(0.4));
  table->setShowGrid(context.random.chance(0.75));
  table->verticalHeader()->setVisible(context.random.chance(0.6));
  table->verticalHeader()->setDefaultSectionSize(context.theme.font.pixelSize() + context.random.between(6, 16));
  table->horizontalHeader()->setDefaultSectionSize(lines ? context.random.between(140, 360)
                                                         : context.random.between(60, 130));
  give_font_of_its_own(context.random, context.theme, 0.25, table);
  if (context.random.chance(0.5))
    table->setCurrentCell(context.random.between(0, n_rows - 1), context.random.between(0, n_columns - 1));
  return table;
}

QWidget* make_file_view(Context& context, int n_rows) {
  Random& random = context.random;
  QString name;
  if (random.chance(0.4)) {
    auto* list = new QListWidget;
    list->setViewMode(QListView::IconMode);
    list->setIconSize(QSize(random.between(28, 48), random.between(28, 48)));
    list->setGridSize(
        QSize(random.between(84, 110), list->iconSize().height() + context.theme.font.pixelSize() * 2 + 14));
    list->setWordWrap(true);
    for (int i = 0; i < n_rows; ++i) {
      const bool folder = random.chance(0.35);
      const QIcon icon = make_icon(folder ? QStringLiteral("folder") : QStringLiteral("file"), 44,
                                   context.theme.icon_color, context.theme.icon_stroke, true);
      list->addItem(new QListWidgetItem(icon, folder ? context.text.label() : context.text.file_name()));
    }
    return list;
  }
  auto* tree = new QTreeWidget;
  tree->setRootIsDecorated(false);
  tree->setHeaderLabels({QStringLiteral("Name"), QStringLiteral("Size"),
                         random.chance(0.5) ? QStringLiteral("Type") : QStringLiteral("Modified")});
  for (int i = 0; i < n_rows; ++i) {
    const bool folder = random.chance(0.3);
    auto* item = new QTreeWidgetItem({folder ? context.text.label() : context.text.file_name(),
                                      folder ? QString() : context.text.size(), context.text.date()});
    item->setIcon(0, make_icon(folder ? QStringLiteral("folder") : QStringLiteral("file"), 16, context.theme.icon_color,
                               context.theme.icon_stroke, true));
    tree->addTopLevelItem(item);
  }
  tree->setColumnWidth(0, random.between(130, 240));
  tree->setAlternatingRowColors(random.chance(0.5));
  if (random.chance(0.4)) tree->setCurrentItem(tree->topLevelItem(random.between(0, n_rows - 1)));
  return tree;
}

QWidget* make_text_area(Context& context, int n_lines, bool code) {
  auto* area = new QPlainTextEdit;
  QStringList lines;
  for (int i = 0; i < n_lines; ++i)
    lines << (code                          ? context.text.code_line()
              : context.random.chance(0.12) ? QString()
                                            : context.text.sentence(context.random.between(2, 9)));
  area->setPlainText(lines.join('\n'));
  if (code || context.random.chance(0.4)) area->setFont(context.theme.mono);
  give_font_of_its_own(context.random, context.theme, 0.5, area);
  area->setLineWrapMode(context.random.chance(0.5) ? QPlainTextEdit::WidgetWidth : QPlainTextEdit::NoWrap);
  return area;
}

std::unique_ptr<QMenu> make_menu(Context& context) {
  auto menu = std::make_unique<QMenu>();
  for (int n = context.random.between(3, 10); n > 0; --n) {
    QAction* action = menu->addAction(context.text.menu_item());
    QString name;
    if (context.random.chance(0.2)) action->setIcon(random_icon(context, name, 16));
    if (context.random.chance(0.35)) action->setShortcut(QKeySequence(context.text.shortcut()));
    action->setShortcutVisibleInContextMenu(true);
    if (context.random.chance(0.1)) action->setEnabled(false);
    if (context.random.chance(0.1)) {
      action->setCheckable(true);
      action->setChecked(context.random.chance(0.5));
    }
    if (context.random.chance(0.15)) menu->addSeparator();
  }
  menu->resize(menu->sizeHint());
  return menu;
}

}  // namespace screens
