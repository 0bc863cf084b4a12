// A task in words becomes work on a real program: the whole way from the command line through the small model, the
// private desktop and the record.

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

namespace {

using nlohmann::json;
namespace fs = std::filesystem;

class Run : public ::testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(workspace());
    ::setenv("XDG_DATA_HOME", (root_ / "data").c_str(), 1);
  }
  void TearDown() override { fs::remove_all(root_); }

  fs::path workspace() const { return root_ / "workspace"; }

  // Runs `deskhand run … --json`; the events that it printed.
  std::vector<json> deskhand(const std::string& arguments) { return command("run --json " + arguments); }
  std::vector<json> command(const std::string& arguments) {
    const std::string command = DESKHAND_BIN_DIR "/deskhand " + arguments + " </dev/null";
    std::FILE* pipe = ::popen(command.c_str(), "r");
    std::string output;
    char buffer[4096];
    for (std::size_t n = 0; (n = std::fread(buffer, 1, sizeof(buffer), pipe)) > 0;) output.append(buffer, n);
    status_ = WEXITSTATUS(::pclose(pipe));
    std::vector<json> events;
    std::istringstream lines(output);
    for (std::string line; std::getline(lines, line);) events.push_back(json::parse(line));
    return events;
  }

  // The results of a tool, in order.
  static std::vector<json> results_of(const std::vector<json>& events, const std::string& tool) {
    std::vector<json> results;
    for (const json& event : events) {
      if (event["event"] == "result" && event["tool"] == tool) results.push_back(event);
    }
    return results;
  }

  fs::path root_ = fs::path(::testing::TempDir()) / ("run" + std::to_string(::getpid()));
  int status_ = -1;
};

TEST_F(Run, opens_a_program_and_presses_one_of_its_buttons) {
  const std::vector<json> events = deskhand("--yes shell 'Open Calculator, then click 7'");
  ASSERT_FALSE(events.empty());
  EXPECT_EQ(events.back()["ending"], "done") << events.back();
  EXPECT_EQ(status_, 0);
  EXPECT_EQ(events.back()["unverified"], 0) << "every action was seen to work";
  ASSERT_EQ(results_of(events, "launch").size(), 1U);
  EXPECT_EQ(results_of(events, "launch")[0]["verdict"], "confirmed");
  ASSERT_GE(results_of(events, "pointer").size(), 1U);
  EXPECT_TRUE(fs::exists(root_ / "data" / "deskhand" / "sessions.db"));
}

TEST_F(Run, answers_a_question_about_a_file_by_the_shell) {
  std::ofstream notes(workspace() / "notes.txt");
  for (int line = 0; line < 42; ++line) notes << line << '\n';
  notes.close();
  const std::vector<json> events =
      deskhand("--yes shell --workspace " + workspace().string() + " 'How many lines has notes.txt?'");
  ASSERT_FALSE(events.empty());
  EXPECT_EQ(events.back()["ending"], "done");
  EXPECT_NE(events.back()["text"].get<std::string>().find("42"), std::string::npos) << events.back();
}

TEST_F(Run, does_nothing_that_was_not_allowed) {
  const std::vector<json> events = deskhand("--no shell 'Open Calculator'");
  ASSERT_FALSE(events.empty());
  EXPECT_NE(events.back()["ending"], "done") << events.back();
  EXPECT_TRUE(results_of(events, "launch").empty());
}

TEST_F(Run, goes_on_after_it_was_stopped_and_is_done_again_and_thought_again) {
  const std::vector<json> stopped = deskhand("--yes shell --max-steps 1 'Open Calculator, then click 7'");
  ASSERT_FALSE(stopped.empty());
  EXPECT_EQ(stopped.back()["ending"], "stuck") << "it has only made its plan";
  const std::string id = std::to_string(stopped.front()["id"].get<int>());
  const std::vector<json> resumed = deskhand("--yes shell --resume " + id);
  ASSERT_FALSE(resumed.empty());
  EXPECT_EQ(resumed.front()["id"], stopped.front()["id"]) << "the same session";
  EXPECT_EQ(resumed.back()["ending"], "done") << resumed.back();
  EXPECT_EQ(results_of(resumed, "launch").size(), 1U);

  const std::vector<json> again = command("replay --yes shell --json " + id);
  EXPECT_EQ(status_, 0);
  ASSERT_FALSE(again.empty());
  EXPECT_EQ(again.back()["ending"], "done") << again.back();
  EXPECT_EQ(again.back()["done"], 2);

  const std::vector<json> thought = command("replay --mode think --json " + id);
  EXPECT_EQ(status_, 0) << "the same model on the same pictures decides the same";
  ASSERT_GE(thought.size(), 3U);
  EXPECT_EQ(thought.back()["agree"], thought.back()["turns"]) << thought.back();
}

TEST_F(Run, wrong_usage_is_one_plain_message) {
  EXPECT_TRUE(deskhand("2>/dev/null").empty());
  EXPECT_EQ(status_, 2);
  deskhand("--model /nonexistent 'do it' 2>/dev/null");
  EXPECT_EQ(status_, 2);
  deskhand("--yes everything 'do it' 2>/dev/null");
  EXPECT_EQ(status_, 2);
}

}  // namespace
