// A long session's pictures stay off the memory and yet stay what they were.
#include "agent/picture_shelf.h"

#include <gtest/gtest.h>

#include <fstream>
#include <opencv2/core.hpp>
#include <string>

#include "agent/dialogue.h"
#include "agent/session_journal.h"
#include "tests/agent/recorder_fixture.h"

namespace agent {
namespace {

constexpr int kSteps = 300;
constexpr std::int64_t kPicture_bytes = 4LL * 1280 * 720;

std::int64_t resident_bytes() {
  std::ifstream status("/proc/self/status");
  std::string word;
  while (status >> word) {
    std::int64_t kib = 0;
    if (word == "VmRSS:" && status >> kib) return kib * 1024;
  }
  return -1;
}

Picture noise(int seed) {
  cv::Mat pixels(720, 1280, CV_8UC4);
  cv::RNG random(static_cast<std::uint64_t>(seed) + 1);
  random.fill(pixels, cv::RNG::UNIFORM, 0, 256);
  return std::make_shared<const capture::Frame>(pixels, capture::ScreenMap({0, 0, 1280, 720}, {1280, 720}));
}

TEST(PictureShelf, HoldsALongSessionWithoutItsPixelsInMemory) {
  const std::int64_t before = resident_bytes();
  Transcript transcript;
  std::vector<std::uint64_t> hashes;
  {
    PictureShelf shelf;
    for (int step = 0; step < kSteps; ++step) {
      const Picture seen = noise(step);
      hashes.push_back(seen->content_hash());
      transcript.append(shelf.put(ToolMessage{"call", "done", {seen}, true}));
    }
    EXPECT_LT(resident_bytes() - before, kSteps * kPicture_bytes / 4);
    // All of them are read, as by a model that begins anew; the next step makes them rest again.
    const std::vector<Picture> pictures = render(transcript).pictures;
    for (int step = 0; step < kSteps; ++step) {
      EXPECT_EQ(pictures[static_cast<std::size_t>(step)]->content_hash(), hashes[static_cast<std::size_t>(step)]);
    }
    transcript.append(shelf.put(UserMessage{"go on", {noise(kSteps)}, false}));
    EXPECT_LT(resident_bytes() - before, kSteps * kPicture_bytes / 4);
  }
  const Picture first = render(transcript).pictures.front();  // outlives the shelf
  EXPECT_EQ(cv::norm(first->pixels, noise(0)->pixels, cv::NORM_INF), 0);
}

TEST(PictureShelf, KeepsAPartOfAFrameWithItsMap) {
  const Picture part = capture::crop(noise(7), {101, 77, 333, 59});
  PictureShelf shelf;
  const Picture kept = shelf.put(part);
  EXPECT_NE(kept->pixels.data, part->pixels.data);
  EXPECT_EQ(kept->content_hash(), part->content_hash());
  EXPECT_EQ(kept->screen_map.area_pt().x, part->screen_map.area_pt().x);
  EXPECT_EQ(kept->captured_at, part->captured_at);
}

// Shows a new screen with each look and remembers, without holding them, which frames it gave away.
class Eye : public tools::Tool {
 public:
  explicit Eye(std::vector<std::weak_ptr<const capture::Frame>>& given) : given_(given) {}
  tools::ToolSpec spec() const override {
    return {"screenshot", "shows the screen", {{"type", "object"}, {"properties", nlohmann::json::object()}}};
  }
  tools::Effect effect(const tools::ToolCall&) const override { return tools::Effect::Observe; }
  tools::ToolResult run(const tools::ToolCall&, std::stop_token) override {
    const Picture screen = editor_screen(some_lines(static_cast<int>(given_.size())));
    given_.push_back(screen);
    tools::ToolResult result;
    result.ok = true;
    result.frames = {screen};
    return result;
  }

 private:
  std::vector<std::weak_ptr<const capture::Frame>>& given_;
};

class ShelvedDialogue : public RecorderTest {};

TEST_F(ShelvedDialogue, HoldsOnlyTheNewestScreenItself) {
  std::vector<std::weak_ptr<const capture::Frame>> given;
  tools::ToolRegistry tools;
  tools.add(std::make_unique<Eye>(given));
  const SessionId session = begin();
  SessionJournal journal(*recorder, session);
  const ModelInfo model;
  Dialogue dialogue({Transcript(), journal, tools, model, true});
  for (int n = 0; n < 5; ++n) dialogue.instruct("go on", {});
  ASSERT_EQ(given.size(), 5u);
  for (std::size_t n = 0; n < 4; ++n) EXPECT_TRUE(given[n].expired()) << n;
  EXPECT_EQ(dialogue.shown(), given.back().lock());  // what the model's points speak of
  const std::vector<Picture> shown = render(dialogue.transcript()).pictures;
  const std::vector<Picture> recorded = render(recorder->load_transcript(session).transcript).pictures;
  ASSERT_EQ(shown.size(), 5u);
  ASSERT_EQ(recorded.size(), 5u);
  for (int n = 0; n < 5; ++n) {
    const auto i = static_cast<std::size_t>(n);
    EXPECT_EQ(shown[i]->content_hash(), editor_screen(some_lines(n))->content_hash());
    EXPECT_EQ(recorded[i]->content_hash(), shown[i]->content_hash());
  }
}

}  // namespace
}  // namespace agent
