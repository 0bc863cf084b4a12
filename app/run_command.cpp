#include "app/run_command.h"

#include <unistd.h>

#include <QStringList>
#include <algorithm>
#include <cctype>
#include <cstdio>
#include <fstream>
#include <sstream>

#include "agent/agent.h"
#include "agent/credentials.h"
#include "agent/error.h"
#include "agent/recorder.h"
#include "agent/rule_book.h"
#include "agent/session_journal.h"
#include "agent/workbench.h"
#include "agent/workspace_review.h"
#include "app/event_printer.h"
#include "app/model_choice.h"
#include "app/resources.h"
#include "app/session_context.h"
#include "app/signal_stop.h"
#include "app/terminal_questions.h"

namespace app {
namespace {

using agent::Decision;

struct RunOptions {
  std::string task;
  std::string model;                                         // see load_model
  std::vector<std::pair<std::string, std::string>> secrets;  // names and values
  agent::WorkbenchOptions workbench;
  bool has_size = false;  // given by the user
  agent::Policy policy;
  agent::Limits limits;
  EventPrinter::Style style = EventPrinter::Style::Plain;
};

void set_rules(const std::string& list, Decision decision, agent::Policy& policy) {
  for (const QString& name : QString::fromStdString(list).split(',', Qt::SkipEmptyParts)) {
    if (agent::set_rule(policy, name.trimmed().toStdString(), decision)) continue;
    std::string known;
    for (const std::string& known_name : agent::rule_names()) known += (known.empty() ? "" : ", ") + known_name;
    throw UsageError("there is no effect \"" + name.toStdString() + "\"; there are " + known);
  }
}

void read_size(const std::string& size, RunOptions& options) {
  int width = 0, height = 0, used = 0;
  if (std::sscanf(size.c_str(), "%dx%d%n", &width, &height, &used) != 2 || used != static_cast<int>(size.size()) ||
      width < 320 || height < 240 || width > 7680 || height > 4320) {
    throw UsageError("--size is WIDTHxHEIGHT, from 320x240 to 7680x4320, not \"" + size + "\"");
  }
  options.workbench.width_px = width;
  options.workbench.height_px = height;
  options.has_size = true;
}

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
  if (options.task.empty()) throw UsageError("what should be done? Give the task in words");
  options.model = checked_model(line.value("model"));
  for (const std::string& secret : line.values("secret")) options.secrets.push_back(read_secret(secret));
  const std::string desktop = line.value("desktop");
  using Kind = agent::WorkbenchOptions::DesktopKind;
  options.workbench.desktop = desktop == "mine" ? Kind::Mine : desktop == "none" ? Kind::None : Kind::Private;
  options.workbench.is_watched = line.has("watch");
  if (line.has("size")) read_size(line.value("size"), options);
  options.workbench.workspace = line.value("workspace");
  options.workbench.allow_network = line.has("network");
  set_rules(line.value("yes"), Decision::Allow, options.policy);
  set_rules(line.value("no"), Decision::Deny, options.policy);
  options.limits.max_steps = line.whole_number("max-steps", 1, 100000);
  options.limits.max_seconds = 60.0 * line.whole_number("max-minutes", 1, 100000);
  if (line.has("json")) {
    options.style = EventPrinter::Style::Json;
  } else if (isatty(STDOUT_FILENO) != 0) {
    options.style = EventPrinter::Style::Terminal;
  }
  return options;
}

std::string read_text_file(const std::filesystem::path& path) {
  std::ifstream file(path);
  if (!file) throw agent::Error(path.string() + ": cannot be read; Deskhand is not completely installed");
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// What the model is told before everything else.
std::string instructions_for(const agent::ModelInfo& model, const agent::Secrecy& secrecy) {
  if (model.speaks_short_calls) return "";
  std::string text = read_text_file(resource_path("prompts/instructions.md"));
  for (const std::string& name : secrecy.names())
    text += "\n- You may type the user's secret {{" + name + "}} as such.";
  return text;
}

// A model that was trained on one size of screen gets that size, also of a closer look.
capture::Size closer_picture(const agent::ModelInfo& model) {
  if (model.screen_width_px > 0) return {model.screen_width_px, model.screen_height_px};
  return {480, 270};
}

int run(RunOptions options) {
  const std::stop_token stop = stop_on_signals();
  std::stop_source session_stop;  // a signal, or the panic keys
  const std::stop_callback on_signal(stop, [&] { session_stop.request_stop(); });
  EventPrinter printer(options.style);
  const std::unique_ptr<agent::Model> model = load_model(options.model, stop);
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
  const std::unique_ptr<agent::Recorder> recorder = agent::Recorder::open(agent::Recorder::default_path());
  if (!recorder->notice().empty()) std::fprintf(stderr, "deskhand: %s\n", recorder->notice().c_str());
  agent::Secrecy secrecy;
  for (const auto& [name, value] : options.secrets) {
    secrecy.add(name, value);
    recorder->redact(name, value);
    workbench.add_secret(name, value);
    options.policy.secrets.insert(name);
  }
  agent::RuleBook rules(agent::RuleBook::default_path());
  options.policy.remembered = rules.rules();
  agent::SessionInfo info;
  info.task = options.task;
  info.model = about.name;
  info.desktop = workbench.private_desktop() != nullptr ? "private" : workbench.has_desktop() ? "mine" : "none";
  info.workspace = workbench.workspace().string();
  info.instructions = instructions_for(about, secrecy);
  const agent::SessionId session = recorder->begin_session(info);
  agent::SessionJournal journal(*recorder, session);
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
                      agent::Transcript(info.instructions));
  const agent::Ending ending = worker.run(options.task, session_stop.get_token()).ending;
  if (ending != agent::Ending::Done) keep_context(*model, session);
  return exit_status(ending);
}

}  // namespace

Command run_command() {
  return {
      .name = "run",
      .summary = "Does a task, given in words, on a desktop.",
      .arguments = {{.name = "task", .help = "what should be done, in words", .is_rest = true}},
      .options =
          {
              {"desktop", "private|mine|none", "Where: its own, yours ($DISPLAY), or files and shell only.", "private"},
              {"watch", "", "Show the private desktop in a window."},
              {"size", "WxH", "Size of the private desktop (default: what the model was trained on, else 1280x720)."},
              model_option(),
              {"secret", "name",
               "A password that the model may type, as {{name}}, without seeing it: name=@FILE, or the name of one in "
               "DESKHAND_SECRET_NAME, ~/.config/deskhand/secrets or the keyring. May be repeated."},
              {"workspace", "folder", "Folder to work in (default: the private desktop's home)."},
              {"yes", "effects",
               "Effects and dangers that need no question, comma separated: shell, network, input_user, "
               "write_elsewhere, credentials, …"},
              {"no", "effects", "Effects that are refused."},
              {"network", "", "Let shell commands and the web tool use the network (asked about without --yes)."},
              {"max-steps", "n", "End after so many replies.", "100"},
              {"max-minutes", "n", "End after so long.", "60"},
              {"json", "", "Print events as JSON lines."},
          },
      .run = [](const CommandLine& line) { return run(read_options(line)); },
  };
}

}  // namespace app
