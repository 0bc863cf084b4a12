// Where an edit lands, and that a place which is not certain is refused with what is there.
#include <gmock/gmock.h>

#include <algorithm>
#include <chrono>

#include "tests/unit/tools/files_fixture.h"

namespace tools {
namespace {

using testing::HasSubstr;

// E6, E7: old text with spaces in a file with tabs.
TEST_F(FilesTest, spaces_for_tabs_match_and_the_result_has_tabs) {
  for (const std::string end : {"\n", "\r\n"}) {
    const std::string file = "func f() {" + end + "\tif x {" + end + "\t\ty()" + end + "\t}" + end + "}" + end;
    const std::string expected =
        "func f() {" + end + "\tif x {" + end + "\t\tz()" + end + "\t\t\tdeep()" + end + "\t}" + end + "}" + end;
    for (const size_t width : {4u, 8u}) {
      const std::string one(width, ' '), two(2 * width, ' '), three(3 * width, ' ');
      EXPECT_EQ(edited(file, one + "if x {\n" + two + "y()\n" + one + "}\n",
                       one + "if x {\n" + two + "z()\n" + three + "deep()\n" + one + "}\n"),
                expected);
      EXPECT_EQ(
          patched(file, " " + one + "if x {\n-" + two + "y()\n+" + two + "z()\n+" + three + "deep()\n " + one + "}\n"),
          expected);
    }
  }
  EXPECT_EQ(edited("all:\n\tcc a.c\n", "all:\n    cc a.c", "all:\n    cc b.c"), "all:\n\tcc b.c\n");
}

// E2: a shifted block keeps the relative depth of what is added.
TEST_F(FilesTest, added_lines_keep_their_relative_depth) {
  const std::string file = "class A:\n        def f(self):\n            return 1\n";
  EXPECT_EQ(patched(file, " def f(self):\n-    return 1\n+    if x:\n+        return 2\n+    return 3\n"),
            "class A:\n        def f(self):\n            if x:\n                return 2\n            return 3\n");
}

TEST_F(FilesTest, an_added_depth_that_cannot_be_told_is_refused) {
  const std::string file = "\tone\n\ttwo\n";
  EXPECT_EQ(patched(file, "    one\n-   two\n+  strange\n"), "refused");
}

TEST_F(FilesTest, context_lines_keep_the_files_bytes) {
  // Trailing blanks in the file, none in the patch; and the other way round.
  EXPECT_EQ(patched("one  \ntwo\nthree\t\n", " one\n-two\n+2\n three\n"), "one  \n2\nthree\t\n");
  EXPECT_EQ(edited("one  \ntwo\nthree\t\n", "one\ntwo\nthree\n", "one\n2\nthree\n"), "one  \n2\nthree\t\n");
  EXPECT_EQ(patched("one\ntwo\n", " one   \n-two\n+2\n"), "one\n2\n");
}

// E19
TEST_F(FilesTest, a_near_miss_shows_what_is_really_there) {
  std::string file, wanted;
  for (int i = 0; i < 20; ++i) {
    file += "    call_" + std::to_string(i) + "(x),\n";
    if (i == 10) file += "\n";
    wanted += "    call_" + std::to_string(i) + (i == 19 ? "(x)\n" : "(x),\n");
  }
  work_.write("f", "start\n" + file + "end\n");
  const FileReply reply = edit("f", wanted, "gone\n");
  EXPECT_FALSE(reply.ok);
  EXPECT_THAT(reply.text, HasSubstr("lines 2-"));
  EXPECT_THAT(reply.text, HasSubstr("2\t    call_0(x),"));
  EXPECT_EQ(work_.read("f"), "start\n" + file + "end\n");
}

// E21
TEST_F(FilesTest, the_line_after_a_match_keeps_its_indentation) {
  EXPECT_EQ(edited("\tone \n\t    two\n", "    one\n", "    1\n"), "\t1\n\t    two\n");
}

// E22
TEST_F(FilesTest, a_miss_in_two_megabytes_is_answered_quickly) {
  std::string file, wanted;
  for (int i = 0; file.size() < (2u << 20); ++i)
    file += "        some_function_call(argument_" + std::to_string(i % 5000) + ");\n";
  for (int i = 0; i < 40; ++i) wanted += "        some_function_call(argument_x" + std::to_string(i) + ");\n";
  work_.write("f", file);
  // What the search itself takes, it takes each time; the machine may have been kept busy by others once.
  auto shortest = std::chrono::steady_clock::duration::max();
  for (int attempt = 0; attempt < 3; ++attempt) {
    const auto begin = std::chrono::steady_clock::now();
    EXPECT_FALSE(edit("f", wanted, "x").ok);
    shortest = std::min(shortest, std::chrono::steady_clock::now() - begin);
  }
  EXPECT_LT(shortest, std::chrono::milliseconds(300));
}

// E25
TEST_F(FilesTest, two_equal_places_are_refused_with_their_lines) {
  work_.write("f", "a\nx = 1\nb\nc\nd\nx = 1\n");
  const FileReply reply = edit("f", "x = 1", "x = 2");
  EXPECT_FALSE(reply.ok);
  EXPECT_THAT(reply.text, HasSubstr("2 times, at lines 2, 6"));
  EXPECT_EQ(patched("a\nx = 1\nb\na\nx = 1\nb\n", " a\n-x = 1\n+x = 2\n b\n"), "refused");
  EXPECT_THAT(last_reply_, HasSubstr("lines 1-3, 4-6"));
  // At every rung.
  EXPECT_EQ(patched("a \nx\na \nx\n", " a\n-x\n+y\n"), "refused");
  EXPECT_EQ(patched("\ta\n\tx\n\ta\n\tx\n", " a\n-x\n+y\n"), "refused");
  EXPECT_EQ(patched("a\r\nx\r\na\r\nx\r\n", " a\n-x\n+y\n"), "refused");
  work_.write("f", "x = 1\nx = 1\n");
  EXPECT_TRUE(files_.edit("f", "x = 1", "x = 2", Occurrences::All).ok);
  EXPECT_EQ(work_.read("f"), "x = 2\nx = 2\n");
}

TEST_F(FilesTest, an_enclosing_name_decides_between_equal_places) {
  const std::string file = "def f():\n    x = 1\n    return x\n\ndef g():\n    x = 1\n    return x\n";
  EXPECT_EQ(patched(file, "@@ def g():\n-    x = 1\n+    x = 2\n     return x\n"),
            "def f():\n    x = 1\n    return x\n\ndef g():\n    x = 2\n    return x\n");
  EXPECT_EQ(patched(file, "@@ def f():\n-    x = 1\n+    x = 2\n     return x\n"),
            "def f():\n    x = 2\n    return x\n\ndef g():\n    x = 1\n    return x\n");
  EXPECT_EQ(patched(file, "@@ def h():\n-    x = 1\n+    x = 2\n     return x\n"), "refused");
}

TEST_F(FilesTest, a_line_number_decides_only_where_it_is_exact) {
  work_.write("f", "a\nx\nb\na\nx\nb\n");
  const auto patch = [](int line) {
    return "--- a/f\n+++ b/f\n@@ -" + std::to_string(line) + ",3 +" + std::to_string(line) + ",3 @@\n a\n-x\n+y\n b\n";
  };
  EXPECT_FALSE(files_.apply_patch(patch(3)).ok);
  EXPECT_TRUE(files_.apply_patch(patch(4)).ok);
  EXPECT_EQ(work_.read("f"), "a\nx\nb\na\ny\nb\n");
}

// E28
TEST_F(FilesTest, letters_that_change_length_with_case_do_not_shift_the_place) {
  EXPECT_EQ(edited("İstanbul İİİİ\n  target\n", "TARGET", "x"), "refused");
  EXPECT_EQ(edited("İstanbul İİİİ\n  target\n", "target", "goal"), "İstanbul İİİİ\n  goal\n");
}

}  // namespace
}  // namespace tools
