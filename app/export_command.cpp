#include "app/export_command.h"

#include <cstdio>
#include <filesystem>

#include "agent/export.h"
#include "app/record_reading.h"

namespace app {
namespace {

int export_session(const CommandLine& line) {
  const auto recorder = open_record();
  const agent::SessionId session = recorder->session(line.number_argument(0)).id;
  const std::string form = line.value("to");
  std::filesystem::path place = line.value("out");
  if (place.empty()) place = "session-" + std::to_string(session) + (form == "folder" ? "" : "." + form);
  if (form == "folder") agent::export_folder(*recorder, session, place);
  if (form == "zip") agent::export_zip(*recorder, session, place);
  if (form == "html") agent::export_report(*recorder, session, place);
  if (form == "mp4") agent::export_video(*recorder, session, place);
  std::printf("%s\n", place.c_str());
  return kExitDone;
}

}  // namespace

Command export_command() {
  return {
      .name = "export",
      .summary = "Writes a session as a folder, a zip file, an HTML report or a film.",
      .arguments = {{.name = "ID", .help = "the session's number"}},
      .options = {{"to", "folder|zip|html|mp4", "The form.", "folder"},
                  {"out", "file", "Where (default: session-ID with the form's ending, here)."}},
      .run = export_session,
  };
}

}  // namespace app
