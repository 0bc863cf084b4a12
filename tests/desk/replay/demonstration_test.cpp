// A hand, here another X client, shows how something is done; it is recorded and done again.

#include "agent/demonstration.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "agent/replay.h"
#include "agent/session_journal.h"
#include "tests/desk/replay/scripted_session.h"
#include "tests/unit/tools/temporary_folder.h"
#include "tools/desktop.h"
#include "tools/key_names.h"

// Last: its macros would break other headers.
#include <X11/Xlib.h>
#include <X11/extensions/XTest.h>

namespace desk {
namespace {

using namespace std::chrono_literals;

// Works the mouse and the keyboard as a person's devices do.
class Hand {
 public:
  explicit Hand(const std::string& display) : display_(XOpenDisplay(display.c_str())) {}
  ~Hand() { XCloseDisplay(display_); }
  Hand(const Hand&) = delete;
  Hand& operator=(const Hand&) = delete;

  void click(const tools::Rect& box) {
    XTestFakeMotionEvent(display_, -1, box.x + box.width / 2, box.y + box.height / 2, CurrentTime);
    rest();
    XTestFakeButtonEvent(display_, 1, True, CurrentTime);
    rest(60ms);
    XTestFakeButtonEvent(display_, 1, False, CurrentTime);
    rest();
  }
  void press(const std::string& name) {
    const KeyCode code = XKeysymToKeycode(display_, *tools::keysym_from_name(name));
    XTestFakeKeyEvent(display_, code, True, CurrentTime);
    XTestFakeKeyEvent(display_, code, False, CurrentTime);
    rest(40ms);
  }

 private:
  // As long as a hand takes from one thing to the next.
  void rest(std::chrono::milliseconds time = 500ms) {
    XFlush(display_);
    std::this_thread::sleep_for(time);
  }

  Display* display_;
};

tools::Rect box_of(agent::Workbench& workbench, const std::string& title, const std::string& role,
                   const std::string& label) {
  const auto window = workbench.desktop()->windows().wait_for(
      [&](const tools::Window& candidate) { return candidate.title.find(title) != std::string::npos; }, 15s);
  if (!window) return {};
  tools::UiTree tree(workbench.private_desktop()->display());
  return place_of(tree, *window, role, label).value_or(tools::Rect());
}

// Records how a hand writes "hello" and marks it; the session.
agent::SessionId shown_by_hand(agent::Recorder& recorder, const agent::WorkbenchOptions& options) {
  agent::Workbench workbench(options);
  const agent::SessionId session =
      recorder.begin_session({"shown", "demonstration", "private", workbench.workspace().string(), ""});
  agent::SessionJournal journal(recorder, session);
  const tools::ToolCall launch{"call_0", "launch", {{"program", "mousepad"}}};
  journal.intent({launch, tools::Effect::Shell, "", nullptr});
  journal.outcome(launch, workbench.tools().run(launch, {}), 0);

  std::atomic<bool> listens = false;
  std::jthread hand_thread([&] {
    while (!listens) std::this_thread::sleep_for(10ms);
    Hand hand(workbench.private_desktop()->display());
    hand.click(box_of(workbench, "Mousepad", "text", ""));
    for (const char* key : {"h", "e", "l", "l", "o"}) hand.press(key);
    hand.click(box_of(workbench, "Mousepad", "menu", "Edit"));
    hand.click(box_of(workbench, "Mousepad", "menu item", "Select All"));
    hand.press("Pause");
  });
  std::vector<std::string> told;
  const int n_actions = agent::record_demonstration(
      {recorder, session, *workbench.desktop(), workbench.private_desktop()->display(),
       *tools::keysym_from_name("Pause"), [&] { listens = true; },
       [&](const tools::ToolCall& call) { told.push_back(call.name + " " + call.arguments.dump()); }},
      {});
  journal.finished({agent::Ending::Done, "shown", n_actions, 0});
  EXPECT_EQ(n_actions, 4);
  EXPECT_EQ(told.size(), 4u);
  EXPECT_NE(told.size() < 2 ? std::string::npos : told[1].find("hello"), std::string::npos);
  return session;
}

TEST(Demonstration, what_a_hand_does_is_recorded_and_done_again) {
  const tools::TemporaryFolder folder(tools::fast_disk());
  const auto recorder = agent::Recorder::open(folder.path() / "sessions.db");
  agent::WorkbenchOptions options;
  options.state_dir = folder.path() / "state";
  std::vector<agent::ReplayStep> steps;
  const auto label_of = [&](std::size_t step_idx) {
    return steps.at(step_idx).anchors.at(0).widget.value_or(tools::WidgetIdentity{}).label;
  };
  // On a busy machine a program may tell its widgets too late for the record of a click: one of some has to have them.
  for (int attempt = 0; attempt < 3 && (steps.empty() || label_of(3).empty()); ++attempt) {
    steps = agent::load_steps(*recorder, shown_by_hand(*recorder, options));
    ASSERT_EQ(steps.size(), 5u);
  }
  EXPECT_EQ(label_of(3), "Edit");
  agent::set_parameters(steps, {{"text1", "goodbye"}});
  agent::Workbench workbench(options);
  agent::SessionJournal journal(*recorder, recorder->begin_session({"again", "", "private", "", ""}));
  agent::Policy policy;
  policy.rules[tools::Effect::Shell] = agent::Decision::Allow;
  const agent::ReplayOutcome outcome = agent::replay(
      steps,
      {workbench, journal, policy, [](const agent::ApprovalRequest&, std::stop_token) { return agent::Approval{}; },
       nullptr, nullptr, 15s},
      {});
  EXPECT_EQ(outcome.ending, agent::Ending::Done) << (outcome.halt ? outcome.halt->reason : "");
  const tools::ToolResult text = workbench.tools().run({"", "ui_tree", {{"action", "text"}, {"role", "text"}}}, {});
  EXPECT_EQ(text.text, "goodbye");
}

}  // namespace
}  // namespace desk
