#include "app/sessions_command.h"

#include <algorithm>
#include <cstdio>

#include "agent/error.h"
#include "agent/export.h"
#include "agent/workbench.h"
#include "app/record_reading.h"
#include "tools/ascii.h"

namespace app {
namespace {

std::string dump(const nlohmann::ordered_json& value) {
  return value.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

bool contains_words(const std::string& text, const std::string& words) {
  return tools::ascii_lower(text).find(tools::ascii_lower(words)) != std::string::npos;
}

int list_sessions(const CommandLine& line) {
  const auto recorder = open_record();
  const int n_most = line.whole_number("most", 1, INT32_MAX);
  int n_listed = 0;
  for (const agent::SessionSummary& session : recorder->list_sessions()) {
    if (line.has("status") && agent::name_of(session.status) != line.value("status")) continue;
    if (!contains_words(session.info.task + "\n" + session.summary, line.rest(0))) continue;
    if (n_listed == n_most) break;
    ++n_listed;
    if (line.has("json")) {
      nlohmann::ordered_json object = agent::session_json(session);
      object["actions"] = session.n_actions;
      std::printf("%s\n", dump(object).c_str());
    } else {
      std::printf("%5lld  %s\n", static_cast<long long>(session.id), line_of(session).c_str());
    }
  }
  if (n_listed == 0) {
    const bool is_filtered = line.has("status") || !line.rest(0).empty();
    std::fprintf(stderr, "deskhand: %s\n",
                 is_filtered
                     ? "no session is like that; without words and --status all are listed"
                     : "there are no sessions yet; a task makes the first, e.g. deskhand run \"Open Calculator\"");
  }
  return kExitDone;
}

int show_session(const CommandLine& line) {
  const auto recorder = open_record();
  const agent::SessionSummary session = recorder->session(line.number_argument(0));
  if (line.has("json")) {
    std::printf("%s\n", dump(agent::session_json(session)).c_str());
  } else {
    std::printf("Session %lld: %s\n", static_cast<long long>(session.id), line_of(session).c_str());
    std::printf("model %s, desktop %s, workspace %s\n\n", session.info.model.c_str(), session.info.desktop.c_str(),
                session.info.workspace.c_str());
  }
  for (const agent::Event& event : recorder->load_events(session.id)) {
    if (line.has("json")) {
      std::printf("%s\n", dump(agent::event_json(event)).c_str());
    } else if (const std::string text = text_of(event); !text.empty()) {
      std::printf("%8.1f s  %s\n", static_cast<double>(event.elapsed.count()) / 1e6, text.c_str());
    }
  }
  return kExitDone;
}

int undo(const CommandLine& line) {
  const auto recorder = open_record();
  const agent::SessionSummary session = recorder->session(line.number_argument(0));
  if (session.status == agent::SessionStatus::Running) {
    throw agent::Error("session " + std::to_string(session.id) + " still runs: stop it first");
  }
  const bool is_dry = line.has("dry-run");
  const agent::SessionEdits edits =
      agent::undo_session(session, is_dry ? agent::UndoMode::Check : agent::UndoMode::Undo, agent::default_state_dir());
  for (const std::string& problem : edits.problems) std::fprintf(stderr, "deskhand: %s\n", problem.c_str());
  if (!edits.problems.empty()) {
    std::fprintf(stderr, "deskhand: nothing was put back\n");
    return kExitRefused;
  }
  for (const std::string& file : edits.left) {
    std::fprintf(stderr, "deskhand: %s stays as it is: a command changed it, and somebody else has since\n",
                 file.c_str());
  }
  if (edits.files.empty())
    std::printf("Session %lld changed no files that aren't back already.\n", static_cast<long long>(session.id));
  for (const std::string& file : edits.files)
    std::printf("%s %s\n", is_dry ? "would put back" : "put back", file.c_str());
  return kExitDone;
}

}  // namespace

Command sessions_command() {
  return {
      .name = "sessions",
      .summary = "Lists what was done, the latest first.",
      .arguments =
          {{.name = "words", .help = "only sessions whose task has them", .is_optional = true, .is_rest = true}},
      .options = {{"status", "running|interrupted|done|gave up|stuck|refused|stopped|failed",
                   "Only those that ended so."},
                  {"most", "n", "At most so many.", "50"},
                  json_option()},
      .run = list_sessions,
  };
}

Command show_command() {
  return {
      .name = "show",
      .summary = "Shows all that happened in a session.",
      .arguments = {{.name = "ID", .help = "the session's number"}},
      .options = {json_option()},
      .run = show_session,
  };
}

Command undo_command() {
  return {
      .name = "undo",
      .summary = "Puts back every file that a session changed.",
      .arguments = {{.name = "ID", .help = "the session's number"}},
      .options = {{"dry-run", "", "Only say which files it would put back."}},
      .run = undo,
      .notes =
          "What file tools and commands changed is put back byte for byte. Nothing is touched when a file that a tool\n"
          "edited has been changed since by somebody else; such a file that only a command changed stays as it is.\n"
          "What can't be taken back: what programs on the desktop and commands in the background did to files, files\n"
          "of more than 8 MiB, more than 200 files of one command, and anything in .git.\n",
  };
}

}  // namespace app
