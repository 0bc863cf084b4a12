#include "app/command.h"

#include <algorithm>
#include <charconv>

#include "agent/error.h"
#include "agent/whole_file.h"

namespace app {
namespace {

std::vector<std::string> choices_of(const std::string& text) {
  std::vector<std::string> choices;
  if (text.find('|') == std::string::npos) return choices;
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t to = std::min(text.find('|', from), text.size());
    choices.push_back(text.substr(from, to - from));
    from = to + 1;
  }
  return choices;
}

void check_choice(const std::string& what, const std::string& choices, const std::string& value) {
  const std::vector<std::string> known = choices_of(choices);
  if (known.empty() || std::find(known.begin(), known.end(), value) != known.end()) return;
  std::string list;
  for (const std::string& choice : known) {
    if (!list.empty()) list += choice == known.back() ? " or " : ", ";
    list += choice;
  }
  throw UsageError(what + " is " + list + ", not \"" + value + "\"");
}

std::int64_t number_of(const std::string& what, const std::string& text, std::int64_t least, std::int64_t most) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < least || number > most) {
    throw UsageError(what + " takes a whole number from " + std::to_string(least) + " to " + std::to_string(most) +
                     ", not \"" + text + "\"");
  }
  return number;
}

// The text in lines of a terminal's width, all but the first indented.
std::string wrapped(const std::string& text, std::size_t indent) {
  constexpr std::size_t kWidth = 100;
  std::string lines;
  std::size_t column = indent;
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t to = std::min(text.find(' ', from), text.size());
    if (column + (to - from) > kWidth && column > indent) {
      if (lines.ends_with(' ')) lines.pop_back();
      lines += "\n" + std::string(indent, ' ');
      column = indent;
    }
    lines += text.substr(from, to - from);
    column += to - from + 1;
    if (to < text.size() && column <= kWidth) lines += ' ';
    from = to + 1;
  }
  return lines;
}

}  // namespace

int exit_status(agent::Ending ending) {
  switch (ending) {
    case agent::Ending::Done:
      return kExitDone;
    case agent::Ending::GaveUp:
      return kExitGaveUp;
    case agent::Ending::Stuck:
      return kExitStuck;
    case agent::Ending::Refused:
      return kExitRefused;
    case agent::Ending::Stopped:
      return kExitStopped;
    case agent::Ending::Failed:
      return kExitFailed;
  }
  return kExitFailed;
}

void require_file(const std::filesystem::path& file) {
  try {
    agent::open_file(file);
  } catch (const agent::Error& error) {
    throw UsageError(error.what());
  }
}

CommandLine::CommandLine(std::span<const CommandArgument> arguments, std::span<const CommandOption> options,
                         const QStringList& words)
    : arguments_(arguments.begin(), arguments.end()), options_(options.begin(), options.end()) {
  bool are_options_over = false;
  for (qsizetype i = 0; i < words.size(); ++i) {
    const std::string word = words[i].toStdString();
    if (are_options_over || !word.starts_with("--")) {
      // "-5 + 3" may be said, and "-x" belong to a program that is named; a first word "-x" is a slip.
      if (!are_options_over && words_.empty() && word.size() > 1 && word[0] == '-' &&
          word.find(' ') == std::string::npos)
        throw UsageError("there is no option " + word + ": all begin with --; what is no option comes after a --");
      words_.push_back(word);
      continue;
    }
    if (word == "--") {
      are_options_over = true;
      continue;
    }
    const std::size_t equals = word.find('=');
    const CommandOption& known = option(word.substr(2, equals == std::string::npos ? equals : equals - 2));
    std::string value;
    if (equals != std::string::npos) {
      if (known.value.empty()) throw UsageError("--" + known.name + " takes no value");
      value = word.substr(equals + 1);
    } else if (!known.value.empty()) {
      if (++i == words.size()) throw UsageError("--" + known.name + " takes a value: " + known.value);
      value = words[i].toStdString();
    }
    // A shell's unset variable, which would change the meaning: without a --workspace it is another one.
    if (value.empty() && !known.value.empty()) throw UsageError("--" + known.name + " takes a value: " + known.value);
    check_choice("--" + known.name, known.value, value);
    given_.emplace_back(known.name, value);
  }
  for (std::size_t i = words_.size(); i < arguments_.size(); ++i) {
    if (!arguments_[i].is_optional)
      throw UsageError("what is missing: " + arguments_[i].name + ", " + arguments_[i].help);
  }
  if (words_.size() > arguments_.size() && (arguments_.empty() || !arguments_.back().is_rest)) {
    throw UsageError("there is a word too many: \"" + words_[arguments_.size()] + "\"");
  }
  for (std::size_t i = 0; i < std::min(words_.size(), arguments_.size()); ++i) {
    check_choice("the " + std::to_string(i + 1) + ". word", arguments_[i].name, words_[i]);
  }
}

const CommandOption& CommandLine::option(const std::string& name) const {
  const auto found = std::find_if(options_.begin(), options_.end(),
                                  [&](const CommandOption& candidate) { return candidate.name == name; });
  if (found != options_.end()) return *found;
  std::string known;
  for (const CommandOption& candidate : options_) known += (known.empty() ? "--" : ", --") + candidate.name;
  throw UsageError("there is no option --" + name + (known.empty() ? " here" : "; there are " + known));
}

bool CommandLine::has(const std::string& name) const {
  return std::any_of(given_.begin(), given_.end(), [&](const auto& given) { return given.first == name; });
}

std::string CommandLine::value(const std::string& name) const {
  const std::vector<std::string> all = values(name);
  return all.empty() ? option(name).otherwise : all.back();
}

std::vector<std::string> CommandLine::values(const std::string& name) const {
  std::vector<std::string> all;
  for (const auto& [given, value] : given_) {
    if (given == name) all.push_back(value);
  }
  return all;
}

int CommandLine::whole_number(const std::string& name, int least, int most) const {
  return static_cast<int>(number_of("--" + name, value(name), least, most));
}

std::string CommandLine::argument(std::size_t position) const {
  return position < words_.size() ? words_[position] : "";
}

std::int64_t CommandLine::number_argument(std::size_t position) const {
  return number_of(arguments_.at(position).name, argument(position), 1, INT64_MAX);
}

std::string CommandLine::rest(std::size_t position) const {
  std::string text;
  for (std::size_t i = position; i < words_.size(); ++i) text += (i > position ? " " : "") + words_[i];
  return text;
}

std::string usage_of(const Command& command) {
  std::string usage = "deskhand " + command.name;
  if (!command.options.empty()) usage += " [options]";
  for (const CommandArgument& argument : command.arguments) {
    const std::string name = argument.name + (argument.is_rest ? "…" : "");
    usage += argument.is_optional ? " [" + name + "]" : " " + name;
  }
  return usage;
}

std::string help_of(const Command& command) {
  std::string help = "Usage: " + usage_of(command) + "\n\n" + command.summary + "\n";
  std::vector<std::pair<std::string, std::string>> rows;
  for (const CommandArgument& argument : command.arguments) rows.emplace_back(argument.name, argument.help);
  for (const CommandOption& option : command.options) {
    const std::string otherwise = option.otherwise.empty() ? "" : " (default: " + option.otherwise + ")";
    rows.emplace_back("--" + option.name + (option.value.empty() ? "" : " " + option.value), option.help + otherwise);
  }
  std::size_t width = 0;
  for (const auto& [left, right] : rows) width = std::max(width, std::min<std::size_t>(left.size() + 2, 32));
  if (!rows.empty()) help += "\n";
  for (const auto& [left, right] : rows) {
    const std::string gap =
        left.size() < width ? std::string(width - left.size(), ' ') : "\n" + std::string(width + 2, ' ');
    help += "  " + left + gap + wrapped(right, width + 2) + "\n";
  }
  if (!command.notes.empty()) help += "\n" + command.notes;
  return help;
}

CommandOption json_option() {
  return {.name = "json", .help = "Print JSON, for programs."};
}

}  // namespace app
