// The pointer, keyboard and screenshot tools on a private desktop with real programs.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <thread>

#include "tools/keyboard.h"
#include "tools/pointer.h"
#include "tools/private_desktop.h"
#include "tools/screenshot.h"
#include "tools/tool_registry.h"
#include "tools/windows_tool.h"

// Last: Xlib's macros have common names.
#include "tests/desk/input_window.h"

namespace {

using nlohmann::json;
using std::chrono::milliseconds;
using tools::Desktop;
using tools::PrivateDesktop;
using tools::ToolResult;
using tools::Verdict;

std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

class DesktopTools : public testing::Test {
 protected:
  DesktopTools() {
    registry_.add(std::make_unique<tools::PointerTool>(*desktop_));
    std::map<std::string, std::unique_ptr<tools::TextRoute>> routes;
    routes.emplace("clipboard", std::make_unique<tools::ClipboardRoute>(*desktop_));
    const auto tree = std::make_shared<tools::UiTree>(private_.display());
    registry_.add(std::make_unique<tools::KeyboardTool>(
        *desktop_, std::move(routes), std::make_unique<tools::FieldReader>(desktop_->windows(), tree)));
    registry_.add(std::make_unique<tools::WindowsTool>(desktop_->view()));
    registry_.add(std::make_unique<tools::ScreenshotTool>(*desktop_, capture::ImageBudget{.max_tokens = 1296}));
    registry_.add(std::make_unique<tools::WaitTool>(*desktop_));
  }

  ToolResult call(const std::string& name, const json& arguments) {
    return registry_.run({.id = "1", .name = name, .arguments = arguments}, {});
  }
  ToolResult look() {
    ToolResult result = call("screenshot", json::object());
    if (result.ok) seen_ = result.frames.at(0);
    return result;
  }
  // Where a desktop point is in the newest whole picture.
  json px(int x_pt, int y_pt) const {
    const auto at = seen_->screen_map.to_image({x_pt, y_pt});
    return at ? json{at->x_px, at->y_px} : json{-1, -1};
  }

  std::filesystem::path file() const { return private_.home() / "note.txt"; }

  // An editor with a file that holds `text`, in front, seen by the model.
  tools::Window open_editor(const std::string& program, const std::string& text = "") {
    std::ofstream(file()) << text;
    std::vector<std::string> argv{program, file().string()};
    if (program == "featherpad") argv.insert(argv.begin() + 1, "--standalone");
    private_.launch(argv);
    const std::optional<tools::Window> window = desktop_->windows().wait_for(
        [](const tools::Window& found) { return found.title.find("note.txt") != std::string::npos; },
        milliseconds(15'000));
    if (!window) throw std::runtime_error(program + " didn't open");
    desktop_->windows().activate(window->id);
    call("wait", {{"until", "quiet"}, {"seconds", 5}});
    look();
    return *desktop_->windows().find(window->id);
  }
  // At a desktop point.
  ToolResult click(int x_pt, int y_pt, int count = 1) {
    const json at = px(x_pt, y_pt);
    return call("pointer", {{"action", "click"}, {"x", at[0]}, {"y", at[1]}, {"count", count}});
  }
  ToolResult type(const std::string& text) { return call("keyboard", {{"action", "type"}, {"text", text}}); }
  // What the editor has in its file when it has saved; as it is after a while when it doesn't become `is_wanted`.
  std::string saved(const std::function<bool(const std::string&)>& is_wanted) {
    const ToolResult pressed = call("keyboard", {{"action", "key"}, {"keys", "ctrl+s"}});
    EXPECT_TRUE(pressed.ok) << pressed.text;
    for (int attempt = 0; attempt < 1000 && !is_wanted(read_file(file())); ++attempt)
      std::this_thread::sleep_for(milliseconds(20));
    return read_file(file());
  }
  void expect_saved_as(const std::string& wanted) {
    EXPECT_EQ(saved([&](const std::string& bytes) { return bytes == wanted; }), wanted);
  }

  PrivateDesktop private_ = PrivateDesktop::start();
  std::unique_ptr<Desktop> desktop_ = Desktop::open({.display = private_.display(), .is_private = true});
  tools::ToolRegistry registry_;
  std::shared_ptr<const capture::Frame> seen_;
};

TEST_F(DesktopTools, the_clipboard_route_types_and_puts_back_what_was_there) {
  open_editor("mousepad");
  ASSERT_TRUE(desktop_->clipboard().write(tools::Selection::Clipboard, {{"text/plain", "mine"}}));
  const ToolResult typed = call("keyboard", {{"action", "type"}, {"text", "λ → 😀\n"}, {"route", "clipboard"}});
  ASSERT_TRUE(typed.ok) << typed.text;
  expect_saved_as("λ → 😀\n");
  EXPECT_EQ(desktop_->clipboard().read_text(tools::Selection::Clipboard).content["text/plain"], "mine");
}

class DragTarget : public DesktopTools, public testing::WithParamInterface<const char*> {};

TEST_P(DragTarget, takes_a_drag_as_a_selection_of_text) {
  const tools::Window window = open_editor(GetParam());
  ASSERT_TRUE(type("one two three").ok);
  look();
  const int middle_x = window.client.x + window.client.width / 2, middle_y = window.client.y + window.client.height / 2;
  const ToolResult dragged =
      call("pointer",
           {{"action", "drag"}, {"path", {px(middle_x, middle_y), px(window.client.x + 3, window.client.y + 12)}}});
  ASSERT_TRUE(dragged.ok) << dragged.text;
  EXPECT_EQ(dragged.evidence->verdict, Verdict::Confirmed) << dragged.text;
  ASSERT_TRUE(type("X\n").ok);
  expect_saved_as("X\n");
}

TEST_P(DragTarget, takes_what_is_dropped) {
  const tools::Window window = open_editor(GetParam());
  ASSERT_TRUE(type("carry\n\n\nhere").ok);
  look();
  tools::UiTree tree(private_.display());
  std::optional<tools::Rect> page;
  for (const tools::UiNode& node : tree.read(window).nodes) {
    if (node.is_editable && node.box && (!page || node.box->height > page->height)) page = node.box;
  }
  ASSERT_TRUE(page);
  const int x = page->x + 20, y = page->y + 12;  // in the word of the first line
  ASSERT_TRUE(click(x, y, 2).ok);
  look();
  // At once after the double click: it must not become a triple one.
  const ToolResult dragged = call(
      "pointer", {{"action", "drag"}, {"path", {px(x, y), px(page->x + page->width / 2, page->y + page->height / 2)}}});
  ASSERT_TRUE(dragged.ok) << dragged.text;
  EXPECT_EQ(dragged.evidence->verdict, Verdict::Confirmed) << dragged.text;
  const std::string end = std::string(GetParam()) == "featherpad" ? "\n" : "";  // it ends the last line when it saves
  expect_saved_as("\n\n\nherecarry" + end);
}

INSTANTIATE_TEST_SUITE_P(gtk_and_qt, DragTarget, testing::Values("mousepad", "featherpad"));

class DoubleClick : public DesktopTools, public testing::WithParamInterface<int> {};

TEST_P(DoubleClick, selects_a_word_at_every_usual_threshold_and_two_single_clicks_dont) {
  std::filesystem::create_directories(private_.home() / ".config/gtk-3.0");
  std::ofstream(private_.home() / ".config/gtk-3.0/settings.ini")
      << "[Settings]\ngtk-double-click-time=" << GetParam() << "\n";
  const tools::Window window = open_editor("mousepad");
  std::string lines;
  for (int line_idx = 0; line_idx < 20; ++line_idx) lines += "alpha beta\n";
  ASSERT_TRUE(type(lines).ok);
  look();
  const int x = window.client.x + 20;  // in the first word of any line
  ASSERT_TRUE(click(x, window.client.y + 100, 2).ok);
  ASSERT_TRUE(type("gamma").ok);
  if (GetParam() < 600) {
    look();
    ASSERT_TRUE(click(x, window.client.y + 200).ok);
    ASSERT_TRUE(click(x, window.client.y + 200).ok);
    ASSERT_TRUE(type("#").ok);
  }
  std::string text = saved([](const std::string& bytes) { return bytes.find("gamma") != std::string::npos; });
  EXPECT_NE(text.find("gamma beta\n"), std::string::npos) << text;
  std::erase(text, '#');
  std::size_t n_untouched = 0;
  for (std::size_t at = 0; (at = text.find("alpha beta\n", at)) != std::string::npos; ++at) ++n_untouched;
  EXPECT_EQ(n_untouched, 19U) << text;
}

INSTANTIATE_TEST_SUITE_P(thresholds_ms, DoubleClick, testing::Values(250, 400, 1000));

TEST_F(DesktopTools, a_click_without_effect_is_reported_as_such) {
  look();
  const ToolResult clicked = click(640, 400);
  ASSERT_TRUE(clicked.ok) << clicked.text;
  EXPECT_EQ(clicked.evidence->verdict, Verdict::NoOp) << clicked.text;
}

TEST_F(DesktopTools, a_menu_that_opens_is_the_evidence_of_its_click) {
  const tools::Window window = open_editor("mousepad");
  const ToolResult clicked = click(window.client.x + 18, window.client.y + 12);
  EXPECT_EQ(clicked.evidence->verdict, Verdict::Confirmed) << clicked.text;
  const ToolResult closed = call("keyboard", {{"action", "key"}, {"keys", "Escape"}});
  EXPECT_EQ(closed.evidence->verdict, Verdict::Confirmed) << closed.text;
}

TEST_F(DesktopTools, our_own_windows_are_refused_to_the_pointer) {
  using desk_test::InputWindow;
  InputWindow ours(private_.display(), {100, 100, 300, 200}, InputWindow::Managed::No);
  look();
  ours.forget();
  const ToolResult clicked = click(120, 120);
  EXPECT_FALSE(clicked.ok);
  ASSERT_TRUE(clicked.evidence);
  EXPECT_EQ(clicked.evidence->verdict, Verdict::Refused) << clicked.text;
  EXPECT_TRUE(ours.events_of(ButtonPress).empty());
  EXPECT_TRUE(ours.events_of(MotionNotify).empty());
}

// xterm under the names of programs that ask the user for consent.
struct ConsentWindow {
  const char* program;     // file name
  const char* class_name;  // empty: xterm's own
};
void PrintTo(const ConsentWindow& window, std::ostream* out) {
  *out << window.program << " of class \"" << window.class_name << "\"";
}

class ConsentWindows : public DesktopTools, public testing::WithParamInterface<ConsentWindow> {};

TEST_P(ConsentWindows, are_refused_to_every_tool) {
  const std::filesystem::path program = private_.home() / GetParam().program;
  std::filesystem::copy_file("/usr/bin/xterm", program);
  std::vector<std::string> argv = {program.string(), "-T", "Authenticate", "-geometry", "60x20+100+100"};
  if (*GetParam().class_name != 0) argv.insert(argv.end(), {"-class", GetParam().class_name});
  // What it is typed goes to a file.
  argv.insert(argv.end(), {"-e", "sh", "-c", "cat > " + file().string()});
  private_.launch(argv);
  const std::optional<tools::Window> window = desktop_->windows().wait_for(
      [](const tools::Window& found) { return found.title == "Authenticate"; }, milliseconds(10'000));
  ASSERT_TRUE(window);
  desktop_->windows().activate(window->id);
  look();
  const int x = window->client.x + 30, y = window->client.y + 30;
  const std::vector<ToolResult> results = {click(x, y),
                                           type("yes\n"),
                                           call("keyboard", {{"action", "key"}, {"keys", "Return"}}),
                                           call("pointer", {{"action", "drag"}, {"path", {px(x, y), px(900, 700)}}}),
                                           call("pointer", {{"action", "drag"}, {"path", {px(900, 700), px(x, y)}}}),
                                           call("windows", {{"action", "close"}, {"window", window->id}})};
  for (const ToolResult& result : results) {
    EXPECT_FALSE(result.ok);
    ASSERT_TRUE(result.evidence) << result.text;
    EXPECT_EQ(result.evidence->verdict, Verdict::Refused) << result.text;
    EXPECT_NE(result.text.find("only the user may"), std::string::npos) << result.text;
  }
  EXPECT_EQ(desktop_->windows().list().size(), 1U);
  EXPECT_EQ(read_file(file()), "");
}

INSTANTIATE_TEST_SUITE_P(by_program_or_class, ConsentWindows,
                         testing::Values(ConsentWindow{"xdg-desktop-portal-gtk", ""}, ConsentWindow{"gcr-prompter", ""},
                                         ConsentWindow{"agent.py", "Polkit-gnome-authentication-agent-1"},
                                         ConsentWindow{"agent.py", "Gcr-prompter"}));

TEST_F(DesktopTools, keys_are_refused_that_have_no_name_or_leave_the_desktop) {
  look();
  const ToolResult unknown = call("keyboard", {{"action", "key"}, {"keys", "ctrl+foo"}});
  EXPECT_FALSE(unknown.ok);
  EXPECT_NE(unknown.text.find("\"foo\""), std::string::npos);
  EXPECT_EQ(call("keyboard", {{"action", "key"}, {"keys", "ctrl+alt+F1"}}).evidence->verdict, Verdict::Refused);
}

TEST_F(DesktopTools, text_is_not_typed_into_a_window_that_stole_the_focus) {
  open_editor("mousepad");
  private_.launch({"xterm", "-T", "thief"});
  const std::optional<tools::Window> thief = desktop_->windows().wait_for(
      [](const tools::Window& found) { return found.title == "thief"; }, milliseconds(10'000));
  ASSERT_TRUE(thief);
  desktop_->windows().activate(thief->id);
  const ToolResult typed = type("secret");
  EXPECT_FALSE(typed.ok);
  EXPECT_NE(typed.text.find("thief"), std::string::npos) << typed.text;
}

TEST_F(DesktopTools, points_belong_to_the_picture_that_they_name) {
  const std::uint64_t whole = look().details["frame"];
  const capture::Rect part = seen_->screen_map.area_to_desktop({640, 400, 320, 200});
  const ToolResult zoomed = call("screenshot", {{"region", {640, 400, 320, 200}}});
  ASSERT_TRUE(zoomed.ok) << zoomed.text;
  const capture::ScreenMap& closer = zoomed.frames.at(0)->screen_map;
  EXPECT_NEAR(closer.scale_x(), 0.5, 0.02) << "a part is shown twice as large as it is";
  ASSERT_TRUE(call("pointer", {{"action", "move"}, {"x", 0}, {"y", 0}}).ok);
  EXPECT_EQ(desktop_->pointer()->x_pt, part.x);
  EXPECT_EQ(desktop_->pointer()->y_pt, part.y);
  ASSERT_TRUE(call("pointer", {{"action", "move"}, {"x", 0}, {"y", 0}, {"frame", whole}}).ok);
  EXPECT_EQ(desktop_->pointer()->x_pt, 0);
  const ToolResult outside = call("pointer", {{"action", "click"}, {"x", 5000}, {"y", 0}});
  EXPECT_FALSE(outside.ok);
  EXPECT_EQ(desktop_->pointer()->x_pt, 0);
  EXPECT_FALSE(call("pointer", {{"action", "move"}, {"x", 1}, {"y", 1}, {"frame", 999'999}}).ok);
}

TEST_F(DesktopTools, the_wheel_scrolls_in_notches_down_is_positive) {
  std::string lines;
  for (int line_idx = 0; line_idx < 90; ++line_idx)
    lines += std::to_string(line_idx) + " lines of a text like those that people write\n";
  const tools::Window window = open_editor("mousepad", lines);
  ASSERT_TRUE(call("keyboard", {{"action", "key"}, {"keys", "ctrl+End"}}).ok);
  look();
  const json at = px(window.client.x + 100, window.client.y + 150);
  const auto scroll = [&](int down) {
    return call("pointer", {{"action", "scroll"}, {"x", at[0]}, {"y", at[1]}, {"down", down}});
  };
  const auto mark = [&](const std::string& text) {
    ASSERT_TRUE(click(window.client.x + 100, window.client.y + 150).ok);
    ASSERT_TRUE(call("keyboard", {{"action", "key"}, {"keys", "Home"}}).ok);
    ASSERT_TRUE(type(text).ok);
  };
  const ToolResult upwards = scroll(-2);
  EXPECT_EQ(upwards.evidence->verdict, Verdict::Confirmed) << upwards.text;
  ASSERT_TRUE(upwards.evidence->scrolled) << upwards.text;
  EXPECT_GT(upwards.evidence->scrolled->dy, 20);
  EXPECT_EQ(upwards.evidence->scrolled->dx, 0);
  EXPECT_NE(upwards.text.find("content scrolled up by " + std::to_string(upwards.evidence->scrolled->dy) + " px"),
            std::string::npos)
      << upwards.text;
  const ToolResult downwards = scroll(1);
  ASSERT_TRUE(downwards.evidence->scrolled) << downwards.text;
  EXPECT_LT(downwards.evidence->scrolled->dy, 0) << downwards.text;
  EXPECT_EQ(scroll(-30).evidence->verdict, Verdict::Confirmed);
  mark("#");
  EXPECT_EQ(scroll(30).evidence->verdict, Verdict::Confirmed);
  mark("&");
  const std::string text = saved([](const std::string& bytes) { return bytes.find('&') != std::string::npos; });
  const std::size_t upper = text.find('#'), lower = text.find('&');
  ASSERT_NE(upper, std::string::npos);
  ASSERT_NE(lower, std::string::npos);
  EXPECT_LT(std::stoi(text.substr(upper + 1)), 30);
  EXPECT_GT(std::stoi(text.substr(lower + 1)), 50);
  EXPECT_FALSE(scroll(300).ok);
}

}  // namespace
