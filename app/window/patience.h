#pragma once
// Who works for the window comes after it.

#include <sys/resource.h>

namespace app {

// The calling thread, and all threads and programs that it starts, get the processor after the window's thread and
// after what else the user does: on two cores a model, a desktop and a build leave the window's nothing to spare.
inline void be_patient() {
  constexpr int kNiceness = 5;
  if (::getpriority(PRIO_PROCESS, 0) < kNiceness) ::setpriority(PRIO_PROCESS, 0, kNiceness);  // 0: this thread
}

}  // namespace app
