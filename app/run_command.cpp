#include "app/run_command.h"

#include <signal.h>
#include <unistd.h>

#include <QCommandLineParser>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>
#include <thread>

#include "agent/agent.h"
#include "agent/engine_model.h"
#include "agent/error.h"
#include "agent/recorder.h"
#include "agent/session_journal.h"
#include "agent/workbench.h"
#include "app/event_printer.h"
#include "app/resources.h"

namespace app {
namespace {

using agent::Decision;

struct RunOptions {
  std::string task;
  std::filesystem::path model_dir;
  agent::WorkbenchOptions workbench;
  bool has_size = false;  // given by the user
  agent::Policy policy;
  agent::Limits limits;
  EventPrinter::Style style = EventPrinter::Style::Plain;
};

void add_options(QCommandLineParser& parser) {
  parser.setApplicationDescription("Does a task on a desktop.");
  parser.addPositionalArgument("task", "What should be done, in words.");
  parser.addOptions({
      {"desktop", "Where: private (its own, default), mine ($DISPLAY), none (files and shell only).", "which",
       "private"},
      {"watch", "Show the private desktop in a window."},
      {"size", "Size of the private desktop (default: what the model was trained on, else 1280x720).", "WxH"},
      {"model", "Model folder (default: the small model that comes with Deskhand).", "folder"},
      {"workspace", "Folder to work in (default: the private desktop's home).", "folder"},
      {"yes", "Effects that need no question, comma separated: shell, network, input_user, write_elsewhere, …",
       "effects"},
      {"no", "Effects that are refused.", "effects"},
      {"network", "Let shell commands and the web tool use the network (still asked about without --yes)."},
      {"max-steps", "End after so many replies.", "n", "100"},
      {"max-minutes", "End after so long.", "n", "60"},
      {"json", "Print events as JSON lines."},
  });
  parser.addHelpOption();
}

void set_rules(const QString& list, Decision decision, agent::Policy& policy) {
  std::map<std::string, tools::Effect> by_name;
  for (int i = 0; i <= static_cast<int>(tools::Effect::Network); ++i) {
    by_name.emplace(agent::name_of(static_cast<tools::Effect>(i)), static_cast<tools::Effect>(i));
  }
  for (const QString& name : list.split(',', Qt::SkipEmptyParts)) {
    const auto found = by_name.find(name.trimmed().toStdString());
    if (found == by_name.end()) {
      std::string known;
      for (const auto& [known_name, effect] : by_name) known += (known.empty() ? "" : ", ") + known_name;
      throw agent::Error("there is no effect \"" + name.toStdString() + "\"; there are " + known);
    }
    policy.rules[found->second] = decision;
  }
}

int whole_number(const QCommandLineParser& parser, const char* name, int most) {
  bool is_number = false;
  const int value = parser.value(name).toInt(&is_number);
  if (!is_number || value < 1 || value > most) {
    throw agent::Error(std::string("--") + name + " takes a whole number from 1 to " + std::to_string(most));
  }
  return value;
}

void read_size(const std::string& size, RunOptions& options) {
  int width = 0, height = 0, used = 0;
  if (std::sscanf(size.c_str(), "%dx%d%n", &width, &height, &used) != 2 || used != static_cast<int>(size.size()) ||
      width < 320 || height < 240 || width > 7680 || height > 4320) {
    throw agent::Error("--size is WIDTHxHEIGHT, from 320x240 to 7680x4320, not \"" + size + "\"");
  }
  options.workbench.width_px = width;
  options.workbench.height_px = height;
  options.has_size = true;
}

RunOptions read_options(const QCommandLineParser& parser) {
  RunOptions options;
  options.task = parser.positionalArguments().join(' ').trimmed().toStdString();
  if (options.task.empty()) throw agent::Error("what should be done? Give the task in words");
  options.model_dir =
      parser.isSet("model") ? std::filesystem::path(parser.value("model").toStdString()) : resource_path("models/nano");
  const QString desktop = parser.value("desktop");
  using Kind = agent::WorkbenchOptions::DesktopKind;
  if (desktop != "private" && desktop != "mine" && desktop != "none") {
    throw agent::Error("--desktop is private, mine or none, not \"" + desktop.toStdString() + "\"");
  }
  options.workbench.desktop = desktop == "mine" ? Kind::Mine : desktop == "none" ? Kind::None : Kind::Private;
  options.workbench.is_watched = parser.isSet("watch");
  if (parser.isSet("size")) read_size(parser.value("size").toStdString(), options);
  options.workbench.workspace = parser.value("workspace").toStdString();
  options.workbench.allow_network = parser.isSet("network");
  set_rules(parser.value("yes"), Decision::Allow, options.policy);
  set_rules(parser.value("no"), Decision::Deny, options.policy);
  options.limits.max_steps = whole_number(parser, "max-steps", 100000);
  options.limits.max_seconds = 60.0 * whole_number(parser, "max-minutes", 100000);
  if (parser.isSet("json")) {
    options.style = EventPrinter::Style::Json;
  } else if (isatty(STDOUT_FILENO) != 0) {
    options.style = EventPrinter::Style::Terminal;
  }
  return options;
}

// Ctrl+C and a polite kill become a stop request; a second one ends the program at once. Blocks these signals for all
// threads made after it.
class SignalStop {
 public:
  explicit SignalStop(std::stop_source& stop) {
    sigemptyset(&signals_);
    for (const int number : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&signals_, number);
    pthread_sigmask(SIG_BLOCK, &signals_, nullptr);
    std::thread([signals = signals_, &stop] {
      int number = 0;
      sigwait(&signals, &number);
      stop.request_stop();
      sigwait(&signals, &number);
      _exit(128 + number);
    }).detach();
  }

 private:
  sigset_t signals_{};
};

// Asks on the terminal; where nobody sits there, the answer is no.
agent::Approval ask_on_terminal(const agent::ApprovalRequest& request) {
  if (isatty(STDIN_FILENO) == 0) {
    return {false, "nobody is there to be asked; --yes " + std::string(agent::name_of(request.effect)) + " allows it"};
  }
  std::fprintf(
      stderr, "%s wants to do:\n  %s %s\nbecause %s. Allow? [y/N] ", "The model", request.call.name.c_str(),
      agent::visible(request.call.arguments.dump(2, ' ', false, nlohmann::json::error_handler_t::replace)).c_str(),
      request.reason.c_str());
  std::string line;
  std::getline(std::cin, line);
  return {line == "y" || line == "Y" || line == "yes", ""};
}

std::optional<std::string> answer_on_terminal(const std::string& question) {
  if (isatty(STDIN_FILENO) == 0) return std::nullopt;
  std::fprintf(stderr, "%s\n? ", agent::visible(question).c_str());
  std::string line;
  if (!std::getline(std::cin, line)) return std::nullopt;
  return line;
}

std::string read_text_file(const std::filesystem::path& path) {
  std::ifstream file(path);
  if (!file) throw agent::Error(path.string() + ": cannot be read; Deskhand is not completely installed");
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

int exit_status(agent::Ending ending) {
  switch (ending) {
    case agent::Ending::Done:
      return 0;
    case agent::Ending::GaveUp:
      return 3;
    case agent::Ending::Stuck:
      return 4;
    case agent::Ending::Refused:
      return 5;
    case agent::Ending::Stopped:
      return 130;
    case agent::Ending::Failed:
      return 1;
  }
  return 1;
}

int run(RunOptions options) {
  static std::stop_source stop;  // the signal thread lives as long as the program
  const SignalStop signal_stop(stop);
  EventPrinter printer(options.style);
  const std::unique_ptr<agent::Model> model = agent::load_engine_model({.model_dir = options.model_dir});
  if (!options.has_size && model->info().screen_width_px > 0) {
    options.workbench.width_px = model->info().screen_width_px;
    options.workbench.height_px = model->info().screen_height_px;
  }
  agent::Workbench workbench(options.workbench);
  const std::string instructions =
      model->info().speaks_short_calls ? "" : read_text_file(resource_path("prompts/instructions.md"));
  const std::unique_ptr<agent::Recorder> recorder = agent::Recorder::open(agent::Recorder::default_path());
  if (!recorder->notice().empty()) std::fprintf(stderr, "deskhand: %s\n", recorder->notice().c_str());
  agent::SessionInfo info;
  info.task = options.task;
  info.model = model->info().name;
  info.desktop = workbench.private_desktop() != nullptr ? "private" : workbench.has_desktop() ? "mine" : "none";
  info.workspace = workbench.workspace().string();
  info.instructions = instructions;
  agent::SessionJournal journal(*recorder, recorder->begin_session(info));
  agent::Agent worker(
      {*model, workbench.tools(), journal, options.policy,
       [](const agent::ApprovalRequest& request, std::stop_token) { return ask_on_terminal(request); },
       [](const std::string& question, std::stop_token) { return answer_on_terminal(question); },
       [&](const agent::AgentEvent& event) { printer.print(event); }, options.limits, workbench.has_desktop()},
      agent::Transcript(instructions));
  return exit_status(worker.run(options.task, stop.get_token()).ending);
}

}  // namespace

int run_command(const QStringList& arguments) {
  QCommandLineParser parser;
  add_options(parser);
  if (!parser.parse(arguments)) throw agent::Error(parser.errorText().toStdString());
  if (parser.isSet("help")) {
    std::fputs(parser.helpText().toUtf8().constData(), stdout);
    return 0;
  }
  return run(read_options(parser));
}

}  // namespace app
