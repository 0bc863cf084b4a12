#pragma once
// How the agent's hands reach a desktop: a short script of input steps, performed by a backend that can be stopped in
// the middle and never leaves a key or a button pressed.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <variant>
#include <vector>

namespace tools {

struct MoveTo {
  int x_pt = 0, y_pt = 0;  // desktop point; zero is as good as any other number
};
// 1 left, 2 middle, 3 right, 8 back, 9 forward; 4–7 are one notch of the wheel up, down, left, right.
struct ButtonChange {
  int button = 1;
  bool down = false;
};
struct KeyChange {
  std::uint32_t keysym = 0;
  bool down = false;
};
// Any Unicode, exactly, with {{name}} for a secret that the backend knows; "\n", "\r\n" and "\r" are one Return each,
// "\t" is Tab. Other control characters are refused.
struct TypeText {
  std::string utf8;
};
struct Pause {
  int duration_ms = 0;
};
using InputStep = std::variant<MoveTo, ButtonChange, KeyChange, TypeText, Pause>;

enum class Interruption {
  TakenOver,  // a human touched mouse or keyboard
  Panicked,   // the panic chord was pressed
};

struct InputOutcome {
  enum class Ending {
    Done,
    Stopped,    // the caller's stop token
    TakenOver,  // see Interruption; nothing is performed until resume()
    Panicked,
    Failed,  // message says what and what to do
  };
  Ending ending = Ending::Done;
  std::string message;
  std::size_t steps_done = 0;        // whole steps of the script
  std::size_t characters_typed = 0;  // of all TypeText steps, in Unicode code points
};

// Keys and buttons that a finished script left down stay down until a later script lifts them; any end but Done
// releases everything. One caller at a time.
class InputBackend {
 public:
  virtual ~InputBackend() = default;
  virtual InputOutcome perform(const std::vector<InputStep>& steps, std::stop_token stop) = 0;
  virtual void release_all() = 0;

  // From now on {{name}} in a typed text stands for the value. It never comes back in an outcome.
  virtual void add_secret(const std::string& name, const std::string& value) = 0;

  // Set when a human intervened since the last resume(); while it is set, perform() does nothing.
  virtual std::optional<Interruption> interruption() const = 0;
  virtual void resume() = 0;
  // Called from a thread of the backend at each new interruption.
  virtual void on_interruption(std::function<void(Interruption)> listener) = 0;

  // What will not work as hoped, one plain sentence each: no window manager, an input method that may change text.
  virtual std::vector<std::string> warnings() const = 0;
};

}  // namespace tools
