#include "tools/launch_tool.h"

#include "capture/error.h"
#include "capture/settle.h"
#include "tools/applications.h"

namespace tools {
namespace {

using nlohmann::json;

constexpr int kDefaultWait_ms = 15'000;
constexpr size_t kToldOutput_bytes = 2000;
// A window that has just come is empty until its program draws it.
constexpr capture::SettleOptions kDrawn{.quiet_ms = 200, .cap_ms = 3000, .first_change_ms = 500};

std::string how_it_ended(const ExitStatus& status) {
  return status.exit_code ? "exit code " + std::to_string(*status.exit_code)
                          : "signal " + std::to_string(status.signal.value_or(0));
}

}  // namespace

ToolSpec LaunchTool::spec() const {
  return {"launch",
          "Starts a program on the private desktop and waits for its window. There is no shell between: each argument "
          "arrives as it is written.",
          {{"type", "object"},
           {"properties",
            {{"program",
              {{"type", "string"},
               {"minLength", 1},
               {"description", "its name or path, or the application's name: Text Editor"}}},
             {"arguments", {{"type", "array"}, {"items", {{"type", "string"}}}}},
             {"directory", {{"type", "string"}, {"description", "working directory; the desktop's home unless said"}}},
             {"limit_ms",
              {{"type", "integer"},
               {"minimum", 0},
               {"maximum", 60000},
               {"description", "how long to wait for a window; 15000 unless said"}}}}},
           {"required", {"program"}},
           {"additionalProperties", false}}};
}

ToolResult LaunchTool::run(const ToolCall& call, std::stop_token stop) {
  // People and models say "Text Editor" where the program is called mousepad.
  const std::string program = call.arguments.at("program");
  std::vector<std::string> argv = find_application(program, application_folders()).value_or(std::vector{program});
  for (const json& argument : call.arguments.value("arguments", json::array())) argv.push_back(argument);
  std::optional<DesktopProcess> process;
  const auto watch = capture::ScreenWatch::open(desktop_.display());
  watch->begin();
  try {
    process = desktop_.launch(argv, {}, call.arguments.value("directory", std::string()));
  } catch (const capture::Error& error) {
    return failed(error.what());
  }
  const std::chrono::milliseconds limit(call.arguments.value("limit_ms", kDefaultWait_ms));
  std::optional<ExitStatus> ended;
  const auto is_its_own = [&](const Window& window) { return belongs_to_session(window, process->pid()); };
  // The wait is cut in pieces so that a program that ends without a window is noticed.
  const auto deadline = std::chrono::steady_clock::now() + limit;
  std::optional<Window> window;
  do {
    window = view_.windows.wait_for(is_its_own, std::chrono::milliseconds(200), stop);
    ended = process->exit_status();
  } while (!window && !ended && !stop.stop_requested() && std::chrono::steady_clock::now() < deadline);
  if (window) watch->settle(kDrawn, stop);
  view_.focus_is_known();
  ToolResult result;
  result.details = {{"pid", process->pid()}};
  result.evidence.emplace();
  if (window) {
    result.ok = true;
    result.evidence->verdict = Verdict::Confirmed;
    result.evidence->windows_opened.push_back(window->title);
    result.text = "Started " + argv[0] + " (process " + std::to_string(process->pid()) +
                  "). Its window: " + window_line(view_, *window) + ". " + coordinates_note(view_);
  } else if (ended) {
    result.ok = ended->exit_code == 0;
    result.evidence->verdict = result.ok ? Verdict::Unverifiable : Verdict::NoOp;
    result.text = argv[0] + " ended without a window: " + how_it_ended(*ended);
  } else {
    result.evidence->verdict = Verdict::Partial;
    result.text = argv[0] + " runs (process " + std::to_string(process->pid()) + "), but has shown no window yet";
  }
  const std::string output = process->output(kToldOutput_bytes);
  if (!window && !output.empty()) result.text += ". It said: " + output;
  return result;
}

}  // namespace tools
