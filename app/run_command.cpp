#include "app/run_command.h"

#include <unistd.h>

#include <QStringList>
#include <algorithm>
#include <cctype>
#include <cstdio>

#include "agent/agent.h"
#include "agent/credentials.h"
#include "agent/error.h"
#include "agent/recorder.h"
#include "agent/resumption.h"
#include "agent/rule_book.h"
#include "agent/session_journal.h"
#include "agent/workbench.h"
#include "agent/workspace_review.h"
#include "app/desk_options.h"
#include "app/event_printer.h"
#include "app/model_choice.h"
#include "app/record_reading.h"
#include "app/session_context.h"
#include "app/signal_stop.h"
#include "app/terminal_questions.h"

namespace app {
namespace {

struct RunOptions {
  std::string task;                                          // of a session that goes on: more words, may be empty
  std::string model;                                         // see load_model
  std::vector<std::pair<std::string, std::string>> secrets;  // names and values
  agent::WorkbenchOptions workbench;
  bool has_size = false;  // given by the user
  agent::Policy policy;
  agent::Limits limits;
  EventPrinter::Style style = EventPrinter::Style::Json;
  agent::SessionId resumed = 0;  // 0: a new session
};

// "name=@file" or "name". A value on the command line would be seen by every program.
std::pair<std::string, std::string> read_secret(const std::string& option) {
  const std::size_t equals = option.find('=');
  const std::string name = option.substr(0, equals);
  const bool is_name = !name.empty() && std::all_of(name.begin(), name.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_' || c == '-' || c == '.';
  });
  if (!is_name) throw UsageError("\"" + name + "\" is no name for a secret: letters, digits, _, - and . make one");
  if (equals == std::string::npos) return {name, agent::named_secret(name)};
  if (option.compare(equals + 1, 1, "@") != 0) {
    throw UsageError("give the secret " + name + " as --secret " + name +
                     "=@FILE: other programs see the command line");
  }
  return {name, agent::read_private_file(option.substr(equals + 2))};
}

RunOptions read_options(const CommandLine& line) {
  RunOptions options;
  options.task = QString::fromStdString(line.rest(0)).trimmed().toStdString();
  if (line.has("resume")) options.resumed = line.whole_number("resume", 1, INT32_MAX);
  if (options.task.empty() && options.resumed == 0) throw UsageError("what should be done? Give the task in words");
  options.model = checked_model(line.value("model"));
  for (const std::string& secret : line.values("secret")) options.secrets.push_back(read_secret(secret));
  options.workbench = workbench_of(line);
  options.has_size = line.has("size");
  options.policy = policy_of(line);
  options.limits.max_steps = line.whole_number("max-steps", 1, 100000);
  options.limits.max_seconds = 60.0 * line.whole_number("max-minutes", 1, 100000);
  const bool is_for_people = isatty(STDOUT_FILENO) != 0 && !line.has("json");
  options.style = is_for_people ? EventPrinter::Style::Terminal : EventPrinter::Style::Json;
  return options;
}

// With the names of the secrets that it may type.
std::string instructions_with(const agent::Secrecy& secrecy, const agent::ModelInfo& model) {
  std::string text = instructions_for(model);
  if (text.empty()) return text;
  for (const std::string& name : secrecy.names())
    text += "\n- You may type the user's secret {{" + name + "}} as such.";
  return text;
}

// The session that is worked on: a new one, or one that goes on.
struct OpenedSession {
  agent::SessionId id = 0;
  std::string words;  // the task, or what the model is told when it goes on
  agent::Transcript transcript;
  agent::Plan plan;
};

OpenedSession begin(agent::Recorder& recorder, const RunOptions& options, const agent::ModelInfo& model,
                    const agent::Workbench& workbench, const agent::Secrecy& secrecy) {
  agent::SessionInfo info;
  info.task = options.task;
  info.model = model.name;
  info.desktop = name_of(options.workbench.desktop);
  info.workspace = workbench.workspace().string();
  info.instructions = instructions_with(secrecy, model);
  return {recorder.begin_session(info), info.task, agent::Transcript(info.instructions), {}};
}

OpenedSession resume(agent::Recorder& recorder, const RunOptions& options, agent::Model& model) {
  agent::LoadedTranscript loaded = recorder.resume_session(options.resumed);
  OpenedSession session{options.resumed, "", std::move(loaded.transcript),
                        agent::newest_plan(recorder, options.resumed)};
  session.words = agent::words_to_go_on(
      model.info(), {.old_task = recorder.session(options.resumed).info.task,
                     .new_words = options.task,
                     .what_happened = "The session was interrupted and goes on now.",
                     .has_new_desktop = options.workbench.desktop == agent::WorkbenchOptions::DesktopKind::Private});
  take_up_context(model, options.resumed);
  return session;
}

// Where a session goes on that doesn't say otherwise: where it was.
void adopt_place(const agent::SessionInfo& info, RunOptions& options, const CommandLine& line) {
  if (!line.has("desktop")) options.workbench.desktop = desktop_named(info.desktop);
  if (options.workbench.workspace.empty() && std::filesystem::is_directory(info.workspace)) {
    options.workbench.workspace = info.workspace;
  }
}

int run(const CommandLine& line) {
  RunOptions options = read_options(line);
  const std::stop_token stop = stop_on_signals();
  std::stop_source session_stop;  // a signal, or the panic keys
  const std::stop_callback on_signal(stop, [&] { session_stop.request_stop(); });
  EventPrinter printer(options.style);
  const std::unique_ptr<agent::Recorder> recorder = open_record();
  if (options.resumed != 0) adopt_place(recorder->session(options.resumed).info, options, line);
  if (options.resumed != 0 && options.task.empty() &&
      recorder->session(options.resumed).status == agent::SessionStatus::Done) {
    throw UsageError("session " + std::to_string(options.resumed) + " is done: say what should be done next");
  }
  const std::unique_ptr<agent::Model> model =
      load_model(options.model, stop, {.status = [&](const agent::ModelStatus& status) { printer.progress(status); }});
  const agent::ModelInfo& about = model->info();
  if (!about.pointing_problem.empty()) std::fprintf(stderr, "deskhand: %s\n", about.pointing_problem.c_str());
  if (!options.has_size && about.screen_width_px > 0) {
    options.workbench.width_px = about.screen_width_px;
    options.workbench.height_px = about.screen_height_px;
  }
  agent::Workbench workbench(options.workbench);
  for (const std::string& notice : workbench.notices()) std::fprintf(stderr, "deskhand: %s\n", notice.c_str());
  workbench.enable_second_look(closer_picture(about));
  std::optional<agent::WorkspaceReview> review;
  if (!options.workbench.workspace.empty()) review.emplace(workbench.workspace());
  agent::Secrecy secrecy;
  for (const auto& [name, value] : options.secrets) {
    secrecy.add(name, value);
    recorder->redact(name, value);
    workbench.add_secret(name, value);
    options.policy.secrets.insert(name);
  }
  agent::RuleBook rules(agent::RuleBook::default_path());
  options.policy.remembered = rules.rules();
  OpenedSession session =
      options.resumed != 0 ? resume(*recorder, options, *model) : begin(*recorder, options, about, workbench, secrecy);
  workbench.begin_session(session.id);
  printer.begin(session.id);
  agent::SessionJournal journal(*recorder, session.id);
  workbench.on_panic([&] { session_stop.request_stop(); });
  agent::Agent worker({*model, workbench.tools(), journal, options.policy, ask_on_terminal, answer_on_terminal,
                       [&](const agent::AgentEvent& event) {
                         if (review && std::holds_alternative<agent::SessionFinished>(event)) {
                           printer.review(review->diff());
                         }
                         printer.print(event);
                       },
                       options.limits, workbench.has_desktop(),
                       [&](const tools::ToolCall& call, const capture::Frame& shown, const std::stop_token& token) {
                         return workbench.second_look(call, shown, token);
                       },
                       [&](const agent::Rule& rule) { rules.remember(rule); }, secrecy},
                      std::move(session.transcript));
  const agent::Ending ending =
      (options.resumed != 0 ? worker.resume(session.words, std::move(session.plan), session_stop.get_token())
                            : worker.run(session.words, session_stop.get_token()))
          .ending;
  if (ending != agent::Ending::Done) keep_context(*model, session.id);
  return exit_status(ending);
}

}  // namespace

Command run_command() {
  Command command{
      .name = "run",
      .summary = "Does a task, given in words, on a desktop.",
      .arguments = {{.name = "task", .help = "what should be done, in words", .is_optional = true, .is_rest = true}},
      .options =
          {
              model_option(),
              {"resume", "ID", "Go on with a session; `deskhand sessions` lists them."},
              {"secret", "name",
               "A password that the model may type, as {{name}}, without seeing it: name=@FILE, or the name of one in "
               "DESKHAND_SECRET_NAME, ~/.config/deskhand/secrets or the keyring. May be repeated."},
              {"max-steps", "n", "End after so many replies.", "100"},
              {"max-minutes", "n", "End after so long.", "60"},
              {"json", "", "Print events as JSON lines; so does a run whose output is no terminal."},
          },
      .run = run,
  };
  for (CommandOption& option : desk_options()) command.options.push_back(std::move(option));
  return command;
}

}  // namespace app
