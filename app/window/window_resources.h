#pragma once
// Icons, style sheet and translations lie in a static library: they are known only after this. Any number of times.
// Outside of any namespace, as Qt wants it.

#include <QDir>

inline void register_resources() {
  Q_INIT_RESOURCE(window);
  Q_INIT_RESOURCE(translations);
}
