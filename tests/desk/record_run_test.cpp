// A human shows something, by the program's own commands: it is recorded, listed, and done again with another text; and
// a recording whose target isn't there halts with both pictures.

#include <gtest/gtest.h>

#include <QByteArray>
#include <QImage>
#include <fstream>

#include "agent/export.h"
#include "capture/settle.h"
#include "tests/agent/recorder_fixture.h"
#include "tests/desk/deskhand_process.h"
#include "tests/unit/tools/temporary_folder.h"
#include "tools/windows.h"

// Last: its macros would break other headers.
#include <X11/keysym.h>

#include "tests/desk/input_window.h"

namespace {

using desk_test::DeskhandProcess;
using nlohmann::json;
namespace fs = std::filesystem;

class RecordRun : public ::testing::Test {
 protected:
  std::vector<std::string> environment() const {
    return {"XDG_DATA_HOME=" + folder_.path().string(), "XDG_CONFIG_HOME=" + (folder_.path() / "config").string()};
  }

  tools::TemporaryFolder folder_;
};

TEST_F(RecordRun, what_a_hand_showed_is_done_again_with_another_text) {
  DeskhandProcess record({"record", "--json", "--task", "greet", "mousepad"}, environment());
  const std::optional<json> begun = record.wait_for("session");
  ASSERT_TRUE(begun) << record.output();
  const std::string display = (*begun)["display"], id = std::to_string((*begun)["id"].get<int>());
  const auto windows = tools::Windows::open(display);
  const auto editor =
      windows.wait_for([](const tools::Window& window) { return window.title.find("Mousepad") != std::string::npos; },
                       std::chrono::seconds(20));
  ASSERT_TRUE(editor);
  // A hand acts on what it sees.
  const auto watch = capture::ScreenWatch::open(display);
  ASSERT_TRUE(watch->settle({.quiet_ms = 300, .cap_ms = 30'000, .first_change_ms = 600}).settled);
  {  // the hand leaves before its desktop does
    desk_test::HumanHand hand(display);
    const auto press = [&](KeySym key) {
      hand.key(key, true);
      hand.key(key, false);
    };
    hand.move_to(editor->frame.x + editor->frame.width / 2, editor->frame.y + editor->frame.height / 2);
    hand.click();
    press(XK_h);
    ASSERT_TRUE(record.wait_for("recorded")) << "the click, which is over when something else begins";
    for (const KeySym key : {XK_e, XK_l, XK_l, XK_o, XK_Pause}) press(key);
  }
  EXPECT_EQ(record.finish(), 0) << record.output();

  DeskhandProcess list({"replay", id, "--list", "--json"}, environment());
  EXPECT_EQ(list.finish(), 0);
  ASSERT_EQ(list.events().size(), 3U) << list.output();
  EXPECT_EQ(list.events()[0]["tool"], "launch");
  EXPECT_EQ(list.events()[2]["arguments"]["text"], "hello");
  EXPECT_EQ(list.events()[2]["parameter"], "text1");

  DeskhandProcess again({"replay", id, "--json", "--yes", "shell", "--set", "text1=good evening"}, environment());
  EXPECT_EQ(again.finish(), 0) << again.output();
  const std::vector<json> typed = again.results_of("keyboard");
  ASSERT_EQ(typed.size(), 1U) << again.output();
  EXPECT_EQ(typed[0]["verdict"], "confirmed") << "read back from the editor: " << typed[0];
  EXPECT_NE(again.output().find("good evening"), std::string::npos) << again.output();
  EXPECT_EQ(again.events().back()["done"], 3);
}

TEST_F(RecordRun, a_target_that_is_not_there_halts_with_both_pictures) {
  const agent::Picture recorded = agent::editor_screen({"a button"});
  const std::string png = QByteArray::fromStdString(agent::png_of(*recorded)).toBase64().toStdString();
  const json picture = {{"type", "image"},
                        {"source", {{"type", "base64"}, {"media_type", "image/png"}, {"data", png}}}};
  const json click = {{"type", "tool_use"},
                      {"id", "1"},
                      {"name", "computer"},
                      {"input", {{"action", "left_click"}, {"coordinate", {80, 56}}}}};
  const json messages = {{{"role", "user"}, {"content", json::array({picture})}},
                         {{"role", "assistant"}, {"content", json::array({click})}}};
  DeskhandProcess import({"import", folder_.write("messages.json", messages.dump()), "--json"}, environment());
  EXPECT_EQ(import.finish(), 0);
  ASSERT_EQ(import.events().size(), 1U) << import.output();

  const std::string id = std::to_string(import.events()[0]["session"].get<int>());
  DeskhandProcess replay({"replay", id, "--json", "--patience", "1", "--size", "800x600"}, environment());
  EXPECT_EQ(replay.finish(), 4) << replay.output();
  const json& end = replay.events().back();
  EXPECT_EQ(end["ending"], "stuck") << end;
  EXPECT_EQ(end["done"], 0) << "nothing was clicked";
  const fs::path pictures = folder_.path() / "deskhand" / "replays";
  const std::string name = std::to_string(end["session"].get<int>()) + "-step-1-";
  const QImage then(QString::fromStdString(pictures / (name + "recorded.png"))),
      now(QString::fromStdString(pictures / (name + "seen.png")));
  EXPECT_EQ(then.size(), QSize(1280, 800));
  EXPECT_EQ(now.size(), QSize(800, 600));
}

}  // namespace
