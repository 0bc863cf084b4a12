#include "tools/subprocess.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>

#include "tools/file_bytes.h"

namespace tools {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr int kGlance_ms = 20;
constexpr size_t kMaxErrors_bytes = 4000;

struct Pipe {
  FileDescriptor read_end, write_end;
};

std::optional<Pipe> make_pipe() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return std::nullopt;
  return Pipe{FileDescriptor(ends[0]), FileDescriptor(ends[1])};
}

std::optional<pid_t> spawn(const std::vector<std::string>& command, const std::filesystem::path& directory, int output,
                           int errors, const std::vector<std::string>& variables) {
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&files, output, 1);
  posix_spawn_file_actions_adddup2(&files, errors, 2);
  posix_spawn_file_actions_addclosefrom_np(&files, 3);
  posix_spawn_file_actions_addchdir_np(&files, directory.c_str());
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  // A bare environment: no configuration file named in a variable may add options to the program.
  std::vector<std::string> settings = {"PATH=/usr/bin:/bin", "LC_ALL=C.UTF-8"};
  for (const std::string& name : variables) {
    if (const char* value = std::getenv(name.c_str())) settings.push_back(name + "=" + value);
  }
  std::vector<char*> environment;
  for (std::string& setting : settings) environment.push_back(setting.data());
  environment.push_back(nullptr);
  pid_t child = 0;
  int error = ENOENT;
  for (const char* folder : {"/usr/bin/", "/usr/local/bin/", "/bin/"}) {
    error =
        posix_spawn(&child, (folder + command.front()).c_str(), &files, nullptr, arguments.data(), environment.data());
    if (error != ENOENT) break;
  }
  posix_spawn_file_actions_destroy(&files);
  return error == 0 ? std::optional(child) : std::nullopt;
}

}  // namespace

std::optional<SubprocessResult> run_program(const std::vector<std::string>& command,
                                            const std::filesystem::path& directory, const OutputSink& sink,
                                            milliseconds limit, std::stop_token stop,
                                            const std::vector<std::string>& variables) {
  auto output = make_pipe(), errors = make_pipe();
  if (!output || !errors) return std::nullopt;
  const auto child = spawn(command, directory, output->write_end.get(), errors->write_end.get(), variables);
  if (!child) return std::nullopt;
  output->write_end = FileDescriptor();
  errors->write_end = FileDescriptor();
  SubprocessResult result;
  const auto deadline = steady_clock::now() + limit;
  pollfd sources[2] = {{output->read_end.get(), POLLIN, 0}, {errors->read_end.get(), POLLIN, 0}};
  char bytes[65536];
  while (sources[0].fd >= 0 || sources[1].fd >= 0) {
    if (poll(sources, 2, kGlance_ms) <= 0) sources[0].revents = sources[1].revents = 0;
    for (pollfd& source : sources) {
      if (source.fd < 0 || !source.revents) continue;
      const ssize_t size = read(source.fd, bytes, sizeof bytes);
      if (size < 0 && errno == EINTR) continue;
      if (size <= 0) {
        source.fd = -1;
      } else if (&source == &sources[0]) {
        result.was_cut = result.was_cut || !sink(std::string_view(bytes, static_cast<size_t>(size)));
      } else {
        result.errors.append(bytes, std::min(static_cast<size_t>(size),
                                             kMaxErrors_bytes - std::min(kMaxErrors_bytes, result.errors.size())));
      }
    }
    result.was_cut = result.was_cut || stop.stop_requested() || steady_clock::now() > deadline;
    if (result.was_cut) {
      kill(*child, SIGKILL);
      break;
    }
  }
  int status = 0;
  while (waitpid(*child, &status, 0) < 0 && errno == EINTR) continue;
  if (WIFEXITED(status)) result.exit_code = WEXITSTATUS(status);
  return result;
}

}  // namespace tools
