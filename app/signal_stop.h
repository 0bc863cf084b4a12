#pragma once
// Ctrl+C and a polite kill become a stop request; another one, a second later or more, ends the program at once.

#include <stop_token>

namespace app {

// Blocks these signals for the calling thread and all threads that it makes: call it before it makes one. Once in a
// process.
std::stop_token stop_on_signals();

}  // namespace app
