#pragma once
// What the doctor says, in the user's language: it writes English, for programs as for people.

#include <QString>

namespace app {

// Of one sentence of its report; as it is where it is not one of ours (a program's own error message).
QString doctor_words(const QString& english);

}  // namespace app
