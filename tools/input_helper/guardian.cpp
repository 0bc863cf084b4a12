#include "tools/input_helper/guardian.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdlib>
#include <thread>
#include <vector>

#include "tools/input_helper/display_check.h"

namespace tools::input_helper {
namespace {

using std::chrono::milliseconds;

// An earlier guardian stays half a second after its helper to give keycodes back.
bool take_display(Display* display, Window window) {
  const Atom lock = XInternAtom(display, kLockSelection, False);
  for (int attempt = 0; XGetSelectionOwner(display, lock) != None; ++attempt) {
    if (attempt == 150) return false;
    std::this_thread::sleep_for(milliseconds(10));
  }
  XSetSelectionOwner(display, lock, window, CurrentTime);
  return XGetSelectionOwner(display, lock) == window;
}

void undo_everything(Display* display, HeldState& held) {
  // The helper's last requests may still lie in the server's queue, so a press could follow the first release.
  std::vector<unsigned> keys, buttons;
  for (unsigned keycode = 8; keycode < 256; ++keycode)
    if (held.keys[keycode]) keys.push_back(keycode);
  for (unsigned button = 1; button <= kMaxButton; ++button)
    if (held.buttons[button]) buttons.push_back(button);
  release_held(display, held);
  std::this_thread::sleep_for(milliseconds(10));
  for (const unsigned keycode : keys) held.keys[keycode] = true;
  for (const unsigned button : buttons) held.buttons[button] = true;
  release_held(display, held);
  if (!held.owes_keymap()) return;
  std::this_thread::sleep_until(held.give_back_at());
  give_back_keycodes(display, held);
}

[[noreturn]] void guard(int link_fd, HeldState& held) {
  ::setsid();
  ::prctl(PR_SET_NAME, "deskhand-guard");
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) ::signal(signal, SIG_IGN);
  const auto report = [link_fd](const std::string& text) {
    [[maybe_unused]] const auto sent = ::send(link_fd, text.c_str(), text.size() + 1, MSG_NOSIGNAL);
  };
  OpenedDisplay opened = open_display();
  if (!opened.display) {
    report(opened.error);
    ::_exit(1);
  }
  Display* display = opened.display;
  const Window window = XCreateSimpleWindow(display, DefaultRootWindow(display), -1, -1, 1, 1, 0, 0, 0);
  if (!take_display(display, window)) {
    report("Another Deskhand works on this display: stop it, or give this one a private desktop.");
    ::_exit(1);
  }
  repair_lent_keycodes(display, held);
  XSync(display, False);
  report("");
  char byte;
  while (::read(link_fd, &byte, 1) > 0) {
  }
  undo_everything(display, held);
  ::_exit(0);
}

}  // namespace

GuardianLink start_guardian(HeldState& held) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) return {-1, "no socket for the guardian"};
  const pid_t pid = ::fork();
  if (pid == 0) {
    // Nothing of the helper may stay open here: the program must notice the helper's end by its socket.
    const int link_fd = ::dup2(ends[1], 9);
    for (int fd = 3; fd < 9; ++fd) ::close(fd);
    ::syscall(SYS_close_range, 10U, ~0U, 0U);
    guard(link_fd, held);
  }
  ::close(ends[1]);
  char text[512] = {};
  if (pid < 0 || ::recv(ends[0], text, sizeof text - 1, 0) <= 0) return {ends[0], "The input guardian did not start."};
  return {ends[0], text};
}

}  // namespace tools::input_helper
