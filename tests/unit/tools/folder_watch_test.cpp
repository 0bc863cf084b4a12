// What commands do to a workspace is kept like edits, and put back byte for byte.

#include "tools/folder_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <functional>
#include <map>

#include "tests/unit/tools/temporary_folder.h"
#include "tools/files.h"

namespace tools {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class CommandsTest : public testing::Test {
 protected:
  CommandsTest() { files_.label_changes("session"); }

  FileReply by_command(const std::function<void()>& act) {
    files_.before_command();
    act();
    return files_.after_command();
  }
  EditJournal::LabelUndo undo() {
    const Workspace workspace(work_.path());
    return EditJournal(workspace, state_.path()).undo_label("session");
  }
  // By name: the permission bits and the content; of folders nothing.
  std::map<std::string, std::string> tree() const {
    std::map<std::string, std::string> tree;
    for (const auto& item : fs::recursive_directory_iterator(work_.path())) {
      const std::string name = item.path().lexically_relative(work_.path()).string();
      const auto mode = static_cast<unsigned>(item.status().permissions());
      tree[name] = item.is_directory() ? "" : std::to_string(mode) + " " + work_.read(name);
    }
    return tree;
  }

  TemporaryFolder work_{fast_disk()}, state_{fast_disk()};
  Files files_{FilesOptions{work_.path(), {}, state_.path()}};
};

// Where the kernel's clock is coarse, such a file has the times of before.
TEST_F(CommandsTest, another_text_as_long_as_the_one_just_written_is_a_change) {
  for (int i = 0; i < 20; ++i) {
    work_.write("a", "first");
    EXPECT_EQ(by_command([&] { work_.write("a", "other"); }).text, "files: changed a\n") << i;
    EXPECT_THAT(undo().problems, IsEmpty());
    EXPECT_EQ(work_.read("a"), "first") << i;
  }
}

TEST_F(CommandsTest, what_one_did_is_put_back_byte_for_byte) {
  work_.write("a", "1\n2");
  work_.write("picture", std::string("\0\xff\n\0", 4));
  work_.write("sub/script", "#!/bin/sh\n");
  ::chmod((work_.path() / "sub" / "script").c_str(), 0755);
  work_.write("replaced", "old");
  const auto before = tree();
  const FileReply told = by_command([&] {
    work_.write("a", "1\n2\n3\n");
    work_.write("picture", "");
    fs::remove_all(work_.path() / "sub");
    work_.write("other", "new");
    fs::rename(work_.path() / "other", work_.path() / "replaced");  // as sed -i does
    work_.write("made/deep/c", "c");
  });
  EXPECT_EQ(told.text,
            "files: changed a; changed picture; changed replaced; deleted sub/script; created made/deep/c\n");
  EXPECT_EQ(told.details.at("files").size(), 5U);
  const EditJournal::LabelUndo undone = undo();
  EXPECT_THAT(undone.problems, IsEmpty());
  EXPECT_THAT(undone.left, IsEmpty());
  EXPECT_EQ(tree(), before);
  EXPECT_THAT(undo().files, IsEmpty()) << "once";
}

TEST_F(CommandsTest, edits_and_commands_on_one_file_are_taken_back_in_turn) {
  work_.write("a", "one\n");
  files_.read("a", 1, {});
  ASSERT_TRUE(files_.edit("a", "one", "two", Occurrences::One).ok);
  by_command([&] { work_.write("a", "two\nmore\n"); });
  files_.read("a", 1, {});
  ASSERT_TRUE(files_.edit("a", "more", "MORE", Occurrences::One).ok);
  EXPECT_THAT(undo().problems, IsEmpty());
  EXPECT_EQ(work_.read("a"), "one\n");
}

TEST_F(CommandsTest, undo_edit_is_for_edits) {
  work_.write("a", "one\n");
  files_.read("a", 1, {});
  ASSERT_TRUE(files_.edit("a", "one", "two", Occurrences::One).ok);
  by_command([&] { work_.write("built", "x"); });
  EXPECT_TRUE(files_.undo().ok);
  EXPECT_EQ(work_.read("a"), "one\n");
  EXPECT_EQ(work_.read("built"), "x");
}

TEST_F(CommandsTest, a_file_that_somebody_changed_since_stays_and_the_others_go_back) {
  work_.write("a", "one\n");
  by_command([&] {
    work_.write("a", "two\n");
    work_.write("built", "first\n");
  });
  work_.write("built", "by the user\n");
  const EditJournal::LabelUndo undone = undo();
  EXPECT_THAT(undone.left, ElementsAre("built"));
  EXPECT_THAT(undone.files, ElementsAre("a"));
  EXPECT_THAT(undone.problems, IsEmpty());
  EXPECT_EQ(work_.read("a") + work_.read("built"), "one\nby the user\n");
}

TEST_F(CommandsTest, nothing_is_touched_when_an_edit_below_cannot_be_taken_back) {
  work_.write("a", "one\n");
  work_.write("b", "one\n");
  files_.read("a", 1, {});
  ASSERT_TRUE(files_.edit("a", "one", "two", Occurrences::One).ok);
  by_command([&] {
    work_.write("a", "three\n");
    work_.write("b", "two\n");
  });
  work_.write("a", "by the user\n");
  EXPECT_THAT(undo().problems, ElementsAre(HasSubstr("a has changed since")));
  EXPECT_EQ(work_.read("a") + work_.read("b"), "by the user\ntwo\n");
}

TEST_F(CommandsTest, what_changed_nothing_leaves_no_entry) {
  const fs::path a = work_.write("a", "one\n");
  work_.write(".git/index", "1");
  const FileReply told = by_command([&] {
    fs::last_write_time(a, fs::file_time_type::clock::now() + std::chrono::hours(1));
    work_.write(".git/index", "2");
  });
  EXPECT_EQ(told.text, "");
  EXPECT_TRUE(told.details.is_null());
}

TEST_F(CommandsTest, what_is_too_large_to_keep_is_named) {
  const FileReply told = by_command([&] {
    work_.write("film", std::string(9 << 20, 'x'));
    work_.write("note", "n");
  });
  EXPECT_THAT(told.text, HasSubstr("created note; 1 that undo can't put back, such as film"));
  undo();
  EXPECT_TRUE(fs::exists(work_.path() / "film"));
  EXPECT_FALSE(fs::exists(work_.path() / "note"));
}

TEST_F(CommandsTest, of_very_many_files_none_is_kept_rather_than_some) {
  for (int i = 0; i < 20'001; ++i) work_.write(std::to_string(i), "");
  EXPECT_EQ(by_command([&] { fs::remove(work_.path() / "7"); }).text, "");
  EXPECT_THAT(undo().files, IsEmpty());
}

TEST_F(CommandsTest, a_kept_change_survives_a_crash_right_after_it) {
  work_.write("a", "one\n");
  by_command([&] { work_.write("a", "two\n"); });
  const Files next_run(FilesOptions{work_.path(), {}, state_.path()});  // recovers, and takes nothing back by itself
  EXPECT_EQ(work_.read("a"), "two\n");
  undo();
  EXPECT_EQ(work_.read("a"), "one\n");
}

}  // namespace
}  // namespace tools
