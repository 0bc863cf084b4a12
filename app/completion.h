#pragma once
// What shells and `man` are told about the commands, made from their table.

#include <span>
#include <string>

#include "app/command.h"

namespace app {

// Scripts that complete commands, options and their values.
std::string bash_completion(std::span<const Command> commands);
std::string zsh_completion(std::span<const Command> commands);
std::string fish_completion(std::span<const Command> commands);

// deskhand(1), as roff.
std::string manual_page(std::span<const Command> commands, const std::string& version);

}  // namespace app
