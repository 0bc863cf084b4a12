#pragma once
// The program's end of deskhand-shell-host: starts it, inside the sandbox or not, and ends it.

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "tools/shell_protocol.h"

namespace tools {

struct ShellLinkFailure {
  std::string errors;  // what the started program wrote before it ended
};

class ShellLink {
 public:
  // Runs the command line, which leads to a host with the socket as descriptor 3, and waits for its hello.
  static std::variant<ShellLink, ShellLinkFailure> open(const std::vector<std::string>& command);
  ShellLink(ShellLink&& other) noexcept;
  ShellLink& operator=(ShellLink&&) = delete;
  // Ends the host and with it every command; returns when it is gone.
  ~ShellLink();

  bool send(const shell_protocol::Message& message) { return shell_protocol::send(socket_, message); }
  // The next message, if one comes within the limit. `is_alive` turns false when the host is gone.
  std::optional<shell_protocol::Message> receive(std::chrono::milliseconds limit);
  bool is_alive() const { return is_alive_; }

 private:
  ShellLink(pid_t child, int socket) : child_(child), socket_(socket) {}
  std::optional<std::string> wait_for_hello(int errors);

  pid_t child_ = 0;  // bubblewrap, or the host itself
  int socket_ = -1;
  int host_ = -1;  // pidfd of the host: it can be ended even if bubblewrap can't
  bool is_alive_ = true;
};

}  // namespace tools
