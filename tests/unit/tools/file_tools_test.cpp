#include "tools/file_tools.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "tests/unit/tools/temporary_folder.h"
#include "tools/shell_tools.h"
#include "tools/tool_registry.h"
#include "tools/web.h"

namespace tools {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class ToolsTest : public testing::Test {
 protected:
  ToolsTest() {
    for (auto& tool :
         make_file_tools(std::make_shared<Files>(FilesOptions{work_.path(), {outputs_.path()}, state_.path()})))
      registry_.add(std::move(tool));
    ShellOptions options;
    options.workspace = work_.path();
    options.output_folder = outputs_.path();
    for (auto& tool : make_shell_tools(std::make_shared<Shell>(options))) registry_.add(std::move(tool));
    registry_.add(make_web_tool({}));
  }
  ToolResult call(const std::string& name, const json& arguments) { return registry_.run({"1", name, arguments}, {}); }
  Effect effect(const std::string& name, const json& arguments) { return registry_.effect({"1", name, arguments}); }

  TemporaryFolder work_, state_, outputs_;
  ToolRegistry registry_;
};

TEST_F(ToolsTest, the_registry_takes_all_of_them) {
  EXPECT_EQ(registry_.specs().size(), 10u);
}

TEST_F(ToolsTest, a_file_is_written_read_edited_patched_and_put_back) {
  EXPECT_TRUE(call("write_file", {{"path", "src/a.txt"}, {"content", "one\ntwo\n"}}).ok);
  EXPECT_THAT(call("read_file", {{"path", "src/a.txt"}, {"first_line", 2}, {"n_lines", 1}}).text, HasSubstr("2\ttwo"));
  EXPECT_THAT(call("edit_file", {{"path", "src/a.txt"}, {"old_text", "two"}, {"new_text", "2"}}).text,
              HasSubstr("changed src/a.txt: line 2"));
  const ToolResult patched =
      call("apply_patch", {{"patch", "*** Begin Patch\n*** Update File: src/a.txt\n-one\n+1\n*** End Patch\n"}});
  EXPECT_TRUE(patched.ok);
  EXPECT_EQ(patched.details["files"][0]["path"], "src/a.txt");
  EXPECT_EQ(work_.read("src/a.txt"), "1\n2\n");
  EXPECT_TRUE(call("undo_edit", json::object()).ok);
  EXPECT_EQ(work_.read("src/a.txt"), "one\n2\n");
}

TEST_F(ToolsTest, arguments_that_do_not_fit_are_named) {
  EXPECT_FALSE(call("read_file", json::object()).ok);
  EXPECT_FALSE(call("read_file", {{"path", 3}}).ok);
  EXPECT_FALSE(call("edit_file", {{"path", "a"}, {"old_string", "x"}}).ok);
  EXPECT_FALSE(call("shell_job", {{"action", "dance"}}).ok);
}

TEST_F(ToolsTest, effects_follow_links) {
  std::filesystem::create_symlink("/etc", work_.path() / "out");
  EXPECT_EQ(effect("read_file", {{"path", "a"}}), Effect::Read);
  EXPECT_EQ(effect("read_file", {{"path", "out/passwd"}}), Effect::ReadElsewhere);
  EXPECT_EQ(effect("write_file", {{"path", "a"}, {"content", ""}}), Effect::WriteWorkspace);
  EXPECT_EQ(effect("write_file", {{"path", "../a"}, {"content", ""}}), Effect::WriteElsewhere);
  EXPECT_EQ(effect("grep", {{"pattern", "x"}}), Effect::Read);
  EXPECT_EQ(effect("shell", {{"command", "true"}}), Effect::Shell);
  EXPECT_EQ(effect("web_fetch", {{"url", "http://a/"}}), Effect::Network);
}

TEST_F(ToolsTest, folders_are_listed_as_trees) {
  work_.write("b.txt", "12345");
  work_.write("a/inner/deep.txt", "");
  std::filesystem::create_symlink("b.txt", work_.path() / "link");
  EXPECT_THAT(call("list_files", json::object()).text, HasSubstr("a/\nb.txt (5 B)\nlink -> b.txt\n"));
  EXPECT_THAT(call("list_files", {{"depth", 3}}).text, HasSubstr("a/\n  inner/\n    deep.txt (0 B)\n"));
  EXPECT_FALSE(call("list_files", {{"path", "b.txt"}}).ok);
  EXPECT_FALSE(call("list_files", {{"path", "/etc"}}).ok);
  EXPECT_FALSE(call("list_files", {{"path", "none"}}).ok);
}

TEST_F(ToolsTest, names_are_found_by_glob_and_ignored_ones_are_not) {
  work_.write(".git/HEAD", "");
  work_.write(".gitignore", "build/\n");
  for (const char* name : {"a.cpp", "src/b.cpp", "src/b.h", "build/c.cpp", "-rf.cpp"}) work_.write(name, "");
  const std::string text = call("list_files", {{"glob", "*.cpp"}}).text;
  EXPECT_EQ(text, "3 files\n-rf.cpp\na.cpp\nsrc/b.cpp\n");
  EXPECT_THAT(call("list_files", {{"path", "src"}, {"glob", "*.h"}}).text, HasSubstr("src/b.h"));
  EXPECT_THAT(call("list_files", {{"glob", "*.zig"}}).text, HasSubstr("no file matches"));
}

TEST_F(ToolsTest, contents_are_found_with_path_and_line) {
  work_.write("src/a.cpp", "int main() {\n  call(1);\n}\n");
  work_.write("b.txt", "Call(1)\n");
  EXPECT_EQ(call("grep", {{"pattern", "call\\("}}).text, "1 lines in 1 files\nsrc/a.cpp:2:   call(1);\n");
  EXPECT_THAT(call("grep", {{"pattern", "call(1)"}, {"literal", true}, {"ignore_case", true}}).text,
              StartsWith("2 lines in 2 files"));
  EXPECT_THAT(call("grep", {{"pattern", "call"}, {"context_lines", 1}}).text,
              HasSubstr("src/a.cpp-1- int main() {\nsrc/a.cpp:2:   call(1);\nsrc/a.cpp-3- }\n"));
  EXPECT_THAT(call("grep", {{"pattern", "main"}, {"path", "src/a.cpp"}}).text, HasSubstr("src/a.cpp:1"));
  EXPECT_THAT(call("grep", {{"pattern", "main"}, {"glob", "*.txt"}}).text, HasSubstr("nothing matches"));
  EXPECT_THAT(call("grep", {{"pattern", "("}}).text, HasSubstr("search failed"));
  EXPECT_THAT(call("grep", {{"pattern", "--files"}}).text, HasSubstr("nothing matches"));
  EXPECT_FALSE(call("grep", {{"pattern", "root"}, {"path", "/etc/passwd"}}).ok);
}

TEST_F(ToolsTest, a_search_does_not_wait_for_a_pipe) {
  ASSERT_EQ(::mkfifo((work_.path() / "pipe").c_str(), 0600), 0);
  const ToolResult result = call("grep", {{"pattern", "x"}, {"path", "pipe"}});
  EXPECT_FALSE(result.ok);
  EXPECT_EQ(result.text, "pipe isn't a regular file");
}

TEST_F(ToolsTest, a_search_with_very_many_hits_stays_within_its_budget) {
  std::string lines;
  for (int i = 0; i < 20000; ++i) lines += "hit " + std::to_string(i) + std::string(1000, 'x') + "\n";
  work_.write("f", lines);
  const ToolResult result = call("grep", {{"pattern", "hit"}});
  EXPECT_LT(result.text.size(), 21000u);
  EXPECT_THAT(result.text, StartsWith("20000 lines in 1 files"));
  EXPECT_THAT(result.text, HasSubstr("more lines not shown"));
}

TEST_F(ToolsTest, a_command_reports_how_it_ended) {
  const ToolResult result = call("shell", {{"command", "echo hi; exit 3"}});
  EXPECT_TRUE(result.ok);
  EXPECT_THAT(result.text, StartsWith("exit code 3"));
  EXPECT_THAT(result.text, HasSubstr("\n\nhi\n"));
  EXPECT_EQ(result.details["exit_code"], 3);
  EXPECT_EQ(result.details["state"], "exited");
  EXPECT_THAT(call("shell", {{"command", "sleep 30"}, {"timeout_s", 1}}).text, HasSubstr("time limit reached"));
}

TEST_F(ToolsTest, a_question_is_answered_through_the_job_tool) {
  const ToolResult asked = call("shell", {{"command", "read -p 'Go on? ' a; echo got $a"}});
  EXPECT_THAT(asked.text, HasSubstr("waiting for input"));
  EXPECT_THAT(call("shell_job", {{"action", "list"}}).text, HasSubstr("waiting for input"));
  const ToolResult answered = call("shell_job", {{"action", "input"}, {"job", asked.details["job"]}, {"text", "yes"}});
  EXPECT_THAT(answered.text, HasSubstr("got yes"));
  EXPECT_EQ(call("shell_job", {{"action", "list"}}).text, "no job runs\n");
}

TEST_F(ToolsTest, a_background_job_is_started_watched_and_stopped) {
  const ToolResult started = call("shell", {{"command", "echo up; sleep 60"}, {"background", true}});
  const json job = started.details["job"];
  const ToolResult watched = call("shell_job", {{"action", "wait"}, {"job", job}, {"timeout_s", 1}});
  std::string text = started.text + watched.text;
  for (int i = 0; i < 20 && text.find("up\n") == std::string::npos; ++i)
    text += call("shell_job", {{"action", "wait"}, {"job", job}, {"timeout_s", 1}}).text;
  EXPECT_THAT(text, HasSubstr("up\n"));
  EXPECT_THAT(watched.text, HasSubstr("is running"));
  EXPECT_THAT(call("shell_job", {{"action", "stop"}, {"job", job}}).text, HasSubstr("stopped"));
  EXPECT_FALSE(call("shell_job", {{"action", "wait"}, {"job", 99}}).ok);
  const ToolResult key = call("shell", {{"command", "cat"}});
  EXPECT_THAT(call("shell_job", {{"action", "input"}, {"job", key.details["job"]}, {"key", "ctrl+d"}}).text,
              HasSubstr("exit code 0"));
}

TEST_F(ToolsTest, a_cut_output_can_be_read_where_the_reply_says) {
  const ToolResult result = call("shell", {{"command", "seq 100000"}});
  const std::string path = result.details["output_path"];
  EXPECT_THAT(result.text, HasSubstr("the whole output: " + path));
  EXPECT_THAT(call("read_file", {{"path", path}, {"first_line", 50000}, {"n_lines", 1}}).text,
              HasSubstr("50000\t50000"));
  EXPECT_THAT(call("grep", {{"pattern", "^77777$"}, {"path", path}}).text, HasSubstr(":77777: 77777"));
}

}  // namespace
}  // namespace tools
