#include "app/record_command.h"

#include <cstdio>
#include <cstdlib>

#include "agent/demonstration.h"
#include "agent/error.h"
#include "agent/session_journal.h"
#include "agent/workbench.h"
#include "app/desk_options.h"
#include "app/record_reading.h"
#include "app/signal_stop.h"
#include "tools/desktop.h"
#include "tools/key_names.h"

namespace app {
namespace {

using nlohmann::json;

// Starts the program that the demonstration begins with; a replay starts it too.
void launch(const CommandLine& line, agent::Workbench& workbench, agent::SessionJournal& journal) {
  json arguments = {{"program", line.argument(0)}};
  for (std::size_t i = 1; !line.argument(i).empty(); ++i) arguments["arguments"].push_back(line.argument(i));
  const tools::ToolCall call{"call_0", "launch", arguments};
  if (const auto problem = workbench.tools().problem_with(call)) throw agent::Error(*problem);
  journal.intent({call, workbench.tools().effect(call), "asked for by the user", nullptr});
  const tools::ToolResult result = workbench.tools().run(call, {});
  journal.outcome(call, result, 0);
  if (result.ok) return;
  journal.finished({agent::Ending::Failed, result.text, 0, 0});
  throw agent::Error(result.text);
}

int record(const CommandLine& line) {
  const std::stop_token stop = stop_on_signals();
  agent::WorkbenchOptions options = workbench_of(line);
  if (options.desktop == agent::WorkbenchOptions::DesktopKind::None)
    throw UsageError("a demonstration needs a desktop");
  const auto stop_keysym = tools::keysym_from_name(line.value("stop-key"));
  if (!stop_keysym) throw UsageError("--stop-key: there is no key \"" + line.value("stop-key") + "\"");
  // The user has to see it to work on it.
  if (std::getenv("DISPLAY") != nullptr) options.is_watched = true;
  agent::Workbench workbench(options);
  const auto recorder = open_record();
  const agent::SessionId session = recorder->begin_session(
      {line.value("task"), "demonstration", name_of(options.desktop), workbench.workspace().string(), ""});
  agent::SessionJournal journal(*recorder, session);
  if (!line.argument(0).empty()) launch(line, workbench, journal);
  const std::string display =
      workbench.private_desktop() != nullptr ? workbench.private_desktop()->display() : std::string();
  const auto tell = [&](const tools::ToolCall& call) {
    const std::string arguments = call.arguments.dump(-1, ' ', false, json::error_handler_t::replace);
    if (line.has("json")) {
      std::printf("%s\n",
                  json{{"event", "recorded"}, {"tool", call.name}, {"arguments", call.arguments}}.dump().c_str());
    } else {
      std::printf("%s %s\n", call.name.c_str(), agent::visible(arguments).c_str());
    }
    std::fflush(stdout);
  };
  const agent::DemonstrationParts parts{
      *recorder,
      session,
      *workbench.desktop(),
      display,
      *stop_keysym,
      [&] {
        if (line.has("json")) {
          std::printf("%s\n", json{{"event", "session"}, {"id", session}, {"display", display}}.dump().c_str());
        } else {
          std::printf("Session %lld on display %s: show how it is done. %s or Ctrl+C ends it.\n",
                      static_cast<long long>(session), display.empty() ? "$DISPLAY" : display.c_str(),
                      line.value("stop-key").c_str());
        }
        std::fflush(stdout);
      },
      tell};
  int n_actions = 0;
  try {
    n_actions = agent::record_demonstration(parts, stop);
  } catch (const std::exception& error) {
    journal.failed({agent::Ending::Failed, error.what(), 0, 0});
    throw;
  }
  journal.finished({agent::Ending::Done, std::to_string(n_actions) + " actions were shown", n_actions, 0});
  std::fprintf(stderr, "deskhand: %d actions; deskhand replay %lld does them again\n", n_actions,
               static_cast<long long>(session));
  return kExitDone;
}

}  // namespace

Command record_command() {
  Command command{
      .name = "record",
      .summary = "Records what you do on a desktop, to be replayed.",
      .arguments = {{.name = "program",
                     .help = "started first, with its arguments (private desktop only)",
                     .is_optional = true,
                     .is_rest = true}},
      .options = {{"task", "words", "What is being shown.", "a demonstration"},
                  {"stop-key", "key", "Ends the recording.", "Pause"},
                  json_option()},
      .run = record,
      .notes =
          "Clicks, drags, scrolling, text and keys are kept with the widgets that they were meant for. What is typed\n"
          "into a password field is not kept; give it to the replay with --set.\n",
  };
  for (CommandOption& option : desk_options()) command.options.push_back(std::move(option));
  return command;
}

}  // namespace app
