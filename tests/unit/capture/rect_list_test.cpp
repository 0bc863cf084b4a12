#include "capture/rect_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace capture {
namespace {

using testing::UnorderedElementsAre;

TEST(MergeClose, joins_chains_and_leaves_the_rest) {
  EXPECT_THAT(merge_close({{0, 0, 5, 5}, {20, 0, 5, 5}, {6, 0, 13, 5}, {100, 100, 1, 1}, {3, 3, 0, 9}}, 1),
              UnorderedElementsAre(Rect{0, 0, 25, 5}, Rect{100, 100, 1, 1}));
}

TEST(MergeClose, a_union_that_reaches_another_takes_it_too) {
  // The union of the first two covers the third, which touches neither.
  EXPECT_THAT(merge_close({{0, 0, 2, 2}, {30, 30, 2, 2}, {2, 2, 28, 28}}, 0), UnorderedElementsAre(Rect{0, 0, 32, 32}));
}

TEST(MergeClose, thousands_of_rectangles_stay_covered) {
  std::mt19937 random(2);
  std::vector<Rect> many;
  for (int i = 0; i < 5000; ++i) {
    many.push_back({static_cast<int>(random() % 3000), static_cast<int>(random() % 2000), 3, 3});
  }
  const auto merged = merge_close(many, 2);
  for (const Rect& r : many) {
    EXPECT_TRUE(std::any_of(merged.begin(), merged.end(), [&](const Rect& m) { return m.contains(r); }));
  }
}

}  // namespace
}  // namespace capture
