// The tools for windows, widgets, clipboard and launching as the model calls them: through the registry, with JSON.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

#include "tools/accessibility_route.h"
#include "tools/clipboard_tool.h"
#include "tools/desktop.h"
#include "tools/launch_tool.h"
#include "tools/private_desktop.h"
#include "tools/tool_registry.h"
#include "tools/ui_tree_tool.h"
#include "tools/windows_tool.h"

namespace tools {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;

struct Fixture {
  PrivateDesktop desktop = PrivateDesktop::start();
  Windows windows = Windows::open(desktop.display());
  Clipboard clipboard{desktop.display()};
  std::optional<capture::ScreenMap> picture;
  ToolRegistry tools;

  Fixture() {
    const DesktopView view{
        .windows = windows, .input_effect = Effect::InputPrivate, .newest_picture = [this] { return picture; }};
    tools.add(std::make_unique<WindowsTool>(view));
    tools.add(std::make_unique<UiTreeTool>(view, std::make_unique<UiTree>(desktop.display())));
    tools.add(std::make_unique<ClipboardTool>(clipboard, Effect::InputPrivate));
    tools.add(std::make_unique<LaunchTool>(desktop, view));
  }
  ToolResult call(const std::string& name, const json& arguments) { return tools.run({"1", name, arguments}, {}); }
};

TEST(WindowTools, a_program_is_launched_seen_and_closed) {
  Fixture f;
  const ToolResult launched = f.call("launch", {{"program", "galculator"}});
  ASSERT_TRUE(launched.ok) << launched.text;
  EXPECT_THAT(launched.text, HasSubstr("\"galculator\""));
  EXPECT_EQ(launched.evidence->verdict, Verdict::Confirmed);
  EXPECT_THAT(f.call("windows", {{"action", "list"}}).text, HasSubstr("\"galculator\" (galculator, process"));
  const ToolResult closed = f.call("windows", {{"action", "close"}, {"title", "galcu"}});
  EXPECT_TRUE(closed.ok) << closed.text;
  EXPECT_EQ(closed.evidence->windows_closed, std::vector<std::string>{"galculator"});
  EXPECT_EQ(f.call("windows", {{"action", "list"}}).text, "There are no windows.");
  const ToolResult again = f.call("windows", {{"action", "close"}, {"title", "galcu"}});
  EXPECT_FALSE(again.ok);
  EXPECT_THAT(again.text, HasSubstr("no window has \"galcu\" in its title"));
}

TEST(WindowTools, a_program_without_a_window_tells_how_it_ended) {
  Fixture f;
  const ToolResult ended = f.call("launch", {{"program", "sh"}, {"arguments", {"-c", "echo oh no >&2; exit 3"}}});
  EXPECT_FALSE(ended.ok);
  EXPECT_THAT(ended.text, HasSubstr("exit code 3"));
  EXPECT_THAT(ended.text, HasSubstr("oh no"));
  const ToolResult missing = f.call("launch", {{"program", "no-such-program"}});
  EXPECT_FALSE(missing.ok);
  EXPECT_THAT(missing.text, HasSubstr("no-such-program"));
  const ToolResult windowless = f.call("launch", {{"program", "sleep"}, {"arguments", {"100"}}, {"limit_ms", 50}});
  EXPECT_THAT(windowless.text, HasSubstr("no window yet"));
}

TEST(WindowTools, places_are_pixels_of_the_picture_that_the_model_saw) {
  Fixture f;
  ASSERT_TRUE(f.call("launch", {{"program", "galculator"}}).ok);
  const ToolResult moved = f.call("windows", {{"action", "move"}, {"x", 200}, {"y", 100}});
  ASSERT_TRUE(moved.ok) << moved.text;
  EXPECT_THAT(moved.text, HasSubstr("at 200, 100 size"));
  f.picture = capture::ScreenMap({0, 0, 1280, 800}, {640, 400});
  EXPECT_THAT(f.call("windows", {{"action", "list"}}).text, HasSubstr("at 100, 50 size"));
  const ToolResult again = f.call("windows", {{"action", "move"}, {"x", 150}, {"y", 60}});
  ASSERT_TRUE(again.ok) << again.text;
  EXPECT_EQ(f.windows.list()[0].frame.x, 300);
  EXPECT_EQ(f.windows.list()[0].frame.y, 120);
  f.picture = capture::ScreenMap({0, 0, 100, 100}, {100, 100});
  EXPECT_THAT(f.call("windows", {{"action", "list"}}).text, HasSubstr("outside of the picture"));
}

TEST(WindowTools, a_widget_is_found_with_its_point) {
  Fixture f;
  ASSERT_TRUE(f.call("launch", {{"program", "galculator"}}).ok);
  const ToolResult found = f.call("ui_tree", {{"action", "find"}, {"role", "button"}, {"name", "7"}});
  ASSERT_TRUE(found.ok) << found.text;
  EXPECT_THAT(found.text, HasSubstr("toggle button \"7\" at "));
  EXPECT_THAT(found.text, Not(HasSubstr("can't be clicked")));
  EXPECT_FALSE(f.call("ui_tree", {{"action", "find"}, {"name", "no such thing"}}).ok);
  const ToolResult all = f.call("ui_tree", {{"action", "read"}});
  EXPECT_THAT(all.text, HasSubstr("menu \"File\""));
  EXPECT_THAT(all.text, Not(HasSubstr("filler")));
}

TEST(WindowTools, text_is_put_into_an_editor) {
  Fixture f;
  ASSERT_TRUE(f.call("launch", {{"program", "mousepad"}}).ok);
  const std::string text = "Grüße,\n世界 😀\n";
  const ToolResult put = f.call("ui_tree", {{"action", "replace"}, {"role", "text"}, {"text_to_put", text}});
  ASSERT_TRUE(put.ok) << put.text;
  EXPECT_EQ(put.evidence->verdict, Verdict::Confirmed);
  EXPECT_EQ(f.call("ui_tree", {{"action", "text"}}).text, text) << "the editor has the focus";
}

TEST(WindowTools, text_reaches_the_focused_widget_without_keys) {
  Fixture f;
  AccessibilityRoute route(f.windows, std::make_unique<UiTree>(f.desktop.display()));
  EXPECT_THAT(route.insert("x", {}).value_or(""), HasSubstr("no window has the focus"));
  ASSERT_TRUE(f.call("launch", {{"program", "mousepad"}}).ok);
  EXPECT_EQ(route.insert("ohne Tasten → 世界 😀\n", {}), std::nullopt);
  EXPECT_EQ(f.call("ui_tree", {{"action", "text"}}).text, "ohne Tasten → 世界 😀\n");
  ASSERT_TRUE(f.call("launch", {{"program", "xterm"}}).ok);
  EXPECT_EQ(f.call("windows", {{"action", "activate"}, {"title", "xterm"}}).text.substr(0, 8), "activate");
  EXPECT_THAT(route.insert("x", {}).value_or(""), HasSubstr("no widget of"));
}

TEST(WindowTools, a_desktop_lends_its_view) {
  PrivateDesktop screen = PrivateDesktop::start();
  const std::unique_ptr<Desktop> desktop = Desktop::open({.display = screen.display(), .is_private = true});
  WindowsTool windows(desktop->view());
  LaunchTool launch(screen, desktop->view());
  ASSERT_TRUE(
      launch.run({"1", "launch", {{"program", "xterm"}, {"arguments", {"-geometry", "40x10+200+100"}}}}, {}).ok);
  EXPECT_EQ(desktop->focus_problem(), std::nullopt) << "the model knows of the window that it opened";
  EXPECT_THAT(windows.run({"2", "windows", {{"action", "list"}}}, {}).text, HasSubstr("at 200, 100 size"));
  const capture::Grab grab = desktop->grab();
  ASSERT_TRUE(grab.frame);
  desktop->show(*capture::resize(grab.frame, {640, 400}));
  EXPECT_THAT(windows.run({"3", "windows", {{"action", "list"}}}, {}).text, HasSubstr("at 100, 50 size"));
  EXPECT_EQ(windows.effect({"4", "windows", {{"action", "close"}}}), Effect::InputPrivate);
}

TEST(WindowTools, the_clipboard_is_written_and_read) {
  Fixture f;
  EXPECT_THAT(f.call("clipboard", {{"action", "read"}}).text, HasSubstr("is empty"));
  const ToolResult written = f.call("clipboard", {{"action", "write"}, {"text", "→ kopiert"}});
  EXPECT_TRUE(written.ok);
  EXPECT_TRUE(written.evidence->clipboard_changed);
  EXPECT_EQ(f.call("clipboard", {{"action", "read"}}).text, "→ kopiert");
  f.call("clipboard", {{"action", "write"}, {"text", std::string(30'000, 'x')}});
  EXPECT_THAT(f.call("clipboard", {{"action", "read"}}).text, HasSubstr("[10000 bytes left out]"));
  EXPECT_TRUE(f.call("clipboard", {{"action", "clear"}}).ok);
  EXPECT_FALSE(f.call("clipboard", {{"action", "read"}}).ok);
}

TEST(WindowTools, waiting_for_a_window_ends_in_time) {
  Fixture f;
  const ToolResult waited = f.call("windows", {{"action", "wait"}, {"title", "never"}, {"limit_ms", 50}});
  EXPECT_FALSE(waited.ok);
  EXPECT_THAT(waited.text, HasSubstr("no window has \"never\" in its title"));
  f.desktop.launch({"xterm", "-T", "soon"});
  EXPECT_TRUE(f.call("windows", {{"action", "wait"}, {"title", "soon"}}).ok);
}

TEST(WindowTools, only_looking_needs_no_consent_to_act) {
  Fixture f;
  const auto effect = [&](const char* name, const json& arguments) { return f.tools.effect({"1", name, arguments}); };
  EXPECT_EQ(effect("windows", {{"action", "list"}}), Effect::Observe);
  EXPECT_EQ(effect("windows", {{"action", "close"}}), Effect::InputPrivate);
  EXPECT_EQ(effect("ui_tree", {{"action", "read"}}), Effect::Observe);
  EXPECT_EQ(effect("ui_tree", {{"action", "insert"}}), Effect::InputPrivate);
  EXPECT_EQ(effect("clipboard", {{"action", "read"}}), Effect::InputPrivate);
  EXPECT_EQ(effect("launch", {{"program", "x"}}), Effect::Shell);
}

}  // namespace
}  // namespace tools
