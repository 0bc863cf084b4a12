#include "tools/shell.h"

#include <dirent.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <thread>

#include "tests/unit/tools/temporary_folder.h"

namespace tools {
namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

// Living processes (of all on the machine) whose command line holds `mark`.
int count_processes(const std::string& mark) {
  int n_found = 0;
  DIR* proc = opendir("/proc");
  while (const dirent* entry = readdir(proc)) {
    std::ifstream file(std::string("/proc/") + entry->d_name + "/cmdline");
    std::string line;
    for (std::string part; std::getline(file, part, '\0');) line += part + '\0';
    if (std::atoi(entry->d_name) > 0 && line.find(mark) != std::string::npos) ++n_found;
  }
  closedir(proc);
  return n_found;
}

bool comes_true(const std::function<bool()>& condition, std::chrono::milliseconds limit) {
  for (const auto deadline = steady_clock::now() + limit; steady_clock::now() < deadline;) {
    if (condition()) return true;
    std::this_thread::sleep_for(5ms);
  }
  return condition();
}

// Each behaviour holds inside the sandbox and outside of it.
class ShellTest : public testing::TestWithParam<Confinement> {
 protected:
  ShellOptions options() const {
    ShellOptions options;
    options.workspace = work_.path();
    options.output_folder = outputs_.path();
    options.confinement = GetParam();
    return options;
  }
  JobReport run(const std::string& command, std::chrono::milliseconds limit = 20s) {
    return shell_.run(command, limit, {});
  }
  // A sleep that can be told from all others by its odd duration.
  std::string unique_sleep() {
    static int n_sleeps = 0;
    return "sleep 61." + std::to_string(10'000'000 + getpid()) + std::to_string(100 + n_sleeps++);  // all equally long
  }
  static std::string mark(const std::string& sleep) { return sleep.substr(6); }

  TemporaryFolder work_, outputs_;
  Shell shell_{options()};
};

INSTANTIATE_TEST_SUITE_P(Shells, ShellTest, testing::Values(Confinement::Sandbox, Confinement::None),
                         [](const auto& info) { return info.param == Confinement::Sandbox ? "sandboxed" : "bare"; });

TEST_P(ShellTest, gives_output_and_exit_code) {
  const JobReport report = run("echo hello; echo oops >&2; exit 7");
  EXPECT_EQ(report.state, JobState::Exited);
  EXPECT_EQ(report.exit_code, 7);
  EXPECT_EQ(report.text, "hello\noops\n");
}

TEST_P(ShellTest, tells_a_signal_from_an_exit_code) {
  const JobReport report = run("kill -SEGV $$");
  EXPECT_EQ(report.signal, SIGSEGV);
  EXPECT_FALSE(report.exit_code.has_value());
}

TEST_P(ShellTest, directory_and_exported_variables_last) {
  run("mkdir -p 'a b' && cd 'a b' && export COLOUR=$'two\\nlines' && unset PAGER");
  const JobReport report = run("pwd; echo \"$COLOUR\"; echo \"[$PAGER]\"");
  EXPECT_EQ(report.text, (work_.path() / "a b").string() + "\ntwo\nlines\n[]\n");
  EXPECT_EQ(shell_.directory(), (work_.path() / "a b").string());
}

TEST_P(ShellTest, directory_lasts_when_the_command_fails_or_exits) {
  run("cd /usr; false");
  EXPECT_EQ(run("pwd").text, "/usr\n");
  run("set -eu; cd /etc; exit 3");
  EXPECT_EQ(run("pwd").text, "/etc\n");
}

TEST_P(ShellTest, a_vanished_directory_is_a_plain_message_and_can_be_left) {
  run("mkdir gone; cd gone; rmdir ../gone");
  EXPECT_THAT(run("pwd").text, HasSubstr("cannot enter"));
}

TEST_P(ShellTest, the_command_sees_a_terminal) {
  EXPECT_EQ(run("test -t 0 && test -t 1 && echo yes").text, "yes\n");
}

TEST_P(ShellTest, tracing_shows_the_command_and_not_our_bookkeeping) {
  const std::string text = run("set -x; echo hi").text;
  EXPECT_EQ(text, "++ echo hi\nhi\n");
}

// H1
TEST_P(ShellTest, background_processes_neither_hang_the_call_nor_outlive_the_session) {
  const std::string sleeps[] = {unique_sleep(), unique_sleep(), unique_sleep(), unique_sleep(), unique_sleep()};
  const std::string commands[] = {sleeps[0] + " & echo ok", "nohup " + sleeps[1] + " & echo ok",
                                  "setsid " + sleeps[2] + " & echo ok", sleeps[3] + " & disown; echo ok",
                                  "( setsid " + sleeps[4] + " & ) & sleep 0.1; echo ok"};
  Shell shell(options());
  for (size_t i = 0; i < 5; ++i) {
    const auto begin = steady_clock::now();
    const JobReport report = shell.run(commands[i], 20s, {});
    EXPECT_LT(steady_clock::now() - begin, 1s) << commands[i];
    EXPECT_EQ(report.state, JobState::Exited);
    EXPECT_THAT(report.text, HasSubstr("ok\n"));
    EXPECT_TRUE(report.has_processes_left) << commands[i];
    // nohup and setsid become the sleep a moment after the shell has gone on.
    EXPECT_TRUE(comes_true([&] { return count_processes(mark(sleeps[i])) == 1; }, 20s)) << commands[i];
  }
  EXPECT_EQ(shell.jobs().size(), 5u);
  shell.end(shell.jobs().front().job);
  EXPECT_EQ(count_processes(mark(sleeps[0])), 0);
  EXPECT_EQ(count_processes(mark(sleeps[1])), 1);
}

TEST_P(ShellTest, the_end_of_the_session_ends_every_process) {
  const std::string sleep = unique_sleep();
  {
    Shell shell(options());
    shell.run("setsid " + sleep + " & ( setsid setsid " + sleep + " & ) ; echo ok", 20s, {});
    ASSERT_TRUE(comes_true([&] { return count_processes(mark(sleep)) == 2; }, 20s));
  }
  EXPECT_EQ(count_processes(mark(sleep)), 0);
}

TEST_P(ShellTest, a_server_of_one_command_is_reached_by_the_next) {
  const JobReport started = shell_.start("python3 -u -m http.server 0 --bind 127.0.0.1");
  ASSERT_EQ(started.state, JobState::Running);
  work_.write("page.txt", "from the server");
  std::string text = started.text;
  ASSERT_TRUE(comes_true(
      [&] { return (text += shell_.wait(started.job, 50ms, {}).text).find("(http://") != std::string::npos; }, 20s));
  const std::string url = text.substr(text.find("(http://") + 1, text.find("/)") - text.find("(http://"));
  const JobReport got = run("python3 -c \"import urllib.request as r; print(r.build_opener(r.ProxyHandler({})).open('" +
                            url + "page.txt').read().decode(), end='')\"");
  EXPECT_EQ(got.text, "from the server");
  shell_.end(started.job);
}

TEST_P(ShellTest, the_time_limit_ends_the_whole_tree_and_keeps_what_was_written) {
  const std::string sleep = unique_sleep();
  const auto begin = steady_clock::now();
  const JobReport report = run("echo a; setsid " + sleep + " & ( setsid " + sleep + " & ); " + sleep, 600ms);
  EXPECT_EQ(report.state, JobState::TimedOut);
  EXPECT_THAT(report.text, StartsWith("a\n"));
  EXPECT_EQ(count_processes(mark(sleep)), 0);
  EXPECT_LT(steady_clock::now() - begin, 2s);
  EXPECT_EQ(run("echo still here").text, "still here\n");
}

TEST_P(ShellTest, a_tree_that_ignores_signals_and_forks_on_is_ended) {
  const std::string sleep = unique_sleep();
  const JobReport report = run("trap '' TERM INT HUP; for i in 1 2 3 4 5 6 7 8; do ( while :; do setsid " + sleep +
                                   " & sleep 0.02; done ) & done; wait",
                               500ms);
  EXPECT_EQ(report.state, JobState::TimedOut);
  EXPECT_TRUE(comes_true([&] { return count_processes(mark(sleep)) == 0; }, 2s));
}

TEST_P(ShellTest, a_stop_request_is_obeyed_at_once) {
  const std::string sleep = unique_sleep();
  std::stop_source source;
  steady_clock::time_point asked;
  std::jthread stopper([&] {
    comes_true([&] { return count_processes(mark(sleep)) > 0; }, 20s);
    asked = steady_clock::now();
    source.request_stop();
  });
  const JobReport report = shell_.run("echo begun; setsid " + sleep, 30s, source.get_token());
  const auto returned = steady_clock::now();
  stopper.join();
  EXPECT_EQ(report.state, JobState::Stopped);
  EXPECT_LT(returned - asked, 300ms);
  EXPECT_EQ(count_processes(mark(sleep)), 0);
}

// H3
TEST_P(ShellTest, programs_that_page_do_not_wait) {
  run("git init -q . && git -c user.name=a -c user.email=a@b commit -q --allow-empty -m first");
  const JobReport report = run("git log; git config --list | cat >/dev/null; printf '%s' \"$PAGER\"");
  EXPECT_EQ(report.state, JobState::Exited);
  EXPECT_THAT(report.text, HasSubstr("first"));
  EXPECT_THAT(report.text, testing::EndsWith("cat"));
}

// H4
TEST_P(ShellTest, a_question_is_seen_and_can_be_answered) {
  const auto begin = steady_clock::now();
  JobReport report = run("read -p 'Name? ' name < /dev/tty; echo \"hello $name\"");
  EXPECT_EQ(report.state, JobState::WaitingForInput);
  EXPECT_LT(steady_clock::now() - begin, 2s);
  EXPECT_EQ(report.text, "Name? ");
  EXPECT_FALSE(report.is_input_hidden);
  ASSERT_TRUE(shell_.send_input(report.job, "Ada\n"));
  report = shell_.wait(report.job, 10s, {});
  EXPECT_EQ(report.state, JobState::Exited);
  EXPECT_THAT(report.text, HasSubstr("hello Ada\n"));
}

TEST_P(ShellTest, a_password_prompt_is_told_apart) {
  JobReport report = run("read -s -p 'Password: ' secret; echo; echo ${#secret}");
  EXPECT_EQ(report.state, JobState::WaitingForInput);
  EXPECT_TRUE(report.is_input_hidden);
  shell_.send_input(report.job, "hunter2\n");
  report = shell_.wait(report.job, 10s, {});
  EXPECT_EQ(report.text, "\n7\n");
}

TEST_P(ShellTest, a_full_screen_program_is_seen_waiting_with_its_screen) {
  work_.write("draw.py",
              "import sys,termios,tty,select\n"
              "old=termios.tcgetattr(0); tty.setraw(0)\n"
              "sys.stdout.write('\\x1b[?1049h\\x1b[2J\\x1b[HMENU\\r\\nquit'); sys.stdout.flush()\n"
              "select.select([0],[],[]); sys.stdin.read(1)\n"
              "termios.tcsetattr(0,termios.TCSADRAIN,old); sys.stdout.write('\\x1b[?1049lbye\\n')\n");
  JobReport report = run("python3 draw.py");
  EXPECT_EQ(report.state, JobState::WaitingForInput);
  EXPECT_THAT(report.text, HasSubstr("MENU\nquit"));
  shell_.send_input(report.job, "q");
  report = shell_.wait(report.job, 10s, {});
  EXPECT_EQ(report.text, "bye\n");
}

TEST_P(ShellTest, a_quiet_command_is_not_taken_for_a_waiting_one) {
  const JobReport report = run("printf 'working'; sleep 1.5; echo ' done'");
  EXPECT_EQ(report.state, JobState::Exited);
  EXPECT_EQ(report.text, "working done\n");
}

TEST_P(ShellTest, output_after_a_prompt_shows_and_the_prompt_waits_on) {
  JobReport report = run("( sleep 1; echo tick ) & read -p 'Go? ' x; echo got $x");
  ASSERT_EQ(report.state, JobState::WaitingForInput);
  std::string text;
  ASSERT_TRUE(comes_true([&] { return (text += shell_.wait(report.job, 100ms, {}).text) == "tick\n"; }, 10s)) << text;
  report = shell_.wait(report.job, 10s, {});
  EXPECT_EQ(report.state, JobState::WaitingForInput);
  shell_.send_input(report.job, "on\n");
  EXPECT_THAT(shell_.wait(report.job, 10s, {}).text, HasSubstr("got on\n"));
}

TEST_P(ShellTest, an_interrupt_key_reaches_the_command) {
  const JobReport report = run("cat");
  ASSERT_EQ(report.state, JobState::WaitingForInput);
  shell_.send_input(report.job, "\x03");
  EXPECT_EQ(shell_.wait(report.job, 10s, {}).signal, SIGINT);
}

TEST_P(ShellTest, long_input_arrives_whole) {
  JobReport report = run("stty -icanon -echo; head -c 200000 | sha256sum");
  ASSERT_EQ(report.state, JobState::WaitingForInput);
  shell_.send_input(report.job, std::string(200000, 'z'));
  report = shell_.wait(report.job, 20s, {});
  EXPECT_EQ(report.state, JobState::Exited);
  EXPECT_EQ(report.text, run("head -c 200000 /dev/zero | tr '\\0' z | sha256sum").text);
}

// H5
TEST_P(ShellTest, a_flood_is_stored_whole_and_shown_by_its_ends) {
  [[maybe_unused]] const auto resident_bytes = [] {
    long total = 0, resident = 0;
    std::ifstream("/proc/self/statm") >> total >> resident;
    return resident * sysconf(_SC_PAGESIZE);
  };
  run("true");
  [[maybe_unused]] const long before = resident_bytes();
  const JobReport report = run("echo first; yes", 1500ms);
#if !defined(__SANITIZE_ADDRESS__)  // which keeps what was freed
  EXPECT_LT(resident_bytes() - before, 20 << 20);
#endif
  EXPECT_EQ(report.state, JobState::TimedOut);
  EXPECT_THAT(report.text, StartsWith("first\ny\n"));
  EXPECT_LT(report.text.size(), 17000u);
  EXPECT_THAT(report.text, HasSubstr("bytes cut here; the whole output: " + report.output_path.string()));
  EXPECT_EQ(std::filesystem::file_size(report.output_path), report.output_bytes);
  EXPECT_GT(report.output_bytes, 1u << 20);
}

TEST_P(ShellTest, random_bytes_come_out_as_valid_text) {
  const JobReport report = run("head -c 300000 /dev/urandom");
  EXPECT_EQ(report.output_bytes, 300000u);
  for (unsigned char c : report.text) ASSERT_TRUE(c >= 0x20 || c == '\n' || c == '\t');
}

TEST_P(ShellTest, a_command_that_writes_too_much_is_ended) {
  ShellOptions limited = options();
  limited.max_stored_bytes = 1 << 20;
  Shell shell(limited);
  const JobReport report = shell.run("yes", 20s, {});
  EXPECT_EQ(report.state, JobState::OutputLimit);
  EXPECT_EQ(std::filesystem::file_size(report.output_path), 1u << 20);
}

// H8
TEST_P(ShellTest, broken_commands_end_with_an_error_and_the_session_goes_on) {
  for (const char* command : {"cat <<EOF\nnever ended", "echo \"open", "echo $(", "if true; then"}) {
    const auto begin = steady_clock::now();
    const JobReport report = run(command);
    EXPECT_EQ(report.state, JobState::Exited) << command;
    EXPECT_LT(steady_clock::now() - begin, 1s);
    EXPECT_EQ(run("echo usable").text, "usable\n");
  }
  EXPECT_THAT(run("echo 'open").text, HasSubstr("unexpected EOF"));
}

// H9
TEST_P(ShellTest, code_points_written_in_pieces_arrive_whole) {
  const JobReport report =
      run("for i in 1 2 3; do printf '\\346'; sleep 0.05; printf '\\227'; sleep 0.05; printf '\\245'; done");
  EXPECT_EQ(report.text, "日日日");
}

// H11
TEST_P(ShellTest, secrets_of_the_program_do_not_reach_the_command) {
  setenv("DESKHAND_TEST_TOKEN", "t0p", 1);
  setenv("OPENAI_API_KEY", "k3y", 1);
  setenv("KEYBOARD_LAYOUT", "us", 1);
  Shell shell(options());
  const std::string text = shell.run("env", 10s, {}).text;
  EXPECT_THAT(text, Not(HasSubstr("t0p")));
  EXPECT_THAT(text, Not(HasSubstr("k3y")));
  EXPECT_THAT(text, HasSubstr("KEYBOARD_LAYOUT=us"));
  ShellOptions allowing = options();
  allowing.allowed_secrets = {"OPENAI_API_KEY"};
  Shell other(allowing);
  EXPECT_THAT(other.run("env", 10s, {}).text, HasSubstr("k3y"));
}

TEST_P(ShellTest, output_is_streamed_as_it_comes) {
  std::string seen;
  Shell shell(options(), [&](int, std::string_view text) { seen += text; });
  std::string lines;
  for (int i = 0; i < 200; ++i) lines += std::to_string(i) + "\n";
  const JobReport report = shell.run("seq 0 199", 10s, {});
  EXPECT_EQ(seen, lines);
  EXPECT_EQ(report.text, lines);
}

TEST_P(ShellTest, jobs_run_side_by_side) {
  const JobReport first = shell_.start("read x; echo first $x"), second = shell_.start("read x; echo second $x");
  EXPECT_EQ(shell_.jobs().size(), 2u);
  shell_.send_input(second.job, "b\n");
  EXPECT_THAT(shell_.wait(second.job, 10s, {}).text, HasSubstr("second b"));
  shell_.send_input(first.job, "a\n");
  EXPECT_THAT(shell_.wait(first.job, 10s, {}).text, HasSubstr("first a"));
  EXPECT_EQ(shell_.end(99).state, JobState::Failed);
}

TEST_P(ShellTest, a_job_can_be_polled_and_gives_only_what_is_new) {
  const JobReport started = shell_.start("echo one; read x; echo two; sleep 0.3; echo three");
  EXPECT_EQ(shell_.wait(started.job, 5s, {}).text, "one\n");
  shell_.send_input(started.job, "\n");
  std::string text;
  JobReport report;
  do text += (report = shell_.wait(started.job, 50ms, {})).text;
  while (report.state == JobState::Running);
  EXPECT_EQ(text, "\ntwo\nthree\n");
}

// H7: the program dies by SIGKILL while commands run.
TEST_P(ShellTest, nothing_outlives_a_killed_program) {
  const std::string sleep = unique_sleep();
  const pid_t program = fork();
  if (program == 0) {
    Shell shell(options());
    shell.run("setsid " + sleep + " & ( setsid " + sleep + " & ); " + sleep, 60s, {});
    _exit(0);
  }
  ASSERT_TRUE(comes_true([&] { return count_processes(mark(sleep)) >= 3; }, 20s));
  kill(program, SIGKILL);
  waitpid(program, nullptr, 0);
  EXPECT_TRUE(comes_true([&] { return count_processes(mark(sleep)) == 0; }, 2s));
}

TEST_P(ShellTest, a_command_that_is_too_long_is_refused) {
  const JobReport report = run("echo " + std::string(200000, 'x'));
  EXPECT_EQ(report.state, JobState::Failed);
  EXPECT_THAT(report.text, HasSubstr("100 KiB"));
}

TEST(ShellStart, a_missing_host_program_is_a_plain_message) {
  TemporaryFolder work, outputs;
  ShellOptions options;
  options.workspace = work.path();
  options.output_folder = outputs.path();
  options.confinement = Confinement::None;
  options.host_program = "/nowhere/host";
  Shell shell(options);
  const JobReport report = shell.run("echo hi", 5s, {});
  EXPECT_EQ(report.state, JobState::Failed);
  EXPECT_THAT(report.text, HasSubstr("/nowhere/host: No such file"));
}

}  // namespace
}  // namespace tools
