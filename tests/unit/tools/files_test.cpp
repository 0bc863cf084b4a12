#include "tools/files.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>

#include "tests/unit/tools/temporary_folder.h"

namespace tools {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

class FilesTest : public testing::Test {
 protected:
  FilesOptions options() const { return {work_.path(), {}, state_.path() / "journal"}; }
  FileReply edit(const std::string& name, std::string_view before, std::string_view after) {
    return files_.edit(name, before, after, Occurrences::One);
  }
  // Edits `bytes` and gives what became of them; "refused" when it was.
  std::string edited(const std::string& bytes, std::string_view before, std::string_view after) {
    work_.write("f", bytes);
    files_.read("f", 1, {});
    const FileReply reply = edit("f", before, after);
    last_reply_ = reply.text;
    return reply.ok ? work_.read("f") : "refused";
  }
  std::string patched(const std::string& bytes, const std::string& hunk) {
    work_.write("f", bytes);
    const FileReply reply = files_.apply_patch("*** Begin Patch\n*** Update File: f\n" + hunk + "*** End Patch\n");
    last_reply_ = reply.text;
    return reply.ok ? work_.read("f") : "refused";
  }
  static struct stat status(const fs::path& path) {
    struct stat status {};
    lstat(path.c_str(), &status);
    return status;
  }

  TemporaryFolder work_{fast_disk()}, state_{fast_disk()};
  Files files_{options()};
  std::string last_reply_;
};

TEST_F(FilesTest, read_shows_numbered_lines_and_ranges) {
  work_.write("a.txt", "one\ntwo\nthree\n");
  EXPECT_EQ(files_.read("a.txt", 1, {}).text, "a.txt: 3 lines\n1\tone\n2\ttwo\n3\tthree\n");
  EXPECT_EQ(files_.read("a.txt", 2, 1).text, "a.txt: 3 lines; shown: 2-2\n2\ttwo\n");
  EXPECT_THAT(files_.read("a.txt", 9, 1).text, HasSubstr("there is no line 9"));
  EXPECT_THAT(files_.read("none", 1, {}).text, HasSubstr("No such file"));
}

TEST_F(FilesTest, read_keeps_to_its_budget_and_says_where_to_go_on) {
  std::string bytes;
  for (int i = 1; i <= 100000; ++i) bytes += "line " + std::to_string(i) + "\n";
  work_.write("long", bytes);
  const std::string text = files_.read("long", 1, {}).text;
  EXPECT_LT(text.size(), 41000u);
  EXPECT_THAT(text, HasSubstr("go on from line"));
  work_.write("wide", std::string(50 << 20, 'x'));
  EXPECT_THAT(files_.read("wide", 1, {}).text, HasSubstr("more bytes in this line"));
}

TEST_F(FilesTest, read_names_unusual_forms) {
  work_.write("w", "\xEF\xBB\xBFone\r\ntwo");
  EXPECT_EQ(files_.read("w", 1, {}).text,
            "w: 2 lines, UTF-8 with byte-order mark, line ends CRLF, no newline at its end\n1\tone\n2\ttwo\n");
  work_.write("latin", "caf\xE9\n");
  EXPECT_THAT(files_.read("latin", 1, {}).text, HasSubstr("1\tcaf\\xe9"));
}

TEST_F(FilesTest, binary_files_are_neither_shown_nor_edited) {
  work_.write("b", std::string("ELF\0\1\2text", 10));
  EXPECT_THAT(files_.read("b", 1, {}).text, HasSubstr("binary"));
  EXPECT_THAT(edit("b", "text", "tixt").text, HasSubstr("binary"));
  EXPECT_FALSE(files_.write("b", "x").ok);
}

// E3
TEST_F(FilesTest, an_edit_without_effect_says_so_and_leaves_the_file_alone) {
  const fs::path path = work_.write("f", "a\nb\nc\n");
  const auto before = status(path).st_mtim;
  EXPECT_THAT(edit("f", "b", "b").text, HasSubstr("no change"));
  EXPECT_THAT(files_.apply_patch("*** Begin Patch\n*** Update File: f\n a\n-b\n+b\n*** End Patch\n").text,
              HasSubstr("no change"));
  // The same patch twice.
  const std::string patch = "*** Begin Patch\n*** Update File: f\n a\n-x\n+b\n c\n*** End Patch\n";
  const FileReply reply = files_.apply_patch(patch);
  EXPECT_TRUE(reply.ok);
  EXPECT_THAT(reply.text, HasSubstr("no change"));
  EXPECT_EQ(status(path).st_mtim.tv_nsec, before.tv_nsec);
}

// E4, E20: the ends of all untouched lines stay; new lines take their neighbour's.
TEST_F(FilesTest, line_ends_survive_every_kind_of_change) {
  for (const std::string end : {"\n", "\r\n", "\r"}) {
    for (const bool has_last : {true, false}) {
      const std::string last = has_last ? end : "";
      const std::string file = "one" + end + "two" + end + "three" + last;
      const auto joined = [&](std::vector<std::string> lines) {
        std::string text;
        for (size_t i = 0; i < lines.size(); ++i) text += lines[i] + (i + 1 < lines.size() ? end : last);
        return text;
      };
      EXPECT_EQ(patched(file, "+zero\n one\n two\n"), joined({"zero", "one", "two", "three"}));
      EXPECT_EQ(patched(file, " one\n-two\n+2\n+2b\n three\n"), joined({"one", "2", "2b", "three"}));
      EXPECT_EQ(patched(file, " two\n three\n+four\n"), joined({"one", "two", "three", "four"}));
      EXPECT_EQ(patched(file, " one\n-two\n"), joined({"one", "three"}));
      EXPECT_EQ(patched(file, " two\n-three\n+3\n"), joined({"one", "two", "3"}));
      EXPECT_EQ(patched(file, "-one\n two\n"), joined({"two", "three"}));
      if (end == "\r") continue;
      EXPECT_EQ(edited(file, "one\ntwo", "1\n1b\n2"), joined({"1", "1b", "2", "three"}));
      EXPECT_EQ(edited(file, "ne\ntw", "N\nT"), joined({"oN", "To", "three"}));
      EXPECT_EQ(edited(file, "two", "2\n2b"), joined({"one", "2", "2b", "three"}));
    }
  }
}

TEST_F(FilesTest, mixed_line_ends_stay_mixed) {
  EXPECT_EQ(patched("a\r\nb\nc\r\nd\n", " a\n-b\n+B\n+B2\n c\n"), "a\r\nB\nB2\nc\r\nd\n");
  EXPECT_EQ(patched("a\nb\nc\r\nd\r\n", " c\n+new\n d\n"), "a\nb\nc\r\nnew\r\nd\r\n");
}

// E5, E9, E10: other encodings.
TEST_F(FilesTest, bytes_of_other_encodings_survive_an_ascii_edit) {
  const std::string latin = "caf\xE9 na\xEFve\nname = old\n\x92quoted\x93 \x80\n";
  EXPECT_EQ(edited(latin, "name = old", "name = new"), "caf\xE9 na\xEFve\nname = new\n\x92quoted\x93 \x80\n");
  const std::string shift_jis = "\x95\x5C\x8E\xA6\nvalue=1 \x95\x5C\n";  // the second byte of 表 is a backslash
  EXPECT_EQ(edited(shift_jis, "value=1", "value=2"), "\x95\x5C\x8E\xA6\nvalue=2 \x95\x5C\n");
  const std::string gbk = "\xC4\xE3\xBA\xC3\nx=1\n";
  EXPECT_EQ(patched(gbk, "-x=1\n+x=2\n"), "\xC4\xE3\xBA\xC3\nx=2\n");
}

TEST_F(FilesTest, characters_that_would_mix_encodings_are_refused) {
  work_.write("f", "caf\xE9\nx\n");
  const FileReply reply = edit("f", "x", "€");
  EXPECT_FALSE(reply.ok);
  EXPECT_THAT(reply.text, HasSubstr("isn't UTF-8"));
  EXPECT_EQ(work_.read("f"), "caf\xE9\nx\n");
}

TEST_F(FilesTest, utf16_is_refused_by_name) {
  work_.write("f", std::string("\xFF\xFE"
                               "a\0b\0",
                               6));
  EXPECT_THAT(edit("f", "a", "b").text, HasSubstr("UTF-16"));
}

TEST_F(FilesTest, a_byte_order_mark_stays) {
  EXPECT_EQ(edited("\xEF\xBB\xBFone\ntwo\n", "one\ntwo", "1\ntwo"),
            "\xEF\xBB\xBF"
            "1\ntwo\n");
  EXPECT_EQ(patched("\xEF\xBB\xBFone\ntwo\n", "-one\n+1\n two\n"),
            "\xEF\xBB\xBF"
            "1\ntwo\n");
  files_.read("f", 1, {});
  EXPECT_TRUE(files_.write("f", "new\n").ok);
  EXPECT_EQ(work_.read("f"), "\xEF\xBB\xBFnew\n");
}

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

// E11
TEST_F(FilesTest, box_drawing_characters_survive) {
  const std::string tree = "├── src\n│   ├── a.c\n└── README\n";
  EXPECT_EQ(edited(tree, "a.c", "b.c"), "├── src\n│   ├── b.c\n└── README\n");
}

// E12
TEST_F(FilesTest, links_stay_links_and_the_target_changes) {
  work_.write("target", "old\n");
  fs::create_symlink("target", work_.path() / "l1");
  fs::create_symlink("l1", work_.path() / "l2");
  fs::create_symlink(work_.path() / "l2", work_.path() / "l3");
  EXPECT_TRUE(edit("l3", "old", "new").ok);
  EXPECT_TRUE(fs::is_symlink(work_.path() / "l3"));
  EXPECT_EQ(work_.read("target"), "new\n");
  EXPECT_TRUE(files_.undo().ok);
  EXPECT_TRUE(fs::is_symlink(work_.path() / "l1"));
  EXPECT_EQ(work_.read("target"), "old\n");
  fs::create_symlink("c2", work_.path() / "c1");
  fs::create_symlink("c1", work_.path() / "c2");
  EXPECT_FALSE(edit("c1", "a", "b").ok);
  fs::create_symlink("/etc/nothing-there", work_.path() / "broken");
  EXPECT_FALSE(files_.write("broken", "x").ok);
}

// E14, E24
TEST_F(FilesTest, hard_links_mode_and_owner_stay) {
  const fs::path a = work_.write("a", "old\n");
  fs::create_hard_link(a, work_.path() / "b");
  for (const mode_t mode : {0755, 0640, 0600}) {
    chmod(a.c_str(), mode);
    if (geteuid() == 0) {
      ASSERT_EQ(chown(a.c_str(), 65534, 65534), 0);
    }
    const auto before = status(a);
    ASSERT_TRUE(edit("a", "old", "new").ok);
    EXPECT_EQ(work_.read("b"), "new\n");
    const auto after = status(a);
    EXPECT_EQ(after.st_ino, before.st_ino);
    EXPECT_EQ(after.st_mode, before.st_mode);
    EXPECT_EQ(after.st_uid, before.st_uid);
    EXPECT_EQ(after.st_gid, before.st_gid);
    ASSERT_TRUE(edit("a", "new", "old").ok);
  }
}

// E15
TEST_F(FilesTest, a_touched_or_elsewhere_changed_file_can_still_be_edited) {
  work_.write("f", "one\ntwo\nthree\n");
  files_.read("f", 1, {});
  work_.write("f", "one\ntwo\nthree\n");  // same content, new time
  EXPECT_TRUE(edit("f", "two", "2").ok);
  work_.write("f", "ONE\n2\nthree\n");  // somebody formats another line
  const FileReply reply = edit("f", "three", "3");
  EXPECT_TRUE(reply.ok);
  EXPECT_THAT(reply.text, HasSubstr("had changed elsewhere"));
  EXPECT_EQ(work_.read("f"), "ONE\n2\n3\n");
}

TEST_F(FilesTest, a_change_in_the_edited_place_is_refused_with_what_is_there) {
  work_.write("f", "alpha\nvalue = 1\nomega\n");
  files_.read("f", 1, {});
  work_.write("f", "alpha\nvalue = 77\nomega\n");
  const FileReply reply = edit("f", "alpha\nvalue = 1\nomega", "alpha\nvalue = 2\nomega");
  EXPECT_FALSE(reply.ok);
  EXPECT_THAT(reply.text, HasSubstr("2\tvalue = 77"));
  EXPECT_THAT(reply.text, HasSubstr("changed on disk"));
}

TEST_F(FilesTest, replacing_a_file_needs_a_fresh_look) {
  work_.write("f", "one\n");
  EXPECT_THAT(files_.write("f", "two\n").text, HasSubstr("read it before"));
  files_.read("f", 1, {});
  work_.write("f", "changed\n");
  EXPECT_THAT(files_.write("f", "two\n").text, HasSubstr("changed on disk"));
  files_.read("f", 1, {});
  EXPECT_TRUE(files_.write("f", "two\n").ok);
  EXPECT_TRUE(files_.write("f", "three\n").ok);  // we know what we wrote
  EXPECT_EQ(work_.read("f"), "three\n");
}

// E16
TEST_F(FilesTest, appending_to_a_file_without_final_newline_makes_a_line_of_its_own) {
  EXPECT_EQ(patched("A=1", "@@\n+B=2\n"), "A=1\nB=2");
  EXPECT_EQ(patched("A=1\n", "@@\n+B=2\n"), "A=1\nB=2\n");
  EXPECT_EQ(patched("A=1", " A=1\n+B=2\n"), "A=1\nB=2");
}

// E18
TEST_F(FilesTest, entities_are_never_translated) {
  EXPECT_EQ(edited("if (a < b) print(\"&lt;\");\n", "print(\"&lt;\")", "print(\"&amp;&lt;<\")"),
            "if (a < b) print(\"&amp;&lt;<\");\n");
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
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_FALSE(edit("f", wanted, "x").ok);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(300));
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

// E26
TEST_F(FilesTest, a_patch_whose_third_file_fails_changes_none) {
  work_.write("a", "1\n");
  work_.write("b", "2\n");
  work_.write("c", "3\n");
  const FileReply reply = files_.apply_patch(
      "*** Begin Patch\n*** Update File: a\n-1\n+x\n*** Update File: b\n-2\n+x\n*** Add File: d/e\n+new\n*** Update "
      "File: c\n-none\n+x\n*** End Patch\n");
  EXPECT_FALSE(reply.ok);
  EXPECT_THAT(reply.text, HasSubstr("No file was changed"));
  EXPECT_EQ(work_.read("a") + work_.read("b") + work_.read("c"), "1\n2\n3\n");
  EXPECT_FALSE(fs::exists(work_.path() / "d"));
}

// E27
TEST_F(FilesTest, everything_can_be_replaced_by_nothing) {
  EXPECT_EQ(edited("all of it\n", "all of it\n", ""), "");
  EXPECT_EQ(patched("one\ntwo\n", "-one\n-two\n"), "");
}

// E28
TEST_F(FilesTest, letters_that_change_length_with_case_do_not_shift_the_place) {
  EXPECT_EQ(edited("İstanbul İİİİ\n  target\n", "TARGET", "x"), "refused");
  EXPECT_EQ(edited("İstanbul İİİİ\n  target\n", "target", "goal"), "İstanbul İİİİ\n  goal\n");
}

TEST_F(FilesTest, placeholders_for_code_are_refused) {
  work_.write("f", "int a;\n// ... existing code ...\n");
  for (const char* line : {"// ... rest of code ...", "# ... existing code ...", "/* … unchanged … */",
                           "<!-- ... remaining markup -->", "... rest of the file"}) {
    EXPECT_THAT(edit("f", "int a;", std::string("int b;\n") + line + "!\n").text, HasSubstr("left out")) << line;
    EXPECT_FALSE(files_.write("g", std::string(line) + "\n").ok) << line;
    EXPECT_FALSE(files_.apply_patch("*** Begin Patch\n*** Add File: h\n+" + std::string(line) + "\n*** End Patch\n").ok)
        << line;
  }
  for (const char* line : {"int rest_of(int... n);", "log(\"loading...\");", "f(args...);  // existing callers",
                           "// see the rest of the file"}) {
    EXPECT_FALSE(files_.edit("f", "nothing", line, Occurrences::One).ok);
    EXPECT_TRUE(files_.write(std::string("ok") + std::to_string(std::string(line).size()), std::string(line) + "\n").ok)
        << line;
  }
  EXPECT_TRUE(
      edit("f", "int a;\n// ... existing code ...", "int b;\n// ... existing code ...").ok);  // it was there before
}

TEST_F(FilesTest, paths_out_of_the_workspace_are_refused) {
  TemporaryFolder outside;
  outside.write("secret", "s\n");
  fs::create_symlink(outside.path(), work_.path() / "way_out");
  fs::create_symlink(outside.path() / "secret", work_.path() / "file_out");
  const std::string absolute = (outside.path() / "secret").string();
  for (const std::string& path :
       {absolute, std::string("../") + outside.path().filename().string() + "/secret", std::string("way_out/secret"),
        std::string("file_out"), "/proc/self/root" + absolute, std::string("a/../../etc/passwd"), std::string("")}) {
    EXPECT_FALSE(files_.read(path, 1, {}).ok) << path;
    EXPECT_FALSE(edit(path, "s", "t").ok) << path;
    EXPECT_FALSE(files_.write(path, "t").ok) << path;
    EXPECT_FALSE(files_.workspace().contains(path)) << path;
  }
  EXPECT_FALSE(files_.write("way_out/new", "t").ok);
  EXPECT_FALSE(files_.apply_patch("*** Begin Patch\n*** Add File: way_out/new\n+x\n*** End Patch\n").ok);
  EXPECT_EQ(outside.read("secret"), "s\n");
  EXPECT_FALSE(fs::exists(outside.path() / "new"));
}

TEST_F(FilesTest, git_internals_are_not_written) {
  work_.write(".git/config", "[core]\n");
  files_.read(".git/config", 1, {});
  EXPECT_FALSE(files_.write(".git/config", "x").ok);
  EXPECT_FALSE(files_.write(".git/hooks/pre-commit", "x").ok);
  EXPECT_TRUE(files_.write(".gitignore", "x\n").ok);
}

TEST_F(FilesTest, special_files_do_not_hang) {
  mkfifo((work_.path() / "pipe").c_str(), 0600);
  EXPECT_FALSE(files_.read("pipe", 1, {}).ok);
  EXPECT_FALSE(edit("pipe", "a", "b").ok);
  EXPECT_FALSE(files_.read(".", 1, {}).ok);
}

TEST_F(FilesTest, a_patch_adds_moves_and_deletes_and_undo_takes_it_back) {
  work_.write("move me", "1\n2\n3\n");
  work_.write("kill me", "bye\n");
  chmod((work_.path() / "kill me").c_str(), 0700);
  const FileReply reply = files_.apply_patch(
      "*** Begin Patch\n*** Add File: x/y/new\n+hello\n*** Update File: move me\n*** Move to: z/moved\n "
      "1\n-2\n+two\n*** Delete File: kill me\n*** End Patch\n");
  ASSERT_TRUE(reply.ok) << reply.text;
  EXPECT_EQ(work_.read("x/y/new"), "hello\n");
  EXPECT_EQ(work_.read("z/moved"), "1\ntwo\n3\n");
  EXPECT_FALSE(fs::exists(work_.path() / "move me"));
  EXPECT_FALSE(fs::exists(work_.path() / "kill me"));
  ASSERT_TRUE(files_.undo().ok);
  EXPECT_EQ(work_.read("move me"), "1\n2\n3\n");
  EXPECT_EQ(work_.read("kill me"), "bye\n");
  EXPECT_EQ(status(work_.path() / "kill me").st_mode & 0777, 0700u);
  EXPECT_FALSE(fs::exists(work_.path() / "x"));
  EXPECT_FALSE(fs::exists(work_.path() / "z"));
  EXPECT_FALSE(files_.undo().ok);
}

TEST_F(FilesTest, nothing_is_added_or_moved_over_an_existing_file) {
  work_.write("a", "1\n");
  work_.write("b", "2\n");
  EXPECT_FALSE(files_.apply_patch("*** Begin Patch\n*** Add File: a\n+x\n*** End Patch\n").ok);
  EXPECT_FALSE(files_.apply_patch("*** Begin Patch\n*** Update File: a\n*** Move to: b\n*** End Patch\n").ok);
  EXPECT_EQ(work_.read("a") + work_.read("b"), "1\n2\n");
}

TEST_F(FilesTest, undo_goes_back_step_by_step_and_across_runs) {
  work_.write("f", "0\n");
  for (const char* step : {"1", "2", "3"})
    ASSERT_TRUE(edit("f", std::string(1, static_cast<char>(step[0] - 1)), step).ok);
  EXPECT_TRUE(files_.undo().ok);
  EXPECT_EQ(work_.read("f"), "2\n");
  Files later(options());
  EXPECT_TRUE(later.undo().ok);
  EXPECT_TRUE(later.undo().ok);
  EXPECT_EQ(work_.read("f"), "0\n");
  EXPECT_FALSE(later.undo().ok);
}

TEST_F(FilesTest, undo_is_refused_when_the_file_has_changed_since) {
  work_.write("f", "old\n");
  ASSERT_TRUE(edit("f", "old", "new").ok);
  work_.write("f", "new, by hand\n");
  const FileReply reply = files_.undo();
  EXPECT_FALSE(reply.ok);
  EXPECT_THAT(reply.text, HasSubstr("changed on disk"));
  EXPECT_EQ(work_.read("f"), "new, by hand\n");
}

TEST_F(FilesTest, two_changes_of_one_file_in_one_patch_both_land) {
  work_.write("f", "a\nb\nc\nd\ne\n");
  EXPECT_TRUE(
      files_.apply_patch("*** Begin Patch\n*** Update File: f\n-a\n+A\n*** Update File: f\n d\n-e\n+E\n*** End Patch\n")
          .ok);
  EXPECT_EQ(work_.read("f"), "A\nb\nc\nd\nE\n");
}

TEST_F(FilesTest, a_full_disk_changes_nothing) {
  if (geteuid() != 0) GTEST_SKIP() << "mounting a small disk needs root";
  TemporaryFolder disk;
  if (std::system(("mount -t tmpfs -o size=256k none " + disk.path().string()).c_str()) != 0)
    GTEST_SKIP() << "mount is refused here";
  disk.write("a", "one\n");
  disk.write("b", "two\n");
  {
    Files files({disk.path(), {}, state_.path() / "other"});
    const std::string big(400000, 'x');
    const FileReply reply =
        files.apply_patch("*** Begin Patch\n*** Update File: a\n-one\n+1\n*** Update File: b\n two\n+" + big +
                          "\n*** Add File: c\n+" + big + "\n*** End Patch\n");
    EXPECT_FALSE(reply.ok);
    EXPECT_THAT(reply.text, HasSubstr("No space left"));
    EXPECT_EQ(disk.read("a") + disk.read("b"), "one\ntwo\n");
    EXPECT_FALSE(fs::exists(disk.path() / "c"));
  }
  EXPECT_EQ(std::system(("umount " + disk.path().string()).c_str()), 0);
}

}  // namespace
}  // namespace tools
