// What a step costs beside the model: consent, the record on disk, the act, waiting until the screen is quiet, evidence
// and the next look. A scripted mind works a real editor on a private desktop; the time between the end of one reply
// and the next question is the step's overhead. Prints the quantiles; those of a second click on one place apart, since
// it waits so as not to make a double click.

#include <unistd.h>

#include <QCoreApplication>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <map>

#include "agent/agent.h"
#include "agent/session_journal.h"
#include "agent/workbench.h"

namespace {

using nlohmann::ordered_json;
using std::chrono::steady_clock;

constexpr int kRounds = 25;
constexpr char kClickAgain[] = "click there again";
// Heights on the screen, as parts of it: the editor's first lines, and its lower half.
constexpr double kFirstLines = 0.29, kBelow = 0.7;

class ScriptedModel final : public agent::Model {
 public:
  const agent::ModelInfo& info() const override { return info_; }

  agent::Reply reply(const agent::Transcript& transcript, const std::vector<tools::ToolSpec>&, const agent::PieceSink&,
                     std::stop_token) override {
    const auto now = steady_clock::now();
    const auto* result = std::get_if<agent::ToolMessage>(&transcript.messages().back());
    if (result != nullptr && !result->pictures.empty()) shown_ = result->pictures.back()->pixels.size();
    if (!kind_.empty()) {
      milliseconds[kind_].push_back(std::chrono::duration<double, std::milli>(now - answered_).count());
    }
    agent::Reply reply = next();
    answered_ = steady_clock::now();
    return reply;
  }

  std::map<std::string, std::vector<double>> milliseconds;  // of steps, by what they did

 private:
  agent::Reply next() {
    const int step = n_steps_++;
    if (step == 0) return say("", "launch", {{"program", "mousepad"}});
    if (step > 6 * kRounds) return {.message = {"", "Done.", {}}};
    switch (step % 6) {
      case 0:
        return say("click", "pointer", click_at(kFirstLines));
      case 4:
        return say("click", "pointer", click_at(kBelow));
      case 5:
        return say(kClickAgain, "pointer", click_at(kBelow));
      case 1:
        return say("type", "keyboard", {{"action", "type"}, {"text", "Some words " + std::to_string(step) + "\n"}});
      case 2:
        return say("key", "keyboard", {{"action", "key"}, {"keys", "Return"}});
      default:
        return say("shell", "shell", {{"command", "echo " + std::to_string(step)}});
    }
  }

  ordered_json click_at(double height_share) const {
    return {{"action", "click"}, {"x", shown_.width * 2 / 5}, {"y", static_cast<int>(shown_.height * height_share)}};
  }

  agent::Reply say(const std::string& kind, const std::string& tool, const ordered_json& arguments) {
    kind_ = kind;
    return {.message = {"", "", {{"", tool, arguments}}}};
  }

  agent::ModelInfo info_{.name = "scripted"};
  cv::Size shown_;
  int n_steps_ = 0;
  std::string kind_;
  steady_clock::time_point answered_;
};

double quantile(std::vector<double> values, double part) {
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(part * static_cast<double>(values.size() - 1))];
}

void print(const std::string& kind, const std::vector<double>& values) {
  std::printf("%-20s %4zu steps: median %4.0f ms, p95 %4.0f ms, longest %4.0f ms\n", kind.c_str(), values.size(),
              quantile(values, 0.5), quantile(values, 0.95), quantile(values, 1));
}

}  // namespace

int main(int argc, char** argv) {
  const QCoreApplication application(argc, argv);
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("bench_step" + std::to_string(::getpid()));
  ScriptedModel model;
  std::uintmax_t n_bytes = 0;
  {
    agent::WorkbenchOptions options;
    options.state_dir = folder;
    agent::Workbench bench(options);
    bench.enable_second_look({480, 270});
    const auto recorder = agent::Recorder::open(folder / "sessions.db");
    agent::SessionJournal journal(*recorder, recorder->begin_session({"bench", "scripted", "private", "", ""}));
    agent::Policy policy;
    policy.rules[tools::Effect::Shell] = agent::Decision::Allow;
    agent::Agent worker({model,
                         bench.tools(),
                         journal,
                         policy,
                         nullptr,
                         nullptr,
                         nullptr,
                         {.max_steps = 1000},
                         true,
                         [&](const tools::ToolCall& call, const capture::Frame& shown, const std::stop_token& stop) {
                           return bench.second_look(call, shown, stop);
                         }},
                        agent::Transcript());
    const agent::Outcome outcome = worker.run("bench", {});
    std::printf("%s: %s\n", std::string(agent::name_of(outcome.ending)).c_str(), outcome.text.c_str());
    n_bytes = std::filesystem::file_size(folder / "sessions.db");
  }
  std::vector<double> all;
  for (const auto& [kind, values] : model.milliseconds) {
    print(kind, values);
    if (kind != kClickAgain) all.insert(all.end(), values.begin(), values.end());
  }
  if (!all.empty()) print("all but those", all);
  std::printf("record: %.1f KiB a step\n", static_cast<double>(n_bytes) / 1024 / (6 * kRounds));
  std::filesystem::remove_all(folder);
  return all.empty() ? 1 : 0;
}
