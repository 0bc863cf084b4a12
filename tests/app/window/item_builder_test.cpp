// The views' items from a record.

#include "app/window/item_builder.h"

#include <gtest/gtest.h>

#include "app/window/call_text.h"
#include "tests/app/window/demo_record.h"
#include "tests/unit/tools/temporary_folder.h"

namespace app {
namespace {

class Items : public testing::Test {
 protected:
  void SetUp() override {
    const std::filesystem::path record = folder_.path() / "sessions.db";
    session_ = app_test::write_demo_sessions(record);
    recorder_ = agent::Recorder::open(record);
  }

  tools::TemporaryFolder folder_{tools::fast_disk()};
  agent::SessionId session_ = 0;
  std::unique_ptr<agent::Recorder> recorder_;
};

const SessionItem* item_titled(const SessionDelta& delta, const QString& line) {
  for (const SessionDelta::Change& change : delta.changes) {
    if (plain_line(change.item).startsWith(line)) return &change.item;
  }
  return nullptr;
}

TEST_F(Items, hold_what_was_asked_thought_done_seen_and_how_it_ended) {
  ItemBuilder builder;
  for (const agent::Event& event : recorder_->load_events(session_)) builder.add(event);
  const SessionDelta delta = builder.take_delta();
  EXPECT_EQ(delta.changes.front().item.kind, SessionItem::Kind::Instruction);
  EXPECT_EQ(delta.changes.back().item.kind, SessionItem::Kind::Ending);
  EXPECT_EQ(delta.changes.back().item.n_unverified, 1);
  const SessionItem* click = item_titled(delta, "Click at 122, 262");
  ASSERT_NE(click, nullptr);
  EXPECT_EQ(click->verdict, "confirmed");
  EXPECT_EQ(click->changed_pt, QList<QRect>{QRect(96, 96, 268, 44)});
  EXPECT_GT(click->seconds, 0);
  EXPECT_NE(click->screen, 0) << "the picture that it was decided on";
  EXPECT_NE(click->picture, click->screen) << "the picture after it";
  const SessionItem* web = item_titled(delta, "Fetch");
  ASSERT_NE(web, nullptr);
  EXPECT_EQ(web->call_state, SessionItem::CallState::Denied);
  ASSERT_EQ(delta.plans.size(), 3);
  EXPECT_EQ(delta.plans.last().lines[1].evidence, "277.90, twice");
}

TEST_F(Items, tell_what_was_read_elsewhere_what_was_taken_hold_of_and_what_is_not_proven) {
  ItemBuilder builder;
  for (const agent::Event& event : recorder_->load_events(session_)) builder.add(event);
  const SessionDelta delta = builder.take_delta();
  const SessionItem* click = item_titled(delta, "Click at 122, 262");
  ASSERT_NE(click, nullptr);
  EXPECT_EQ(click->target_name, "push button 4");
  EXPECT_EQ(click->target_pt, QRect(96, 226, 62, 56));
  EXPECT_GT(click->last_event, click->event) << "its answer";
  EXPECT_EQ(click->answer_turn, click->turn + 1);
  bool has_origin = false;
  for (const SessionDelta::Change& change : delta.changes) has_origin |= !change.item.origins.isEmpty();
  EXPECT_TRUE(has_origin);
  const QList<ClaimNote>& claims = delta.changes.back().item.claims;
  ASSERT_EQ(claims.size(), 2);
  EXPECT_TRUE(claims[0].problem.isEmpty());
  EXPECT_EQ(claims[1].problem, "[9] failed");
}

TEST_F(Items, are_the_same_read_in_pieces_as_they_come_or_all_at_once) {
  ItemBuilder at_once;
  QList<SessionItem> in_pieces;
  ItemBuilder piecewise;
  for (const agent::Event& event : recorder_->load_events(session_)) {
    at_once.add(event);
    for (const agent::Event& next : recorder_->load_events(session_, piecewise.last_event())) {
      if (next.id == event.id) piecewise.add(next);
    }
    for (const SessionDelta::Change& change : piecewise.take_delta().changes) {
      if (change.index == in_pieces.size()) in_pieces.append(SessionItem());
      in_pieces[change.index] = change.item;
    }
  }
  const SessionDelta whole = at_once.take_delta();
  ASSERT_EQ(in_pieces.size(), whole.changes.size());
  for (qsizetype n = 0; n < in_pieces.size(); ++n) {
    EXPECT_EQ(whole_text(in_pieces[n]), whole_text(whole.changes[n].item));
    EXPECT_EQ(in_pieces[n].picture, whole.changes[n].item.picture);
  }
}

TEST(CallText, shows_what_would_hide) {
  EXPECT_EQ(call_title("keyboard", {{"action", "type"}, {"text", "a\u202Eb"}}), "Type “a\\u{202e}b”");
}

}  // namespace
}  // namespace app
