#include "app/calibrate_command.h"

#include <cstdio>
#include <nlohmann/json.hpp>

#include "agent/calibration.h"
#include "agent/call_translator.h"
#include "agent/error.h"
#include "agent/workbench.h"
#include "app/model_choice.h"
#include "app/signal_stop.h"
#include "tools/ui_tree.h"
#include "tools/windows.h"

namespace app {
namespace {

constexpr const char* kProgram = "mate-calc";
constexpr std::size_t kTargetsAtEachPlace = 6;

struct Target {
  std::string name;
  tools::Rect box;  // desktop points
};

// A real program's window on a desktop of its own, moved about.
class TargetScreen {
 public:
  explicit TargetScreen(const agent::ModelInfo& model)
      : bench_(options_for(model)),
        windows_(tools::Windows::open(bench_.private_desktop()->display())),
        tree_(bench_.private_desktop()->display()) {
    bench_.private_desktop()->launch({kProgram});
    const auto is_it = [](const tools::Window& window) { return window.process_name == kProgram; };
    const std::optional<tools::Window> window = windows_.wait_for(is_it, std::chrono::seconds(20));
    if (!window) throw agent::Error(std::string(kProgram) + " showed no window; run `deskhand doctor`");
    window_ = window->id;
  }

  // Moves the window; `part`s of the room that is left beside it.
  void move_to(double part_x, double part_y) {
    const std::optional<tools::Window> window = windows_.find(window_);
    if (!window) throw agent::Error(std::string(kProgram) + " is gone; run `deskhand doctor`");
    tools::Rect frame = window->frame;
    frame.x = static_cast<int>(part_x * std::max(0, size_.width - frame.width));
    frame.y = static_cast<int>(part_y * std::max(0, size_.height - frame.height));
    windows_.move_resize(window_, frame);
  }

  // Buttons whose name says what is drawn on them.
  std::vector<Target> targets() {
    std::vector<Target> found;
    const std::optional<tools::Window> window = windows_.find(window_);
    if (!window) return found;
    for (const tools::UiNode& node : tree_.read(*window).nodes) {
      const bool is_digit = node.name.size() == 1 && node.name[0] >= '0' && node.name[0] <= '9';
      if (node.role == "push button" && is_digit && node.box) found.push_back({node.name, *node.box});
    }
    return found;
  }

  agent::Picture look() {
    const tools::ToolResult result = bench_.tools().run({"", "screenshot", nlohmann::json::object()}, {});
    if (result.frames.empty()) throw agent::Error("the private desktop can't be seen: " + result.text);
    return result.frames.back();
  }

  std::vector<tools::ToolSpec> pointer_spec() {
    std::vector<tools::ToolSpec> specs = bench_.tools().specs();
    std::erase_if(specs, [](const tools::ToolSpec& spec) { return spec.name != "pointer"; });
    return specs;
  }

 private:
  agent::WorkbenchOptions options_for(const agent::ModelInfo& model) {
    agent::WorkbenchOptions options;
    if (model.screen_width_px > 0) {
      options.width_px = model.screen_width_px;
      options.height_px = model.screen_height_px;
    }
    size_ = {options.width_px, options.height_px};
    return options;
  }

  capture::Size size_;
  agent::Workbench bench_;
  tools::Windows windows_;
  tools::UiTree tree_;
  tools::WindowId window_ = 0;
};

// The point of the first click in a reply, as the model wrote it.
std::optional<agent::PointSample> sample_of(const agent::Reply& reply, const agent::ModelInfo& model) {
  for (const agent::ModelCall& call : reply.message.calls) {
    agent::ModelInfo as_written;  // pixels, horizontal first: nothing is converted
    as_written.speaks_short_calls = model.speaks_short_calls;
    const auto translated = agent::translate(call, as_written, nullptr);
    const auto* full = std::get_if<tools::ToolCall>(&translated);
    if (full == nullptr || full->name != "pointer") continue;
    const nlohmann::json &x = full->arguments.value("x", nlohmann::json()),
                         &y = full->arguments.value("y", nlohmann::json());
    if (!x.is_number() || !y.is_number()) continue;
    return agent::PointSample{x.get<double>(), y.get<double>(), {}, {}};
  }
  return std::nullopt;
}

std::optional<agent::PointSample> ask(agent::Model& model, const std::string& name, const agent::Picture& picture,
                                      const std::vector<tools::ToolSpec>& specs, const std::stop_token& stop) {
  const bool is_short = model.info().speaks_short_calls;
  agent::Transcript transcript(
      is_short ? "" : "Call the pointer tool at once, with action click and a point in the picture.");
  transcript.append(
      agent::UserMessage{is_short ? "Click " + name : "Click the button " + name + ".", {picture}, false});
  const auto tell = [](const agent::ReplyPiece& piece) {
    if (piece.kind == agent::ReplyPiece::Kind::Notice) std::fprintf(stderr, "deskhand: %s\n", piece.text.c_str());
  };
  return sample_of(model.reply(transcript, specs, tell, stop), model.info());
}

agent::PointFit measure(agent::Model& model, bool is_quiet, const std::stop_token& stop) {
  TargetScreen screen(model.info());
  std::vector<agent::PointSample> samples;
  int n_asked = 0;
  for (const auto& [part_x, part_y] : {std::pair{0.0, 0.0}, {1.0, 0.0}, {0.5, 0.5}, {0.0, 1.0}, {1.0, 1.0}}) {
    screen.move_to(part_x, part_y);
    const std::vector<Target> targets = screen.targets();
    if (targets.empty()) throw agent::Error(std::string(kProgram) + " tells no buttons; run `deskhand doctor`");
    const agent::Picture picture = screen.look();
    for (std::size_t i = 0; i < std::min(kTargetsAtEachPlace, targets.size()) && !stop.stop_requested(); ++i) {
      const Target& target = targets[(i * 3 + static_cast<std::size_t>(n_asked)) % targets.size()];
      const std::optional<agent::PointSample> sample = ask(model, target.name, picture, screen.pointer_spec(), stop);
      ++n_asked;
      if (sample) {
        samples.push_back(*sample);
        const tools::Rect& box = target.box;
        samples.back().target_px = picture->screen_map.area_to_image({box.x, box.y, box.width, box.height});
        samples.back().picture_px = picture->screen_map.image_px();
      }
      if (!is_quiet) std::fprintf(stderr, "\r%d targets shown, %zu points ", n_asked, samples.size());
    }
  }
  if (!is_quiet) std::fputs("\n", stderr);
  return agent::fit_points(samples, n_asked, model.info().coordinates);
}

// Somebody waits for the answer: a server that fails or says nothing is told of soon.
std::unique_ptr<agent::Model> load_impatiently(const std::string& choice, std::chrono::seconds patience,
                                               const std::stop_token& stop) {
  if (!agent::is_endpoint(choice)) return load_model(choice, stop);
  agent::RemoteModelOptions options = remote_options(choice, stop);
  options.max_attempts = 3;
  options.silence_limit = patience;
  return agent::open_remote_model(std::move(options), stop);
}

int calibrate(const CommandLine& line) {
  const std::stop_token stop = stop_on_signals();
  const std::unique_ptr<agent::Model> model = load_impatiently(
      checked_model(line.value("model")), std::chrono::seconds(line.whole_number("patience", 1, 3600)), stop);
  const agent::PointFit fit = measure(*model, line.has("json"), stop);
  if (stop.stop_requested()) return kExitStopped;
  agent::save_fit(model->info().name, fit);
  const std::string problem = agent::problem_with(fit);
  if (line.has("json")) {
    const nlohmann::ordered_json object = {{"model", model->info().name},
                                           {"points", std::string(agent::name_of(fit.space))},
                                           {"vertical_first", fit.is_yx},
                                           {"asked", fit.n_asked},
                                           {"hits", fit.n_hits},
                                           {"median_error_px", fit.median_error_px},
                                           {"worst_error_px", fit.worst_error_px},
                                           {"usable", problem.empty()}};
    std::printf("%s\n", object.dump().c_str());
  } else {
    std::printf("%s: %s\n", model->info().name.c_str(), agent::describe(fit).c_str());
    if (!problem.empty()) std::printf("Points of this model are refused from now on: %s.\n", problem.c_str());
    std::printf("Kept in %s\n", agent::calibration_path(model->info().name).c_str());
  }
  return problem.empty() ? kExitDone : kExitFailed;
}

}  // namespace

Command calibrate_command() {
  return {
      .name = "calibrate",
      .summary = "Measures how a model writes points and keeps the result for all sessions with it.",
      .arguments = {},
      .options = {model_option(),
                  {"patience", "seconds", "How long a server may say nothing; after three times it is given up.", "60"},
                  json_option()},
      .run = calibrate,
      .notes = "The exit status is 1 when the points miss too often; they are refused from then on.\n",
  };
}

}  // namespace app
