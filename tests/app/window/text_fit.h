#pragma once
// Whether all that a window writes can be read: no text wider or higher than its widget, no widgets over each other.

#include <QStringList>
#include <QWidget>

namespace app_test {

// One line for each text that is cut off or covered: where and by how much.
QStringList text_problems(const QWidget& window);

}  // namespace app_test
