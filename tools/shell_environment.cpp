#include "tools/shell_environment.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>

namespace tools {
namespace {

constexpr std::array<std::string_view, 9> kSecretWords = {"TOKEN",      "KEY",        "SECRET", "PASSWORD", "PASSWD",
                                                          "PASSPHRASE", "CREDENTIAL", "AUTH",   "COOKIE"};

// A pager waits for keys that nobody presses.
const Environment& quiet_programs() {
  static const Environment programs = {{"PAGER", "cat"},
                                       {"GIT_PAGER", "cat"},
                                       {"MANPAGER", "cat"},
                                       {"SYSTEMD_PAGER", "cat"},
                                       {"LESS", "-FRX"},
                                       {"TERM", "xterm-256color"},
                                       {"DEBIAN_FRONTEND", "noninteractive"},
                                       {"GIT_TERMINAL_PROMPT", "1"}};
  return programs;
}

}  // namespace

bool is_secret_name(std::string_view name) {
  std::string upper(name);
  std::transform(upper.begin(), upper.end(), upper.begin(), [](unsigned char c) { return std::toupper(c); });
  // Whole words between underscores, so that KEYBOARD_LAYOUT and AUTHOR stay.
  for (size_t start = 0; start <= upper.size();) {
    const size_t end = std::min(upper.find('_', start), upper.size());
    std::string word = upper.substr(start, end - start);
    if (word.size() > 1 && word.back() == 'S') word.pop_back();
    for (std::string_view secret : kSecretWords)
      if (word == secret || (secret != "KEY" && secret != "AUTH" && word.ends_with(secret))) return true;
    if (word == "APIKEY" || word == "PGPASS") return true;
    start = end + 1;
  }
  return false;
}

Environment shell_environment(const std::vector<std::string>& allowed) {
  Environment environment;
  for (char** variable = environ; *variable; ++variable) {
    const std::string_view text = *variable;
    const size_t equals = text.find('=');
    if (equals == std::string_view::npos || equals == 0) continue;
    const std::string name(text.substr(0, equals));
    const bool is_allowed = std::find(allowed.begin(), allowed.end(), name) != allowed.end();
    if (is_allowed || !is_secret_name(name)) environment[name] = text.substr(equals + 1);
  }
  for (const auto& [name, value] : quiet_programs()) environment[name] = value;
  // Bash would read this file before each command.
  environment.erase("BASH_ENV");
  return environment;
}

}  // namespace tools
