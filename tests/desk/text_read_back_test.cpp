// What typing did to the field is read back from the program and told as evidence.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tools/field_reader.h"
#include "tools/keyboard.h"
#include "tools/private_desktop.h"
#include "tools/tool_registry.h"

namespace tools {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;
using testing::HasSubstr;

class TextReadBack : public testing::Test {
 protected:
  TextReadBack() {
    const auto tree = std::make_shared<UiTree>(private_.display());
    std::map<std::string, std::unique_ptr<TextRoute>> routes;
    routes.emplace("clipboard", std::make_unique<ClipboardRoute>(*desktop_));
    registry_.add(std::make_unique<KeyboardTool>(*desktop_, std::move(routes),
                                                 std::make_unique<FieldReader>(desktop_->windows(), tree)));
  }
  void open(const std::vector<std::string>& argv) {
    const DesktopProcess process = private_.launch(argv);
    const std::optional<Window> window = desktop_->windows().wait_for(
        [&](const Window& found) { return belongs_to_session(found, process.pid()); }, 20s);
    ASSERT_TRUE(window) << process.output();
    ASSERT_EQ(desktop_->windows().activate(window->id), std::nullopt);
    desktop_->screen_watch().settle({.first_change_ms = 300});
    desktop_->remember_focus();
  }
  void open_form(const std::string& field) { open({DESKHAND_BIN_DIR "/deskhand-test-form", field}); }
  ToolResult type(const std::string& text, const std::string& route = "keys") {
    return registry_.run(
        {.id = "1", .name = "keyboard", .arguments = {{"action", "type"}, {"text", text}, {"route", route}}}, {});
  }
  void expect_as_typed(const ToolResult& result) {
    ASSERT_TRUE(result.evidence) << result.text;
    EXPECT_EQ(result.evidence->verdict, Verdict::Confirmed) << result.text;
    ASSERT_TRUE(result.evidence->field_text) << result.text;
    EXPECT_EQ(result.evidence->field_text->state, FieldText::State::AsTyped);
    EXPECT_THAT(result.text, HasSubstr("the field holds it as typed"));
  }
  void expect_different(const ToolResult& result, const std::string& what_is_there) {
    ASSERT_TRUE(result.evidence && result.evidence->field_text) << result.text;
    EXPECT_EQ(result.evidence->verdict, Verdict::Partial) << result.text;
    EXPECT_EQ(result.evidence->field_text->excerpt, what_is_there);
    EXPECT_THAT(result.text, HasSubstr("something else than typed: \"" + what_is_there + "\""));
  }

  PrivateDesktop private_ = PrivateDesktop::start();
  std::unique_ptr<Desktop> desktop_ = Desktop::open({.display = private_.display(), .is_private = true});
  ToolRegistry registry_;
};

TEST_F(TextReadBack, of_a_gtk_editor_is_confirmed_by_what_it_holds) {
  open({"mousepad"});
  expect_as_typed(type("Grüße 你好 😀\tend\nsecond"));
  expect_as_typed(type(" line\n"));
  expect_as_typed(type("und mehr", "clipboard"));
}

TEST_F(TextReadBack, of_a_qt_editor_is_confirmed_by_what_it_holds) {
  open({"featherpad", "--standalone"});
  expect_as_typed(type("Grüße 你好 😀\tend\nsecond"));
  expect_as_typed(type(" line"));
}

TEST_F(TextReadBack, takes_the_place_of_what_was_selected) {
  open_form("plain");
  expect_as_typed(type("first"));
  registry_.run({.id = "2", .name = "keyboard", .arguments = {{"action", "key"}, {"keys", "ctrl+a"}}}, {});
  expect_as_typed(type("second"));
}

TEST_F(TextReadBack, that_a_field_cuts_is_told_with_what_is_there) {
  open_form("short");
  expect_different(type("12345678"), "12345");
  const ToolResult full = type("9");
  ASSERT_TRUE(full.evidence && full.evidence->field_text) << full.text;
  EXPECT_EQ(full.evidence->verdict, Verdict::NoOp) << full.text;
  EXPECT_THAT(full.text, HasSubstr("the field is as before: \"12345\""));
}

TEST_F(TextReadBack, that_a_field_completes_is_told_with_what_is_there) {
  open_form("completed");
  expect_different(type("Hei"), "Heidelberg");
}

TEST_F(TextReadBack, that_a_gtk_file_manager_completes_is_told_with_what_is_there) {
  std::filesystem::create_directory(private_.home() / "Unverwechselbar");
  open({"pcmanfm"});
  registry_.run({.id = "2", .name = "keyboard", .arguments = {{"action", "key"}, {"keys", "ctrl+l"}}}, {});
  const std::string folder = private_.home().string();
  const ToolResult typed = type(folder + "/Unver");
  ASSERT_TRUE(typed.evidence && typed.evidence->field_text) << typed.text;
  EXPECT_EQ(typed.evidence->verdict, Verdict::Partial) << typed.text;
  EXPECT_THAT(typed.text, HasSubstr("Unverwechselbar"));
}

TEST_F(TextReadBack, of_a_password_field_is_not_read) {
  open_form("password");
  const ToolResult typed = type("geheim");
  ASSERT_TRUE(typed.evidence) << typed.text;
  EXPECT_FALSE(typed.evidence->field_text);
  EXPECT_EQ(typed.evidence->verdict, Verdict::Unverifiable) << typed.text;
  EXPECT_THAT(typed.text, HasSubstr("What the field holds can't be read back."));
}

TEST_F(TextReadBack, of_a_program_without_widgets_is_unverifiable) {
  open({"xterm"});
  const ToolResult typed = type("echo hello");
  ASSERT_TRUE(typed.ok && typed.evidence) << typed.text;
  EXPECT_EQ(typed.evidence->verdict, Verdict::Unverifiable) << typed.text;
  EXPECT_FALSE(typed.evidence->changed_regions.empty()) << "it was seen to change";
}

}  // namespace
}  // namespace tools
