#include "app/window/same_thread_painting.h"

#include <QThreadPool>

// Qt's raster engine cuts each shape of some 90 lines into parts for the threads of the global pool and waits for them:
// on a busy machine, or while the pool has other work, they get no processor and the window stands still. It doesn't
// where the painting thread is one of the pool, and there is no other switch. So this definition takes the place of the
// library's, in this program, and says yes; nothing else asks.
bool QThreadPool::contains(const QThread*) const {
  return true;
}

namespace app {

// Being called is what brings the definition into the program.
void paint_in_the_same_thread() {}

}  // namespace app
