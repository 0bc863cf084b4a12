#pragma once
// The words between the program and deskhand-shell-host: one SOCK_SEQPACKET socket pair, one packet per message, file
// descriptors beside it. Both ends live on one machine and come from one build.

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tools::shell_protocol {

enum class Kind : uint32_t {
  // host → program
  Hello,        // the host is up; the sender's process id is the host's
  Started,      // the job's command runs
  StartFailed,  // text: why
  Waiting,      // the command waits for input; value: twice the bytes stored so far, plus 1 when what is typed is
                // hidden (a password)
  OutputLimit,  // the stored output reached its limit; nothing more is stored
  Exited,       // the command's first process ended; value: twice its wait status, plus 1 when others are left
  Drained,      // no process of the job is left
  KillFailed,   // some process of the job outlived the kill
  // program → host
  Start,  // value: limit of the stored output in bytes; descriptors: request, output file, state file
  Input,  // text: bytes for the job's terminal
  Kill,   // end the whole tree of the job
};

struct Message {
  Kind kind = Kind::Hello;
  int32_t job = 0;
  int64_t value = 0;
  std::string text;      // at most kMaxText bytes
  std::vector<int> fds;  // received ones are owned by the receiver
  pid_t sender = 0;      // on receipt, in the receiver's process namespace; 0 when not asked for
};

inline constexpr size_t kMaxText = 32768;

// What a Start request holds: each part ends with a NUL byte.
struct Request {
  std::string directory;
  std::string command;
  std::vector<std::string> environment;  // NAME=value
};

std::string encode(const Request& request);
std::optional<Request> decode_request(std::string_view bytes);

enum class Delivery {
  Certain,  // waits until there is room
  MayDrop,  // for what will be said again
};

// False when the other end is gone or has no room.
bool send(int socket, const Message& message, Delivery delivery = Delivery::Certain);
// Waits for one packet. Nothing when the other end is gone or speaks another language.
std::optional<Message> receive(int socket);

}  // namespace tools::shell_protocol
