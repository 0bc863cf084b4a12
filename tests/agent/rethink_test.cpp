// A model asked again at each turn of a recorded session: what counts as the same decision.

#include "agent/rethink.h"

#include "tests/agent/recorder_fixture.h"
#include "tests/agent/scripted_model.h"

namespace agent {
namespace {

Reply click_at(int x, int y) {
  return call("pointer", {{"action", "click"}, {"x", x}, {"y", y}});
}

class RethinkTest : public RecorderTest {
 protected:
  RethinkTest() : screen_(editor_screen({"before"})), session_(begin()) {
    recorder->append_message(session_, UserMessage{"press OK, then write", {screen_}, false});
    say(click_at(400, 300), "call_1");
    recorder->append_message(session_, ToolMessage{"call_1", "Clicked.", {editor_screen({"after"})}, true});
    say(call("keyboard", {{"action", "type"}, {"text", "hello"}}), "call_2");
    recorder->append_message(session_, ToolMessage{"call_2", "Typed.", {}, true});
    recorder->append_message(session_, AssistantMessage{"", "Done.", {}});
  }

  void say(Reply reply, const std::string& call_id) {
    reply.message.calls[0].id = call_id;
    recorder->append_message(session_, reply.message);
    Intent intent = click_intent(call_id);
    intent.call = {call_id, reply.message.calls[0].name, nlohmann::json(reply.message.calls[0].arguments)};
    tools::ToolResult result{.ok = true, .text = "done"};
    if (call_id == "call_1") {
      // Its box in desktop points; the picture's corner is the point (-100, 50).
      tools::Anchor anchor{.point = {300, 350}, .window = {}, .widget = {}, .picture = nullptr};
      anchor.widget = {"push button", "OK", {}, 0, 1, {260, 330, 120, 40}};
      result.anchors = {anchor};
    }
    recorder->outcome(recorder->intent(session_, intent), result, 0.1);
  }

  std::vector<Rethought> ask(std::deque<Reply> script) {
    ScriptedModel model(std::move(script));
    std::vector<Rethought> turns =
        rethink(*recorder, session_, model, {}, {}, [this](const Rethought&) { ++n_told_; }, {});
    EXPECT_EQ(model.seen.size(), 3u);
    if (model.seen.size() != 3) return {};
    EXPECT_EQ(model.seen[0].messages().size(), 1u) << "it doesn't see what it is to say";
    expect_equal(std::get<UserMessage>(model.seen[0].messages()[0]).pictures.at(0), screen_);
    EXPECT_EQ(model.seen[2].messages().size(), 5u);
    return turns.size() == 3 ? turns : std::vector<Rethought>(3);
  }

  Picture screen_;
  SessionId session_;
  int n_told_ = 0;
};

TEST_F(RethinkTest, the_same_decisions_agree) {
  const auto turns = ask({click_at(400, 300), call("keyboard", {{"action", "type"}, {"text", "hello"}})});
  for (const Rethought& turn : turns) EXPECT_TRUE(turn.agrees && turn.is_same_kind) << turn.recorded << turn.now;
  EXPECT_EQ(turns[0].distance_px, 0);
  EXPECT_EQ(n_told_, 3);
}

TEST_F(RethinkTest, a_point_near_by_or_on_the_same_widget_agrees) {
  const Reply typing = call("keyboard", {{"action", "type"}, {"text", "hello"}});
  const Rethought near_by = ask({click_at(412, 316), typing})[0], on_it = ask({click_at(475, 300), typing})[0],
                  beside_it = ask({click_at(485, 300), typing})[0];
  EXPECT_TRUE(near_by.agrees);
  EXPECT_EQ(near_by.distance_px, 20);
  EXPECT_TRUE(on_it.agrees) << "75 px away, in the button's box";
  EXPECT_FALSE(beside_it.agrees) << "85 px away, outside it";
  EXPECT_TRUE(beside_it.is_same_kind);
}

TEST_F(RethinkTest, another_text_button_or_tool_does_not_agree) {
  const auto turns = ask({call("pointer", {{"action", "right_click"}, {"x", 400}, {"y", 300}}),
                          call("keyboard", {{"action", "type"}, {"text", "hallo"}}), click_at(1, 1)});
  EXPECT_FALSE(turns[0].agrees || turns[0].is_same_kind) << turns[0].now;
  EXPECT_FALSE(turns[1].agrees);
  EXPECT_TRUE(turns[1].is_same_kind) << "it types as well";
  EXPECT_FALSE(turns[2].agrees || turns[2].is_same_kind) << "it goes on where the recorded one was done";
  EXPECT_EQ(turns[2].recorded, "Done.");
}

}  // namespace
}  // namespace agent
