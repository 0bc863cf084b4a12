#include "app/signal_stop.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <thread>

namespace app {
namespace {

std::array<int, 2> g_came = {-1, -1};  // a pipe: the numbers of the signals that came

void pass_on(int number) {
  const int old_errno = errno;
  const auto byte = static_cast<unsigned char>(number);
  [[maybe_unused]] const ssize_t written = ::write(g_came[1], &byte, 1);
  errno = old_errno;
}

int wait_for_signal() {
  unsigned char number = 0;
  while (::read(g_came[0], &number, 1) != 1) {
  }
  return number;
}

}  // namespace

std::stop_token stop_on_signals() {
  static std::stop_source stop;  // the signal thread lives as long as the program
  [[maybe_unused]] const int failed = ::pipe2(g_came.data(), O_CLOEXEC);
  sigset_t signals{};
  sigemptyset(&signals);
  // A handler, as libraries start threads before main(): these block nothing and would be killed, all others with them.
  struct sigaction action {};
  action.sa_handler = pass_on;
  action.sa_flags = SA_RESTART;
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    sigaddset(&signals, number);
    ::sigaction(number, &action, nullptr);
  }
  std::thread([] {
    wait_for_signal();
    stop.request_stop();
    // `timeout`, a closing terminal and systemd send several at once: that is still one wish.
    const auto over = std::chrono::steady_clock::now() + std::chrono::seconds(1);
    int number = 0;
    do {
      number = wait_for_signal();
    } while (std::chrono::steady_clock::now() < over);
    ::_exit(128 + number);
  }).detach();
  ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);  // nobody else's waiting is interrupted; that thread takes them
  return stop.get_token();
}

}  // namespace app
