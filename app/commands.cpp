#include "app/commands.h"

#include <algorithm>
#include <cstdio>

#include "agent/remote_model.h"
#include "app/calibrate_command.h"
#include "app/chat_command.h"
#include "app/completion_command.h"
#include "app/doctor_command.h"
#include "app/export_command.h"
#include "app/import_command.h"
#include "app/model_command.h"
#include "app/record_command.h"
#include "app/replay_command.h"
#include "app/rules_command.h"
#include "app/run_command.h"
#include "app/sessions_command.h"

namespace app {
namespace {

const Command* find_command(const std::string& name) {
  const std::span<const Command> all = commands();
  const auto found = std::find_if(all.begin(), all.end(), [&](const Command& command) { return command.name == name; });
  return found == all.end() ? nullptr : &*found;
}

std::string overview() {
  std::string text =
      "Usage: deskhand             opens the window\n"
      "       deskhand \"task\"\n"
      "       deskhand COMMAND …\n"
      "\n"
      "Works a Linux desktop for you: its own, unless told otherwise.\n"
      "\n";
  for (const Command& command : commands()) {
    text += "  " + command.name + std::string(12 - std::min<std::size_t>(command.name.size(), 11), ' ') +
            command.summary + "\n";
  }
  text +=
      "\n"
      "deskhand COMMAND --help says more. --version tells the version.\n"
      "Exit status: 0 done, 1 failed, 2 wrong usage, 3 gave up, 4 stuck, 5 refused, 130 stopped.\n";
  return text;
}

int run(const Command& command, const QStringList& words) {
  const auto options_end = std::find(words.begin(), words.end(), "--");
  const bool wants_help = std::find(words.begin(), options_end, "--help") != options_end || words.value(0) == "-h";
  if (wants_help) {
    std::fputs(help_of(command).c_str(), stdout);
    return kExitDone;
  }
  try {
    return command.run(CommandLine(command.arguments, command.options, words));
  } catch (const agent::OpeningStopped& stopped) {
    std::fprintf(stderr, "deskhand: %s\n", stopped.what());
    return kExitStopped;
  } catch (const UsageError& error) {
    throw UsageError(std::string(error.what()) + "\nUsage: " + usage_of(command) + "; deskhand " + command.name +
                     " --help says more");
  }
}

}  // namespace

std::span<const Command> commands() {
  static const std::vector<Command> kCommands = {
      run_command(),       chat_command(),   sessions_command(), show_command(),       replay_command(),
      record_command(),    export_command(), import_command(),   undo_command(),       model_command(),
      calibrate_command(), rules_command(),  doctor_command(),   completion_command(),
  };
  return kCommands;
}

int run_command_line(const QStringList& words) {
  const std::string first = words.value(0).toStdString();
  if (first == "--help" || first == "-h" || first == "help") {
    std::fputs(overview().c_str(), stdout);
    return kExitDone;
  }
  if (first == "--version") {
    std::puts("deskhand " DESKHAND_VERSION);
    return kExitDone;
  }
  if (const Command* command = find_command(first)) return run(*command, words.mid(1));
  if (words.size() == 1 && !first.empty() && !first.starts_with("-") && first.find(' ') == std::string::npos) {
    throw UsageError("there is no command \"" + first +
                     "\"; deskhand --help lists them. A task of one word: deskhand run " + first);
  }
  return run(*find_command("run"), words);
}

}  // namespace app
