#include "app/rules_command.h"

#include <cstdio>

#include "agent/error.h"
#include "agent/rule_book.h"

namespace app {
namespace {

int rules(const CommandLine& line) {
  agent::RuleBook book(agent::RuleBook::default_path());
  if (line.argument(0) == "forget") {
    const std::int64_t number = line.argument(1).empty() ? 0 : line.number_argument(1);
    if (number < 1 || !book.forget(static_cast<std::size_t>(number) - 1)) {
      throw UsageError("say which: deskhand rules forget NUMBER, as `deskhand rules` numbers them");
    }
    return kExitDone;
  }
  if (!line.argument(1).empty()) throw UsageError("only forget takes a number");
  if (book.rules().empty()) std::fputs("deskhand: there are no lasting answers yet\n", stderr);
  for (std::size_t i = 0; i < book.rules().size(); ++i) {
    const agent::Rule& rule = book.rules()[i];
    std::printf("%zu  %-6s %s%s\n", i + 1, std::string(agent::name_of(rule.decision)).c_str(), rule.name.c_str(),
                rule.subject.empty() ? "" : (": " + agent::visible(rule.subject)).c_str());
  }
  return kExitDone;
}

}  // namespace

Command rules_command() {
  return {
      .name = "rules",
      .summary = "Lists the lasting answers about what the model may do, or forgets one.",
      .arguments = {{.name = "list|forget", .help = "list where it is left out", .is_optional = true},
                    {.name = "number", .help = "which one to forget", .is_optional = true}},
      .options = {},
      .run = rules,
  };
}

}  // namespace app
