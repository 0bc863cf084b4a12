#pragma once
// The commands of `deskhand`: each is a row of one table, from which the parser, the help, the shell completion and the
// manual page are made.

#include <QStringList>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "agent/events.h"

namespace app {

// What the program tells its caller.
enum ExitStatus {
  kExitDone = 0,
  kExitFailed = 1,
  kExitWrongUsage = 2,
  kExitGaveUp = 3,
  kExitStuck = 4,  // also: a replay's target is gone
  kExitRefused = 5,
  kExitStopped = 130,
};
int exit_status(agent::Ending ending);

// The user asked for something that there isn't: the message says what there is.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// That there is such a file, which can be read whole. Throws UsageError.
void require_file(const std::filesystem::path& file);

struct CommandOption {
  std::string name;
  std::string value = {};  // what it takes: "folder", "file", "n", or the choices "private|mine|none"; empty: a switch
  std::string help;
  std::string otherwise = {};  // the value where it isn't given
};

struct CommandArgument {
  std::string name;  // as the help shows it; choices as "list|info"
  std::string help;
  bool is_optional = false;
  bool is_rest = false;  // takes all words that are left
};

// A command line that fits its command.
class CommandLine {
 public:
  // Throws UsageError: an unknown option, a missing argument, too many, or none of the choices.
  CommandLine(std::span<const CommandArgument> arguments, std::span<const CommandOption> options,
              const QStringList& words);

  bool has(const std::string& option) const;  // given by the user
  std::string value(const std::string& option) const;
  std::vector<std::string> values(const std::string& option) const;  // each that was given
  int whole_number(const std::string& option, int least, int most) const;
  std::string argument(std::size_t position) const;  // empty where it was left out
  std::int64_t number_argument(std::size_t position) const;
  std::string rest(std::size_t position) const;  // these and all that follow, one blank between them

 private:
  const CommandOption& option(const std::string& name) const;

  std::vector<CommandArgument> arguments_;
  std::vector<CommandOption> options_;
  std::vector<std::string> words_;
  std::vector<std::pair<std::string, std::string>> given_;  // option, value
};

struct Command {
  std::string name;
  std::string summary;  // one line
  std::vector<CommandArgument> arguments;
  std::vector<CommandOption> options;
  int (*run)(const CommandLine& line) = nullptr;  // returns an ExitStatus; throws UsageError or another exception
  std::string notes = {};                         // more for the help, whole lines
};

std::string usage_of(const Command& command);  // "deskhand run [options] task"
std::string help_of(const Command& command);

// Options that several commands share.
CommandOption json_option();

}  // namespace app
