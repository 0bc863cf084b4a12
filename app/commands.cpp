#include "app/commands.h"

#include <algorithm>
#include <cctype>
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

// A letter too many, too few or another one, or two neighbours swapped.
bool is_slip_of(std::string_view word, std::string_view name) {
  const auto differ = std::mismatch(word.begin(), word.end(), name.begin(), name.end());
  word.remove_prefix(static_cast<std::size_t>(differ.first - word.begin()));
  name.remove_prefix(static_cast<std::size_t>(differ.second - name.begin()));
  if (word.empty() || name.empty()) return word.size() + name.size() == 1;
  if (word.substr(1) == name || word == name.substr(1) || word.substr(1) == name.substr(1)) return true;
  return word.size() > 1 && name.size() > 1 && word[0] == name[1] && word[1] == name[0] &&
         word.substr(2) == name.substr(2);
}

// Whether what follows the mistyped word can hardly be meant for another command, or be more of a task: "replya 3", but
// not "reply to Ada". Words that a command takes freely tell little: "chart sales" is a task.
bool fits(const Command& command, const std::string& mistyped, const QStringList& words) {
  constexpr std::size_t kLongName = 6;
  if (std::isupper(static_cast<unsigned char>(mistyped[0]))) return false;  // a sentence begins so
  try {
    const CommandLine line(command.arguments, command.options, words);
    if (command.arguments.empty()) return true;
    const CommandArgument& argument = command.arguments[0];
    const std::string first = line.argument(0);
    if (argument.name == "ID")
      return std::all_of(first.begin(), first.end(), [](unsigned char c) { return std::isdigit(c); });
    if (argument.name == "file") return first.find_first_of("./") != std::string::npos;
    if (!argument.is_rest) return true;  // it is one of few choices
    const bool is_swapped =
        std::is_permutation(mistyped.begin(), mistyped.end(), command.name.begin(), command.name.end());
    return is_swapped || (command.name.size() >= kLongName && line.rest(0).find(' ') == std::string::npos);
  } catch (const UsageError&) {
    return false;
  }
}

// The command that was meant where there is none of that name; null: the words may be a task.
const Command* meant_command(const std::string& name, const QStringList& words) {
  const std::span<const Command> all = commands();
  const auto found = std::find_if(all.begin(), all.end(), [&](const Command& command) {
    return is_slip_of(name, command.name) && (words.empty() || fits(command, name, words));
  });
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
    const bool may_be_task =
        command.name != "run" && words.size() > 1 &&
        std::none_of(words.begin(), words.end(), [](const QString& word) { return word.startsWith('-'); });
    throw UsageError(std::string(error.what()) + "\nUsage: " + usage_of(command) + "; deskhand " + command.name +
                     " --help says more" +
                     (may_be_task ? "\nA task in these words: deskhand run " + command.name + " …" : ""));
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
  const Command* asked_about = first == "help" ? find_command(words.value(1).toStdString()) : nullptr;
  if (asked_about != nullptr && words.size() == 2) return run(*asked_about, {"--help"});
  if (first == "--help" || first == "-h" || (first == "help" && words.size() <= 2)) {
    std::fputs(overview().c_str(), stdout);
    return kExitDone;
  }
  if (first == "--version") {
    std::puts("deskhand " DESKHAND_VERSION);
    return kExitDone;
  }
  if (const Command* command = find_command(first)) return run(*command, words.mid(1));
  const bool is_one_word = !first.empty() && !first.starts_with("-") && first.find(' ') == std::string::npos;
  const Command* meant = is_one_word ? meant_command(first, words.mid(1)) : nullptr;
  if (meant != nullptr || (is_one_word && words.size() == 1)) {
    throw UsageError(
        "there is no command \"" + first + "\"" + (meant != nullptr ? "; did you mean \"" + meant->name + "\"?" : ";") +
        " deskhand --help lists them. A task in these words: deskhand run " + first + (words.size() > 1 ? " …" : ""));
  }
  return run(*find_command("run"), words);
}

}  // namespace app
