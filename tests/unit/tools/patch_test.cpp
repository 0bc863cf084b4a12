#include "tools/patch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tools {
namespace {

using testing::HasSubstr;

std::vector<FilePatch> parsed(std::string_view text) {
  auto outcome = parse_patch(text);
  if (const auto* error = std::get_if<PatchError>(&outcome)) {
    ADD_FAILURE() << error->line << ": " << error->message;
    return {};
  }
  return std::get<std::vector<FilePatch>>(outcome);
}

PatchError failed(std::string_view text) {
  auto outcome = parse_patch(text);
  if (const auto* error = std::get_if<PatchError>(&outcome)) return *error;
  ADD_FAILURE() << "was read";
  return {};
}

TEST(CodexPatch, all_sections) {
  const auto files = parsed(
      "*** Begin Patch\n"
      "*** Add File: new.txt\n+one\n+\n"
      "*** Delete File: old.txt\n"
      "*** Update File: a.cpp\n*** Move to: b.cpp\n@@ class A\n@@ void f()\n context\n-gone\n+come\n\n*** End of File\n"
      "*** End Patch");
  ASSERT_EQ(files.size(), 3u);
  EXPECT_EQ(files[0].kind, FilePatch::Kind::Add);
  EXPECT_EQ(files[0].hunks[0].lines.size(), 2u);
  EXPECT_EQ(files[1].kind, FilePatch::Kind::Delete);
  EXPECT_EQ(files[2].new_path, "b.cpp");
  const Hunk& hunk = files[2].hunks[0];
  EXPECT_EQ(hunk.anchors, (std::vector<std::string>{"class A", "void f()"}));
  ASSERT_EQ(hunk.lines.size(), 3u);
  EXPECT_EQ(hunk.lines[1].kind, LineKind::Removed);
  EXPECT_TRUE(hunk.is_at_end);
}

TEST(CodexPatch, wrappers_and_blanks_around_markers_are_forgiven) {
  for (const char* text : {"apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: a\n-x\n+y\n*** End Patch\nEOF\n",
                           "```\n  *** Begin Patch  \n*** Update File:  a \n@@\n-x\n+y\n *** End Patch\n```\n",
                           "*** Begin Patch\r\n*** Update File: a\r\n-x\r\n+y\r\n*** End Patch\r\n"}) {
    const auto files = parsed(text);
    ASSERT_EQ(files.size(), 1u) << text;
    EXPECT_EQ(files[0].path, "a");
    EXPECT_EQ(files[0].hunks[0].lines.size(), 2u);
  }
}

TEST(CodexPatch, an_empty_line_is_empty_context) {
  const auto files =
      parsed("*** Begin Patch\n*** Update File: a\n one\n\n-two\n+2\n\n*** Update File: b\n-x\n*** End Patch\n");
  ASSERT_EQ(files.size(), 2u);
  EXPECT_EQ(files[0].hunks[0].lines.size(), 4u);  // the last empty line only separates
}

TEST(CodexPatch, a_cut_patch_is_refused_whole) {
  const PatchError error = failed("*** Begin Patch\n*** Update File: a\n-x\n+y\n");
  EXPECT_THAT(error.message, HasSubstr("*** End Patch"));
}

TEST(CodexPatch, errors_name_the_line) {
  EXPECT_EQ(failed("*** Begin Patch\n*** Update File: a\n x\nplain text\n*** End Patch\n").line, 4u);
  EXPECT_EQ(failed("*** Begin Patch\n*** Rename File: a\n*** End Patch\n").line, 2u);
  EXPECT_EQ(failed("*** Begin Patch\n*** Add File: a\nno plus\n*** End Patch\n").line, 3u);
  failed("*** Begin Patch\n*** End Patch\n");
  failed("*** Begin Patch\n*** Update File: a\n*** End Patch\n");
  failed("*** Begin Patch\n*** Delete File: a\n*** End Patch\nthen more text\n");
  failed("just words");
  failed("");
}

TEST(UnifiedDiff, plain_diff_with_times) {
  const auto files = parsed(
      "--- src/a.c\t2026-01-01 10:00:00 +0000\n+++ src/a.c\t2026-01-02 10:00:00 +0000\n@@ -3,3 +3,4 @@ int f()\n "
      "a\n-b\n+c\n+d\n e\n");
  ASSERT_EQ(files.size(), 1u);
  EXPECT_EQ(files[0].path, "src/a.c");
  EXPECT_EQ(files[0].hunks[0].old_line, 3u);
  EXPECT_EQ(files[0].hunks[0].lines.size(), 5u);
}

TEST(UnifiedDiff, git_names_are_stripped_and_unquoted) {
  const auto files = parsed(
      "diff --git a/x b/x\nindex 1..2 100644\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-1\n+2\n"
      "diff --git \"a/na\\303\\257ve\\t\" \"b/na\\303\\257ve\\t\"\n--- \"a/na\\303\\257ve\\t\"\n+++ "
      "\"b/na\\303\\257ve\\t\"\n@@ -1 +1 @@\n-1\n+2\n");
  ASSERT_EQ(files.size(), 2u);
  EXPECT_EQ(files[0].path, "x");
  EXPECT_EQ(files[1].path, "na\xC3\xAFve\t");
}

TEST(UnifiedDiff, added_deleted_renamed_and_empty_files) {
  const auto files = parsed(
      "diff --git a/new b/new\nnew file mode 100755\n--- /dev/null\n+++ b/new\n@@ -0,0 +1 @@\n+#!/bin/sh\n"
      "diff --git a/old b/old\ndeleted file mode 100644\n--- a/old\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n"
      "diff --git a/from b/to\nsimilarity index 100%\nrename from from\nrename to to\n"
      "diff --git a/empty b/empty\nnew file mode 100644\nindex 0000000..e69de29\n");
  ASSERT_EQ(files.size(), 4u);
  EXPECT_EQ(files[0].kind, FilePatch::Kind::Add);
  EXPECT_TRUE(files[0].is_executable);
  EXPECT_EQ(files[1].kind, FilePatch::Kind::Delete);
  EXPECT_EQ(files[2].path, "from");
  EXPECT_EQ(files[2].new_path, "to");
  EXPECT_EQ(files[3].path, "empty");
  EXPECT_TRUE(files[3].hunks.empty());
}

TEST(UnifiedDiff, removed_lines_that_look_like_headers_belong_to_the_hunk) {
  const auto files =
      parsed("--- a/x\n+++ b/x\n@@ -1,3 +1,2 @@\n a\n--- b\n-++ c\n+d\n--- a/y\n+++ b/y\n@@ -1 +1 @@\n-1\n+2\n");
  ASSERT_EQ(files.size(), 2u);
  EXPECT_EQ(files[0].hunks[0].lines.size(), 4u);
  EXPECT_EQ(files[0].hunks[0].lines[1].text, "-- b");
}

TEST(UnifiedDiff, miscounted_hunks_are_read_by_their_lines) {
  const auto files = parsed("--- a/x\n+++ b/x\n@@ -1,9 +1,9 @@\n a\n-b\n+c\n\n@@ -20,1 +20,1 @@\n-q\n+r\n d\n");
  ASSERT_EQ(files[0].hunks.size(), 2u);
  EXPECT_EQ(files[0].hunks[0].lines.size(), 3u);
  EXPECT_EQ(files[0].hunks[1].lines.size(), 3u);
}

TEST(UnifiedDiff, no_newline_remarks_mark_their_line) {
  const auto files =
      parsed("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n\\ No newline at end of file\n");
  EXPECT_TRUE(files[0].hunks[0].lines[0].has_no_newline);
  EXPECT_TRUE(files[0].hunks[0].lines[1].has_no_newline);
}

TEST(UnifiedDiff, what_cannot_be_applied_is_refused) {
  failed("diff --git a/x b/x\nold mode 100644\nnew mode 100755\n");
  failed("diff --git a/x b/x\nGIT binary patch\nliteral 3\n");
  failed("diff --git a/x b/y\ncopy from x\ncopy to y\n");
  failed("--- a/x\n+++ b/x\nno hunk\n");
  failed("@@ -1 +1 @@\n-a\n+b\n--- a/x\n");
  failed("diff --git \"x\" \"x\"\nnew file mode 100644\n");
}

}  // namespace
}  // namespace tools
