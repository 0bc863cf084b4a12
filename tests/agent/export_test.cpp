#include "agent/export.h"

#include <QByteArray>
#include <QImage>
#include <fstream>

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

}  // namespace
}  // namespace agent
