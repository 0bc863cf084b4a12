// deskhand-shell-host: starts commands on terminals of their own, stores their output, and ends them. It runs as
// process 1 of the sandbox, or beside the program when the sandbox is off. When the program is gone, everything ends.
//
// One thread, one loop; descriptor 3 is the socket to the program.

#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <list>

#include "tools/process_tree.h"
#include "tools/shell_host/job.h"
#include "tools/shell_protocol.h"

namespace {

using tools::shell_host::Job;
using namespace tools::shell_protocol;
using std::chrono::steady_clock;

constexpr int kSocket = 3;
constexpr int kTick_ms = 100;

void tell(Kind kind, int job, int64_t value = 0, std::string text = {}) {
  send(kSocket, {kind, job, value, std::move(text), {}, 0});
}

void store_output(Job& job) {
  if (!job.store_output()) tell(Kind::OutputLimit, job.id());
}

// True when the job is over and can be forgotten.
bool follow_life(Job& job) {
  const Job::LifeSigns signs = job.read_lifeline();
  if (signs.wait_status) {
    store_output(job);  // what bash wrote is in the terminal by now
    tell(Kind::Exited, job.id(), int64_t{*signs.wait_status} * 2 + (signs.has_left ? 1 : 0));
  }
  if (!signs.drained) return false;
  store_output(job);
  tell(Kind::Drained, job.id());
  return true;
}

void kill_job(std::list<Job>& jobs, int id) {
  for (auto job = jobs.begin(); job != jobs.end(); ++job) {
    if (job->id() != id) continue;
    const bool is_gone = job->kill_tree();
    store_output(*job);
    tell(is_gone ? Kind::Drained : Kind::KillFailed, id);
    if (is_gone) jobs.erase(job);
    return;
  }
  tell(Kind::Drained, id);  // ended by itself meanwhile
}

void obey(const Message& message, std::list<Job>& jobs) {
  if (message.kind == Kind::Start) {
    std::string error;
    if (auto job = Job::start(message, error)) {
      jobs.push_back(std::move(*job));
      tell(Kind::Started, message.job);
    } else {
      tell(Kind::StartFailed, message.job, 0, error);
    }
  } else if (message.kind == Kind::Input) {
    for (Job& job : jobs)
      if (job.id() == message.job) job.queue_input(message.text);
  } else if (message.kind == Kind::Kill) {
    kill_job(jobs, message.job);
  }
}

// One round: waits for something to happen and deals with it. False when the program is gone.
bool serve(std::list<Job>& jobs) {
  std::vector<pollfd> sources{{kSocket, POLLIN, 0}};
  for (Job& job : jobs) {
    sources.push_back({job.terminal(), static_cast<short>(job.has_input() ? POLLIN | POLLOUT : POLLIN), 0});
    sources.push_back({job.lifeline(), POLLIN, 0});
  }
  poll(sources.data(), sources.size(), jobs.empty() ? 1000 : kTick_ms);
  size_t source = 1;
  for (auto job = jobs.begin(); job != jobs.end();) {
    const short terminal = sources[source].revents, lifeline = sources[source + 1].revents;
    source += 2;
    if (terminal & POLLOUT) job->write_input();
    if (terminal & (POLLIN | POLLHUP | POLLERR)) store_output(*job);
    const bool is_over = lifeline && follow_life(*job);
    if (!is_over) {
      if (const auto hidden = job->newly_waiting())
        send(kSocket, {Kind::Waiting, job->id(), job->stored_bytes() * 2 + (*hidden ? 1 : 0), {}, {}, 0},
             Delivery::MayDrop);
    }
    job = is_over ? jobs.erase(job) : std::next(job);
  }
  while (waitpid(-1, nullptr, WNOHANG) > 0) continue;
  if (!sources[0].revents) return true;
  const auto message = receive(kSocket);
  if (message) obey(*message, jobs);
  return message.has_value();
}

void end_everything() {
  if (getpid() == 1) return;  // the kernel ends the rest of the namespace with us
  const auto deadline = steady_clock::now() + std::chrono::seconds(2);
  for (auto left = tools::descendants(getpid()); !left.empty() && steady_clock::now() < deadline;
       left = tools::descendants(getpid())) {
    for (pid_t pid : left) kill(pid, SIGSTOP);
    for (pid_t pid : left) kill(pid, SIGKILL);
    while (waitpid(-1, nullptr, WNOHANG) > 0) continue;
    usleep(1000);
  }
}

}  // namespace

int main() {
  for (int number : {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGPIPE, SIGTTOU}) signal(number, SIG_IGN);
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  prctl(PR_SET_DUMPABLE, 0);  // commands run under the same user and must not trace us
  tell(Kind::Hello, 0);
  std::list<Job> jobs;
  while (serve(jobs)) continue;
  end_everything();
  return 0;
}
