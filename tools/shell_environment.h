#pragma once
// The environment that commands start with: the program's own, without secrets, without pagers.

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace tools {

using Environment = std::map<std::string, std::string>;

// Names that usually hold a secret: FOO_TOKEN, OPENAI_API_KEY, DB_PASSWORD, SSH_AUTH_SOCK …
bool is_secret_name(std::string_view name);

// The program's environment without secrets (but those named in `allowed`) and with programs told not to page.
Environment shell_environment(const std::vector<std::string>& allowed);

}  // namespace tools
