#pragma once
// Where the words of a command come from. Text that tools read (from the screen, files, programs, the web) is data:
// when it turns up in a shell command or an address, the user sees which part it is and where it was read.

#include <string>
#include <vector>

#include "agent/transcript.h"

namespace agent {

struct Origin {
  std::string quote;       // the part of the command
  std::string source;      // "web_fetch https://…", "screenshot", "read_file notes.txt"
  bool is_active = false;  // not mere data: an address, or characters that mean something to a shell
};

// The parts of `text`, at least a dozen characters each, that the results of earlier calls hold and the user's own
// words don't. In order of their place in the text.
std::vector<Origin> origins_of(const std::string& text, const Transcript& transcript);

// The command or address in a call that is carried out by a shell or goes to the network; else empty.
std::string command_in(const tools::ToolCall& call, tools::Effect effect);

}  // namespace agent
