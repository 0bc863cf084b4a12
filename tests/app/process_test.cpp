// The program as a process: what it makes of odd words, streams and signals.

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "tests/unit/tools/temporary_folder.h"

namespace {

class Process : public testing::Test {
 protected:
  Process() {
    for (const char* name : {"XDG_DATA_HOME", "XDG_CONFIG_HOME"}) ::setenv(name, folder_.path().c_str(), 1);
  }

  // Runs a line of sh in which $D is the program; what came through its own standard output.
  std::string sh(const std::string& line) {
    std::FILE* pipe = ::popen(("D=" DESKHAND_BIN_DIR "/deskhand; " + line).c_str(), "r");
    std::string output;
    for (int c = std::getc(pipe); c != EOF; c = std::getc(pipe)) output += static_cast<char>(c);
    status_ = WEXITSTATUS(::pclose(pipe));
    return output;
  }

  tools::TemporaryFolder folder_{tools::fast_disk()};
  int status_ = -1;
};

TEST_F(Process, output_that_cannot_be_written_is_a_failure) {
  for (const char* words : {"--help", "sessions --help", "completion bash", "model list"}) {
    const std::string problem = sh("$D " + std::string(words) + " 2>&1 >/dev/full");
    EXPECT_EQ(status_, 1) << words;
    EXPECT_NE(problem.find("the output can't be written"), std::string::npos) << words << ": " << problem;
  }
}

TEST_F(Process, closed_streams_give_their_numbers_to_nothing_else) {
  const std::string problem = sh("$D model list 2>&1 >&-");
  EXPECT_EQ(status_, 1);
  EXPECT_NE(problem.find("Bad file descriptor"), std::string::npos) << problem;
  sh("$D sessions <&- >&- 2>&-");
  EXPECT_EQ(sh("$D sessions 2>&1 | cut -c -33"), "deskhand: there are no sessions y\n") << "the record is whole";
  EXPECT_EQ(status_, 0);
}

TEST_F(Process, relative_folders_in_the_environment_count_for_nothing) {
  const std::string here = "cd " + folder_.path().string() + " && ";
  sh(here + "HOME=$PWD/home XDG_DATA_HOME=data XDG_CONFIG_HOME=./config $D sessions");
  EXPECT_EQ(status_, 0);
  EXPECT_EQ(sh(here + "find . -name '*.db'"), "./home/.local/share/deskhand/sessions.db\n");
}

TEST_F(Process, a_folder_that_was_removed_is_no_workspace) {
  const std::string gone = (folder_.path() / "gone").string();
  const std::string problem = sh("mkdir " + gone + " && cd " + gone + " && rmdir " + gone +
                                 " && $D run --desktop none --workspace . hello 2>&1");
  EXPECT_EQ(status_, 2);
  EXPECT_NE(problem.find("there is no folder ."), std::string::npos) << problem;
}

TEST_F(Process, a_word_that_is_no_text_is_refused) {
  const std::string problem = sh("$D run --desktop none --workspace \"$(printf '/tmp/\\377')\" hello 2>&1");
  EXPECT_EQ(status_, 2);
  EXPECT_NE(problem.find("word 5 of the command line is not valid UTF-8"), std::string::npos) << problem;
}

TEST_F(Process, a_pipe_or_a_device_in_a_files_place_is_neither_waited_for_nor_read) {
  const std::string here = "cd " + folder_.path().string() + " && ";
  sh(here + "mkfifo pipe && mkdir model && mkfifo model/config.json && ln -s /dev/zero zero.png");
  const auto expect = [&](const std::string& words, int status, const std::string& named) {
    const std::string problem = sh(here + "timeout 60 $D " + words + " 2>&1 </dev/null");
    EXPECT_EQ(status_, status) << words;
    EXPECT_NE(problem.find(named + ": is a pipe, a socket or a device"), std::string::npos) << words << ": " << problem;
  };
  expect("chat --image pipe hello", 2, "pipe");
  expect("chat --image zero.png hello", 2, "zero.png");
  expect("import pipe", 2, "pipe");
  expect("chat --model model hello", 1, "model/config.json");
  expect("run --desktop none --secret key=@pipe hello", 1, "pipe");
}

TEST_F(Process, a_complaint_is_readable_whatever_it_is_about) {
  const std::string problem = sh("$D show \"$(printf '\\033[2J')\" 2>&1");
  EXPECT_EQ(status_, 2);
  EXPECT_NE(problem.find("not \"\\u{1b}[2J\""), std::string::npos) << problem;
  const std::string of_long = sh("$D show $(head -c 100000 /dev/zero | tr '\\0' x) 2>&1");
  EXPECT_LT(of_long.size(), 5000U);
  EXPECT_NE(of_long.find("Usage: deskhand show"), std::string::npos) << of_long;
  for (const char* words :
       {"run --secret $L hello", "run --secret a=@$L hello", "import $L", "chat --image $L hello"}) {
    const std::string said =
        sh("L=$(head -c 5000 /dev/zero | tr '\\0' x); $D " + std::string(words) + " 2>&1 </dev/null");
    EXPECT_EQ(said.find("filesystem error"), std::string::npos) << words << ": " << said;
    EXPECT_NE(status_, 0) << words;
  }
}

// Taken for a task, they get as far as to a record that can't be kept.
TEST_F(Process, words_near_a_commands_name_stay_a_task) {
  for (const char* words : {"'reply to Ada'",
                            "reply to Ada",
                            "'reply 3'",
                            "how many files are here?",
                            "how late",
                            "slow the mouse down",
                            "'Show 3'",
                            "Show 3",
                            "Show 3 windows",
                            "Import data.csv",
                            "chart sales",
                            "chart 'the sales of May'",
                            "cat notes.txt",
                            "what is this?",
                            "ran out of disk",
                            "turn it off",
                            "reword the letter",
                            "records of May into a table",
                            "session notes of today: print them",
                            "impart wisdom",
                            "mode of the printer",
                            "ruler on",
                            "doctors in Bonn",
                            "'import them'",
                            "' run'",
                            "help me find my keys"}) {
    const std::string problem = sh("XDG_DATA_HOME=/dev/null $D " + std::string(words) + " 2>&1 </dev/null");
    EXPECT_EQ(status_, 1) << words << ": " << problem;
    EXPECT_EQ(problem.find("there is no command"), std::string::npos) << words << ": " << problem;
  }
}

TEST_F(Process, an_endless_message_is_refused) {
  const std::string problem = sh("timeout 60 $D chat </dev/zero 2>&1");
  EXPECT_EQ(status_, 2);
  EXPECT_NE(problem.find("more than a message can be"), std::string::npos) << problem;
}

// A server that takes a connection and says nothing.
class SilentServer {
 public:
  SilentServer() {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    ::bind(fd_, reinterpret_cast<const sockaddr*>(&address), size);
    ::listen(fd_, 1);
    ::getsockname(fd_, reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
  }
  ~SilentServer() {
    ::close(client_);
    ::close(fd_);
  }
  SilentServer(const SilentServer&) = delete;
  SilentServer& operator=(const SilentServer&) = delete;
  void wait_for_client() { client_ = ::accept(fd_, nullptr, nullptr); }
  std::string model() const { return "http://127.0.0.1:" + std::to_string(port_) + "/v1#m"; }

 private:
  int fd_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  int client_ = -1;
  int port_ = 0;
};

TEST_F(Process, signals_stop_it_also_in_pairs) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    SilentServer server;
    const std::string model = server.model();
    const pid_t pid = ::fork();
    if (pid == 0) {
      ::execl(DESKHAND_BIN_DIR "/deskhand", "deskhand", "chat", "--model", model.c_str(), "hello", nullptr);
      ::_exit(127);
    }
    server.wait_for_client();
    ::kill(pid, signal);
    ::kill(pid, SIGTERM);
    int status = 0;
    ::waitpid(pid, &status, 0);
    ASSERT_TRUE(WIFEXITED(status)) << "killed by " << WTERMSIG(status);
    EXPECT_EQ(WEXITSTATUS(status), 130);
  }
}

}  // namespace
