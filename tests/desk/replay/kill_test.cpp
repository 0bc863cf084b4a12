// Killed at any moment of a run: the record opens, the files are whole, the session goes on to its end.
// DESKHAND_KILLS says how often; without it a few times.

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <random>
#include <thread>

#include "agent/agent.h"
#include "agent/session_journal.h"
#include "tests/agent/recorder_fixture.h"
#include "tests/desk/replay/scripted_session.h"

namespace desk {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

int n_kills() {
  const char* wanted = std::getenv("DESKHAND_KILLS");
  return wanted != nullptr ? std::atoi(wanted) : 10;
}

// Looks at a screen that changes, writes files and runs commands: what a session does, on no desktop.
class ScreenTool : public tools::Tool {
 public:
  tools::ToolSpec spec() const override {
    return {"screenshot", "a picture", {{"type", "object"}, {"properties", nlohmann::json::object()}}};
  }
  tools::Effect effect(const tools::ToolCall&) const override { return tools::Effect::Observe; }
  tools::ToolResult run(const tools::ToolCall&, std::stop_token) override {
    return {.ok = true, .text = "a picture", .frames = {agent::editor_screen(agent::some_lines(++n_lines_))}};
  }

 private:
  int n_lines_ = 0;
};

std::vector<ScriptedModel::MakeCall> script() {
  std::vector<ScriptedModel::MakeCall> calls;
  for (int n = 1; n <= 6; ++n) {
    const std::string number = std::to_string(n), before = std::to_string(n - 1);
    calls.push_back(
        say("write_file", {{"path", "file" + number + ".txt"}, {"content", std::string(20000, 'x') + number}}));
    calls.push_back(say("shell", {{"command", "echo " + number + " > shell" + number + ".txt"}}));
    calls.push_back(say("screenshot", nlohmann::ordered_json::object()));
  }
  return calls;
}

// One session from its begin, or on from where it was killed.
agent::Ending work(const fs::path& folder, agent::SessionId resumed) {
  const auto recorder = agent::Recorder::open(folder / "sessions.db", {.reserve_bytes = 1 << 20});
  EXPECT_EQ(recorder->notice(), "") << "the record is whole";
  agent::WorkbenchOptions options;
  options.desktop = agent::WorkbenchOptions::DesktopKind::None;
  options.workspace = folder / "workspace";
  options.state_dir = folder / "state";
  options.confine_shell = false;
  agent::Workbench workbench(options);
  workbench.tools().add(std::make_unique<ScreenTool>());
  agent::Transcript transcript;
  agent::SessionId session = resumed;
  if (resumed != 0) {
    transcript = recorder->resume_session(resumed).transcript;
    EXPECT_TRUE(transcript.open_calls().empty());
  } else {
    session = recorder->begin_session({"write files", "scripted", "none", options.workspace, ""});
  }
  workbench.begin_session(session);
  ScriptedModel model(resumed != 0 ? std::vector{say("write_file", {{"path", "last.txt"}, {"content", "done\n"}})}
                                   : script());
  agent::SessionJournal journal(*recorder, session);
  agent::Policy policy;
  policy.rules[tools::Effect::Shell] = agent::Decision::Allow;
  agent::Agent worker({model,
                       workbench.tools(),
                       journal,
                       policy,
                       [](const agent::ApprovalRequest&, std::stop_token) { return agent::Approval{}; },
                       [](const std::string&, std::stop_token) { return std::nullopt; },
                       nullptr,
                       {},
                       true},
                      std::move(transcript));
  return resumed != 0 ? worker.resume("Go on.", {}, {}).ending : worker.run("write files", {}).ending;
}

// In a process of its own; kills it after this time. True: it was killed before its end.
bool work_until_killed(const fs::path& folder, std::chrono::microseconds after) {
  const pid_t child = fork();
  if (child == 0) {
    const agent::Ending ending = work(folder, 0);
    _exit(ending == agent::Ending::Done ? 0 : 1);
  }
  std::this_thread::sleep_for(after);
  kill(child, SIGKILL);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(!WIFEXITED(status) || WEXITSTATUS(status) == 0);
  return WIFSIGNALED(status);
}

// Each file holds all of what was written into it, or isn't there.
void expect_whole_files(const fs::path& workspace) {
  for (const fs::directory_entry& entry : fs::directory_iterator(workspace)) {
    const std::string name = entry.path().filename();
    EXPECT_TRUE(!name.starts_with("file") || fs::file_size(entry.path()) == 20001u) << name;
  }
}

TEST(Kill, at_any_moment_the_session_goes_on_afterwards) {
  const auto prepared = [](const tools::TemporaryFolder& folder) {
    fs::create_directories(folder.path() / "workspace");
    return folder.path();
  };
  std::chrono::microseconds whole_run{0};
  {
    const tools::TemporaryFolder folder(tools::fast_disk());
    const auto start = Clock::now();
    ASSERT_EQ(work(prepared(folder), 0), agent::Ending::Done);
    whole_run = std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - start);
  }
  std::mt19937 random(1);
  int n_killed = 0, n_resumed = 0;
  for (int n = 0; n < n_kills(); ++n) {
    const tools::TemporaryFolder folder(tools::fast_disk());
    const std::chrono::microseconds after(std::uniform_int_distribution<long>(0, whole_run.count())(random));
    if (work_until_killed(prepared(folder), after)) ++n_killed;
    const auto recorder = agent::Recorder::open(folder.path() / "sessions.db", {.reserve_bytes = 1 << 20});
    ASSERT_EQ(recorder->notice(), "");
    const std::vector<agent::SessionSummary> sessions = recorder->list_sessions();
    if (sessions.empty()) continue;  // before it began
    ASSERT_EQ(work(folder.path(), sessions[0].id), agent::Ending::Done) << "killed after " << after.count() << " us";
    EXPECT_EQ(recorder->session(sessions[0].id).status, agent::SessionStatus::Done);
    EXPECT_TRUE(fs::exists(folder.path() / "workspace/last.txt"));
    expect_whole_files(folder.path() / "workspace");
    ++n_resumed;
  }
  std::printf("killed %d of %d runs of %.1f s, %d sessions went on\n", n_killed, n_kills(),
              static_cast<double>(whole_run.count()) / 1e6, n_resumed);
  EXPECT_GT(n_resumed, 0);
}

}  // namespace
}  // namespace desk
