// Long conversations: all is kept while there is room, and what counts is kept when there isn't.

#include "agent/compaction.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace agent {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Picture picture() {
  return std::make_shared<capture::Frame>(cv::Mat(2, 2, CV_8UC4, cv::Scalar::all(0)),
                                          capture::ScreenMap({0, 0, 2, 2}, {2, 2}));
}

// A task with `n` calls, each with its result and a picture.
Transcript conversation(int n) {
  Transcript transcript("The rules.");
  transcript.append(UserMessage{"Paint the house", {picture()}, false});
  for (int i = 1; i <= n; ++i) {
    const std::string number = std::to_string(i);
    std::string id = "call_", pressed = "b", result = "[";
    id += number;
    pressed += number;
    result.append(number).append("] result ").append(number);
    const bool is_note = i == 2;
    transcript.append(AssistantMessage{
        "long thought", "", {{id, is_note ? "note" : "press", {{"text", is_note ? "the key is 42" : pressed}}}}});
    transcript.append(ToolMessage{id, result, {picture()}, true});
    if (i == 3) transcript.append(UserMessage{"Blue, please", {}, false});
    if (i == 4) transcript.append(UserMessage{"a hint of the loop", {}, true});
  }
  return transcript;
}

bool is_valid(const Transcript& transcript) {
  std::vector<std::string> open;
  for (const Message& message : transcript.messages()) {
    if (const auto* reply = std::get_if<AssistantMessage>(&message)) {
      if (!open.empty()) return false;
      for (const ModelCall& call : reply->calls) open.push_back(call.id);
    } else if (const auto* result = std::get_if<ToolMessage>(&message)) {
      if (std::erase(open, result->call_id) != 1) return false;
    }
  }
  return open.empty();
}

int n_pictures(const Transcript& transcript) {
  return static_cast<int>(render(transcript).pictures.size());
}

TEST(Compaction, drops_nothing_while_there_is_room) {
  const Transcript whole = conversation(300);
  Compaction compaction;
  EXPECT_EQ(&compaction.view(whole), &whole);
}

TEST(Compaction, keeps_task_plan_notes_and_the_last_part_when_full) {
  Transcript whole = conversation(20);
  Plan plan;
  ASSERT_FALSE(plan.replace({{"steps", {{{"text", "paint the door"}, {"state", "active"}}}}}));
  Compaction compaction;
  ASSERT_TRUE(compaction.tighten(whole, plan));
  const Transcript& view = compaction.view(whole);
  EXPECT_EQ(view.instructions(), "The rules.");
  EXPECT_LT(view.messages().size(), whole.messages().size() * 2 / 3);
  EXPECT_TRUE(is_valid(view));
  const std::string& summary = std::get<UserMessage>(view.messages()[0]).text;
  EXPECT_TRUE(summary.starts_with("Paint the house\nBlue, please\n")) << summary;
  EXPECT_THAT(summary, HasSubstr("[active] paint the door"));
  EXPECT_THAT(summary, HasSubstr("the key is 42"));
  EXPECT_THAT(summary, HasSubstr("press {\"text\":\"b5\"} → [5] result 5"));
  EXPECT_THAT(summary, Not(HasSubstr("a hint of the loop")));
  EXPECT_THAT(summary, Not(HasSubstr("long thought")));
  EXPECT_EQ(std::get<ToolMessage>(view.messages().back()).text, "[20] result 20");
  EXPECT_GT(n_pictures(view), 5) << "of the part that is kept";
  EXPECT_EQ(whole.messages().size(), conversation(20).messages().size()) << "the transcript stays whole";

  const std::size_t n_before = view.messages().size();
  whole.append(AssistantMessage{"", "", {{"call_21", "press", {{"text", "b21"}}}}});
  whole.append(ToolMessage{"call_21", "[21] result 21", {}, true});
  EXPECT_EQ(compaction.view(whole).messages().size(), n_before + 2) << "what is new is added, the rest stays as it was";
}

TEST(Compaction, tightens_until_nothing_is_left_to_drop) {
  const Transcript whole = conversation(40);
  Compaction compaction;
  int n_times = 0;
  std::size_t n_before = whole.messages().size() + 1;
  while (compaction.tighten(whole, Plan())) {
    ASSERT_LT(++n_times, 12);
    const Transcript& view = compaction.view(whole);
    EXPECT_TRUE(is_valid(view));
    EXPECT_LE(view.messages().size(), n_before);
    n_before = view.messages().size();
  }
  EXPECT_LE(n_before, 10U);
  EXPECT_EQ(n_pictures(compaction.view(whole)), 1) << "the newest picture is kept to the last";
}

}  // namespace
}  // namespace agent
