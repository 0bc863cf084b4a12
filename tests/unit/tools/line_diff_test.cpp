// Diffs that say what changed, no more, and that make the one text out of the other.

#include "tools/line_diff.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <random>

#include "tools/files.h"
#include "tools/text_lines.h"

namespace tools {
namespace {

TEST(LineDiff, equal_texts_have_none) {
  EXPECT_EQ(unified_diff("a", "x\ny\n", "x\ny\n"), "");
  EXPECT_EQ(unified_diff("a", "", ""), "");
}

TEST(LineDiff, shows_the_change_with_three_lines_around_it) {
  EXPECT_EQ(unified_diff("sum.h", "1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nfive\n6\n7\n8\n9\n"),
            "--- a/sum.h\n+++ b/sum.h\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n");
}

TEST(LineDiff, far_changes_are_hunks_of_their_own_and_near_ones_are_not) {
  std::string before, after;
  for (int i = 1; i <= 40; ++i) {
    before += std::to_string(i) + "\n";
    after += i == 3 || i == 9 || i == 30 ? "x\n" : std::to_string(i) + "\n";
  }
  const std::string diff = unified_diff("n", before, after);
  std::size_t n_hunks = 0;
  for (std::size_t at = diff.find("\n@@"); at != std::string::npos; at = diff.find("\n@@", at + 1)) ++n_hunks;
  EXPECT_EQ(n_hunks, 2U) << diff;
}

TEST(LineDiff, new_and_removed_files_and_missing_line_ends) {
  EXPECT_EQ(unified_diff("n", std::string_view(), "a\n"), "--- /dev/null\n+++ b/n\n@@ -0,0 +1,1 @@\n+a\n");
  EXPECT_EQ(unified_diff("n", "a\n", std::string_view()), "--- a/n\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-a\n");
  EXPECT_EQ(unified_diff("n", "a", "a\n"), "--- a/n\n+++ b/n\n@@ -1,1 +1,1 @@\n-a\n\\ No newline at end of file\n+a\n");
}

// Our own patch reader, which is tested by itself, makes the new text out of the old one and the diff.
TEST(LineDiff, can_be_applied) {
  namespace fs = std::filesystem;
  const fs::path root = fs::path(::testing::TempDir()) / ("line_diff" + std::to_string(::getpid()));
  fs::remove_all(root);
  fs::create_directories(root / "workspace");
  FilesOptions options;
  options.workspace = root / "workspace";
  options.journal = root / "journal";
  std::mt19937 random(7);
  for (int round = 0; round < 60; ++round) {
    std::string before, after;
    for (int line = 0; line < 60; ++line) {
      const std::string text = "line " + std::to_string(line) + "\n";
      const auto dice = random() % 12;
      if (dice != 0) before += text;
      if (dice != 1) after += dice == 2 ? "other " + text : text;
    }
    Files files(options);
    fs::remove(options.workspace / "f.txt");
    ASSERT_TRUE(files.write("f.txt", before).ok);
    const std::string diff = unified_diff("f.txt", before, after);
    if (diff.empty()) continue;
    const FileReply reply = files.apply_patch(diff);
    ASSERT_TRUE(reply.ok) << reply.text << diff;
    const FileReply same = files.edit("f.txt", after, after + "end\n", Occurrences::One);
    ASSERT_TRUE(same.ok) << same.text;
  }
  fs::remove_all(root);
}

}  // namespace
}  // namespace tools
