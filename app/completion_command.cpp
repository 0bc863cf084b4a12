#include "app/completion_command.h"

#include <cstdio>

#include "app/commands.h"
#include "app/completion.h"

namespace app {
namespace {

int print(const CommandLine& line) {
  const std::string form = line.argument(0);
  const std::string text = form == "bash"   ? bash_completion(commands())
                           : form == "zsh"  ? zsh_completion(commands())
                           : form == "fish" ? fish_completion(commands())
                                            : manual_page(commands(), DESKHAND_VERSION);
  std::fputs(text.c_str(), stdout);
  return kExitDone;
}

}  // namespace

Command completion_command() {
  return {
      .name = "completion",
      .summary = "Prints a shell's completion script, or the manual page.",
      .arguments = {{.name = "bash|zsh|fish|man", .help = "for which shell; man: the manual page as roff"}},
      .options = {},
      .run = print,
      .notes =
          "An installed Deskhand has them all in place. For this shell alone: source <(deskhand completion bash)\n",
  };
}

}  // namespace app
