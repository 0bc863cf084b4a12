// All or nothing: changes from elsewhere, paths that are refused, patches of many files and undo.
#include <gmock/gmock.h>
#include <unistd.h>

#include <cstdlib>

#include "tests/unit/tools/files_fixture.h"

namespace tools {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

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
