#include "capture/row_bands.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace capture {
namespace {

using testing::ElementsAre;

TEST(RowBands, bands_far_apart_stay_apart_in_order) {
  RowBands bands;
  bands.add({500, 510});
  bands.add({0, 10});
  bands.add({200, 201});
  EXPECT_THAT(bands.bands(), ElementsAre(RowBand{0, 10}, RowBand{200, 201}, RowBand{500, 510}));
  EXPECT_EQ(bands.n_rows(), 21);
}

TEST(RowBands, close_bands_become_one) {
  RowBands bands;
  bands.add({0, 10});
  bands.add({100, 110});
  bands.add({20, 90});
  EXPECT_THAT(bands.bands(), ElementsAre(RowBand{0, 110}));
}

TEST(RowBands, an_empty_band_is_nothing) {
  RowBands bands;
  bands.add({5, 5});
  EXPECT_TRUE(bands.is_empty());
}

TEST(RowBands, every_added_row_is_covered_by_few_ordered_bands) {
  std::mt19937 random(1);
  for (int round = 0; round < 200; ++round) {
    RowBands bands;
    std::vector<bool> expected(2000);
    for (int i = 0; i < 30; ++i) {
      const int first = static_cast<int>(random() % 1900), end = first + static_cast<int>(random() % 40);
      bands.add({first, end});
      for (int row = first; row < end; ++row) expected[static_cast<std::size_t>(row)] = true;
    }
    EXPECT_LE(bands.bands().size(), 8u);
    for (std::size_t i = 1; i < bands.bands().size(); ++i) {
      EXPECT_GT(bands.bands()[i].first, bands.bands()[i - 1].end);
    }
    for (const RowBand& band : bands.bands()) {
      for (int row = band.first; row < band.end; ++row) expected[static_cast<std::size_t>(row)] = false;
    }
    EXPECT_EQ(std::count(expected.begin(), expected.end(), true), 0);
  }
}

}  // namespace
}  // namespace capture
