// Whole runs with a mind behind a server: work on code, secrets, panic, and what a run costs beside the model.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <sstream>

#include "tests/chat_server/chat_server.h"
#include "tests/desk/deskhand_process.h"
#include "tests/desk/x_server.h"
#include "tools/windows.h"

// Last: its macros would break other headers.
#include <X11/keysym.h>

#include "tests/desk/input_window.h"

namespace {

using chat_server::ChatServer;
using chat_server::Connection;
using chat_server::Request;
using desk_test::DeskhandProcess;
using nlohmann::json;
using std::chrono::steady_clock;
using ::testing::HasSubstr;
using ::testing::Not;
namespace fs = std::filesystem;

std::string read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class RemoteRun : public ::testing::Test {
 protected:
  void SetUp() override { fs::create_directories(workspace()); }
  void TearDown() override { fs::remove_all(root_); }

  fs::path workspace() const { return root_ / "workspace"; }
  std::vector<std::string> environment(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> all = {"XDG_DATA_HOME=" + (root_ / "data").string(),
                                    "XDG_CONFIG_HOME=" + (root_ / "config").string()};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  // The same for a line of sh.
  std::string exported() const {
    std::string line = "export";
    for (const std::string& entry : environment()) line += " " + entry;
    return line + "; ";
  }
  std::vector<std::string> run_words(const std::vector<std::string>& more) const {
    std::vector<std::string> words = {"run", "--json", "--model", server_.url()};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  void write(const std::string& name, const std::string& text) const { std::ofstream(workspace() / name) << text; }

  // All files below the folder, by their name there.
  static std::map<std::string, std::string> files_in(const fs::path& folder) {
    std::map<std::string, std::string> files;
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
      if (entry.is_regular_file()) files[fs::relative(entry.path(), folder)] = read_file(entry.path());
    }
    return files;
  }

  // `undo` puts back every byte of the workspace, and nothing beside it has changed but Deskhand's own.
  void expect_undone(const DeskhandProcess& run, std::map<std::string, std::string> before) const {
    const std::string id = std::to_string(run.events().at(0)["id"].get<int>());
    DeskhandProcess undo({"undo", id}, environment());
    EXPECT_EQ(undo.finish(), 0);
    std::map<std::string, std::string> now = files_in(root_);
    for (auto* files : {&before, &now})
      std::erase_if(*files, [](const auto& file) { return file.first.starts_with("data/"); });
    EXPECT_EQ(now, before) << undo.output();
  }

  // All bytes of all files that the program wrote.
  std::string everything_kept() const {
    std::string all;
    for (const auto& entry : fs::recursive_directory_iterator(root_ / "data")) {
      if (entry.is_regular_file()) all += read_file(entry.path());
    }
    return all;
  }

  fs::path root_ = fs::path(::testing::TempDir()) / ("remote_run" + std::to_string(::getpid()));
  ChatServer server_;
};

TEST_F(RemoteRun, mends_a_cpp_program_until_its_test_passes) {
  write("sum.h", "#pragma once\ninline int sum(int a, int b) {\n  return a - b;\n}\n");
  write("test.cpp", "#include \"sum.h\"\nint main() { return sum(2, 3) == 5 ? 0 : 1; }\n");
  write("Makefile", "test: test.cpp sum.h\n\tg++ -o test test.cpp\n\t./test\n.PHONY: check\ncheck: test\n");
  std::ofstream(root_ / "outside.txt") << "untouched";
  server_.then(chat_server::calls("shell", {{"command", "make check"}}));
  server_.then(chat_server::calls("grep", {{"pattern", "int sum"}}));
  server_.then(chat_server::calls("read_file", {{"path", "sum.h"}}));
  server_.then(chat_server::calls("edit_file", {{"path", "sum.h"}, {"old_text", "a - b"}, {"new_text", "a + b"}}));
  server_.then(chat_server::calls("shell", {{"command", "make check"}}));
  server_.then(chat_server::says("sum() subtracted; now it adds [4], and the test passes [5]."));
  const auto before = files_in(root_);
  DeskhandProcess run(run_words({"--desktop", "none", "--yes", "shell", "--workspace", workspace().string(),
                                 "The test fails. Mend the program."}),
                      environment());
  EXPECT_EQ(run.finish(), 0) << run.output();
  const std::vector<json> commands = run.results_of("shell");
  ASSERT_EQ(commands.size(), 2U) << run.output();
  EXPECT_THAT(commands[0]["text"].get<std::string>(), HasSubstr("exit code 2"));
  EXPECT_THAT(commands[1]["text"].get<std::string>(), HasSubstr("exit code 0"));
  EXPECT_THAT(read_file(workspace() / "sum.h"), HasSubstr("return a + b;"));
  EXPECT_EQ(read_file(root_ / "outside.txt"), "untouched");
  const json& review = run.events()[run.events().size() - 2];
  ASSERT_EQ(review["event"], "review") << "before the end, for review";
  EXPECT_THAT(review["diff"].get<std::string>(), HasSubstr("--- a/sum.h\n+++ b/sum.h\n"));
  EXPECT_THAT(review["diff"].get<std::string>(), HasSubstr("-  return a - b;\n+  return a + b;\n"));
  EXPECT_THAT(review["diff"].get<std::string>(), Not(HasSubstr("Makefile")));
  const json& finished = run.events().back();
  EXPECT_EQ(finished["ending"], "done");
  EXPECT_TRUE(finished["is_verified"]) << finished;
  EXPECT_TRUE(fs::exists(workspace() / "test")) << "what the build made";
  expect_undone(run, before);
}

TEST_F(RemoteRun, mends_a_python_program_until_its_test_passes) {
  write("words.py", "def count(text):\n    return len(text.split(' '))\n");
  write("test_words.py",
        "import unittest\nfrom words import count\n\nclass Words(unittest.TestCase):\n    def test_count(self):\n"
        "        self.assertEqual(count('a  b'), 2)\n\nunittest.main()\n");
  server_.then(chat_server::calls("shell", {{"command", "python3 test_words.py"}}));
  server_.then(chat_server::calls("read_file", {{"path", "words.py"}}));
  server_.then(chat_server::calls(
      "apply_patch",
      {{"patch",
        "*** Begin Patch\n*** Update File: words.py\n@@\n def count(text):\n-    return len(text.split(' "
        "'))\n+    return len(text.split())\n*** End Patch\n"}}));
  server_.then(chat_server::calls("shell", {{"command", "sed -i 's/def count/# of any text\\n&/' words.py"}}));
  server_.then(chat_server::calls("shell", {{"command", "python3 test_words.py"}}));
  server_.then(chat_server::says("Runs of blanks count as one now [3]; the test passes [5]."));
  const auto before = files_in(root_);
  DeskhandProcess run(
      run_words({"--desktop", "none", "--yes", "shell", "--workspace", workspace().string(), "Mend it"}),
      environment());
  EXPECT_EQ(run.finish(), 0) << run.output();
  ASSERT_EQ(run.results_of("shell").size(), 3U) << run.output();
  EXPECT_THAT(run.results_of("shell")[0]["text"].get<std::string>(), HasSubstr("exit code 1"));
  EXPECT_THAT(run.results_of("shell")[1]["text"].get<std::string>(), HasSubstr("\nfiles: changed words.py\n"));
  EXPECT_THAT(run.results_of("shell")[2]["text"].get<std::string>(), HasSubstr("exit code 0"));
  const json& review = run.events()[run.events().size() - 2];
  EXPECT_THAT(review["diff"].get<std::string>(), HasSubstr("+    return len(text.split())\n"));
  EXPECT_THAT(review["diff"].get<std::string>(), HasSubstr("+# of any text\n"));
  expect_undone(run, before);
}

TEST_F(RemoteRun, a_secret_is_typed_and_leaves_no_trace) {
  const std::string secret = "Tr0ub4dor&3-horse";
  std::ofstream(root_ / "secret") << secret << "\n";
  ::chmod((root_ / "secret").c_str(), 0600);
  server_.then(chat_server::calls("launch", {{"program", "mousepad"}}));
  server_.then(chat_server::calls("keyboard", {{"action", "type"}, {"text", "key: {{door}} {{other}}"}}));
  server_.then(chat_server::calls("ui_tree", {{"action", "read"}}));
  server_.then(chat_server::calls("keyboard", {{"action", "type"}, {"text", "{{door}}"}, {"route", "clipboard"}}));
  server_.then(chat_server::says("It is typed."));
  DeskhandProcess run(run_words({"--secret", "door=@" + (root_ / "secret").string(), "--yes", "shell,credentials",
                                 "Type the door's key into an editor"}),
                      environment());
  EXPECT_EQ(run.finish(), 0) << run.output();
  ASSERT_EQ(run.results_of("keyboard").size(), 2U) << run.output();
  EXPECT_TRUE(run.results_of("keyboard")[0]["ok"]) << run.output();
  EXPECT_THAT(run.results_of("keyboard")[1]["text"].get<std::string>(), HasSubstr("by keys only"));
  ASSERT_EQ(run.results_of("ui_tree").size(), 1U);
  EXPECT_THAT(run.results_of("ui_tree")[0]["text"].get<std::string>(), HasSubstr("key: {{door}} {{other}}"))
      << "the editor's text was read, and is shown without the value";
  EXPECT_THAT(run.output(), Not(HasSubstr(secret)));
  EXPECT_THAT(everything_kept(), Not(HasSubstr(secret)));
  for (const Request& request : server_.requests()) EXPECT_THAT(request.body, Not(HasSubstr(secret)));
  EXPECT_THAT(server_.requests().at(0).body, HasSubstr("{{door}}")) << "the model is told the name";
}

// What the newest result says.
std::string newest_result(const Request& request) {
  const json messages = json::parse(request.body)["messages"];
  for (auto message = messages.rbegin(); message != messages.rend(); ++message) {
    if ((*message)["role"] == "tool") return (*message)["content"];
  }
  return "";
}

// Clicks the place that the newest result names: "… at 12, 34".
void click_there(const Request& request, Connection& connection) {
  const std::string told = newest_result(request);
  static const std::regex place(R"( at (\d+), (\d+))");
  std::smatch found;
  ASSERT_TRUE(std::regex_search(told, found, place)) << told;
  chat_server::calls("pointer", {{"action", "click"}, {"x", std::stoi(found[1])}, {"y", std::stoi(found[2])}})(
      request, connection);
}

TEST_F(RemoteRun, a_small_target_on_a_large_screen_is_looked_at_again_before_it_is_clicked) {
  const json find_seven = {{"action", "find"}, {"role", "push button"}, {"name", "7"}};
  server_.then(chat_server::calls("launch", {{"program", "mate-calc"}}));
  server_.then(chat_server::calls("ui_tree", find_seven));
  server_.then(click_there);
  server_.then(chat_server::calls("ui_tree", find_seven));  // now its place in the closer picture
  server_.then(click_there);
  server_.then(chat_server::calls("ui_tree", {{"action", "read"}}));
  server_.then(chat_server::says("7 is pressed."));
  DeskhandProcess run(run_words({"--size", "3840x2160", "--yes", "shell", "Press 7"}), environment());
  EXPECT_EQ(run.finish(), 0) << run.output();
  const std::vector<Request> requests = server_.requests();
  ASSERT_GE(requests.size(), 6U) << run.output();
  EXPECT_THAT(newest_result(requests[3]), HasSubstr("Nothing was clicked yet"));
  ASSERT_EQ(run.results_of("pointer").size(), 1U) << "only the second one was carried out";
  EXPECT_EQ(run.results_of("pointer")[0]["verdict"], "confirmed") << run.results_of("pointer")[0];
  EXPECT_THAT(newest_result(requests[6]), HasSubstr("= \"7\""));
}

// Presses the panic keys on the user's desktop once the run has come to a point; then all must be quiet.
class Panic : public RemoteRun {
 protected:
  void expect_quiet_after_panic(DeskhandProcess& run) {
    desk_test::HumanHand human(x_.display());
    const auto start = steady_clock::now();
    human.key(XK_Shift_L, true);
    human.key(XK_Shift_R, true);
    const std::optional<json> end = run.wait_for("finished");
    const auto quiet = steady_clock::now();
    human.key(XK_Shift_R, false);
    human.key(XK_Shift_L, false);
    ASSERT_TRUE(end.has_value()) << run.output();
    EXPECT_EQ((*end)["ending"], "stopped") << *end;
    EXPECT_LT(std::chrono::duration<double>(quiet - start).count(), 0.5);
    EXPECT_EQ(run.finish(), 130);
    EXPECT_TRUE(run.left_behind().empty());
  }
  std::vector<std::string> words() const {
    return run_words({"--desktop", "mine", "--yes", "shell,input_user", "--workspace", workspace().string(), "Go"});
  }

  desk_test::TestXServer x_;
};

TEST_F(Panic, during_a_call_of_the_model) {
  server_.then([](const Request&, Connection& connection) {
    connection.begin_stream();
    connection.send_event(chat_server::delta({{"content", "Let me"}}));
    connection.wait_until_gone();
  });
  DeskhandProcess run(words(), environment({"DISPLAY=" + x_.display()}));
  ASSERT_TRUE(run.wait_for("text")) << run.output();
  expect_quiet_after_panic(run);
}

TEST_F(Panic, during_a_command_with_children) {
  server_.then(chat_server::calls("shell", {{"command", "sleep 300 & sleep 301 & touch started; sleep 302"}}));
  DeskhandProcess run(words(), environment({"DISPLAY=" + x_.display()}));
  ASSERT_TRUE(run.wait_for("call")) << run.output();
  const auto deadline = steady_clock::now() + std::chrono::seconds(20);
  while (!fs::exists(workspace() / "started") && steady_clock::now() < deadline) ::usleep(10'000);
  ASSERT_TRUE(fs::exists(workspace() / "started"));
  expect_quiet_after_panic(run);
}

TEST_F(Panic, during_typing) {
  desk_test::InputWindow window(x_.display(), {0, 0, 200, 200}, desk_test::InputWindow::Managed::No);
  window.take_focus();
  server_.then(chat_server::calls("keyboard", {{"action", "type"}, {"text", std::string(20'000, 'a')}}));
  DeskhandProcess run(words(), environment({"DISPLAY=" + x_.display()}));
  ASSERT_TRUE(run.wait_for("call")) << run.output();
  ASSERT_TRUE(window.wait_for_count(KeyPress, 20));
  expect_quiet_after_panic(run);
  EXPECT_TRUE(desk_test::pressed_now(window.display()).nothing());
}

TEST_F(RemoteRun, a_terminal_gets_a_line_of_progress_and_a_pipe_nothing_but_json) {
  const auto run = [&](const std::string& how) {
    server_.then(chat_server::calls("shell", {{"command", "echo $((6 * 7))"}}));
    server_.then(chat_server::says("It is 42 [1]."));
    const fs::path output = root_ / "output";
    const std::string words = DESKHAND_BIN_DIR "/deskhand run --desktop none --yes shell --model " + server_.url() +
                              " --workspace " + workspace().string() + " Multiply";
    const std::string command =
        exported() +
        (how == "terminal" ? "script -qec '" + words + "' /dev/null </dev/null" : words + " 2>&1 </dev/null | cat") +
        " >" + output.string();
    EXPECT_EQ(std::system(command.c_str()), 0) << command << read_file(output);
    return read_file(output);
  };
  const std::string seen = run("terminal");
  EXPECT_THAT(seen, HasSubstr("step 1: waits for the model\x1b[0m\r\x1b[2K"));
  EXPECT_THAT(seen, HasSubstr("step 1: shell runs\x1b[0m\r\x1b[2K"));
  EXPECT_THAT(seen, HasSubstr("done: It is 42 [1]."));
  std::istringstream lines(run("pipe"));
  std::string last;
  for (std::string line; std::getline(lines, line); last = line) EXPECT_TRUE(json::accept(line)) << line;
  EXPECT_EQ(json::parse(last)["ending"], "done");
}

TEST_F(RemoteRun, the_exit_code_tells_how_it_ended) {
  using std::string_literals::operator""s;
  const auto end_of = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"--desktop", "none", "--workspace", workspace().string()});
    words.emplace_back("Go");
    DeskhandProcess run(run_words(words), environment());
    const int code = run.finish();
    const bool has_ended = !run.events().empty() && run.events().back()["event"] == "finished";
    return std::pair{code, has_ended ? run.events().back()["ending"].get<std::string>() : run.output()};
  };
  const auto shell = chat_server::calls("shell", {{"command", "true"}});
  server_.then(chat_server::says("Done."));
  EXPECT_EQ(end_of({}), std::pair(0, "done"s));
  server_.then([](const Request&, Connection& connection) {
    connection.send_http(400, "application/json", R"({"error": {"message": "no such thing"}})");
  });
  EXPECT_EQ(end_of({}), std::pair(1, "failed"s));
  server_.then(chat_server::calls("give_up", {{"reason", "there is no such file"}}));
  EXPECT_EQ(end_of({}), std::pair(3, "gave up"s));
  server_.then(shell);
  EXPECT_EQ(end_of({"--yes", "shell", "--max-steps", "1"}), std::pair(4, "stuck"s));
  for (int n = 0; n < 3; ++n) server_.then(shell);
  EXPECT_EQ(end_of({"--no", "shell"}), std::pair(5, "refused"s));
  for (int n = 0; n < 3; ++n) server_.then(shell);
  EXPECT_EQ(end_of({}), std::pair(5, "refused"s)) << "nobody is there to be asked";
}

TEST_F(RemoteRun, a_watched_desktop_is_in_a_window_of_the_users) {
  const desk_test::TestXServer users;
  std::vector<std::string> titles;
  server_.then([&](const Request& request, Connection& connection) {
    for (const tools::Window& window : tools::Windows::open(users.display()).list()) titles.push_back(window.title);
    chat_server::says("Done.")(request, connection);
  });
  DeskhandProcess run(run_words({"--watch", "--size", "640x480", "Look"}), environment({"DISPLAY=" + users.display()}));
  EXPECT_EQ(run.finish(), 0) << run.output();
  ASSERT_EQ(titles.size(), 1U);
  EXPECT_THAT(titles[0], HasSubstr("Deskhand"));
}

TEST_F(RemoteRun, an_unreachable_server_is_one_plain_message) {
  DeskhandProcess run({"run", "--json", "--model", "http://127.0.0.1:9/v1", "--desktop", "none", "--workspace",
                       workspace().string(), "Go"},
                      environment());
  EXPECT_NE(run.finish(), 0);
  EXPECT_TRUE(run.events().empty());
}

TEST_F(RemoteRun, chat_streams_into_a_pipe) {
  server_.then(chat_server::says("Good evening."));
  DeskhandProcess chat(
      {"chat", "--model", server_.url(), "--image", DESKHAND_SOURCE_DIR "/tests/desk/dot.png", "What", "is", "this?"},
      environment());
  EXPECT_EQ(chat.finish(), 0);
  EXPECT_EQ(chat.output(), "Good evening.\n");
  const json content = server_.request_json(0)["messages"][0]["content"];
  EXPECT_EQ(content[0]["type"], "image_url");
  EXPECT_EQ(content[1]["text"], "What is this?");
}

TEST_F(RemoteRun, doctor_says_what_works) {
  DeskhandProcess doctor({"doctor", "--json"}, environment());
  EXPECT_EQ(doctor.finish(), 0) << doctor.output();
  const json report = json::parse(doctor.output());
  EXPECT_TRUE(report["usable"]);
  const auto state = [&](const std::string& name) {
    for (const json& finding : report["findings"]) {
      if (finding["name"] == name) return finding["state"].get<std::string>();
    }
    return std::string("missing");
  };
  for (const char* name : {"private desktop", "widgets (AT-SPI)", "sandboxed shell", "small model", "record"}) {
    EXPECT_EQ(state(name), "works") << name << report.dump(1);
  }
}

TEST_F(RemoteRun, doctor_has_a_remedy_for_whatever_does_not_work) {
  const auto problems_of = [&](const std::string& variable, int exit_code) {
    DeskhandProcess doctor({"doctor", "--json"}, environment({variable}));
    EXPECT_EQ(doctor.finish(), exit_code) << doctor.output();
    std::map<std::string, std::string> remedies;
    const json report = json::parse(doctor.output());
    for (const json& finding : report["findings"]) {
      if (finding["state"] == "works") continue;
      EXPECT_NE(finding["remedy"], "") << variable << finding;
      remedies[finding["name"]] = finding["remedy"];
    }
    return remedies;
  };
  EXPECT_THAT(problems_of("PATH=/nonexistent", 1)["private desktop"], HasSubstr("install xvfb"));
  const std::map<std::string, std::string> without_folder = problems_of("XDG_DATA_HOME=/dev/null", 1);
  EXPECT_TRUE(without_folder.contains("record"));
  EXPECT_FALSE(without_folder.contains("private desktop")) << "it isn't its fault";
  const desk_test::TestXServer without_window_manager;
  EXPECT_THAT(problems_of("DISPLAY=" + without_window_manager.display(), 0)["input on it"],
              HasSubstr("private desktop"));
}

TEST_F(RemoteRun, calibrate_gives_up_on_a_server_that_says_nothing) {
  for (int attempt = 0; attempt < 4; ++attempt) {
    server_.then([](const Request&, Connection& connection) { connection.wait_until_gone(); });
  }
  const fs::path told = root_ / "told";
  const std::string command = exported() + DESKHAND_BIN_DIR "/deskhand calibrate --patience 1 --model " +
                              server_.url() + " >" + told.string() + " 2>&1";
  EXPECT_EQ(WEXITSTATUS(std::system(command.c_str())), 1);
  EXPECT_EQ(server_.requests().size(), 3U) << "then it is given up";
  EXPECT_THAT(read_file(told), HasSubstr("asking again")) << "somebody waits";
  EXPECT_THAT(read_file(told), HasSubstr("gave up after 3 attempts"));
  EXPECT_FALSE(fs::exists(root_ / "data" / "deskhand" / "calibration")) << "nothing was measured";
}

TEST_F(RemoteRun, the_small_models_points_are_good) {
  DeskhandProcess calibrate({"calibrate", "--json"}, environment());
  EXPECT_EQ(calibrate.finish(), 0) << calibrate.output();
  const json fit = json::parse(calibrate.output());
  EXPECT_EQ(fit["points"], "norm999") << fit;
  EXPECT_FALSE(fit["vertical_first"]);
  EXPECT_GE(fit["hits"].get<int>() * 10, fit["asked"].get<int>() * 8) << fit;
  EXPECT_TRUE(fs::exists(root_ / "data" / "deskhand" / "calibration" / "nano.json"));
}

}  // namespace
