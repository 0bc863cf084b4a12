#pragma once

namespace app {

// Keeps Qt from sharing the painting of large shapes out to the threads of its pool. Once per program; more is nothing.
void paint_in_the_same_thread();

}  // namespace app
