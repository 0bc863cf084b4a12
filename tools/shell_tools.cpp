#include "tools/shell_tools.h"

#include <cstring>
#include <map>

namespace tools {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr int kDefaultLimit_s = 120;
constexpr int kMaxLimit_s = 3600;

json schema(json properties, std::vector<std::string> required) {
  return {{"type", "object"},
          {"properties", std::move(properties)},
          {"required", std::move(required)},
          {"additionalProperties", false}};
}

const char* state_name(JobState state) {
  switch (state) {
    case JobState::Running:
      return "running";
    case JobState::WaitingForInput:
      return "waiting for input";
    case JobState::Exited:
      return "exited";
    case JobState::TimedOut:
      return "timed out";
    case JobState::Stopped:
      return "stopped";
    case JobState::OutputLimit:
      return "output limit";
    case JobState::Failed:
      return "failed";
  }
  return "";
}

std::string seconds_text(milliseconds duration) {
  const auto tenths = duration.count() / 100;
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " s";
}

// The first line: how the command stands, and what can be done about it.
std::string status_line(const JobReport& report) {
  const std::string job = "job " + std::to_string(report.job), after = " after " + seconds_text(report.duration);
  switch (report.state) {
    case JobState::Running:
      return job + " is running" + after + "; look again with shell_job";
    case JobState::WaitingForInput:
      return job + " is waiting for input" + (report.is_input_hidden ? " (hidden, as for a password)" : "") +
             "; answer with shell_job's input, or stop it";
    case JobState::Exited:
      if (report.signal)
        return std::string("ended by signal ") + std::to_string(*report.signal) + " (" + strsignal(*report.signal) +
               ")" + after;
      return "exit code " + std::to_string(report.exit_code.value_or(-1)) + after;
    case JobState::TimedOut:
      return "time limit reached" + after +
             "; the command and all its processes were ended. For long work start it in the background";
    case JobState::Stopped:
      return "stopped" + after + ", with all its processes";
    case JobState::OutputLimit:
      return "wrote more than may be stored; ended" + after;
    case JobState::Failed:
      return "not run";
  }
  return "";
}

ToolResult result_of(const JobReport& report) {
  std::string text = status_line(report);
  if (report.has_processes_left) text += "; background processes of job " + std::to_string(report.job) + " still run";
  text += "\ndirectory: " + report.directory + "\n";
  if (!report.text.empty()) text += "\n";
  const size_t header_bytes = text.size();  // where the command's own output begins
  text += report.text;
  json details{{"job", report.job},
               {"header_bytes", header_bytes},
               {"state", state_name(report.state)},
               {"duration_ms", report.duration.count()},
               {"output_bytes", report.output_bytes},
               {"cut_bytes", report.cut_bytes},
               {"output_path", report.output_path.string()},
               {"directory", report.directory}};
  if (report.exit_code) details["exit_code"] = *report.exit_code;
  if (report.signal) details["signal"] = *report.signal;
  // A command that ended by itself was run as asked, whatever its exit code says about the world.
  const bool is_ok = report.state == JobState::Exited || report.state == JobState::Running ||
                     report.state == JobState::WaitingForInput;
  return {is_ok, std::move(text), {}, {}, std::move(details)};
}

class RunTool : public Tool {
 public:
  explicit RunTool(std::shared_ptr<Shell> shell) : shell_(std::move(shell)) {}

  ToolSpec spec() const override {
    return {
        "shell",
        "Runs a bash command on a terminal of its own. The working directory and exported variables last from call to "
        "call. "
        "Returns when the command ends or waits for input; at the time limit it is ended with all its processes.",
        schema({{"command", {{"type", "string"}}},
                {"timeout_s",
                 {{"type", "integer"}, {"minimum", 1}, {"maximum", kMaxLimit_s}, {"description", "120 by default"}}},
                {"background",
                 {{"type", "boolean"}, {"description", "start it and return at once; look after it with shell_job"}}}},
               {"command"})};
  }
  Effect effect(const ToolCall&) const override { return Effect::Shell; }

  ToolResult run(const ToolCall& call, std::stop_token stop) override {
    const std::string command = call.arguments.at("command");
    if (call.arguments.value("background", false)) return result_of(shell_->start(command));
    return result_of(shell_->run(command, seconds(call.arguments.value("timeout_s", kDefaultLimit_s)), stop));
  }

 private:
  std::shared_ptr<Shell> shell_;
};

// "\x03" and the like can't be written by every model: keys have names.
std::optional<std::string> key_bytes(const std::string& key) {
  static const std::map<std::string, std::string> keys = {{"enter", "\r"},       {"tab", "\t"},      {"escape", "\x1b"},
                                                          {"backspace", "\x7f"}, {"ctrl+c", "\x03"}, {"ctrl+d", "\x04"},
                                                          {"ctrl+z", "\x1a"},    {"up", "\x1b[A"},   {"down", "\x1b[B"},
                                                          {"right", "\x1b[C"},   {"left", "\x1b[D"}};
  const auto found = keys.find(key);
  return found == keys.end() ? std::nullopt : std::optional(found->second);
}

class JobTool : public Tool {
 public:
  explicit JobTool(std::shared_ptr<Shell> shell) : shell_(std::move(shell)) {}

  ToolSpec spec() const override {
    return {
        "shell_job",
        "Looks after commands that still run: list them; wait for one and see what is new; send it input or a key; "
        "stop it with all its processes.",
        schema(
            {{"action", {{"type", "string"}, {"enum", {"list", "wait", "input", "stop"}}}},
             {"job", {{"type", "integer"}, {"description", "the job's number; not for list"}}},
             {"text", {{"type", "string"}, {"description", "input: a line to type; Enter is added"}}},
             {"key",
              {{"type", "string"},
               {"enum",
                {"enter", "tab", "escape", "backspace", "ctrl+c", "ctrl+d", "ctrl+z", "up", "down", "left", "right"}},
               {"description", "input: one key instead of a line"}}},
             {"timeout_s",
              {{"type", "integer"},
               {"minimum", 1},
               {"maximum", kMaxLimit_s},
               {"description", "how long to wait for news; 10 by default; the job goes on after that"}}}},
            {"action"})};
  }
  Effect effect(const ToolCall& call) const override {
    const std::string action = call.arguments.value("action", "");
    return action == "list" || action == "wait" ? Effect::Observe : Effect::Shell;
  }

  ToolResult run(const ToolCall& call, std::stop_token stop) override {
    const std::string action = call.arguments.at("action");
    if (action == "list") return list();
    const int job = call.arguments.value("job", 0);
    if (!shell_->knows(job)) return {false, "there is no job " + std::to_string(job) + "; " + list().text, {}, {}, {}};
    if (action == "stop") {
      JobReport report = shell_->end(job);
      ToolResult result = result_of(report);
      result.ok = true;
      return result;
    }
    if (action == "input") {
      if (auto refusal = send(job, call.arguments)) return *refusal;
    }
    return result_of(shell_->wait(job, seconds(call.arguments.value("timeout_s", 10)), stop));
  }

 private:
  std::optional<ToolResult> send(int job, const json& arguments) {
    const bool has_text = arguments.contains("text"), has_key = arguments.contains("key");
    if (has_text == has_key) return ToolResult{false, "input needs either text or key", {}, {}, {}};
    const std::string bytes =
        has_text ? arguments["text"].get<std::string>() + "\r" : key_bytes(arguments["key"]).value_or("");
    if (!shell_->send_input(job, bytes))
      return ToolResult{false, "job " + std::to_string(job) + " is over", {}, {}, {}};
    return std::nullopt;
  }

  ToolResult list() {
    std::string text;
    json jobs = json::array();
    for (const JobSummary& job : shell_->jobs()) {
      const std::string state = job.has_processes_left ? "ended, background processes left" : state_name(job.state);
      text +=
          "job " + std::to_string(job.job) + " (" + state + "): " + std::string(utf8_prefix(job.command, 200)) + "\n";
      jobs.push_back({{"job", job.job}, {"state", state}, {"command", job.command}});
    }
    return {true, text.empty() ? "no job runs\n" : text, {}, {}, {{"jobs", jobs}}};
  }

  std::shared_ptr<Shell> shell_;
};

// Another tool whose changes to files are kept.
class KeptTool : public Tool {
 public:
  KeptTool(std::unique_ptr<Tool> tool, std::shared_ptr<Files> files)
      : tool_(std::move(tool)), files_(std::move(files)) {}

  ToolSpec spec() const override { return tool_->spec(); }
  Effect effect(const ToolCall& call) const override { return tool_->effect(call); }

  ToolResult run(const ToolCall& call, std::stop_token stop) override {
    files_->before_command();
    ToolResult result = tool_->run(call, stop);
    const FileReply changed = files_->after_command();
    if (changed.text.empty()) return result;
    // A line of the header: what follows it is the command's own.
    if (result.text.find('\n') == std::string::npos) result.text += '\n';
    result.text.insert(result.text.find('\n') + 1, changed.text);
    if (result.details.contains("header_bytes")) {
      result.details["header_bytes"] = result.details["header_bytes"].get<size_t>() + changed.text.size();
    }
    if (changed.details.is_object()) result.details.update(changed.details);
    return result;
  }

 private:
  std::unique_ptr<Tool> tool_;
  std::shared_ptr<Files> files_;
};

}  // namespace

std::vector<std::unique_ptr<Tool>> make_shell_tools(std::shared_ptr<Shell> shell, std::shared_ptr<Files> files) {
  std::vector<std::unique_ptr<Tool>> tools;
  tools.push_back(std::make_unique<RunTool>(shell));
  tools.push_back(std::make_unique<JobTool>(std::move(shell)));
  if (files == nullptr) return tools;
  for (std::unique_ptr<Tool>& tool : tools) tool = std::make_unique<KeptTool>(std::move(tool), files);
  return tools;
}

}  // namespace tools
