#pragma once
// Mouse and keyboard of an X11 desktop, through the helper process `deskhand-input`.

#include <sys/types.h>

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "tools/input_backend.h"
#include "tools/input_protocol.h"

namespace tools {

struct X11InputOptions {
  std::string display{};     // empty: $DISPLAY
  std::string xauthority{};  // empty: $XAUTHORITY
  std::string helper{};      // path of deskhand-input; empty: beside this program
  // Pressed together by a human they stop the agent at once. X keysyms; Shift left and right.
  std::vector<std::uint32_t> panic_chord{0xffe1, 0xffe2};
};

// Owns the helper process. A thread of its own hears the helper and gives it signs of life while anything is held.
class X11Input : public InputBackend {
 public:
  // Throws capture::Error with one plain sentence when the display can't be used.
  static std::unique_ptr<X11Input> open(const X11InputOptions& options);
  ~X11Input() override;

  InputOutcome perform(const std::vector<InputStep>& steps, std::stop_token stop) override;
  void release_all() override;
  void add_secret(const std::string& name, const std::string& value) override;
  std::optional<Interruption> interruption() const override;
  void resume() override;
  void on_interruption(std::function<void(Interruption)> listener) override;
  std::vector<std::string> warnings() const override { return warnings_; }

  pid_t helper_pid() const { return helper_pid_; }

 private:
  X11Input(int fd, pid_t helper_pid, std::vector<std::string> warnings);
  void listen(const std::stop_token& stop);
  void on_message(const input_protocol::Message& message);
  InputOutcome exchange(input_protocol::Message request, const std::stop_token& stop);
  void wake_listener();

  int fd_;
  int wake_fd_;  // eventfd: the listener looks again at what is to be done
  pid_t helper_pid_;
  std::vector<std::string> warnings_;

  mutable std::mutex mutex_;  // of what follows: the listener and the caller share it
  std::condition_variable_any answered_;
  std::optional<input_protocol::Message> answer_;
  std::chrono::steady_clock::time_point last_sign_{};
  std::optional<Interruption> interruption_;
  std::function<void(Interruption)> listener_;
  bool helper_gone_ = false;
  bool beating_ = false;  // a script runs or something is held
  std::uint32_t serial_ = 0;

  std::jthread thread_;
};

}  // namespace tools
