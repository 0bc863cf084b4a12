#include "agent/screen_boxes.h"

#include <gtest/gtest.h>

namespace agent {
namespace {

// A picture at half the size of the desktop area that it shows.
const capture::Frame kShown(cv::Mat(300, 400, CV_8UC4, cv::Scalar::all(0)),
                            capture::ScreenMap({100, 50, 800, 600}, {400, 300}));

std::vector<ScreenBox> boxes_of(const std::string& text, const ModelInfo& model = {}) {
  return on_desktop(read_boxes(text).boxes, model, kShown);
}

TEST(ScreenBoxes, are_read_out_of_a_text_that_keeps_their_words) {
  const MarkedText marked = read_boxes("The <box>10 20 110 60 Save button</box> is grey, <box>1 2 3 4</box>see.");
  EXPECT_EQ(marked.text, "The Save button is grey, see.");
  ASSERT_EQ(marked.boxes.size(), 2U);
  EXPECT_EQ(marked.boxes[0].corners, (std::array<double, 4>{10, 20, 110, 60}));
  EXPECT_EQ(marked.boxes[0].label, "Save button");
  EXPECT_EQ(marked.boxes[1].label, "");
}

TEST(ScreenBoxes, may_be_written_with_commas_and_brackets) {
  const MarkedText marked = read_boxes("<box>(1.5, 2), (3, 4): it</box><box>[5,6,7,8]</box>");
  ASSERT_EQ(marked.boxes.size(), 2U);
  EXPECT_EQ(marked.boxes[0].corners, (std::array<double, 4>{1.5, 2, 3, 4}));
  EXPECT_EQ(marked.boxes[0].label, "it");
  EXPECT_EQ(marked.boxes[1].corners, (std::array<double, 4>{5, 6, 7, 8}));
}

TEST(ScreenBoxes, what_is_no_box_stays_as_it_was_written) {
  for (const char* text : {"a <box>of chocolates</box> b", "<box>1 2 3</box>", "<box>1 2 3 inf</box>", "x </box> y",
                           "<box>1 2 3 4", "a < b", "ends with <bo"}) {
    const MarkedText marked = read_boxes(text);
    EXPECT_EQ(marked.text, text);
    EXPECT_TRUE(marked.boxes.empty()) << text;
  }
}

TEST(ScreenBoxes, never_flash_up_while_the_text_is_being_written) {
  const std::string text = "See <box>10 20 30 40 the knob</box>!";
  std::string longest;
  for (std::size_t n = 0; n <= text.size(); ++n) {
    const MarkedText marked = read_boxes(text.substr(0, n), Written::SoFar);
    const std::string shown = marked.text;
    EXPECT_EQ(read_boxes(text.substr(0, n - marked.n_open_bytes)).text, shown) << "no more than that was left out";
    EXPECT_TRUE(std::string("See the knob!").starts_with(shown)) << shown;
    EXPECT_GE(shown.size(), longest.size()) << "nothing is taken back";
    longest = shown;
  }
  EXPECT_EQ(longest, "See the knob!");
}

TEST(ScreenBoxes, lie_on_the_desktop_that_the_picture_shows) {
  const auto boxes = boxes_of("<box>10 20 110 60 a</box>");
  ASSERT_EQ(boxes.size(), 1U);
  EXPECT_EQ(boxes[0].area_pt, (capture::Rect{120, 90, 200, 80}));
  EXPECT_EQ(boxes_of("<box>110 60 10 20</box>").at(0).area_pt, boxes[0].area_pt) << "either two corners";
  EXPECT_EQ(boxes_of("<box>-50 0 1000 10</box>").at(0).area_pt, (capture::Rect{100, 50, 800, 20}))
      << "what shows of it";
  EXPECT_TRUE(boxes_of("<box>500 20 600 60</box>").empty()) << "nothing of it shows";
}

TEST(ScreenBoxes, are_in_the_space_in_which_the_model_writes_its_points) {
  const ModelInfo model = {.coordinates = CoordinateSpace::Norm1000, .points_are_yx = true};
  const auto boxes = boxes_of("<box>100 250 200 500</box>", model);
  ASSERT_EQ(boxes.size(), 1U);
  EXPECT_EQ(boxes[0].area_pt, (capture::Rect{300, 110, 200, 60}));
}

}  // namespace
}  // namespace agent
