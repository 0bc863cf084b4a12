// What reading shows and what an edit leaves of a file: line ends, encodings, links, mode and owner.
#include <gmock/gmock.h>
#include <unistd.h>

#include "tests/unit/tools/files_fixture.h"

namespace tools {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

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

// E27
TEST_F(FilesTest, everything_can_be_replaced_by_nothing) {
  EXPECT_EQ(edited("all of it\n", "all of it\n", ""), "");
  EXPECT_EQ(patched("one\ntwo\n", "-one\n-two\n"), "");
}

}  // namespace
}  // namespace tools
