// deskhand-input: owns the mouse and the keyboard for Deskhand, apart from it, so that nothing stays pressed when
// Deskhand dies, hangs or is stopped. Started by Deskhand with a socket at descriptor 3.
//   deskhand-input [KEYSYM…]   the panic chord, as X keysym numbers

#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#include "tools/input_helper/display_check.h"
#include "tools/input_helper/guardian.h"
#include "tools/input_helper/helper.h"

using namespace tools;
using namespace tools::input_helper;

int main(int argc, char** argv) {
  namespace wire = input_protocol;
  int type = 0;
  socklen_t type_size = sizeof type;
  if (::getsockopt(wire::kHelperFd, SOL_SOCKET, SO_TYPE, &type, &type_size) != 0 || type != SOCK_SEQPACKET) {
    std::fprintf(stderr, "deskhand-input is started by deskhand, not by hand.\n");
    return 2;
  }
  std::vector<KeySym> panic_chord;
  for (int arg_idx = 1; arg_idx < argc; ++arg_idx) panic_chord.push_back(std::strtoul(argv[arg_idx], nullptr, 0));
  ::setsid();  // the terminal's Ctrl+C is the program's business
  for (const int signal : {SIGINT, SIGHUP, SIGPIPE}) ::signal(signal, SIG_IGN);

  HeldState& held = HeldState::create_shared();
  const GuardianLink guardian = start_guardian(held);
  const auto give_up = [](const std::string& why) {
    wire::send(wire::kHelperFd, {.kind = wire::Kind::CannotStart, .text = why}, wire::Wait::Yes);
    return 1;
  };
  if (!guardian.error.empty()) return give_up(guardian.error);
  const OpenedDisplay opened = open_display();
  if (!opened.display) return give_up(opened.error);
  Helper helper({opened.display, held, wire::kHelperFd, guardian.alive_fd, panic_chord});
  helper.run();
  return 0;
}
