#pragma once
// Makes the user's home read-only for one program: a mount namespace of its own, set up between fork and exec.
//
// Known limits: a home that is mounted at a second place is writable there. Programs can't gain rights (sudo, pkexec).

#include <optional>
#include <string>
#include <vector>

namespace desktop_supervisor {

struct HomeGuard {
  std::vector<std::string> homes;     // read-only; absolute, existing folders
  std::vector<std::string> writable;  // folders in them that stay as they are
};

// Puts the calling process under guard for good, with all that it will start. It must have one thread. Nothing: done.
// Else what the kernel refused; the process is then half guarded and must end.
std::optional<std::string> enter(const HomeGuard& guard);

// Tries that in a child.
std::optional<std::string> try_to_enter(const HomeGuard& guard);

}  // namespace desktop_supervisor
