#pragma once
// A short film of the window at a real task, for the README.

#include <QString>

namespace app_test {

// The small model opens a calculator on its own desktop and presses a key; the film is an animated PNG. An error
// message, or nothing.
QString make_film(const QString& file);

}  // namespace app_test
