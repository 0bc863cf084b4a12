// The small model reads what a real program shows: it looks closer first.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent/engine_model.h"
#include "tests/desk/runner/task_run.h"

namespace desk {
namespace {

using nlohmann::ordered_json;
using testing::Contains;
using testing::HasSubstr;

// "512 073": the place in thousandths of the screen, as the model's card writes points.
std::string place_of(int x_pt, int y_pt, const agent::ModelInfo& screen) {
  char words[8];
  std::snprintf(words, sizeof words, "%03d %03d", x_pt * 1000 / screen.screen_width_px,
                y_pt * 1000 / screen.screen_height_px);
  return words;
}

const std::filesystem::path kNano = std::filesystem::path(DESKHAND_SOURCE_DIR) / "resources/models/nano";

Task reading_task(const ordered_json& programs, const std::string& instruction, const std::string& answer) {
  return make_task({{"id", "reading"},
                    {"skills", {"read"}},
                    {"applications", {"zenity"}},
                    {"parameters", ordered_json::object()},
                    {"instruction", instruction},
                    {"setup", {{"programs", programs}}},
                    {"checks", ordered_json::array({{{"get", "answer"}, {"equals", answer}}})},
                    {"oracle", ordered_json::array()}},
                   1);
}

TEST(NanoReading, nothing_is_read_where_nothing_is_written) {
  const auto model = agent::load_engine_model({.model_dir = kNano});
  const Task task = reading_task(ordered_json::array(), "Read 500 300", "");
  const TaskResult result = TaskRun(task, model->info()).work(*model);
  EXPECT_EQ(result.ending, agent::Ending::GaveUp) << result.answer;
  EXPECT_THAT(result.answer, HasSubstr("nothing to be read"));
}

// What comes of "`before` the place of the field's text", the field being in a program that is running.
TaskResult read_field(const std::string& before) {
  const ordered_json program = {
      {"argv", {"zenity", "--entry", "--title=Rename", "--text=Name", "--entry-text=winter plan 47"}},
      {"window", "Rename"},
      {"place", {200, 150, 420, 170}}};
  Task task = reading_task(ordered_json::array({program}), "Read it", "winter plan 47");
  const auto model = agent::load_engine_model({.model_dir = kNano});
  TaskRun run(task, model->info());
  const std::optional<FoundWidget> field = run.state().find_widget({{"window", "Rename"}, {"role", "text"}});
  if (!field || !field->node.box) {
    ADD_FAILURE() << "the field isn't there";
    return {};
  }
  constexpr int kInText_pt = 45;  // from the field's left edge
  task.instruction = before + place_of(field->node.box->x + kInText_pt,
                                       field->node.box->y + field->node.box->height / 2, model->info());
  return run.work(*model);
}

TEST(NanoReading, looks_closer_at_a_field_and_says_what_it_holds) {
  const TaskResult result = read_field("Read ");
  EXPECT_TRUE(result.is_success) << result.answer;
  EXPECT_THAT(result.trace, Contains(HasSubstr("calls zoom")));
  EXPECT_EQ(result.n_steps, 2) << "one closer look, then the answer";
}

TEST(NanoReading, a_plan_may_end_with_it) {
  const TaskResult result = read_field("Press Tab, then read ");
  EXPECT_TRUE(result.is_success) << result.answer;
  EXPECT_THAT(result.trace, Contains(HasSubstr("calls zoom")));
}

}  // namespace
}  // namespace desk
