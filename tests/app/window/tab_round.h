#pragma once
// Once round a window with the Tab key.

#include <QAbstractButton>
#include <QApplication>
#include <QComboBox>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QSet>
#include <QTest>
#include <QWidget>

namespace app_test {

// What can be worked in the window, but wasn't reached; each by its kind and its name.
inline QStringList not_reached_by_tab(QWidget& window) {
  QSet<QWidget*> reached;
  for (int step = 0; step < 200; ++step) {
    QWidget* focused = QApplication::focusWidget();
    if (focused != nullptr) reached.insert(focused);
    QTest::keyClick(focused != nullptr ? focused : &window, Qt::Key_Tab);
  }
  QStringList missing;
  for (QWidget* control : window.findChildren<QWidget*>()) {
    if (!control->isVisible() || !control->isEnabled()) continue;
    const bool is_part = control->parentWidget() != nullptr && control->parentWidget()->inherits("QLineEdit");
    const bool is_control = qobject_cast<QAbstractButton*>(control) != nullptr ||
                            qobject_cast<QComboBox*>(control) != nullptr ||
                            qobject_cast<QLineEdit*>(control) != nullptr || control->focusPolicy() == Qt::StrongFocus;
    const bool is_scroll_area = control->inherits("QScrollArea");  // what is in it takes the keys
    if (!is_control || is_part || is_scroll_area || reached.contains(control)) continue;
    if (control->focusProxy() != nullptr && reached.contains(control->focusProxy())) continue;
    missing.append(QString("%1 “%2”").arg(control->metaObject()->className(), control->accessibleName()));
  }
  return missing;
}

}  // namespace app_test
