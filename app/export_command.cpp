#include "app/export_command.h"

#include <cstdio>
#include <filesystem>

#include "agent/export.h"
#include "app/record_reading.h"

namespace app {
namespace {

constexpr int kMostSeconds = 100 * 24 * 3600;

int export_session(const CommandLine& line) {
  const auto recorder = open_record();
  const agent::SessionId session = recorder->session(line.number_argument(0)).id;
  const std::string form = line.value("to");
  std::filesystem::path place = line.value("out");
  if (place.empty()) place = "session-" + std::to_string(session) + (form == "folder" ? "" : "." + form);
  agent::SessionPart part;
  if (line.has("from")) part.from = std::chrono::seconds(line.whole_number("from", 0, kMostSeconds));
  if (line.has("until")) part.until = std::chrono::seconds(line.whole_number("until", 0, kMostSeconds));
  if (part.until < part.from) throw UsageError("--until lies before --from: nothing happened between them");
  agent::export_as(form, *recorder, session, place, part);
  std::printf("%s\n", place.c_str());
  return kExitDone;
}

}  // namespace

Command export_command() {
  return {
      .name = "export",
      .summary = "Writes a session as a folder, a zip file, an HTML report, a film or a workflow.",
      .arguments = {{.name = "ID", .help = "the session's number"}},
      .options = {{"to", "folder|zip|html|mp4|workflow",
                   "The form; a workflow is what can be done again: another machine imports and replays it.", "folder"},
                  {"from", "seconds", "Only what happened from then on, in running time."},
                  {"until", "seconds", "Only what had begun until then."},
                  {"out", "file", "Where (default: session-ID with the form's ending, here)."}},
      .run = export_session,
  };
}

}  // namespace app
