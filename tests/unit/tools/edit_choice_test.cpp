#include "tools/edit_choice.h"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/unit/tools/temporary_folder.h"
#include "tools/file_tools.h"
#include "tools/tool_registry.h"

namespace tools {
namespace {

namespace fs = std::filesystem;

std::string numbered_lines(int n_lines) {
  std::string text;
  for (int line = 1; line <= n_lines; ++line) text += "line " + std::to_string(line) + "\n";
  return text;
}

std::string with(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

class EditChoiceTest : public testing::Test {
 protected:
  EditChoiceTest() {
    fs::create_directories(folder_.path() / "work");
    FilesOptions options;
    options.workspace = folder_.path() / "work";
    options.journal = folder_.path() / "journal";
    for (auto& tool : make_file_tools(std::make_shared<Files>(options))) registry_.add(std::move(tool));
  }
  void put(const std::string& name, const std::string& text) const {
    std::ofstream(folder_.path() / "work" / name, std::ios::binary) << text;
  }
  std::string get(const std::string& name) const {
    std::ifstream file(folder_.path() / "work" / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  ToolResult run(const std::string& tool, nlohmann::json arguments) {
    return registry_.run({"1", tool, std::move(arguments)}, {});
  }
  std::vector<FilePatch> hunks(const std::string& tool, nlohmann::json arguments) {
    return hunks_of(registry_.preview({"1", tool, std::move(arguments)}));
  }

  TemporaryFolder folder_{fast_disk()};
  ToolRegistry registry_;
};

TEST_F(EditChoiceTest, the_hunks_that_are_taken_are_written_and_no_others) {
  const std::string before = numbered_lines(60);
  put("a.txt", before);
  run("read_file", {{"path", "a.txt"}});
  std::string after = with(before, "line 5\n", "line five\nand more\n");
  after = with(with(after, "line 30\n", ""), "line 55\n", "line fifty-five\n");
  const std::vector<FilePatch> files = hunks("write_file", {{"path", "a.txt"}, {"content", after}});
  ASSERT_EQ(files.size(), 1u);
  ASSERT_EQ(files[0].hunks.size(), 3u);
  EXPECT_EQ(get("a.txt"), before) << "a preview changes nothing";
  const EditChoice choice = choose_hunks(files, {true, false, true});
  EXPECT_EQ(choice.n_taken, 2u);
  EXPECT_EQ(choice.n_left_out, 1u);
  EXPECT_NE(choice.left_out.find("-line 30"), std::string::npos);
  const ToolResult result = run("apply_patch", {{"patch", choice.taken}});
  ASSERT_TRUE(result.ok) << result.text;
  EXPECT_EQ(get("a.txt"), with(with(before, "line 5\n", "line five\nand more\n"), "line 55\n", "line fifty-five\n"));
}

TEST_F(EditChoiceTest, files_that_come_and_go_are_taken_or_left_like_hunks) {
  put("old.txt", "gone\n");
  put("kept.txt", numbered_lines(9));
  const std::string patch =
      "*** Begin Patch\n*** Add File: new.sh\n+echo hello\n*** Delete File: old.txt\n"
      "*** Update File: kept.txt\n@@\n line 1\n-line 2\n+line two\n line 3\n*** End Patch\n";
  const std::vector<FilePatch> files = hunks("apply_patch", {{"patch", patch}});
  ASSERT_EQ(files.size(), 3u);
  const EditChoice choice = choose_hunks(files, {true, false, true});
  const ToolResult result = run("apply_patch", {{"patch", choice.taken}});
  ASSERT_TRUE(result.ok) << result.text;
  EXPECT_EQ(get("new.sh"), "echo hello\n");
  EXPECT_EQ(get("old.txt"), "gone\n");
  EXPECT_EQ(get("kept.txt"), with(numbered_lines(9), "line 2\n", "line two\n"));
}

TEST_F(EditChoiceTest, marks_line_ends_and_a_missing_newline_stay_as_they_are) {
  put("dos.txt",
      "\xEF\xBB\xBF"
      "a\r\nb\r\nc\r\nd\r\ne\r\nf\r\ng\r\nh\r\ni\r\nj");
  const std::vector<FilePatch> files =
      hunks("edit_file", {{"path", "dos.txt"}, {"old_text", "i\nj"}, {"new_text", "i\nJ"}});
  ASSERT_EQ(files.size(), 1u);
  const ToolResult result = run("apply_patch", {{"patch", patch_text(files)}});
  ASSERT_TRUE(result.ok) << result.text;
  EXPECT_EQ(get("dos.txt"),
            "\xEF\xBB\xBF"
            "a\r\nb\r\nc\r\nd\r\ne\r\nf\r\ng\r\nh\r\ni\r\nJ");
}

TEST_F(EditChoiceTest, what_would_be_refused_or_moves_a_file_has_no_hunks) {
  put("a.txt", "one\n");
  EXPECT_TRUE(hunks("edit_file", {{"path", "a.txt"}, {"old_text", "two"}, {"new_text", "three"}}).empty());
  EXPECT_TRUE(hunks("write_file", {{"path", "a.txt"}, {"content", "unread\n"}}).empty());
  EXPECT_TRUE(hunks("apply_patch", {{"patch",
                                     "*** Begin Patch\n*** Update File: a.txt\n*** Move to: b.txt\n@@\n-one\n"
                                     "+two\n*** End Patch\n"}})
                  .empty());
  EXPECT_TRUE(hunks("read_file", {{"path", "a.txt"}}).empty());
}

}  // namespace
}  // namespace tools
