// A recorded session is done again without a model: as it was, with windows elsewhere, on another screen, in another
// theme. It ends in the same state, or halts; it never acts on the wrong thing.

#include "agent/replay.h"

#include <gtest/gtest.h>

#include <fstream>
#include <opencv2/core.hpp>

#include "agent/error.h"
#include "agent/session_journal.h"
#include "tests/desk/replay/scripted_session.h"
#include "tests/unit/tools/temporary_folder.h"
#include "tools/desktop.h"

namespace desk {
namespace {

namespace fs = std::filesystem;

class ReplayTest : public testing::Test {
 protected:
  // Recorded once for all tests: that takes as long as a replay.
  static void SetUpTestSuite() {
    folder_ = new tools::TemporaryFolder(tools::fast_disk());
    recorder_ = agent::Recorder::open(folder_->path() / "sessions.db").release();
    agent::Workbench workbench(options());
    const std::uintmax_t empty_bytes = record_bytes();
    session_ = record_session(*recorder_, workbench, product_script(workbench));
    recorded_bytes_ = record_bytes() - empty_bytes;
    recorded_ = final_state(workbench);
    workspace_ = workbench.workspace();
  }
  static void TearDownTestSuite() {
    delete recorder_;
    delete folder_;
  }

  static std::uintmax_t record_bytes() {
    std::uintmax_t bytes = 0;
    for (const char* name : {"sessions.db", "sessions.db-wal"}) {
      std::error_code none;
      const std::uintmax_t size = fs::file_size(folder_->path() / name, none);
      if (!none) bytes += size;
    }
    return bytes;
  }

  static agent::WorkbenchOptions options() {
    agent::WorkbenchOptions options;
    options.state_dir = folder_->path() / "state";
    return options;
  }

  static double brightness_of(const agent::Picture& picture) {
    const cv::Scalar mean = cv::mean(picture->pixels);
    return (mean[0] + mean[1] + mean[2]) / 3;
  }

  std::vector<agent::ReplayStep> steps() { return agent::load_steps(*recorder_, session_); }

  // `after` each step; the state in the end.
  FinalState replay(std::vector<agent::ReplayStep> steps, const agent::WorkbenchOptions& options,
                    const std::function<void(agent::Workbench&, const tools::ToolCall&)>& after = nullptr) {
    agent::Workbench workbench(options);
    agent::move_workspace(steps, workspace_.string(), workbench.workspace().string());
    agent::SessionJournal journal(*recorder_, recorder_->begin_session({"replay", "", "private", "", ""}));
    agent::Policy policy;
    policy.rules[tools::Effect::Shell] = agent::Decision::Allow;
    outcome_ = agent::replay(
        steps,
        {workbench, journal, policy, [](const agent::ApprovalRequest&, std::stop_token) { return agent::Approval{}; },
         [this](std::size_t step_idx, const std::string& how) {
           how_ += std::to_string(step_idx + 1) + ": " + how + "\n";
         },
         [&](const agent::AgentEvent& event) {
           const auto* finished = std::get_if<agent::CallFinished>(&event);
           if (finished != nullptr && after) after(workbench, finished->call);
         },
         patience_},
        {});
    if (outcome_.halt) how_ += "halted: " + outcome_.halt->reason;
    return outcome_.ending == agent::Ending::Done ? final_state(workbench) : FinalState();
  }

  static tools::TemporaryFolder* folder_;
  static agent::Recorder* recorder_;
  static agent::SessionId session_;
  static FinalState recorded_;
  static fs::path workspace_;
  static std::uintmax_t recorded_bytes_;
  agent::ReplayOutcome outcome_;
  std::string how_;
  std::chrono::milliseconds patience_ = std::chrono::seconds(15);
};

tools::TemporaryFolder* ReplayTest::folder_;
agent::Recorder* ReplayTest::recorder_;
agent::SessionId ReplayTest::session_;
FinalState ReplayTest::recorded_;
fs::path ReplayTest::workspace_;
std::uintmax_t ReplayTest::recorded_bytes_;

TEST_F(ReplayTest, the_recorded_session_did_what_it_should) {
  EXPECT_EQ(recorded_.file, "seven times six is 42");
  EXPECT_NE(recorded_.display.find("42"), std::string::npos);
  ASSERT_GE(steps().size(), 10u);
  const std::uintmax_t bytes_per_step = recorded_bytes_ / steps().size();
  RecordProperty("bytes_per_step", static_cast<int>(bytes_per_step));
  std::printf("the record grew by %zu bytes a step\n", static_cast<std::size_t>(bytes_per_step));
}

TEST_F(ReplayTest, unchanged_it_ends_in_the_same_state) {
  EXPECT_EQ(replay(steps(), options()), recorded_) << how_;
}

TEST_F(ReplayTest, follows_windows_that_moved) {
  const FinalState state = replay(steps(), options(), [](agent::Workbench& workbench, const tools::ToolCall& call) {
    if (call.name != "launch") return;
    const tools::Windows& windows = workbench.desktop()->windows();
    const std::optional<tools::Window> window = windows.active();
    ASSERT_TRUE(window);
    const int shift = window->title.find("Calculator") != std::string::npos ? 1 : 3;
    EXPECT_FALSE(windows.move_resize(window->id, {90 * shift, 40 * shift, window->frame.width, window->frame.height}));
  });
  EXPECT_EQ(state, recorded_) << how_;
}

TEST_F(ReplayTest, works_on_a_screen_of_another_size) {
  agent::WorkbenchOptions other = options();
  other.width_px = 1024;
  other.height_px = 768;
  EXPECT_EQ(replay(steps(), other), recorded_) << how_;
}

TEST_F(ReplayTest, a_click_into_a_field_that_has_the_keyboard_already_needs_no_effect) {
  std::vector<agent::ReplayStep> again = steps();
  const auto click = std::find_if(again.begin(), again.end(), [](const agent::ReplayStep& step) {
    return step.call.name == "pointer" && !step.anchors.empty() && step.anchors[0].widget &&
           step.anchors[0].widget->role == "text";
  });
  ASSERT_NE(click, again.end());
  click->verdict = tools::Verdict::Confirmed;
  const agent::ReplayStep once_more = *click;
  again.insert(click, once_more);
  tools::TemporaryFolder home;
  fs::create_directories(home.path() / ".config/gtk-3.0");
  std::ofstream(home.path() / ".config/gtk-3.0/settings.ini") << "[Settings]\ngtk-cursor-blink=false\n";
  agent::WorkbenchOptions still = options();
  still.home_template = home.path();  // a caret that blinks would be an effect
  EXPECT_EQ(replay(std::move(again), still), recorded_) << how_;
}

TEST_F(ReplayTest, waits_for_a_window_that_comes_late) {
  std::vector<agent::ReplayStep> late = steps();
  const auto launch = std::find_if(late.begin(), late.end(), [](const agent::ReplayStep& step) {
    return step.call.arguments.value("program", "") == "mousepad";
  });
  ASSERT_TRUE(launch != late.end() && launch != late.begin());
  late.erase(launch);
  std::size_t n_pointed = 0;
  const FinalState state =
      replay(std::move(late), options(), [&](agent::Workbench& workbench, const tools::ToolCall& call) {
        if (call.name != "pointer" || ++n_pointed != 4) return;
        workbench.private_desktop()->launch({"sh", "-c", "sleep 3; exec mousepad"});
      });
  EXPECT_EQ(state, recorded_) << how_;
}

TEST_F(ReplayTest, works_in_another_theme) {
  tools::TemporaryFolder home;
  fs::create_directories(home.path() / ".config/gtk-3.0");
  std::ofstream(home.path() / ".config/gtk-3.0/settings.ini")
      << "[Settings]\ngtk-theme-name=HighContrast\ngtk-application-prefer-dark-theme=1\n";
  agent::WorkbenchOptions other = options();
  other.home_template = home.path();
  double brightness = 0;
  const FinalState state = replay(steps(), other, [&](agent::Workbench& workbench, const tools::ToolCall& call) {
    if (call.name == "pointer") brightness = brightness_of(workbench.desktop()->grab().frame);
  });
  EXPECT_EQ(state, recorded_) << how_;
  EXPECT_LT(brightness, brightness_of(steps().back().screen) / 2) << "it does look other";
}

TEST_F(ReplayTest, a_parameter_gets_a_new_value) {
  std::vector<agent::ReplayStep> changed = steps();
  agent::set_parameters(changed, {{"text1", "another line"}});
  EXPECT_EQ(replay(std::move(changed), options()).file, "another line") << how_;
}

// A session of files and shell, whose second step breaks.
TEST(ReplayWithoutDesktop, a_step_that_breaks_still_gives_the_session_its_end) {
  const tools::TemporaryFolder folder(tools::fast_disk());
  const auto recorder = agent::Recorder::open(folder.path() / "sessions.db");
  fs::create_directories(folder.path() / "work");
  agent::WorkbenchOptions options;
  options.desktop = agent::WorkbenchOptions::DesktopKind::None;
  options.workspace = folder.path() / "work";
  options.state_dir = folder.path() / "state";
  agent::Workbench workbench(options);
  const agent::SessionId session = recorder->begin_session({"replay", "", "none", "", ""});
  agent::SessionJournal journal(*recorder, session);
  agent::ReplayStep step;
  step.call = {"", "shell", {{"command", "true"}}};
  agent::Policy policy;
  policy.rules[tools::Effect::Shell] = agent::Decision::Allow;
  const agent::ReplayOutcome outcome = agent::replay({step, step},
                                                     {workbench, journal, policy, nullptr,
                                                      [](std::size_t step_idx, const std::string&) {
                                                        if (step_idx == 1) throw agent::Error("nobody listens");
                                                      },
                                                      nullptr},
                                                     {});
  EXPECT_EQ(outcome.ending, agent::Ending::Failed);
  EXPECT_EQ(outcome.n_done, 1u);
  ASSERT_TRUE(outcome.halt);
  EXPECT_EQ(outcome.halt->step_idx, 1u);
  EXPECT_EQ(recorder->session(session).status, agent::SessionStatus::Failed);
  EXPECT_EQ(recorder->session(session).summary, "step 2 of 2: nobody listens");
}

TEST_F(ReplayTest, halts_with_both_pictures_when_the_target_is_gone) {
  std::vector<agent::ReplayStep> changed = steps();
  // On a busy machine a program may have told its widgets too late for a record of the first click.
  const auto click = std::find_if(changed.begin(), changed.end(), [](const agent::ReplayStep& step) {
    return step.call.name == "pointer" && !step.anchors.empty() && step.anchors[0].widget;
  });
  ASSERT_NE(click, changed.end());
  const auto n_before = static_cast<std::size_t>(click - changed.begin());
  click->anchors[0].widget->label = "a button that is not there";
  replay(std::move(changed), options());
  EXPECT_EQ(outcome_.ending, agent::Ending::Stuck);
  EXPECT_EQ(outcome_.n_done, n_before) << how_;
  ASSERT_TRUE(outcome_.halt);
  EXPECT_NE(outcome_.halt->reason.find("a button that is not there"), std::string::npos) << outcome_.halt->reason;
  EXPECT_TRUE(outcome_.halt->recorded);
  EXPECT_TRUE(outcome_.halt->seen);
}

}  // namespace
}  // namespace desk
