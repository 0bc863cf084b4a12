// Deskhand's own tools operate Deskhand's window, through its accessibility tree: a session from the first word to the
// exported report.

#include <gtest/gtest.h>

#include <QElapsedTimer>
#include <QTemporaryDir>
#include <filesystem>
#include <functional>
#include <set>

#include "tools/private_desktop.h"
#include "tools/ui_tree.h"
#include "tools/windows.h"
#include "tools/x11_input.h"

namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

class Operator {
 public:
  explicit Operator(const fs::path& home)
      : desktop_(tools::PrivateDesktop::start({.width_px = 1400, .height_px = 900})),
        windows_(tools::Windows::open(desktop_.display())),
        tree_(desktop_.display()),
        input_(tools::X11Input::open({.display = desktop_.display()})) {
    QElapsedTimer timer;
    timer.start();
    program_ = desktop_.launch({DESKHAND_BIN_DIR "/deskhand"}, {{"XDG_DATA_HOME", home / "data"},
                                                                {"XDG_CONFIG_HOME", home / "config"},
                                                                {"QT_LINUX_ACCESSIBILITY_ALWAYS_ON", "1"}});
    window_ = windows_.wait_for([](const tools::Window& window) { return window.title == "Deskhand"; }, 60s);
    shown_after_ms_ = timer.elapsed();
  }

  bool has_window() const { return window_.has_value(); }
  qint64 shown_after_ms() const { return shown_after_ms_; }
  bool is_running() const { return program_ && !program_->exit_status(); }

  // The node of that role and name as soon as it is there.
  std::optional<tools::UiNode> node(std::string_view role, std::string_view name,
                                    std::chrono::milliseconds limit = 60s) {
    const auto deadline = std::chrono::steady_clock::now() + limit;
    do {
      for (const tools::Window& window : windows_.list()) {
        const tools::UiSnapshot snapshot = tree_.read(window, {.limit = 20s});
        const std::vector<size_t> found = tools::find_nodes(snapshot, role, name);
        if (found.empty()) continue;
        seen_in_ = window;
        return snapshot.nodes[found.front()];
      }
    } while (std::chrono::steady_clock::now() < deadline);
    return std::nullopt;
  }

  // Waits until the window that the last node was seen in has the keyboard.
  bool takes_keys() const {
    const auto has_focus = [&](const tools::Window& window) { return window.id == seen_in_.id && window.is_active; };
    return windows_.wait_for(has_focus, 60s).has_value();
  }

  // Waits until a menu is open where was pressed last, above or below it.
  bool has_menu() const {
    const auto deadline = std::chrono::steady_clock::now() + 60s;
    do {
      for (int y_pt = 5; y_pt < 900; y_pt += 10) {
        const std::optional<tools::Window> window = windows_.at(pressed_at_.x_pt, y_pt);
        if (window && !window->is_managed) return true;
      }
    } while (std::chrono::steady_clock::now() < deadline);
    return false;
  }

  // Of what can be worked in all windows: what has no name, or is nothing that a screen reader knows.
  std::string problems() {
    static const std::set<std::string> known = {
        "push button", "toggle button", "check box", "combo box", "text", "entry",      "list",         "list item",
        "slider",      "image",         "page tab",  "menu item", "menu", "popup menu", "page tab list"};
    std::string all;
    for (const tools::Window& window : windows_.list()) {
      for (const tools::UiNode& node : tree_.read(window, {.limit = 20s}).nodes) {
        if (!node.has_state("focusable") || node.has_state("disabled") || node.parent < 0) continue;
        const bool is_known = known.contains(node.role);
        if (is_known && (!node.name.empty() || !node.text.empty())) continue;
        all += node.role + " \"" + node.name + "\" at " +
               (node.box ? std::to_string(node.box->x) + "," + std::to_string(node.box->y) : "?") + "\n";
      }
    }
    return all;
  }

  testing::AssertionResult press(std::string_view role, std::string_view name) {
    const std::optional<tools::UiNode> found = node(role, name);
    if (!found) return testing::AssertionFailure() << "there is no " << role << " " << name;
    const auto point = tools::UiTree::click_point(*found, seen_in_, windows_);
    if (const auto* why = std::get_if<std::string>(&point)) return testing::AssertionFailure() << name << ": " << *why;
    const tools::UiPoint at = pressed_at_ = std::get<tools::UiPoint>(point);
    const auto outcome =
        input_->perform({tools::MoveTo{at.x_pt, at.y_pt}, tools::Pause{40}, tools::ButtonChange{1, true},
                         tools::Pause{40}, tools::ButtonChange{1, false}},
                        {});
    if (outcome.ending != tools::InputOutcome::Ending::Done) return testing::AssertionFailure() << outcome.message;
    return testing::AssertionSuccess();
  }

  testing::AssertionResult key(std::uint32_t keysym) {
    const auto outcome =
        input_->perform({tools::Pause{300}, tools::KeyChange{keysym, true}, tools::KeyChange{keysym, false}}, {});
    if (outcome.ending != tools::InputOutcome::Ending::Done) return testing::AssertionFailure() << outcome.message;
    return testing::AssertionSuccess();
  }

  testing::AssertionResult type(const std::string& text, bool presses_enter) {
    std::vector<tools::InputStep> steps = {tools::TypeText{text}};
    if (presses_enter) steps.emplace_back(tools::TypeText{"\n"});
    const auto outcome = input_->perform(steps, {});
    if (outcome.ending != tools::InputOutcome::Ending::Done) return testing::AssertionFailure() << outcome.message;
    return testing::AssertionSuccess();
  }

 private:
  tools::PrivateDesktop desktop_;
  tools::Windows windows_;
  tools::UiTree tree_;
  std::unique_ptr<tools::X11Input> input_;
  std::optional<tools::DesktopProcess> program_;
  std::optional<tools::Window> window_;
  tools::Window seen_in_;
  tools::UiPoint pressed_at_;
  qint64 shown_after_ms_ = 0;
};

TEST(WindowSession, is_operated_from_the_first_word_to_the_report_by_our_own_tools) {
  const QTemporaryDir folder;
  const fs::path home = folder.path().toStdString();
  Operator hand(home);
  ASSERT_TRUE(hand.has_window());
  testing::Test::RecordProperty("shown_after_ms", static_cast<int>(hand.shown_after_ms()));
  EXPECT_EQ(hand.problems(), "") << "the first page";
  // Start.
  ASSERT_TRUE(hand.press("text", "Task"));
  ASSERT_TRUE(hand.type("Open Calculator, then click 7", false));
  ASSERT_TRUE(hand.press("push button", "Start"));
  // It asks; pause meanwhile, approve, go on.
  ASSERT_TRUE(hand.node("push button", "For this session"));
  EXPECT_EQ(hand.problems(), "") << "a session that asks";
  ASSERT_TRUE(hand.press("push button", "Pause"));
  ASSERT_TRUE(hand.press("push button", "For this session"));
  ASSERT_TRUE(hand.node("label", "Paused"));
  ASSERT_TRUE(hand.press("push button", "Go on"));
  ASSERT_TRUE(hand.node("label", "Finished", 240s));
  ASSERT_TRUE(hand.node("list item", "Done"));
  // Take the wheel and give it back.
  ASSERT_TRUE(hand.press("push button", "Take the wheel"));
  ASSERT_TRUE(hand.node("label", "You have the wheel"));
  ASSERT_TRUE(hand.press("push button", "Give it back"));
  // Look back.
  ASSERT_TRUE(hand.press("push button", "Previous action"));
  ASSERT_TRUE(hand.node("push button", "Back to live"));
  for (const char* tab : {"Plan", "Model"}) {
    ASSERT_TRUE(hand.press("page tab", tab));
    EXPECT_EQ(hand.problems(), "") << tab;
  }
  // Export.
  ASSERT_TRUE(hand.press("", "Export"));
  ASSERT_TRUE(hand.has_menu());
  ASSERT_TRUE(hand.key(0xff54));  // Down: to the first entry of its menu
  ASSERT_TRUE(hand.key(0xff0d));  // Return
  ASSERT_TRUE(hand.node("", "File name:"));
  ASSERT_TRUE(hand.takes_keys());
  const fs::path report = home / "report.html";
  ASSERT_TRUE(hand.type(report, true));
  ASSERT_TRUE(hand.node("label", "Exported to"));
  EXPECT_GT(fs::file_size(report), 10000U);
  ASSERT_TRUE(hand.press("", "Settings"));
  ASSERT_TRUE(hand.node("text", "Search settings"));
  EXPECT_EQ(hand.problems(), "") << "the settings";
  EXPECT_TRUE(hand.is_running());
}

}  // namespace
