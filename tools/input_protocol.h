#pragma once
// The messages between the program and its input helper: one packet of a SOCK_SEQPACKET socket each, at the helper's
// descriptor 3. Both ends are of the same build; numbers are in the machine's byte order.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tools/input_backend.h"

namespace tools::input_protocol {

constexpr int kHelperFd = 3;
constexpr std::size_t kMaxPacketBytes = 512 * 1024;
constexpr int kBeatInterval_ms = 10;
// The helper lets everything go when no beat came for this long. The limit that the user is promised is 100 ms.
constexpr int kBeatLimit_ms = 85;
// And after this long when the program is seen to be stopped, not only waiting for a busy processor.
constexpr int kStoppedLimit_ms = 40;
constexpr int kProgressInterval_ms = 250;

enum class Kind : std::uint32_t {
  // program → helper
  Perform,     // serial, steps
  Beat,        // the program is alive; wanted while a script runs or anything is held
  Abort,       // serial: end that script, release everything
  ReleaseAll,  // answered with Done
  Resume,      // serial; answered with Done
  Secret,      // serial; text: its name, steps: one TypeText with its value; answered with Done
  // helper → program
  Ready,        // text: warnings, one a line
  CannotStart,  // text: why
  Done,         // serial, status, steps_done, characters_typed, any_held, text
  Progress,     // the script is still running
  Interrupted,  // status: TakenOver or Panicked
};

struct Message {
  Kind kind = Kind::Beat;
  std::uint32_t serial = 0;
  std::uint32_t status = 0;  // InputOutcome::Ending
  std::uint32_t steps_done = 0, characters_typed = 0, any_held = 0;
  std::string text{};
  std::vector<InputStep> steps{};
};

std::string encode(const Message& message);
// Nothing for bytes that are not a whole message.
std::optional<Message> decode(const std::string& bytes);

// False: the other end is gone or, with `Wait::No`, its queue is full.
enum class Wait { No, Yes };
bool send(int fd, const Message& message, Wait wait);
// One packet. Sets `gone` when the other end is closed.
std::optional<Message> receive(int fd, Wait wait, bool& gone);

}  // namespace tools::input_protocol
