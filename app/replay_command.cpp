#include "app/replay_command.h"

#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <cstdio>
#include <map>
#include <mutex>

#include "agent/dialogue.h"
#include "agent/error.h"
#include "agent/export.h"
#include "agent/replay.h"
#include "agent/rethink.h"
#include "agent/session_journal.h"
#include "agent/whole_file.h"
#include "app/desk_options.h"
#include "app/event_printer.h"
#include "app/model_choice.h"
#include "app/record_reading.h"
#include "app/signal_stop.h"
#include "app/terminal_questions.h"
#include "tools/desktop.h"

namespace app {
namespace {

using nlohmann::json;

void print_json(const json& object) {
  std::printf("%s\n", object.dump(-1, ' ', false, json::error_handler_t::replace).c_str());
  std::fflush(stdout);
}

// --- watch

int watch(const CommandLine& line, agent::Recorder& recorder, agent::SessionId session) {
  constexpr double kLongest_seconds = 3;  // nobody watches a model think
  const double speed = line.whole_number("speed", 1, 1000);
  const std::stop_token stop = stop_on_signals();
  std::mutex mutex;
  std::condition_variable_any clock;
  std::chrono::microseconds before{0};
  for (const agent::Event& event : recorder.load_events(session)) {
    const double pause = std::min(static_cast<double>((event.elapsed - before).count()) / 1e6, kLongest_seconds);
    before = event.elapsed;
    std::unique_lock lock(mutex);
    clock.wait_for(lock, stop, std::chrono::duration<double>(pause / speed), [] { return false; });
    if (stop.stop_requested()) return kExitStopped;
    if (line.has("json")) {
      print_json(json(agent::event_json(event)));
    } else if (const std::string text = text_of(event); !text.empty()) {
      std::printf("%8.1f s  %s\n", static_cast<double>(event.elapsed.count()) / 1e6, text.c_str());
      std::fflush(stdout);
    }
  }
  return kExitDone;
}

// --- act

std::map<std::string, std::string> parameters_of(const CommandLine& line) {
  std::map<std::string, std::string> values;
  for (const std::string& setting : line.values("set")) {
    const std::size_t equals = setting.find('=');
    if (equals == std::string::npos) throw UsageError("--set takes name=value, not \"" + setting + "\"");
    values[setting.substr(0, equals)] = setting.substr(equals + 1);
  }
  return values;
}

std::string text_of(const agent::ReplayStep& step) {
  return step.call.name + " " + step.call.arguments.dump(-1, ' ', false, json::error_handler_t::replace);
}

int list_steps(std::vector<agent::ReplayStep>& steps, bool as_json) {
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (as_json) {
      print_json({{"step", i + 1},
                  {"tool", steps[i].call.name},
                  {"arguments", steps[i].call.arguments},
                  {"parameter", steps[i].parameter}});
      continue;
    }
    const std::string parameter = steps[i].parameter.empty() ? "" : "   (--set " + steps[i].parameter + "=…)";
    std::printf("%4zu  %s%s\n", i + 1, agent::visible(text_of(steps[i])).c_str(), parameter.c_str());
  }
  return kExitDone;
}

void save(const agent::Picture& picture, const std::filesystem::path& path) {
  if (picture == nullptr) return;
  try {
    agent::write_file(path, agent::png_of(*picture));
    std::fprintf(stderr, "deskhand: %s\n", path.c_str());
  } catch (const agent::Error& error) {  // the halt is to be told all the same
    std::fprintf(stderr, "deskhand: %s\n", error.what());
  }
}

// Both pictures of a halt, for the user to compare.
void save_pictures(const agent::ReplayHalt& halt, agent::SessionId replay) {
  const std::filesystem::path folder = agent::default_state_dir() / "replays";
  std::filesystem::create_directories(folder);
  const std::string name = std::to_string(replay) + "-step-" + std::to_string(halt.step_idx + 1);
  save(halt.recorded, folder / (name + "-recorded.png"));
  save(halt.seen, folder / (name + "-seen.png"));
}

// The size that the screen had, so that programs lay themselves out as they did.
void adopt_size(const std::vector<agent::ReplayStep>& steps, agent::WorkbenchOptions& options) {
  for (const agent::ReplayStep& step : steps) {
    if (step.screen == nullptr) continue;
    options.width_px = step.screen->screen_map.area_pt().width;
    options.height_px = step.screen->screen_map.area_pt().height;
    return;
  }
}

int act(const CommandLine& line, agent::Recorder& recorder, const agent::SessionSummary& recorded) {
  std::vector<agent::ReplayStep> steps = agent::load_steps(recorder, recorded.id);
  if (line.has("list")) return list_steps(steps, line.has("json"));
  if (steps.empty())
    throw agent::Error("session " + std::to_string(recorded.id) + " did nothing that could be done again");
  agent::set_parameters(steps, parameters_of(line));
  const std::stop_token stop = stop_on_signals();
  agent::WorkbenchOptions options = workbench_of(line);
  if (!line.has("desktop")) options.desktop = desktop_named(recorded.info.desktop);
  if (!line.has("size")) adopt_size(steps, options);
  if (options.workspace.empty() && std::filesystem::is_directory(recorded.info.workspace)) {
    options.workspace = recorded.info.workspace;
  }
  agent::Workbench workbench(options);
  agent::move_workspace(steps, recorded.info.workspace, workbench.workspace().string());
  const agent::SessionId id =
      recorder.begin_session({recorded.info.task, "replay of session " + std::to_string(recorded.id),
                              name_of(options.desktop), workbench.workspace().string(), ""});
  workbench.begin_session(id);
  agent::SessionJournal journal(recorder, id);
  EventPrinter printer(line.has("json") ? EventPrinter::Style::Json : EventPrinter::Style::Plain);
  const agent::ReplayOutcome outcome = agent::replay(
      steps,
      {workbench, journal, policy_of(line), ask_on_terminal,
       [&](std::size_t step_idx, const std::string& how) {
         if (line.has("json")) return print_json({{"event", "found"}, {"step", step_idx + 1}, {"by", how}});
         std::printf("%zu of %zu%s%s\n", step_idx + 1, steps.size(), how.empty() ? "" : ": ", how.c_str());
       },
       [&](const agent::AgentEvent& event) { printer.print(event); },
       std::chrono::seconds(line.whole_number("patience", 1, 3600))},
      stop);
  if (outcome.halt) {
    std::fprintf(stderr, "deskhand: halted at step %zu of %zu: %s\n", outcome.halt->step_idx + 1, steps.size(),
                 agent::visible(outcome.halt->reason).c_str());
    save_pictures(*outcome.halt, id);
  }
  if (line.has("json")) {
    print_json({{"event", "finished"},
                {"session", id},
                {"ending", agent::name_of(outcome.ending)},
                {"done", outcome.n_done},
                {"steps", steps.size()}});
  } else {
    std::printf("%zu of %zu steps done\n", outcome.n_done, steps.size());
  }
  return exit_status(outcome.ending);
}

// --- think

void print_turn(const agent::Rethought& turn, bool as_json) {
  if (as_json) {
    json object = {
        {"recorded", turn.recorded}, {"now", turn.now}, {"same_kind", turn.is_same_kind}, {"agrees", turn.agrees}};
    if (turn.distance_px >= 0) object["distance_px"] = turn.distance_px;
    return print_json(object);
  }
  char distance[32] = "";
  if (turn.distance_px >= 0) std::snprintf(distance, sizeof distance, ", %.0f px away", turn.distance_px);
  std::printf("%s  recorded %s\n%s  now      %s%s\n", turn.agrees ? "same " : "OTHER",
              agent::visible(turn.recorded).c_str(), "     ", agent::visible(turn.now).c_str(), distance);
  std::fflush(stdout);
}

int think(const CommandLine& line, agent::Recorder& recorder, const agent::SessionSummary& recorded) {
  const std::stop_token stop = stop_on_signals();
  const std::unique_ptr<agent::Model> model = load_model(checked_model(line.value("model")), stop);
  std::vector<tools::ToolSpec> specs;
  if (!model->info().speaks_short_calls) {  // the tools that it was given; none of them is used
    agent::WorkbenchOptions options = workbench_of(line);
    if (!line.has("desktop")) options.desktop = desktop_named(recorded.info.desktop);
    specs = agent::Workbench(options).tools().specs();
    for (tools::ToolSpec& spec : agent::dialogue_tool_specs()) specs.push_back(std::move(spec));
  }
  const std::vector<agent::Rethought> turns = agent::rethink(
      recorder, recorded.id, *model, specs, {.near_px = static_cast<double>(line.whole_number("near", 0, 10000))},
      [&](const agent::Rethought& turn) { print_turn(turn, line.has("json")); }, stop);
  const auto n_same =
      std::count_if(turns.begin(), turns.end(), [](const agent::Rethought& turn) { return turn.agrees; });
  const auto n_kind =
      std::count_if(turns.begin(), turns.end(), [](const agent::Rethought& turn) { return turn.is_same_kind; });
  if (line.has("json")) {
    print_json({{"turns", turns.size()}, {"agree", n_same}, {"same_kind", n_kind}});
  } else {
    std::printf("%zu turns: %td agree, %td are of the same kind\n", turns.size(), n_same, n_kind);
  }
  return n_same == static_cast<std::ptrdiff_t>(turns.size()) ? kExitDone : kExitStuck;
}

int replay_session(const CommandLine& line) {
  const auto recorder = open_record();
  const agent::SessionSummary session = recorder->session(line.number_argument(0));
  if (line.value("mode") == "watch") return watch(line, *recorder, session.id);
  if (line.value("mode") == "think") return think(line, *recorder, session);
  return act(line, *recorder, session);
}

}  // namespace

Command replay_command() {
  Command command{
      .name = "replay",
      .summary = "Does a session again without a model, shows it, or asks a model again.",
      .arguments = {{.name = "ID", .help = "the session's number"}},
      .options = {{"mode", "act|watch|think",
                   "act: do it again. watch: show what happened. think: ask the model again on the recorded pictures "
                   "and compare.",
                   "act"},
                  {"set", "name=value", "act: another text for a parameter; may be given several times."},
                  {"list", "", "act: only list the steps and their parameters."},
                  {"patience", "seconds", "act: how long to wait for each target.", "10"},
                  {"speed", "n", "watch: so many times as fast.", "1"},
                  {"model", "folder",
                   "think: a checkpoint's folder (default: the small model that comes with Deskhand)."},
                  {"near", "px", "think: points so near agree.", "20"},
                  json_option()},
      .run = replay_session,
      .notes =
          "Before each step act finds what the step took hold of: its window, its widget, its picture. It waits for\n"
          "it and follows it when it has moved. When it is gone, act halts with exit status 4 and says where both\n"
          "pictures are. think ends with 0 when all turns agree, else 4.\n",
  };
  for (CommandOption& option : desk_options()) command.options.push_back(std::move(option));
  return command;
}

}  // namespace app
