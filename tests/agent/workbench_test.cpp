// The agent at its workbench, as `deskhand run` sets it up, with a scripted mind on a real private desktop.

#include "agent/workbench.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "agent/agent.h"
#include "agent/recorder.h"
#include "agent/session_journal.h"
#include "tests/agent/scripted_model.h"

namespace agent {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

class WorkbenchTest : public ::testing::Test {
 protected:
  ~WorkbenchTest() override { fs::remove_all(root_); }

  // The results of the calls, in order.
  std::vector<tools::ToolResult> run(std::deque<Reply> script) {
    ScriptedModel model(std::move(script));
    const std::unique_ptr<Recorder> recorder = Recorder::open(root_ / "sessions.db");
    SessionInfo info;
    info.task = "write";
    SessionJournal journal(*recorder, recorder->begin_session(info));
    Policy policy;
    policy.rules[tools::Effect::Shell] = Decision::Allow;
    std::vector<tools::ToolResult> results;
    Agent worker({model, workbench_.tools(), journal, policy,
                  [](const ApprovalRequest&, std::stop_token) {
                    return Approval{false, "nobody is there"};
                  },
                  [](const std::string&, std::stop_token) { return std::optional<std::string>(); },
                  [&](const AgentEvent& event) {
                    if (const auto* finished = std::get_if<CallFinished>(&event)) results.push_back(finished->result);
                  },
                  Limits(), true},
                 Transcript());
    outcome_ = worker.run("write", {});
    return results;
  }
  static fs::path made(const fs::path& folder) {
    fs::create_directories(folder);
    return folder;
  }
  std::string content(const fs::path& file) const {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  fs::path root_ = fs::path(::testing::TempDir()) / ("workbench" + std::to_string(::getpid()));
  fs::path work_ = made(root_ / "work");
  Workbench workbench_{{.workspace = work_, .state_dir = root_ / "state"}};
  Outcome outcome_;
};

TEST_F(WorkbenchTest, two_at_once_keep_their_outputs_apart) {
  const WorkbenchOptions options = {
      .desktop = WorkbenchOptions::DesktopKind::None, .workspace = work_, .state_dir = root_ / "state"};
  Workbench others[2] = {Workbench(options), Workbench(options)};
  const auto say = [](Workbench& workbench, const char* what) {
    tools::ToolCall call = {"1", "shell", {{"command", std::string("echo ") + what}}};
    EXPECT_TRUE(workbench.tools().run(call, {}).ok);
  };
  say(others[0], "first");
  say(others[1], "second");
  EXPECT_EQ(content(root_ / "state/outputs/2/job-1.log"), "first\n");
  EXPECT_EQ(content(root_ / "state/outputs/3/job-1.log"), "second\n");
}

TEST_F(WorkbenchTest, text_goes_in_over_accessibility_and_is_saved_byte_for_byte) {
  const fs::path note = root_ / "work" / "note.txt";
  std::ofstream(note) << "old";
  const std::string text = "Ohne Tasten: Größe, 你好, 😀, '\"$(x)\\`\n\tzweite Zeile\n";
  const std::vector<tools::ToolResult> results =
      run({call("launch", {{"program", "mousepad"}, {"arguments", {note.string()}}}),
           call("keyboard", {{"action", "key"}, {"keys", "ctrl+a"}}),
           call("keyboard", {{"action", "type"}, {"text", text}, {"route", "accessibility"}}),
           call("ui_tree", {{"action", "text"}}), call("keyboard", {{"action", "key"}, {"keys", "ctrl+s"}})});
  ASSERT_EQ(results.size(), 5U);
  ASSERT_TRUE(results[0].ok) << results[0].text;
  const tools::ToolResult& typed = results[2];
  ASSERT_TRUE(typed.ok) << typed.text;
  EXPECT_EQ(typed.evidence->verdict, tools::Verdict::Confirmed) << typed.text;
  EXPECT_NE(typed.text.find("by accessibility"), std::string::npos) << typed.text;
  ASSERT_TRUE(typed.evidence->field_text) << typed.text;
  EXPECT_EQ(typed.evidence->field_text->state, tools::FieldText::State::AsTyped);
  EXPECT_EQ(results[3].text, text);
  for (int i = 0; i < 1000 && content(note) != text; ++i) ::usleep(20'000);  // it writes a moment after the key
  EXPECT_EQ(content(note), text) << "in place of what was selected, and saved in the workspace";
  EXPECT_EQ(outcome_.ending, Ending::Done);
}

TEST_F(WorkbenchTest, typed_text_is_read_back_by_itself) {
  const std::vector<tools::ToolResult> results =
      run({call("launch", {{"program", "mousepad"}}), call("keyboard", {{"action", "type"}, {"text", "Grüße 你好"}})});
  ASSERT_EQ(results.size(), 2U);
  EXPECT_EQ(results[1].evidence->verdict, tools::Verdict::Confirmed) << results[1].text;
  EXPECT_EQ(outcome_.n_unverified, 0);
}

TEST_F(WorkbenchTest, programs_may_write_the_workspace_and_nothing_else_of_the_users_home) {
  // On this machine the workspace may lie outside the home; then only the second half is proven here.
  EXPECT_TRUE(workbench_.notices().empty()) << workbench_.notices()[0];
  const fs::path probe = fs::path(::getenv("HOME")) / (".deskhand-probe-" + std::to_string(::getpid()));
  const std::vector<tools::ToolResult> results =
      run({call("launch", {{"program", "touch"}, {"arguments", {(root_ / "work" / "made").string()}}}),
           call("launch", {{"program", "touch"}, {"arguments", {probe.string()}}})});
  ASSERT_EQ(results.size(), 2U);
  EXPECT_TRUE(results[0].ok) << results[0].text;
  EXPECT_FALSE(results[1].ok) << results[1].text;
  EXPECT_NE(results[1].text.find("Read-only file system"), std::string::npos) << results[1].text;
  EXPECT_TRUE(fs::exists(root_ / "work" / "made"));
  EXPECT_FALSE(fs::exists(probe));
}

}  // namespace
}  // namespace agent
