#include "tests/app/window/text_fit.h"

#include <QAbstractButton>
#include <QComboBox>
#include <QLabel>
#include <QLayout>
#include <QLineEdit>
#include <QStyle>
#include <QStyleOptionFrame>
#include <QTabBar>

namespace app_test {
namespace {

QString where(const QWidget& widget, const QString& text) {
  return QString("%1 \"%2\"").arg(widget.metaObject()->className(), text.left(50));
}

QString text_of(const QWidget& widget) {
  if (const auto* label = qobject_cast<const QLabel*>(&widget)) return label->text();
  if (const auto* button = qobject_cast<const QAbstractButton*>(&widget)) return button->text();
  return {};
}

// What is missing of the size that the widget itself asks for to show its text.
QString size_problem(const QWidget& widget) {
  const QString text = text_of(widget);
  if (text.isEmpty()) return {};
  const auto* label = qobject_cast<const QLabel*>(&widget);
  const QSize wanted = label != nullptr && label->wordWrap()
                           ? QSize(0, label->heightForWidth(label->width()))
                           : widget.minimumSizeHint().expandedTo(label != nullptr ? label->sizeHint() : QSize());
  if (text.contains(QStringLiteral("…"))) return {};  // shortened on purpose, with all of it in the tool tip
  if (widget.width() < wanted.width() - 1) {
    return QString("%1 needs a width of %2, has %3").arg(where(widget, text)).arg(wanted.width()).arg(widget.width());
  }
  if (widget.height() < wanted.height() - 1) {
    return QString("%1 needs a height of %2, has %3")
        .arg(where(widget, text))
        .arg(wanted.height())
        .arg(widget.height());
  }
  return {};
}

// What an empty line says of itself is cut where it is too narrow.
QString hint_problem(const QLineEdit& line) {
  QStyleOptionFrame option;
  option.initFrom(&line);
  const int inner = line.style()->subElementRect(QStyle::SE_LineEditContents, &option, &line).width();
  constexpr int kSides = 6, kIcon = 26;
  const int room = inner - kSides - kIcon * static_cast<int>(line.actions().size());
  if (!line.text().isEmpty() || line.fontMetrics().horizontalAdvance(line.placeholderText()) <= room) return {};
  return QString("%1 is cut off").arg(where(line, line.placeholderText()));
}

}  // namespace

QStringList text_problems(const QWidget& window) {
  QStringList problems;
  QList<QPair<QRect, const QWidget*>> texts;
  for (const QWidget* widget : window.findChildren<QWidget*>()) {
    if (!widget->isVisibleTo(&window)) continue;
    if (const QString problem = size_problem(*widget); !problem.isEmpty()) problems.append(problem);
    if (const auto* line = qobject_cast<const QLineEdit*>(widget)) {
      if (const QString problem = hint_problem(*line); !problem.isEmpty()) problems.append(problem);
    }
    if (const auto* tabs = qobject_cast<const QTabBar*>(widget)) {
      for (int tab = 0; tab < tabs->count(); ++tab) {
        const int needed = tabs->fontMetrics().horizontalAdvance(tabs->tabText(tab));
        if (tabs->tabRect(tab).width() < needed) problems.append(where(*tabs, tabs->tabText(tab)) + " is cut off");
      }
    }
    if (text_of(*widget).isEmpty()) continue;
    const QRect visible = widget->visibleRegion().boundingRect();  // scrolled away: not there
    if (!visible.isEmpty()) texts.append({visible.translated(widget->mapTo(&window, QPoint())), widget});
  }
  for (qsizetype a = 0; a < texts.size(); ++a) {
    for (qsizetype b = a + 1; b < texts.size(); ++b) {
      const bool is_nested =
          texts[a].second->isAncestorOf(texts[b].second) || texts[b].second->isAncestorOf(texts[a].second);
      if (is_nested || !texts[a].first.intersects(texts[b].first)) continue;
      problems.append(where(*texts[a].second, text_of(*texts[a].second)) + " overlaps " +
                      where(*texts[b].second, text_of(*texts[b].second)));
    }
  }
  return problems;
}

}  // namespace app_test
