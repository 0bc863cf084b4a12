#include "agent/credentials.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <QStandardPaths>
#include <algorithm>
#include <cctype>
#include <cstdlib>

#include "agent/error.h"
#include "agent/whole_file.h"
#include "tools/subprocess.h"

namespace agent {
namespace {

constexpr std::size_t kMostBytes = 64 * 1024;
constexpr std::chrono::milliseconds kKeyringPatience{30'000};  // it may ask the user to unlock it

std::string without_line_end(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.pop_back();
  return text;
}

// Taken out of the environment, so that programs started later don't inherit it.
std::optional<std::string> from_environment(const std::string& name) {
  const char* found = std::getenv(name.c_str());
  if (found == nullptr || *found == '\0') return std::nullopt;
  std::string value = found;
  ::unsetenv(name.c_str());
  return value;
}

std::filesystem::path key_file(const std::string& host) {
  return config_dir() / "keys" / host;
}

}  // namespace

std::filesystem::path config_dir() {
  const QString config = QStandardPaths::writableLocation(QStandardPaths::GenericConfigLocation);
  return std::filesystem::path(config.toStdString()) / "deskhand";
}

std::string read_private_file(const std::filesystem::path& file) {
  const tools::FileDescriptor opened = open_file(file);
  struct stat status {};
  ::fstat(opened.get(), &status);
  std::string problem, value;
  if (status.st_uid != ::geteuid()) {
    problem = "belongs to somebody else";
  } else if ((status.st_mode & 077) != 0) {
    problem = "can be read by others; run: chmod 600 " + file.string();
  } else {
    value.resize(kMostBytes);
    const ssize_t n = ::read(opened.get(), value.data(), value.size());
    value = without_line_end(value.substr(0, static_cast<std::size_t>(std::max<ssize_t>(n, 0))));
    if (value.empty()) problem = "is empty";
  }
  if (!problem.empty()) throw Error(file.string() + ": " + problem);
  return value;
}

std::optional<std::string> from_keyring(const std::string& attribute, const std::string& value,
                                        const std::stop_token& stop) {
  std::string output;
  const auto result = tools::run_program({"secret-tool", "lookup", "service", "deskhand", attribute, value}, "/",
                                         [&](std::string_view piece) {
                                           output += piece;
                                           return output.size() < kMostBytes;
                                         },
                                         kKeyringPatience, stop, {"DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR"});
  if (!result || result->exit_code != 0 || output.empty()) return std::nullopt;
  return without_line_end(output);
}

std::optional<std::string> server_key(const std::string& host, const std::stop_token& stop) {
  if (auto key = from_environment("DESKHAND_API_KEY")) return key;
  std::error_code ignored;
  if (std::filesystem::exists(key_file(host), ignored)) return read_private_file(key_file(host));
  return from_keyring("host", host, stop);
}

void keep_server_key(const std::string& host, const std::string& key) {
  const std::filesystem::path file = key_file(host);
  std::error_code problem;
  std::filesystem::create_directories(file.parent_path(), problem);
  const std::filesystem::path fresh = std::filesystem::path(file) += ".new";
  ::unlink(fresh.c_str());
  const int fd = ::open(fresh.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  const std::string line = key + "\n";
  const bool is_written = fd >= 0 && ::write(fd, line.data(), line.size()) == static_cast<ssize_t>(line.size());
  if (fd >= 0) ::close(fd);
  if (!is_written || ::rename(fresh.c_str(), file.c_str()) != 0) {
    throw Error("the key can't be kept in " + file.string() + "; check who may write there");
  }
}

std::string how_to_give_key(const std::string& host) {
  return "give it in DESKHAND_API_KEY, in " + key_file(host).string() +
         " (mode 0600), or in the keyring (secret-tool store --label=Deskhand service deskhand host " + host + ")";
}

std::string named_secret(const std::string& name) {
  std::string upper = name;
  std::transform(upper.begin(), upper.end(), upper.begin(), [](unsigned char c) { return std::toupper(c); });
  std::replace_if(
      upper.begin(), upper.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  if (auto value = from_environment("DESKHAND_SECRET_" + upper)) return *value;
  const std::filesystem::path file = config_dir() / "secrets" / name;
  std::error_code ignored;
  if (std::filesystem::exists(file, ignored)) return read_private_file(file);
  if (auto value = from_keyring("secret", name)) return *value;
  throw Error("the secret " + name + " is nowhere: give it as --secret " + name + "=@FILE, in DESKHAND_SECRET_" +
              upper + ", in " + file.string() +
              " (mode 0600), or in the keyring (secret-tool store --label=Deskhand service deskhand secret " + name +
              ")");
}

}  // namespace agent
