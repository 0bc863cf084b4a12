#include "tools/shell.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "tools/output_cleaner.h"
#include "tools/shell_link.h"
#include "tools/shell_protocol.h"

namespace tools {
namespace {

namespace fs = std::filesystem;
using shell_protocol::Kind;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds kGlance{20};               // between two looks at the stop token and the output
constexpr milliseconds kKillLimit{2000};          // for a tree to be gone; after that the whole sandbox ends
constexpr size_t kMaxCommand_bytes = 100 * 1024;  // the kernel takes no longer argument
constexpr int64_t kMaxBacklog_bytes = 8 << 20;    // more unread output than this is skipped but for its ends
constexpr int64_t kBacklogEnd_bytes = 1 << 20;

// A file in memory that holds `bytes`.
int memory_file(const std::string& bytes) {
  const int fd = memfd_create("deskhand-shell", MFD_CLOEXEC);
  size_t done = 0;
  while (fd >= 0 && done < bytes.size()) {
    const ssize_t size = write(fd, bytes.data() + done, bytes.size() - done);
    if (size <= 0) break;
    done += static_cast<size_t>(size);
  }
  return fd;
}

std::string read_all(int fd) {
  std::string bytes;
  char part[16384];
  for (ssize_t size; (size = pread(fd, part, sizeof part, static_cast<off_t>(bytes.size()))) > 0;)
    bytes.append(part, static_cast<size_t>(size));
  return bytes;
}

fs::path program_beside_us(const char* name) {
  std::error_code error;
  return fs::read_symlink("/proc/self/exe", error).parent_path() / name;
}

class Descriptor {
 public:
  explicit Descriptor(int fd = -1) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Descriptor() {
    if (fd_ >= 0) close(fd_);
  }
  int get() const { return fd_; }

 private:
  int fd_;
};

}  // namespace

class Shell::Host {
 public:
  explicit Host(ShellLink link) : link(std::move(link)) {}
  ShellLink link;
};

struct Shell::Job {
  Job(int id, std::string command, ExcerptBudget budget) : id(id), command(std::move(command)), excerpt(budget) {}

  int id;
  std::string command;
  JobState state = JobState::Running;
  std::string failure;
  bool is_started = false, has_ended = false, is_drained = false, is_input_hidden = false, has_overflowed = false;
  std::optional<int> wait_status;
  Descriptor output, shell_state;
  fs::path output_path;
  int64_t read_bytes = 0;
  int64_t waiting_at_bytes = 0;  // how much it had written when it began to wait
  OutputCleaner cleaner;
  OutputExcerpt excerpt;
  steady_clock::time_point started_at = steady_clock::now(), ended_at;

  bool is_over() const { return state != JobState::Running && state != JobState::WaitingForInput; }
};

Shell::Shell(ShellOptions options, OutputCallback on_output)
    : options_(std::move(options)),
      on_output_(std::move(on_output)),
      directory_(options_.workspace.string()),
      environment_(shell_environment(options_.allowed_secrets)) {
  for (const auto& [name, value] : options_.environment) environment_[name] = value;
  environment_["PWD"] = directory_;
  environment_.erase("OLDPWD");
  if (options_.host_program.empty()) options_.host_program = program_beside_us("deskhand-shell-host");
}

Shell::~Shell() = default;

std::optional<std::string> Shell::ensure_host() {
  if (host_ && host_->link.is_alive()) return std::nullopt;
  host_.reset();
  std::error_code error;
  const fs::path scratch = options_.output_folder / "tmp";
  fs::create_directories(scratch, error);
  if (error)
    return "the folder for outputs, " + options_.output_folder.string() + ", can't be made: " + error.message();
  std::vector<std::string> command{options_.host_program.string()};
  const bool is_confined = options_.confinement == Confinement::Sandbox;
  if (is_confined) {
    SandboxPolicy policy{{options_.workspace}, options_.hidden, scratch, options_.network, options_.sandbox_program};
    policy.writable.insert(policy.writable.end(), options_.writable.begin(), options_.writable.end());
    auto confined = sandbox_command(policy, command);
    if (const auto* refusal = std::get_if<SandboxRefusal>(&confined)) return refusal->reason;
    command = std::get<std::vector<std::string>>(std::move(confined));
  }
  auto link = ShellLink::open(command);
  if (const auto* failure = std::get_if<ShellLinkFailure>(&link))
    return is_confined ? explain_sandbox_failure(failure->errors) : "the shell host can't start: " + failure->errors;
  host_ = std::make_unique<Host>(std::get<ShellLink>(std::move(link)));
  return std::nullopt;
}

Shell::Job* Shell::find(int id) const {
  for (const Job& job : jobs_)
    if (job.id == id) return const_cast<Job*>(&job);
  return nullptr;
}

bool Shell::knows(int job) const {
  return find(job) != nullptr;
}

bool Shell::ask_to_start(Job& job) {
  shell_protocol::Request request{directory_, job.command, {}};
  for (const auto& [name, value] : environment_) request.environment.push_back(name + "=" + value);
  const Descriptor packed(memory_file(encode(request)));
  job.shell_state = Descriptor(memory_file({}));
  job.output = Descriptor(open(job.output_path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600));
  if (job.output.get() < 0) {
    job.failure = "the output can't be stored in " + job.output_path.string() + ": " + std::strerror(errno);
    return false;
  }
  if (!host_->link.send({Kind::Start,
                         job.id,
                         options_.max_stored_bytes,
                         {},
                         {packed.get(), job.output.get(), job.shell_state.get()},
                         0})) {
    job.failure = "the shell host is gone; try again";
    return false;
  }
  while (!job.is_started && job.failure.empty() && host_) pump(milliseconds(1000));
  return job.is_started;
}

// A job that runs, or that failed to.
Shell::Job& Shell::launch(const std::string& command) {
  // Old finished jobs are forgotten; their outputs stay on disk.
  jobs_.remove_if([](const Job& job) { return job.is_over() && job.is_drained; });
  Job& job = jobs_.emplace_back(next_job_++, command, options_.budget);
  job.output_path = options_.output_folder / ("job-" + std::to_string(job.id) + ".log");
  if (command.size() > kMaxCommand_bytes) {
    job.failure = "the command is longer than 100 KiB; write it to a file and run that";
  } else if (command.find('\0') != std::string::npos) {
    job.failure = "the command contains a NUL byte";
  } else if (const auto problem = ensure_host()) {
    job.failure = *problem;
  } else if (ask_to_start(job)) {
    return job;
  }
  job.state = JobState::Failed;
  job.is_drained = true;
  job.ended_at = steady_clock::now();
  return job;
}

JobReport Shell::start(const std::string& command) {
  return report(launch(command));
}

JobReport Shell::run(const std::string& command, milliseconds limit, std::stop_token stop) {
  Job& job = launch(command);
  follow(job, limit, stop);
  if (job.state == JobState::Running) end_tree(job, JobState::TimedOut);
  return report(job);
}

// Waits until the job ends or waits for input or the limit is reached; a stop request or too much output ends it.
void Shell::follow(Job& job, milliseconds limit, const std::stop_token& stop) {
  const auto deadline = steady_clock::now() + limit;
  while (!job.is_over() && job.state != JobState::WaitingForInput) {
    if (stop.stop_requested()) {
      end_tree(job, JobState::Stopped);
    } else if (job.has_overflowed) {
      end_tree(job, JobState::OutputLimit);
    } else if (steady_clock::now() >= deadline) {
      return;
    } else {
      pump(std::min(kGlance, std::chrono::ceil<milliseconds>(deadline - steady_clock::now())));
      read_output(job);
    }
  }
}

JobReport Shell::wait(int id, milliseconds limit, std::stop_token stop) {
  Job* job = find(id);
  if (!job) return unknown(id);
  pump(milliseconds(0));
  read_output(*job);
  follow(*job, limit, stop);
  return report(*job);
}

bool Shell::send_input(int id, std::string_view bytes) {
  Job* job = find(id);
  if (!job || job->is_over() || !host_) return false;
  job->state = JobState::Running;
  while (!bytes.empty()) {
    const std::string_view part = bytes.substr(0, shell_protocol::kMaxText);
    if (!host_->link.send({Kind::Input, id, 0, std::string(part), {}, 0})) return false;
    bytes.remove_prefix(part.size());
  }
  return true;
}

JobReport Shell::end(int id) {
  Job* job = find(id);
  if (!job) return unknown(id);
  end_tree(*job, JobState::Stopped);
  return report(*job);
}

JobReport Shell::unknown(int id) const {
  JobReport report;
  report.job = id;
  report.text = "there is no job " + std::to_string(id);
  report.directory = directory_;
  return report;
}

std::vector<JobSummary> Shell::jobs() {
  pump(milliseconds(0));
  std::vector<JobSummary> found;
  for (const Job& job : jobs_)
    if (!job.is_drained) found.push_back({job.id, job.command, job.state, job.has_ended});
  return found;
}

// Deals with the host's messages: waits for the first at most `limit`, then takes what else is there.
void Shell::pump(milliseconds limit) {
  while (host_) {
    const auto message = host_->link.receive(limit);
    if (!message) break;
    limit = milliseconds(0);
    for (int fd : message->fds) close(fd);  // the host sends none
    Job* job = find(message->job);
    if (!job) continue;
    switch (message->kind) {
      case Kind::Started:
        job->is_started = true;
        break;
      case Kind::StartFailed:
        job->failure = "the command can't start: " + message->text;
        break;
      case Kind::Waiting:
        if (!job->is_over()) job->state = JobState::WaitingForInput;
        job->is_input_hidden = message->value % 2 != 0;
        job->waiting_at_bytes = message->value / 2;
        break;
      case Kind::OutputLimit:
        job->has_overflowed = true;
        break;
      case Kind::Exited:
        job->wait_status = static_cast<int>(message->value / 2);
        job->is_drained = message->value % 2 == 0;
        job->has_ended = true;
        if (!job->is_over()) job->state = JobState::Exited;
        job->ended_at = steady_clock::now();
        adopt_state(*job);
        break;
      case Kind::Drained:
        job->is_drained = true;
        break;
      default:
        break;
    }
  }
  if (host_ && !host_->link.is_alive()) lose_host();
}

void Shell::lose_host() {
  host_.reset();
  for (Job& job : jobs_) {
    job.is_drained = true;
    if (job.is_over()) continue;
    job.state = JobState::Stopped;
    job.ended_at = steady_clock::now();
    if (!job.is_started) job.failure = "the shell host ended unexpectedly";
  }
}

void Shell::end_tree(Job& job, JobState reason) {
  if (!job.is_over()) {
    job.state = reason;
    job.ended_at = steady_clock::now();
  }
  if (job.is_drained) return;
  const auto deadline = steady_clock::now() + kKillLimit;
  bool is_asked = host_ && host_->link.send({Kind::Kill, job.id, 0, {}, {}, 0});
  while (is_asked && host_ && !job.is_drained && steady_clock::now() < deadline) pump(kGlance);
  // A tree that outlives this goes down with its sandbox, the session's other jobs with it.
  if (!job.is_drained) lose_host();
}

// The first complete record in the state file: directory, variables, an empty part.
void Shell::adopt_state(Job& job) {
  const std::string bytes = read_all(job.shell_state.get());
  Environment variables;
  std::string directory;
  size_t start = 0;
  for (bool is_first = true; start < bytes.size(); is_first = false) {
    const size_t end = bytes.find('\0', start);
    if (end == std::string::npos) return;
    const std::string part = bytes.substr(start, end - start);
    start = end + 1;
    if (is_first) {
      directory = part;
    } else if (part.empty()) {
      if (directory.starts_with('/')) directory_ = directory;
      variables.erase("_");
      environment_ = std::move(variables);
      return;
    } else if (const size_t equals = part.find('='); equals != std::string::npos && equals > 0) {
      variables[part.substr(0, equals)] = part.substr(equals + 1);
    }
  }
}

void Shell::read_output(Job& job) {
  struct stat file;
  if (job.output.get() < 0 || fstat(job.output.get(), &file) != 0) return;
  // It went on by itself: a prompt with a time limit of its own.
  if (job.state == JobState::WaitingForInput && file.st_size > job.waiting_at_bytes) job.state = JobState::Running;
  char bytes[65536];
  while (job.read_bytes < file.st_size) {
    const int64_t backlog = file.st_size - job.read_bytes;
    const bool is_head_full = job.read_bytes > kBacklogEnd_bytes;
    if (backlog > kMaxBacklog_bytes && is_head_full) {
      job.excerpt.add(job.cleaner.finish());
      job.excerpt.skip(static_cast<uint64_t>(backlog - kBacklogEnd_bytes));
      job.read_bytes = file.st_size - kBacklogEnd_bytes;
    }
    const ssize_t size =
        pread(job.output.get(), bytes,
              static_cast<size_t>(std::min<int64_t>(sizeof bytes, file.st_size - job.read_bytes)), job.read_bytes);
    if (size <= 0) return;
    job.read_bytes += size;
    job.cleaner.feed(std::string_view(bytes, static_cast<size_t>(size)));
    const std::string text = job.cleaner.take();
    job.excerpt.add(text);
    if (on_output_ && !text.empty()) on_output_(job.id, text);
  }
}

JobReport Shell::report(Job& job) {
  read_output(job);
  const std::string rest = job.is_over() ? job.cleaner.finish() : job.cleaner.flush();
  job.excerpt.add(rest);
  if (on_output_ && !rest.empty()) on_output_(job.id, rest);
  if (!job.is_over()) job.excerpt.add(job.cleaner.full_screen());
  JobReport report;
  report.job = job.id;
  report.state = job.state;
  if (job.state == JobState::Exited && job.wait_status) {
    if (WIFEXITED(*job.wait_status)) report.exit_code = WEXITSTATUS(*job.wait_status);
    if (WIFSIGNALED(*job.wait_status)) report.signal = WTERMSIG(*job.wait_status);
  }
  report.is_input_hidden = job.state == JobState::WaitingForInput && job.is_input_hidden;
  report.has_processes_left = job.has_ended && !job.is_drained;
  report.text = job.state == JobState::Failed ? job.failure : job.excerpt.text(job.output_path.string());
  report.cut_bytes = job.excerpt.cut_bytes();
  report.output_bytes = static_cast<uint64_t>(job.read_bytes);
  report.output_path = job.output_path;
  const auto end = job.is_over() ? job.ended_at : steady_clock::now();
  report.duration = std::chrono::duration_cast<milliseconds>(end - job.started_at);
  report.directory = directory_;
  job.excerpt = OutputExcerpt(options_.budget);
  return report;
}

}  // namespace tools
