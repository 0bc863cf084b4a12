#include "app/import_command.h"

#include <cstdio>

#include "agent/trajectory.h"
#include "agent/workflow.h"
#include "app/record_reading.h"

namespace app {
namespace {

using nlohmann::json;

int import_file(const CommandLine& line) {
  const std::filesystem::path file = line.argument(0);
  require_file(file);
  const auto recorder = open_record();
  if (const auto workflow = agent::import_workflow(*recorder, file)) {
    if (line.has("json")) {
      std::printf("%s\n", json{{"session", workflow->session}, {"steps", workflow->n_steps}}.dump().c_str());
    } else {
      std::printf("Session %lld: a workflow of %d steps\n", static_cast<long long>(workflow->session),
                  workflow->n_steps);
    }
    return kExitDone;
  }
  const agent::ImportedTrajectory imported = agent::import_trajectory(*recorder, file, line.value("dialect"));
  for (const std::string& note : imported.notes) std::fprintf(stderr, "deskhand: left out: %s\n", note.c_str());
  if (line.has("json")) {
    std::printf("%s\n", json{{"session", imported.session},
                             {"dialect", imported.dialect},
                             {"actions", imported.n_actions},
                             {"pictures", imported.n_pictures},
                             {"left_out", imported.notes}}
                            .dump()
                            .c_str());
  } else {
    std::printf("Session %lld: %d actions and %d pictures (%s)\n", static_cast<long long>(imported.session),
                imported.n_actions, imported.n_pictures, imported.dialect.c_str());
  }
  return kExitDone;
}

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : "|") + name;
  return text;
}

}  // namespace

Command import_command() {
  return {
      .name = "import",
      .summary = "Takes in a workflow, or a session that another agent recorded.",
      .arguments = {{.name = "file", .help = "a workflow, traj.jsonl of OSWorld, or messages as JSON or JSONL"}},
      .options = {{"dialect", joined(agent::trajectory_dialects()),
                   "How it writes actions (default: told from the content)."},
                  json_option()},
      .run = import_file,
      .notes = "Pictures are in the file or lie beside it. The session can be shown, exported and replayed.\n",
  };
}

}  // namespace app
