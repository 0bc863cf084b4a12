#include "app/run_command.h"

#include <signal.h>
#include <unistd.h>

#include <QStringList>
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

void set_rules(const std::string& list, Decision decision, agent::Policy& policy) {
  std::map<std::string, tools::Effect> by_name;
  for (int i = 0; i <= static_cast<int>(tools::Effect::Network); ++i) {
    by_name.emplace(agent::name_of(static_cast<tools::Effect>(i)), static_cast<tools::Effect>(i));
  }
  for (const QString& name : QString::fromStdString(list).split(',', Qt::SkipEmptyParts)) {
    const auto found = by_name.find(name.trimmed().toStdString());
    if (found == by_name.end()) {
      std::string known;
      for (const auto& [known_name, effect] : by_name) known += (known.empty() ? "" : ", ") + known_name;
      throw UsageError("there is no effect \"" + name.toStdString() + "\"; there are " + known);
    }
    policy.rules[found->second] = decision;
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

RunOptions read_options(const CommandLine& line) {
  RunOptions options;
  options.task = QString::fromStdString(line.rest(0)).trimmed().toStdString();
  if (options.task.empty()) throw UsageError("what should be done? Give the task in words");
  options.model_dir = line.has("model") ? std::filesystem::path(line.value("model")) : resource_path("models/nano");
  if (!std::filesystem::is_directory(options.model_dir)) {
    throw UsageError("--model " + options.model_dir.string() + ": there is no such folder");
  }
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
              {"model", "folder", "A checkpoint's folder (default: the small model that comes with Deskhand)."},
              {"workspace", "folder", "Folder to work in (default: the private desktop's home)."},
              {"yes", "effects",
               "Effects that need no question, comma separated: shell, network, input_user, write_elsewhere, …"},
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
