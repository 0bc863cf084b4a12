#pragma once
// The session's D-Bus, which may not be there.

namespace tools {

// Asking a session bus that isn't there would start one, and nobody would end it: ask this first.
bool has_session_bus();

// From now on nothing in this process starts one, Qt and other libraries included, nor do programs that it starts.
// Before there are threads.
void never_start_session_bus();

}  // namespace tools
