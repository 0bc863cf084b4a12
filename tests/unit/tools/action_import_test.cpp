// Each conversion trap between the dialects of computer use is one test.

#include "tools/action_import.h"

#include <gtest/gtest.h>

namespace {

using tools::Action;
using tools::ActionError;
using tools::ActionImporter;
using tools::Dialect;
using tools::Target;
using Op = Action::Op;
using Names = std::vector<std::string>;

const tools::CaptureRef kCapture{"12", 1280, 800};

std::vector<Action> actions_of(Dialect dialect, const std::string& raw) {
  ActionImporter importer(dialect, kCapture);
  const auto result = importer.read(raw);
  if (const auto* error = std::get_if<ActionError>(&result)) {
    ADD_FAILURE() << error->message;
    return {Action{}};
  }
  return std::get<std::vector<Action>>(result);
}

Action action_of(Dialect dialect, const std::string& raw) {
  return actions_of(dialect, raw).front();
}

std::string error_of(Dialect dialect, const std::string& raw) {
  ActionImporter importer(dialect, kCapture);
  const auto result = importer.read(raw);
  const auto* error = std::get_if<ActionError>(&result);
  return error ? error->message : "";
}

int notches_down(const Action& action) {
  return std::get<tools::Notches>(tools::to_notches(*action.scroll)).down;
}

TEST(ActionImport, openai_scrolls_in_pixels_not_in_notches) {
  const Action action = action_of(Dialect::OpenAi, R"({"type":"scroll","x":10,"y":20,"scroll_x":0,"scroll_y":300})");
  EXPECT_GE(notches_down(action), 2);
  EXPECT_LE(notches_down(action), 4);
  EXPECT_EQ(
      notches_down(action_of(Dialect::Anthropic,
                             R"({"action":"scroll","coordinate":[5,5],"scroll_direction":"down","scroll_amount":3})")),
      3);
}

TEST(ActionImport, qwen_and_pyautogui_scroll_up_with_a_positive_sign) {
  EXPECT_LT(notches_down(action_of(Dialect::Qwen3, R"({"action":"scroll","pixels":240})")), 0);
  EXPECT_GT(notches_down(action_of(Dialect::Qwen3, R"({"action":"scroll","pixels":-5})")), 0);
  EXPECT_EQ(notches_down(action_of(Dialect::OsWorldPyAutoGui, "pyautogui.scroll(-5)")), 5);
  EXPECT_EQ(
      notches_down(action_of(Dialect::OsWorldComputer13, R"({"action_type":"SCROLL","parameters":{"dx":0,"dy":3}})")),
      -3);
  EXPECT_EQ(notches_down(action_of(Dialect::UiTars15, "Action: scroll(start_box='(1,2)', direction='down')")), 5);
}

TEST(ActionImport, openais_wheel_button_is_the_middle_one) {
  EXPECT_EQ(action_of(Dialect::OpenAi, R"({"type":"click","x":0,"y":0,"button":"wheel"})").button,
            Action::Button::Middle);
  EXPECT_EQ(action_of(Dialect::OpenAi, R"({"type":"click","x":0,"y":0,"button":"back"})").button, Action::Button::Back);
}

TEST(ActionImport, a_drag_with_only_its_end_starts_where_the_pointer_is) {
  for (const Dialect dialect : {Dialect::Qwen25, Dialect::OsWorldPyAutoGui, Dialect::OsWorldComputer13}) {
    ActionImporter importer(dialect, kCapture);
    const bool qwen = dialect == Dialect::Qwen25, text = dialect == Dialect::OsWorldPyAutoGui;
    const std::string drag = qwen   ? R"({"action":"left_click_drag","coordinate":[300,40]})"
                             : text ? "pyautogui.dragTo(300, 40, duration=0.5)"
                                    : R"({"action_type":"DRAG_TO","parameters":{"x":300,"y":40}})";
    EXPECT_TRUE(std::holds_alternative<ActionError>(importer.read(drag)));
    importer.read(qwen   ? R"({"action":"mouse_move","coordinate":[0,0]})"
                  : text ? "pyautogui.moveTo(0, 0)"
                         : R"({"action_type":"MOVE_TO","parameters":{"x":0,"y":0}})");
    const auto result = importer.read(drag);
    const auto* actions = std::get_if<std::vector<Action>>(&result);
    ASSERT_NE(actions, nullptr);
    ASSERT_EQ(actions->front().path.size(), 2U);
    EXPECT_EQ(actions->front().path[0].x, 0);
    EXPECT_EQ(actions->front().path[1].x, 300);
  }
}

TEST(ActionImport, a_box_means_its_middle) {
  const Action action = action_of(Dialect::UiTars1, "Thought: x\nAction: click(start_box='[100,200,300,400]')");
  const auto point = std::get<tools::PointPx>(tools::resolve(*action.target, {1000, 1000}));
  EXPECT_EQ(point.x_px, 200);
  EXPECT_EQ(point.y_px, 300);
}

TEST(ActionImport, each_dialect_keeps_its_space_and_the_recorded_capture) {
  EXPECT_EQ(action_of(Dialect::UiTars15, "Action: click(start_box='<|box_start|>(12,34)<|box_end|>')").target->space,
            Target::Space::Px);
  EXPECT_EQ(action_of(Dialect::UiTarsSeed, "Action: click(point='<point>500 250</point>')").target->space,
            Target::Space::Norm1000);
  EXPECT_EQ(action_of(Dialect::Qwen3, R"({"action":"left_click","coordinate":[999,0]})").target->space,
            Target::Space::Norm1000);
  EXPECT_EQ(action_of(Dialect::Qwen25, R"({"action":"left_click","coordinate":[999,0]})").capture, kCapture);
}

TEST(ActionImport, numbers_may_be_strings_floats_and_zero) {
  const auto target = [](const std::string& coordinate) {
    return *action_of(Dialect::Qwen25, R"({"action":"left_click","coordinate":)" + coordinate + "}").target;
  };
  EXPECT_EQ(target(R"("330, 182")").x, 330);
  EXPECT_EQ(target(R"("[500, 500]")").y, 500);
  EXPECT_EQ(target(R"(["12","7"])").y, 7);
  EXPECT_EQ(target("[0.512, 3.5]").x, 0.512);
  EXPECT_EQ(target("[0, 0]").x, 0);
  const Action drag = action_of(Dialect::UiTars15, "Action: drag(start_box='(0,0)', end_box='(300,0)')");
  EXPECT_EQ(drag.path[0].x, 0);
  EXPECT_EQ(drag.path[1].y, 0);
}

TEST(ActionImport, ui_tars_text_keeps_its_spaces_and_its_one_line_end) {
  for (const char* content : {"  hi\\n", "  hi\n", "  hi\r\n", "  hi\\\\n"})
    EXPECT_EQ(action_of(Dialect::UiTars15, std::string("Action: type(content='") + content + "')").text, "  hi\n")
        << content;
  EXPECT_EQ(action_of(Dialect::UiTars15, R"(Action: type(content='it\'s "$(x)`'))").text, "it's \"$(x)`");
}

TEST(ActionImport, key_names_of_every_dialect_are_one_and_unknown_ones_are_errors) {
  EXPECT_EQ(action_of(Dialect::Anthropic, R"({"action":"key","text":"ctrl+Page_Down"})").keys,
            (Names{"ctrl", "Page_Down"}));
  EXPECT_EQ(action_of(Dialect::OpenAi, R"({"type":"keypress","keys":["CTRL","S"]})").keys, (Names{"ctrl", "s"}));
  EXPECT_EQ(action_of(Dialect::OpenAi, R"({"type":"keypress","keys":["ARROWUP"]})").keys, Names{"Up"});
  EXPECT_EQ(action_of(Dialect::UiTars15, "Action: hotkey(key='ctrl shift t')").keys, (Names{"ctrl", "shift", "t"}));
  EXPECT_EQ(action_of(Dialect::OsWorldPyAutoGui, "pyautogui.hotkey('ctrlleft', 'pgdn')").keys,
            (Names{"ctrl", "Page_Down"}));
  EXPECT_EQ(error_of(Dialect::UiTars15, "Action: hotkey(key='ctrl foo')"), "there is no key named \"foo\"");
  EXPECT_EQ(error_of(Dialect::OpenAi, R"({"type":"keypress","keys":["CTRL","FOO"]})"), "there is no key named \"FOO\"");
}

TEST(ActionImport, modifiers_come_in_the_text_of_an_anthropic_click) {
  const Action action = action_of(Dialect::Anthropic, R"({"action":"left_click","coordinate":[1,2],"text":"ctrl"})");
  EXPECT_EQ(action.modifiers, Names{"ctrl"});
  EXPECT_EQ(error_of(Dialect::Anthropic, R"({"action":"left_click","coordinate":[1,2],"text":"hello+a"})"),
            "there is no key named \"hello\"");
  EXPECT_EQ(action_of(Dialect::OpenAi, R"({"type":"click","x":1,"y":2,"keys":["SHIFT"]})").modifiers, Names{"shift"});
}

TEST(ActionImport, a_list_of_one_may_come_bare) {
  EXPECT_EQ(action_of(Dialect::Qwen3, R"({"action":"key","keys":"enter"})").keys, Names{"Return"});
  EXPECT_EQ(action_of(Dialect::Qwen3, R"({"action":"key","keys":["enter"]})").keys, Names{"Return"});
}

TEST(ActionImport, whole_answers_of_each_dialect) {
  const auto toolset = action_of(
      Dialect::Anthropic,
      R"({"type":"tool_use","toolset_name":"computer","name":"left_click_drag","input":{"start_coordinate":[0,0],"coordinate":[9,9]}})");
  EXPECT_EQ(toolset.op, Op::Drag);
  EXPECT_EQ(action_of(Dialect::Anthropic, R"({"name":"key","input":{"text":"Down","repeat":3}})").count, 3);
  EXPECT_EQ(actions_of(Dialect::Anthropic, R"({"action":"key","text":"Down Down Return"})").size(), 3U);
  EXPECT_EQ(action_of(Dialect::Anthropic, R"({"action":"zoom","region":[10,20,110,70]})").region,
            (capture::Rect{10, 20, 100, 50}));
  EXPECT_EQ(action_of(Dialect::Anthropic, R"({"action":"hold_key","text":"w","duration":1.5})").duration_ms, 1500);
  EXPECT_EQ(actions_of(Dialect::OpenAi,
                       R"({"type":"computer_call","actions":[{"type":"move","x":1,"y":1},{"type":"screenshot"}]})")
                .size(),
            2U);
  EXPECT_EQ(actions_of(Dialect::UiTars15, "Thought: a\nAction: click(start_box='(1,1)')\n\nwait()").size(), 2U);
  EXPECT_EQ(action_of(Dialect::Qwen3,
                      "<tool_call>{\"name\":\"computer_use\",\"arguments\":{\"action\":\"terminate\",\"status\":"
                      "\"failure\"}}</tool_call>")
                .status,
            Action::Status::Failure);
  const auto script = actions_of(Dialect::OsWorldPyAutoGui,
                                 "import pyautogui; import time\npyautogui.click(100, 200, clicks=2, button='right')\n"
                                 "time.sleep(0.5); pyautogui.typewrite('a<b', interval=0.1)\nDONE");
  ASSERT_EQ(script.size(), 4U);
  EXPECT_EQ(script[0].count, 2);
  EXPECT_EQ(script[2].text, "a<b");
  EXPECT_EQ(script[3].op, Op::Finish);
}

TEST(ActionImport, nothing_is_ever_evaluated) {
  for (const char* text :
       {"__import__('os').system('id')", "pyautogui.click(1+1, 2)", "pyautogui.click(x=eval('1'), y=2)",
        "os.system('id')", "pyautogui.write('a' * 3)", "pyautogui.click(1, 2"})
    EXPECT_NE(error_of(Dialect::OsWorldPyAutoGui, text), "") << text;
}

}  // namespace
