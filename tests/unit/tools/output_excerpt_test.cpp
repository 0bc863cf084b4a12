#include "tools/output_excerpt.h"

#include <gtest/gtest.h>

namespace tools {
namespace {

TEST(OutputExcerpt, a_text_within_the_budget_is_whole) {
  OutputExcerpt excerpt({10, 10});
  excerpt.add("0123456789");
  excerpt.add("abcdefghij");
  EXPECT_EQ(excerpt.text("/log"), "0123456789abcdefghij");
  EXPECT_EQ(excerpt.cut_bytes(), 0u);
}

TEST(OutputExcerpt, the_count_of_cut_bytes_is_exact) {
  OutputExcerpt excerpt({300, 300});
  std::string whole;
  for (int i = 0; i < 100000; ++i) whole += "line " + std::to_string(i) + "\n";
  for (size_t start = 0; start < whole.size(); start += 777) excerpt.add(std::string_view(whole).substr(start, 777));
  const std::string text = excerpt.text("/log");
  const size_t mark = text.find("[... "), mark_end = text.find("...]\n");
  ASSERT_NE(mark, std::string::npos);
  const size_t n_cut = std::stoul(text.substr(mark + 5));
  const std::string head = text.substr(0, mark), tail = text.substr(mark_end + 5);
  EXPECT_EQ(head.size() + n_cut + tail.size(), whole.size());
  EXPECT_TRUE(whole.starts_with(head));
  EXPECT_TRUE(whole.ends_with(tail));
  EXPECT_TRUE(head.ends_with("\n"));
  EXPECT_NE(text.find("/log"), std::string::npos);
}

TEST(OutputExcerpt, cuts_lie_between_code_points) {
  for (size_t budget = 1; budget < 12; ++budget) {
    OutputExcerpt excerpt({budget, budget});
    for (int i = 0; i < 100; ++i) excerpt.add("日");
    const std::string text = excerpt.text("/log");
    const size_t n_marks = text.find("[... ");
    EXPECT_EQ(text.substr(0, n_marks).find_last_not_of("日\n"), std::string::npos);
    EXPECT_TRUE((n_marks - (n_marks > 0 ? 1 : 0)) % 3 == 0) << budget;
    EXPECT_EQ((text.size() - text.find("...]\n") - 5) % 3, 0u) << budget;
  }
}

TEST(OutputExcerpt, skipped_bytes_are_counted) {
  OutputExcerpt excerpt({4, 4});
  excerpt.add("abcd");
  excerpt.skip(1000000);
  excerpt.add("wxyz");
  EXPECT_EQ(excerpt.text("/log"), "abcd\n[... 1000000 bytes cut here; the whole output: /log ...]\nwxyz");
}

}  // namespace
}  // namespace tools
