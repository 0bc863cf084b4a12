#include "app/signal_stop.h"

#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <thread>

namespace app {

std::stop_token stop_on_signals() {
  static std::stop_source stop;  // the signal thread lives as long as the program
  sigset_t signals{};
  sigemptyset(&signals);
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&signals, number);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::thread([signals] {
    int number = 0;
    sigwait(&signals, &number);
    stop.request_stop();
    // `timeout`, a closing terminal and systemd send several at once: that is still one wish.
    const auto over = std::chrono::steady_clock::now() + std::chrono::seconds(1);
    do {
      sigwait(&signals, &number);
    } while (std::chrono::steady_clock::now() < over);
    _exit(128 + number);
  }).detach();
  return stop.get_token();
}

}  // namespace app
