#include "agent/recorder.h"

#include <fstream>
#include <random>

#include "agent/session_journal.h"
#include "tests/agent/recorder_fixture.h"

namespace agent {
namespace {

namespace fs = std::filesystem;

// Every byte of every file of the record.
std::string all_bytes(const fs::path& folder) {
  std::string bytes;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    std::ifstream file(entry.path(), std::ios::binary);
    bytes.append(std::istreambuf_iterator<char>(file), {});
  }
  return bytes;
}

TEST_F(RecorderTest, a_session_reads_back_as_it_was) {
  const SessionId session = begin();
  const Picture screen = editor_screen(some_lines(20)), small = capture::resize(screen, {448, 280});
  const Picture part = capture::crop(screen, {101, 77, 333, 59});
  const std::vector<Message> messages = {UserMessage{"Write to Zoë: «naïve» 日本 🙂", {screen, small}, false},
                                         reply_with_call("call_1"), ToolMessage{"call_1", "Clicked.", {part}, true},
                                         UserMessage{"Be quick.", {}, true}, AssistantMessage{"", "Done.", {}}};
  for (const Message& message : messages) recorder->append_message(session, message);
  open();

  const LoadedTranscript loaded = recorder->load_transcript(session);
  EXPECT_EQ(loaded.transcript.instructions(), "Be brief.");
  ASSERT_EQ(loaded.transcript.messages().size(), messages.size());
  Transcript expected("Be brief.");
  for (const Message& message : messages) expected.append(message);
  const RenderedTranscript before = render(expected), after = render(loaded.transcript);
  EXPECT_EQ(before.messages.dump(), after.messages.dump());
  ASSERT_EQ(after.pictures.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) expect_equal(before.pictures[i], after.pictures[i]);
  EXPECT_TRUE(std::get<UserMessage>(loaded.transcript.messages()[3]).is_hint);
  EXPECT_TRUE(std::get<ToolMessage>(loaded.transcript.messages()[2]).ok);
  expect_equal(loaded.pictures.at(part->id), part);
}

TEST_F(RecorderTest, counts_what_each_rule_has_allowed) {
  const SessionId session = begin();
  const auto act = [&](const char* id, std::vector<Rule> rules) {
    Intent intent = click_intent(id);
    intent.allowed_by = std::move(rules);
    recorder->intent(session, intent);
  };
  act("call_1", {});  // the user was asked
  act("call_2", {{"input_private", "", Decision::Allow}});
  act("call_3", {{"shell", "git", Decision::Allow}, {"rights", "", Decision::Allow}});
  act("call_4", {{"shell", "git", Decision::Allow}});
  open();
  using Counts = std::map<std::pair<std::string, std::string>, std::int64_t>;
  EXPECT_EQ(recorder->count_allowed(),
            (Counts{{{"input_private", ""}, 2}, {{"rights", ""}, 1}, {{"shell", "git"}, 2}}));
}

TEST_F(RecorderTest, boxes_that_the_model_drew_are_in_the_record) {
  const SessionId session = begin();
  AssistantMessage message{"", "The <box>1 2 3 4 knob</box> turns.", {}};
  message.boxes = {{{10, 20, 30, 40}, "knob"}};
  recorder->append_message(session, message);
  const std::vector<Event> events = recorder->load_events(session);
  ASSERT_FALSE(events.empty());
  const auto& body = events.back().body;
  EXPECT_EQ(body.at("text"), message.text) << "the model's own words";
  EXPECT_EQ(body.at("boxes").dump(), R"([{"area_pt":[10,20,30,40],"label":"knob"}])");
}

TEST_F(RecorderTest, pictures_of_noise_and_odd_sizes_come_back_to_the_bit) {
  const SessionId session = begin();
  std::mt19937 random(5);
  for (const cv::Size size :
       {cv::Size(1, 1), cv::Size(64, 64), cv::Size(65, 63), cv::Size(200, 1), cv::Size(333, 257)}) {
    cv::Mat pixels(size, CV_8UC4);
    for (int y = 0; y < size.height; ++y)
      for (int x = 0; x < size.width; ++x)
        pixels.at<cv::Vec4b>(y, x) =
            cv::Vec4b::all(0) + cv::Vec4b(random() % 256, random() % 256, random() % 256, random() % 256);
    const auto picture = std::make_shared<const capture::Frame>(
        pixels, capture::ScreenMap({0, 0, size.width, size.height}, {size.width, size.height}));
    recorder->append_message(session, UserMessage{"look", {picture}, false});
    const Transcript loaded = recorder->load_transcript(session).transcript;
    expect_equal(std::get<UserMessage>(loaded.messages().back()).pictures.at(0), picture);
  }
}

TEST_F(RecorderTest, events_tell_what_was_intended_and_what_came_of_it) {
  const SessionId session = begin();
  const Picture before = editor_screen({"a"}), after = editor_screen({"ab"});
  recorder->model_call(session,
                       {.prompt_tokens = 900, .reused_tokens = 800, .reply_tokens = 20, .prefill_seconds = 0.5});
  Intent intent = click_intent("call_1");
  intent.screen = before;
  const ActionId action = recorder->intent(session, intent);
  tools::Evidence evidence;
  evidence.verdict = tools::Verdict::Confirmed;
  evidence.changed_regions = {{1, 2, 3, 4}};
  evidence.focused_window = "Letter";
  recorder->outcome(action, {true, "Clicked.", {after}, evidence, {{"button", "left"}}}, 0.02);
  recorder->plan_version(session, {{"goal", "a letter"}});
  recorder->finish_session(session, {Ending::Done, "The letter is written.", 3, 1});

  const std::vector<Event> events = recorder->load_events(session);
  ASSERT_EQ(events.size(), 5u);
  EXPECT_EQ(events[0].body.at("reused_tokens"), 800);
  EXPECT_EQ(events[1].kind, EventKind::Intent);
  EXPECT_EQ(events[1].body.at("effect"), "input_private");
  expect_equal(recorder->load_picture(events[1].body.at("screen")).picture, before);
  EXPECT_EQ(events[2].action_id, action);
  const auto& result = events[2].body.at("result");
  EXPECT_EQ(result.at("evidence").at("verdict"), "confirmed");
  EXPECT_EQ(result.at("evidence").at("changed_regions_pt").dump(), "[[1,2,3,4]]");
  EXPECT_EQ(result.at("evidence").at("focused_window"), "Letter");
  EXPECT_EQ(result.at("details").at("button"), "left");
  expect_equal(recorder->load_picture(result.at("pictures").at(0)).picture, after);
  EXPECT_EQ(events[3].body.at("goal"), "a letter");
  EXPECT_EQ(events[4].body.at("status"), "done");
  for (std::size_t i = 1; i < events.size(); ++i) EXPECT_GE(events[i].elapsed, events[i - 1].elapsed);
}

TEST_F(RecorderTest, a_journal_keeps_the_loops_session) {
  const SessionId session = begin();
  SessionJournal journal(*recorder, session);
  const tools::ToolCall call{"call_1", "click", {{"x", 1}}};
  Plan plan;
  ASSERT_FALSE(plan.replace({{"steps", {"open the editor"}}}));
  journal.message(reply_with_call("call_1"));
  journal.usage({.prompt_tokens = 5});
  journal.plan(plan);
  journal.intent({.call = call, .effect = tools::Effect::InputUser, .decision = "the user agreed", .screen = nullptr});
  journal.outcome(call, {.ok = true, .text = "Clicked."}, 0.25);
  journal.message(ToolMessage{"call_1", "Clicked.", {}, true});
  journal.finished({Ending::GaveUp, "no editor here", 1, 1});

  std::vector<EventKind> kinds;
  const std::vector<Event> events = recorder->load_events(session);
  for (const Event& event : events) kinds.push_back(event.kind);
  EXPECT_EQ(kinds, (std::vector{EventKind::Message, EventKind::ModelCall, EventKind::Plan, EventKind::Intent,
                                EventKind::Outcome, EventKind::Message, EventKind::Status}));
  EXPECT_EQ(events[2].body.dump(), nlohmann::ordered_json(plan.to_json()).dump());
  EXPECT_EQ(events[3].body.at("effect"), "input_user");
  EXPECT_EQ(events[3].body.at("decision"), "the user agreed");
  EXPECT_EQ(events[4].action_id, events[3].id);
  EXPECT_EQ(events[4].body.at("seconds"), 0.25);
  EXPECT_EQ(recorder->session(session).status, SessionStatus::GaveUp);
}

TEST_F(RecorderTest, sessions_are_listed_latest_first) {
  const SessionId first = begin(), second = begin();
  recorder->intent(second, click_intent("call_1"));
  recorder->finish_session(first, {Ending::Stuck, "The button never appeared.", 3, 1});
  open();
  const auto list = recorder->list_sessions();
  ASSERT_EQ(list.size(), 2u);
  EXPECT_EQ(list[0].id, second);
  EXPECT_EQ(list[0].status, SessionStatus::Running);
  EXPECT_EQ(list[0].n_actions, 1);
  EXPECT_EQ(list[1].status, SessionStatus::Stuck);
  EXPECT_EQ(list[1].summary, "The button never appeared.");
  EXPECT_EQ(list[1].info.task, "write a letter");
  EXPECT_TRUE(list[1].ended.has_value());
  EXPECT_THROW(recorder->session(99), Error);
}

TEST_F(RecorderTest, a_call_that_was_never_begun_is_answered_so) {
  const SessionId session = begin();
  recorder->append_message(session, reply_with_call("call_1"));
  const Transcript resumed = recorder->resume_session(session).transcript;
  ASSERT_EQ(resumed.messages().size(), 2u);
  const auto& answer = std::get<ToolMessage>(resumed.messages()[1]);
  EXPECT_EQ(answer.call_id, "call_1");
  EXPECT_NE(answer.text.find("had no effect"), std::string::npos);
}

TEST_F(RecorderTest, an_intent_without_outcome_is_answered_with_not_known) {
  const SessionId session = begin();
  recorder->append_message(session, reply_with_call("call_1"));
  recorder->intent(session, click_intent("call_1"));
  const Transcript resumed = recorder->resume_session(session).transcript;
  const auto& answer = std::get<ToolMessage>(resumed.messages().back());
  EXPECT_NE(answer.text.find("not known"), std::string::npos);
  EXPECT_FALSE(answer.ok);
  EXPECT_TRUE(resumed.open_calls().empty());
  // The answer is in the record: resuming again changes nothing.
  EXPECT_EQ(recorder->resume_session(session).transcript.messages().size(), resumed.messages().size());
}

TEST_F(RecorderTest, an_outcome_that_never_reached_the_transcript_is_the_answer) {
  const SessionId session = begin();
  const Picture after = editor_screen({"ab"});
  recorder->append_message(session, reply_with_call("call_1"));
  recorder->outcome(recorder->intent(session, click_intent("call_1")), {true, "Clicked.", {after}, {}, {}}, 0.1);
  const Transcript resumed = recorder->resume_session(session).transcript;
  const auto& answer = std::get<ToolMessage>(resumed.messages().back());
  EXPECT_EQ(answer.text, "Clicked.");
  EXPECT_TRUE(answer.ok);
  expect_equal(answer.pictures.at(0), after);
}

TEST_F(RecorderTest, an_outcome_needs_its_intent) {
  EXPECT_THROW(recorder->outcome(7, {}, 0), Error);
}

TEST_F(RecorderTest, tiles_that_did_not_change_are_stored_once) {
  const SessionId session = begin();
  std::vector<std::string> lines = some_lines(35);
  const auto size = [&] {
    recorder.reset();  // closing brings everything into the one file
    const auto n_bytes = static_cast<std::int64_t>(fs::file_size(path()));
    open();
    return n_bytes;
  };
  const std::int64_t empty = size();
  recorder->append_message(session, UserMessage{"", {editor_screen(lines)}, false});
  const std::int64_t with_one = size();
  constexpr int kSteps = 10;
  for (int step = 0; step < kSteps; ++step) {
    lines[12] += " and";
    recorder->append_message(session, UserMessage{"", {editor_screen(lines)}, false});
  }
  const std::int64_t per_step = (size() - with_one) / kSteps;
  RecordProperty("first_frame_bytes", static_cast<int>(with_one - empty));
  RecordProperty("bytes_per_step", static_cast<int>(per_step));
  EXPECT_LT(per_step, 6000) << "a frame of 4 MB in which one word is new; the first took " << with_one - empty;
}

TEST_F(RecorderTest, secrets_never_reach_the_disk) {
  const std::string secret = "c0rrect \"horse\"/battery+";
  recorder->redact("password", secret);
  recorder->redact("pin", "482915");
  const SessionId session =
      recorder->begin_session({"log in with " + secret, "nano", "private", "/tmp/" + secret, secret});
  recorder->append_message(session, UserMessage{"it is " + secret, {}, false});
  recorder->append_message(
      session,
      AssistantMessage{secret, secret, {{"call_1", "type", {{"text", secret}, {"pin", 482915}, {secret, 1}}}}});
  Intent intent = click_intent("call_1");
  intent.call.arguments = {{"text", {{"deep", {secret}}}}};
  intent.decision = secret;
  const ActionId action = recorder->intent(session, intent);
  tools::Evidence evidence;
  evidence.windows_opened = {"Window " + secret};
  recorder->outcome(
      action, {true, "curl https://x/?p=c0rrect%20%22horse%22%2Fbattery%2B", {}, evidence, {{"argv", {secret}}}}, 0.1);
  recorder->append_message(session, ToolMessage{"call_1", "{\"p\": \"c0rrect \\\"horse\\\"/battery+\"}", {}, true});
  recorder->plan_version(session, {{"step", secret}});
  recorder->files_touched(session, {.details = {{"entry", 1}, {"files", {{{"path", secret}, {"kind", "created"}}}}}});
  recorder->finish_session(session, {Ending::Done, secret, 3, 1});
  const std::string bytes = all_bytes(folder.path());
  for (const char* part : {"c0rrect", "horse", "482915"}) EXPECT_EQ(bytes.find(part), std::string::npos) << part;

  EXPECT_EQ(std::get<UserMessage>(recorder->load_transcript(session).transcript.messages()[0]).text,
            "it is {{password}}");
}

TEST_F(RecorderTest, each_changed_file_is_an_event) {
  const SessionId session = begin();
  recorder->files_touched(
      session,
      {.ok = true,
       .details = {{"entry", 7},
                   {"files", {{{"path", "a.txt"}, {"kind", "changed"}}, {{"path", "b.txt"}, {"kind", "created"}}}}}});
  recorder->files_touched(session, {.ok = true, .text = "a result that changed no file"});
  const std::vector<Event> events = recorder->load_events(session);
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[1].kind, EventKind::File);
  EXPECT_EQ(events[1].body.at("path"), "b.txt");
  EXPECT_EQ(events[1].body.at("kind"), "created");
  EXPECT_EQ(events[1].body.at("journal_entry"), 7);
}

TEST_F(RecorderTest, what_an_action_took_hold_of_comes_back) {
  const SessionId session = begin();
  const ActionId action = recorder->intent(session, click_intent("call_1"));
  tools::ToolResult result{.ok = true, .text = "clicked"};
  tools::Anchor anchor{.point = {300, 210}, .window = {}, .widget = {}, .picture = editor_screen({"OK"})};
  anchor.window = {"Mate-calc", "Calculator", "normal", "mate-calc", {200, 100, 400, 300}};
  anchor.widget = {"push button", "7", {"Keypad"}, 1, 2, {290, 200, 20, 20}};
  result.anchors = {anchor, {.point = {5, 6}, .window = {}, .widget = {}, .picture = nullptr}};
  recorder->outcome(action, result, 0.1);
  const std::vector<tools::Anchor> back =
      anchors_from(recorder->load_events(session).at(1).body.at("result"),
                   [&](FrameRow row) { return recorder->load_picture(row).picture; });
  ASSERT_EQ(back.size(), 2u);
  EXPECT_EQ(back[0].point, anchor.point);
  EXPECT_EQ(back[0].window->class_name, "Mate-calc");
  EXPECT_EQ(back[0].window->frame_pt, anchor.window->frame_pt);
  EXPECT_EQ(back[0].widget->label, "7");
  EXPECT_EQ(back[0].widget->ancestors, anchor.widget->ancestors);
  EXPECT_EQ(back[0].widget->ordinal, 1);
  EXPECT_EQ(back[0].widget->n_alike, 2);
  EXPECT_EQ(back[0].widget->box_pt, anchor.widget->box_pt);
  expect_equal(back[0].picture, anchor.picture);
  EXPECT_FALSE(back[1].window || back[1].widget || back[1].picture);
}

TEST_F(RecorderTest, text_that_is_not_utf8_is_recorded_all_the_same) {
  const SessionId session = begin();
  recorder->append_message(session, UserMessage{"a\xff"
                                                "b",
                                                {},
                                                false});
  EXPECT_EQ(std::get<UserMessage>(recorder->load_transcript(session).transcript.messages()[0]).text,
            "a\uFFFD"
            "b");
}

TEST(RecorderPath, follows_the_xdg_data_folder) {
  const char* set = getenv("XDG_DATA_HOME");
  const std::string old = set == nullptr ? "" : set;
  setenv("XDG_DATA_HOME", "/tmp/elsewhere", 1);
  EXPECT_EQ(Recorder::default_path(), "/tmp/elsewhere/deskhand/sessions.db");
  if (set == nullptr)
    unsetenv("XDG_DATA_HOME");
  else
    setenv("XDG_DATA_HOME", old.c_str(), 1);
}

}  // namespace
}  // namespace agent
