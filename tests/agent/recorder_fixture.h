#pragma once
// What tests of the record share: a record in a folder of its own, and screens that look like somebody types.

#include <gtest/gtest.h>

#include <memory>
#include <opencv2/imgproc.hpp>
#include <string>
#include <vector>

#include "agent/recorder.h"
#include "tests/unit/tools/temporary_folder.h"

namespace agent {

// An editor of 1280x800 pixels with `lines` in it.
inline Picture editor_screen(const std::vector<std::string>& lines) {
  cv::Mat pixels(800, 1280, CV_8UC4, cv::Scalar(250, 248, 245, 0));
  pixels(cv::Rect(0, 0, 1280, 36)).setTo(cv::Scalar(60, 50, 40, 0));
  for (int n = 0; n < 12; ++n)
    cv::circle(pixels, {20 + 30 * n, 56}, 9, cv::Scalar(30 * n, 90, 160, 0), -1, cv::LINE_AA);
  int y = 100;
  for (const std::string& line : lines) {
    cv::putText(pixels, line, {12, y}, cv::FONT_HERSHEY_SIMPLEX, 0.5, cv::Scalar(20, 20, 20, 0), 1, cv::LINE_AA);
    y += 18;
  }
  const capture::ScreenMap map({-100, 50, 1280, 800}, {1280, 800},
                               {{"HDMI-1", {-100, 50, 1280, 800}, true}, {"DP-2", {1180, 0, 800, 600}, false}});
  return std::make_shared<const capture::Frame>(std::move(pixels), map);
}

inline std::vector<std::string> some_lines(int n_lines) {
  std::vector<std::string> lines;
  for (int n = 0; n < n_lines; ++n) {
    lines.push_back(std::to_string(n * 7919) + " lines of a document that somebody is writing " +
                    std::string(n % 29, 'w'));
  }
  return lines;
}

inline Intent click_intent(const std::string& call_id) {
  return {.call = {call_id, "click", {{"x", 10}, {"y", 20}}},
          .effect = tools::Effect::InputPrivate,
          .decision = "allowed: input on the private desktop",
          .screen = nullptr};
}

inline AssistantMessage reply_with_call(const std::string& call_id) {
  return {"The button is there.", "I click it.", {{call_id, "click", {{"y", 20}, {"x", 10}}}}};
}

class RecorderTest : public testing::Test {
 protected:
  RecorderTest() { open(); }

  void open() {
    recorder.reset();
    recorder = open_again();
  }
  std::unique_ptr<Recorder> open_again() const { return Recorder::open(path(), {.reserve_bytes = 1 << 20}); }
  std::filesystem::path path() const { return folder.path() / "data" / "sessions.db"; }
  SessionId begin() {
    return recorder->begin_session({"write a letter", "nano", "private", "/home/me/letters", "Be brief."});
  }

  // In memory: what a killed process has written survives it there as on a disk, and a busy disk doesn't slow it down.
  tools::TemporaryFolder folder{tools::fast_disk()};
  std::unique_ptr<Recorder> recorder;
};

inline void expect_equal(const Picture& a, const Picture& b) {
  ASSERT_TRUE(a && b);
  EXPECT_EQ(a->content_hash(), b->content_hash());
  EXPECT_EQ(a->captured_at, b->captured_at);
  EXPECT_EQ(a->screen_map.area_pt(), b->screen_map.area_pt());
  ASSERT_EQ(a->screen_map.monitors().size(), b->screen_map.monitors().size());
  for (std::size_t i = 0; i < a->screen_map.monitors().size(); ++i) {
    EXPECT_EQ(a->screen_map.monitors()[i].name, b->screen_map.monitors()[i].name);
    EXPECT_EQ(a->screen_map.monitors()[i].area_pt, b->screen_map.monitors()[i].area_pt);
    EXPECT_EQ(a->screen_map.monitors()[i].is_primary, b->screen_map.monitors()[i].is_primary);
  }
}

}  // namespace agent
