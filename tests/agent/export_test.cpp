#include "agent/export.h"

#include <QByteArray>
#include <QImage>
#include <fstream>

#include "agent/error.h"
#include "agent/replay.h"
#include "agent/workflow.h"
#include "tests/agent/recorder_fixture.h"

namespace agent {
namespace {

namespace fs = std::filesystem;

class ExportTest : public RecorderTest {
 protected:
  ExportTest() : screen_(editor_screen(some_lines(8))), session_(begin()) {
    recorder->append_message(session_, UserMessage{"<script>alert(1)</script> a\u202eb\u200b", {screen_}, false});
    recorder->append_message(session_, reply_with_call("call_1"));
    Intent intent = click_intent("call_1");
    intent.screen = screen_;
    action_ = recorder->intent(session_, intent);
    tools::Evidence evidence;
    evidence.verdict = tools::Verdict::Confirmed;
    recorder->outcome(action_, {true, "Clicked.", {editor_screen({"after"})}, evidence, {}}, 0.5);
    recorder->plan_version(session_, {{"pictures", "a word of ours in the model's mouth"}});
    recorder->finish_session(session_, {Ending::Done, "The letter is written.", 1, 0});
  }

  std::vector<nlohmann::json> lines_of(const fs::path& file) {
    std::ifstream stream(file);
    std::vector<nlohmann::json> lines;
    for (std::string line; std::getline(stream, line);) lines.push_back(nlohmann::json::parse(line));
    return lines;
  }

  // The picture that a PNG shows has exactly these colours.
  static void expect_shows(const QImage& image, const Picture& picture) {
    ASSERT_EQ(image.width(), picture->pixels.cols);
    ASSERT_EQ(image.height(), picture->pixels.rows);
    for (int y = 0; y < image.height(); ++y) {
      for (int x = 0; x < image.width(); ++x) {
        const cv::Vec4b& pixel = picture->pixels.at<cv::Vec4b>(y, x);
        ASSERT_EQ(image.pixel(x, y), qRgb(pixel[2], pixel[1], pixel[0])) << x << ", " << y;
      }
    }
  }

  Picture screen_;
  SessionId session_;
  ActionId action_ = 0;
};

TEST_F(ExportTest, a_place_that_cannot_be_looked_at_is_refused_in_words) {
  const fs::path place = folder.path() / std::string(300, 'x');  // longer than any file system's names
  for (const char* form : {"folder", "zip", "html", "mp4", "workflow"}) {
    EXPECT_THROW(export_as(form, *recorder, session_, place, {}), Error) << form;
  }
}

TEST_F(ExportTest, a_folder_holds_every_event_and_picture) {
  const fs::path out = folder.path() / "exports" / "letter";
  export_folder(*recorder, session_, out);

  const auto session = nlohmann::json::parse(std::ifstream(out / "session.json"));
  EXPECT_EQ(session.at("format"), "deskhand-session");
  EXPECT_EQ(session.at("task"), "write a letter");
  EXPECT_EQ(session.at("status"), "done");
  const auto events = lines_of(out / "events.jsonl");
  const auto recorded = recorder->load_events(session_);
  ASSERT_EQ(events.size(), recorded.size());
  for (std::size_t i = 0; i < events.size(); ++i) {
    EXPECT_EQ(events[i].at("id"), recorded[i].id);
    EXPECT_EQ(events[i].at("kind"), name_of(recorded[i].kind));
    EXPECT_EQ(events[i].at("body"), nlohmann::json(recorded[i].body));
  }
  EXPECT_EQ(events[3].at("action_id"), action_);

  const auto pictures = lines_of(out / "pictures.jsonl");
  ASSERT_EQ(pictures.size(), 2u);
  EXPECT_EQ(pictures[0].at("recorded_id"), screen_->id);
  EXPECT_EQ(pictures[0].at("area_pt").dump(), "[-100,50,1280,800]");
  const std::string name = pictures[0].at("picture").dump() + ".png";
  EXPECT_EQ(events[0].at("body").at("pictures").at(0), pictures[0].at("picture"));
  expect_shows(QImage(QString::fromStdString((out / "pictures" / name).string())), screen_);
}

TEST_F(ExportTest, an_existing_folder_is_left_alone_and_a_failure_leaves_nothing) {
  const fs::path out = folder.path() / "letter";
  fs::create_directory(out);
  EXPECT_THROW(export_folder(*recorder, session_, out), Error);
  EXPECT_TRUE(fs::is_empty(out));
  EXPECT_THROW(export_folder(*recorder, 99, folder.path() / "other"), Error);
  EXPECT_FALSE(fs::exists(folder.path() / "other"));
  EXPECT_FALSE(fs::exists(folder.path() / "other.partial"));
  EXPECT_THROW(export_report(*recorder, session_, folder.path() / "no such folder" / "report.html"), Error);
}

TEST_F(ExportTest, a_report_stands_alone_and_nothing_in_it_runs_or_hides) {
  const fs::path file = folder.path() / "report.html";
  export_report(*recorder, session_, file);
  std::ifstream stream(file);
  const std::string html{std::istreambuf_iterator<char>(stream), {}};
  EXPECT_EQ(html.find("<script"), std::string::npos);
  EXPECT_NE(html.find("&lt;script&gt;"), std::string::npos);
  for (const char* reference : {"http://", "https://", "src=\"/", "url(", "@import"}) {
    EXPECT_EQ(html.find(reference), std::string::npos) << reference;
  }
  EXPECT_EQ(html.find("\u202e"), std::string::npos);
  EXPECT_NE(html.find("U+202e"), std::string::npos);
  EXPECT_NE(html.find("U+200b"), std::string::npos);
  for (const char* part : {"write a letter", "The letter is written.", "confirmed", "Clicked.", "input_private"}) {
    EXPECT_NE(html.find(part), std::string::npos) << part;
  }
}

TEST_F(ExportTest, a_report_says_the_labels_of_boxes) {
  recorder->append_message(session_, AssistantMessage{"", "See <box>10 20 30 40 the knob</box>.", {}});
  EXPECT_NE(html_report(*recorder, session_).find("<pre>See the knob.</pre>"), std::string::npos);
}

TEST_F(ExportTest, a_report_shows_each_picture_once) {
  const std::string html = html_report(*recorder, session_), mark = "data:image/png;base64,";
  std::vector<std::string> images;
  for (std::size_t at = html.find(mark); at != std::string::npos; at = html.find(mark, at + 1)) {
    images.push_back(html.substr(at + mark.size(), html.find('"', at) - at - mark.size()));
  }
  ASSERT_EQ(images.size(), 2u);
  expect_shows(QImage::fromData(QByteArray::fromBase64(QByteArray::fromStdString(images[0]))), screen_);
}

TEST_F(ExportTest, a_damaged_picture_is_named_where_it_would_be) {
  recorder.reset();
  Database(path()).execute("UPDATE chunks SET pixels = zeroblob(length(pixels)) WHERE id = 1");
  open();
  EXPECT_NE(html_report(*recorder, session_).find("damaged"), std::string::npos);
  export_folder(*recorder, session_, folder.path() / "letter");
  EXPECT_NE(
      lines_of(folder.path() / "letter" / "pictures.jsonl").at(0).at("problem").get<std::string>().find("damaged"),
      std::string::npos);
}

// Two actions, with a pause between them that a test needn't wait for.
class PartTest : public RecorderTest {
 protected:
  PartTest() : session_(begin()) {
    recorder->append_message(session_, UserMessage{"press both", {editor_screen({"none"})}, false});
    for (const char* id : {"call_1", "call_2"}) {
      recorder->append_message(session_, reply_with_call(id));
      Intent intent = click_intent(id);
      intent.screen = editor_screen({id});
      tools::ToolResult result{.ok = true, .text = std::string("Clicked for ") + id};
      result.anchors.push_back({.point = {10, 60}, .window = {}, .widget = {}, .picture = editor_screen({"button"})});
      const ActionId action = recorder->intent(session_, intent);
      recorder->outcome(action, result, 0.1);
      recorder->append_message(session_, ToolMessage{id, "Clicked.", {editor_screen({id, "after"})}, true});
      if (first_end_ == 0) first_end_ = recorder->load_events(session_).back().id;
    }
    recorder->finish_session(session_, {Ending::Done, "Both.", 2, 0});
    recorder.reset();
    Database(path()).execute("UPDATE events SET elapsed_us = elapsed_us + 60000000 WHERE id > " +
                             std::to_string(first_end_));
    open();
  }

  SessionId session_;
  EventId first_end_ = 0;
  const SessionPart second_{.from = std::chrono::seconds(30)};
};

TEST_F(PartTest, holds_whole_actions_that_were_begun_in_it) {
  std::vector<EventKind> kinds;
  for (const Event& event : events_in(*recorder, session_, {.until = std::chrono::seconds(30)}))
    kinds.push_back(event.kind);
  EXPECT_EQ(kinds, (std::vector{EventKind::Message, EventKind::Message, EventKind::Intent, EventKind::Outcome,
                                EventKind::Message}));
  const std::string html = html_report(*recorder, session_, second_);
  EXPECT_EQ(html.find("Clicked for call_1"), std::string::npos);
  EXPECT_NE(html.find("Clicked for call_2"), std::string::npos);
  export_as("folder", *recorder, session_, folder.path() / "part", second_);
  const auto about = nlohmann::json::parse(std::ifstream(folder.path() / "part" / "session.json"));
  EXPECT_EQ(about.at("part_seconds").at(0), 30);
}

TEST_F(PartTest, is_a_film_that_begins_with_what_was_on_the_screen) {
  const fs::path whole = folder.path() / "whole.mp4", part = folder.path() / "part.mp4";
  export_as("mp4", *recorder, session_, whole);
  export_as("mp4", *recorder, session_, part, second_);
  EXPECT_GT(fs::file_size(part), 1000u);
  EXPECT_LT(fs::file_size(part), fs::file_size(whole));
}

TEST_F(PartTest, is_a_workflow_that_another_record_takes_in) {
  const fs::path file = folder.path() / "second.workflow";
  export_as("workflow", *recorder, session_, file, second_);
  const auto other = Recorder::open(folder.path() / "other" / "sessions.db", {.reserve_bytes = 0});
  const auto imported = import_workflow(*other, file);
  ASSERT_TRUE(imported);
  EXPECT_EQ(imported->n_steps, 1);
  const std::vector<ReplayStep> here = load_steps(*recorder, session_, second_),
                                there = load_steps(*other, imported->session);
  ASSERT_EQ(here.size(), 1u);
  ASSERT_EQ(there.size(), 1u);
  EXPECT_EQ(there[0].call.arguments, here[0].call.arguments);
  EXPECT_EQ(there[0].effect, "input_private");
  EXPECT_EQ(there[0].screen->content_hash(), here[0].screen->content_hash());
  ASSERT_EQ(there[0].anchors.size(), 1u);
  EXPECT_EQ(there[0].anchors[0].point, here[0].anchors[0].point);
  EXPECT_EQ(there[0].anchors[0].picture->content_hash(), here[0].anchors[0].picture->content_hash());
  EXPECT_EQ(other->session(imported->session).info.task, "write a letter");
}

TEST_F(PartTest, import_leaves_what_is_no_workflow_alone_and_refuses_half_of_one) {
  const fs::path file = folder.path() / "file";
  std::ofstream(file) << R"({"messages": []})";
  EXPECT_FALSE(import_workflow(*recorder, file));
  const std::size_t n_sessions = recorder->list_sessions().size();
  std::ofstream(file) << R"({"format": "deskhand-workflow", "version": 1, "task": "t", "desktop": "private",
      "workspace": "", "pictures": [], "steps": [{"tool": "wait", "arguments": {}, "effect": "observe", "screen": 1,
      "result": {"evidence": {"verdict": "confirmed"}}}]})";
  EXPECT_THROW(import_workflow(*recorder, file), Error);
  EXPECT_EQ(recorder->list_sessions().size(), n_sessions) << "nothing of it is written";
  export_as("folder", *recorder, session_, folder.path() / "out");
  EXPECT_THROW(export_workflow(*recorder, session_, file, {.from = std::chrono::hours(1)}), Error);
}

TEST_F(PartTest, a_branch_has_the_history_until_there_and_a_time_of_its_own_from_then_on) {
  const SessionId branch = recorder->branch_session(session_, first_end_, "press another");
  EXPECT_EQ(recorder->session(branch).info.task, "press another");
  const Transcript transcript = recorder->resume_session(branch).transcript;
  ASSERT_EQ(transcript.messages().size(), 3u);
  EXPECT_EQ(std::get<UserMessage>(transcript.messages()[0]).text, "press both");
  EXPECT_EQ(std::get<ToolMessage>(transcript.messages()[2]).pictures.at(0)->content_hash(),
            editor_screen({"call_1", "after"})->content_hash());
  const std::vector<ReplayStep> steps = load_steps(*recorder, branch);
  ASSERT_EQ(steps.size(), 1u) << "the outcome belongs to the copied intent";
  const std::vector<Event> events = recorder->load_events(branch);
  EXPECT_LT(events.back().elapsed, std::chrono::seconds(30));
  EXPECT_GE(events.back().elapsed, events.front().elapsed);
  EXPECT_EQ(recorder->load_events(session_).back().body.at("status"), "done") << "the old one is as it was";
  EXPECT_THROW(recorder->branch_session(session_, 0, ""), Error);
}

TEST_F(PartTest, a_branch_in_the_middle_of_an_action_closes_its_call) {
  const EventId reply = recorder->load_events(session_)[1].id;
  const SessionId branch = recorder->branch_session(session_, reply, "again");
  const Transcript transcript = recorder->resume_session(branch).transcript;
  ASSERT_EQ(transcript.messages().size(), 3u);
  EXPECT_FALSE(std::get<ToolMessage>(transcript.messages()[2]).ok);
  EXPECT_TRUE(transcript.open_calls().empty());
}

}  // namespace
}  // namespace agent
