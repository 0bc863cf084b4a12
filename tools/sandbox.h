#pragma once
// What a command may touch, as a bubblewrap command line: the system read-only, the workspace writable, a /tmp of its
// own, no sockets of the session, no network unless allowed, its own processes only.
//
// Known limits: what the user can read is readable, but for the hidden paths. With the network allowed, abstract
// sockets (an X server's among them) can be reached. Nested repositories below a workspace keep their hooks writable.

#include <filesystem>
#include <string>
#include <variant>
#include <vector>

namespace tools {

enum class Network { Denied, Allowed };

struct SandboxPolicy {
  std::vector<std::filesystem::path> writable;  // absolute folders; the workspace is the first
  std::vector<std::filesystem::path> hidden;    // seen as empty; those that don't exist are ignored
  std::filesystem::path scratch;                // the folder seen as /tmp
  Network network = Network::Denied;
  std::filesystem::path bwrap = {};  // empty: bubblewrap where the system keeps it, whatever PATH says
};

// Keys, keyrings and logins below the user's home.
std::vector<std::filesystem::path> private_paths(const std::filesystem::path& home);

struct SandboxRefusal {
  std::string reason;  // what is wrong and what to do
};

// The command line that runs `command` as process 1 of the sandbox. A policy that can't be enforced is refused as a
// whole: nothing ever runs with less protection than asked for.
std::variant<std::vector<std::string>, SandboxRefusal> sandbox_command(const SandboxPolicy& policy,
                                                                       const std::vector<std::string>& command);

// Why bubblewrap failed, from what it wrote, with what the user can do about it.
std::string explain_sandbox_failure(const std::string& bwrap_errors);

}  // namespace tools
