// A task in words becomes work on a real program: the whole way from the command line through the small model, the
// private desktop and the record.

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <regex>

#include "tools/ui_tree.h"
#include "tools/windows.h"

namespace {

using nlohmann::json;
namespace fs = std::filesystem;

class Run : public ::testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(workspace());
    ::setenv("XDG_DATA_HOME", (root_ / "data").c_str(), 1);
    ::setenv("XDG_CONFIG_HOME", (root_ / "config").c_str(), 1);
  }
  void TearDown() override { fs::remove_all(root_); }

  fs::path workspace() const { return root_ / "workspace"; }

  // Runs `deskhand run … --json`; the events that it printed. It stands still while `look` is called with an event.
  std::vector<json> deskhand(const std::string& arguments, const std::function<void(const json&)>& look = {}) {
    return command("run --json " + arguments, look);
  }
  std::vector<json> command(const std::string& arguments, const std::function<void(const json&)>& look = {}) {
    const std::string command = "echo $$; exec " DESKHAND_BIN_DIR "/deskhand " + arguments + " </dev/null";
    std::FILE* pipe = ::popen(command.c_str(), "r");
    char* line = nullptr;
    std::size_t room = 0;
    const pid_t process = ::getline(&line, &room, pipe) > 0 ? std::stoi(line) : 0;
    std::vector<json> events;
    while (::getline(&line, &room, pipe) > 0) {
      events.push_back(json::parse(line));
      if (!look) continue;
      ::kill(process, SIGSTOP);
      look(events.back());
      ::kill(process, SIGCONT);
    }
    std::free(line);
    status_ = WEXITSTATUS(::pclose(pipe));
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

  // What the program's first window shows in its widget of that role, read from outside over accessibility; as soon as
  // it shows anything.
  static std::string text_shown(pid_t program, const std::string& role) {
    const std::string display = environment_of(program, "DISPLAY");
    const auto windows = tools::Windows::open(display);
    tools::UiTree tree(display);
    for (const tools::Window& window : windows.list()) {
      if (window.pid != program) continue;
      const tools::UiSnapshot widgets = tree.read(window);
      const std::vector<std::size_t> found = tools::find_nodes(widgets, role, "");
      std::string text;
      for (int i = 0; i < 200 && !found.empty() && text.empty(); ++i) {
        if (i > 0) ::usleep(50'000);
        text = tree.read_text(widgets.nodes[found[0]]).value_or("(no text)");
      }
      if (!found.empty()) return text;
    }
    return "(no such widget)";
  }

  static std::string environment_of(pid_t process, const std::string& name) {
    std::ifstream variables("/proc/" + std::to_string(process) + "/environ");
    for (std::string variable; std::getline(variables, variable, '\0');) {
      if (variable.starts_with(name + "=")) return variable.substr(name.size() + 1);
    }
    return "";
  }

  fs::path root_ = fs::path(::testing::TempDir()) / ("run" + std::to_string(::getpid()));
  int status_ = -1;
};

TEST_F(Run, opens_a_program_and_presses_one_of_its_buttons) {
  pid_t calculator = 0;
  std::string shown;
  const std::vector<json> events = deskhand("--yes shell 'Open Calculator, then click 7'", [&](const json& event) {
    if (event["event"] != "result") return;
    std::smatch process;
    const std::string text = event["text"];
    if (event["tool"] == "launch" && std::regex_search(text, process, std::regex("process ([0-9]+)"))) {
      calculator = std::stoi(process[1]);
    }
    if (event["tool"] == "pointer") shown = text_shown(calculator, "editbar");
  });
  ASSERT_FALSE(events.empty());
  EXPECT_EQ(events.back()["ending"], "done") << events.back();
  EXPECT_EQ(status_, 0);
  EXPECT_EQ(events.back()["unverified"], 0) << "every action was seen to work";
  ASSERT_EQ(results_of(events, "launch").size(), 1U);
  EXPECT_EQ(results_of(events, "launch")[0]["verdict"], "confirmed");
  ASSERT_GE(results_of(events, "pointer").size(), 1U);
  EXPECT_EQ(shown, "7") << "on the calculator's display";
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
