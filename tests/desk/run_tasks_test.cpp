// The runner of the desktop tasks with a mind behind a server.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <regex>
#include <string>

#include "tests/chat_server/chat_server.h"

namespace {

using chat_server::ChatServer;
using chat_server::Connection;
using chat_server::Request;
using ::testing::HasSubstr;

std::string output_of(const std::string& command) {
  std::FILE* pipe = ::popen(command.c_str(), "r");
  std::string output;
  std::array<char, 4096> part{};
  for (std::size_t n = 0; (n = std::fread(part.data(), 1, part.size(), pipe)) > 0;) output.append(part.data(), n);
  EXPECT_EQ(::pclose(pipe), 0) << command << "\n" << output;
  return output;
}

class RunTasks : public ::testing::Test {
 protected:
  std::string played(const std::string& task) const {
    return output_of(DESKHAND_BIN_DIR "/run_tasks --verbose --task " + task + " --model " + server_.url() + " 2>&1");
  }
  ChatServer server_;
};

TEST_F(RunTasks, scores_a_server_that_counts_lines) {
  server_.then(chat_server::calls("shell", {{"command", "wc -l *.*"}}));
  server_.then([](const Request& request, Connection& connection) {
    const std::string told = nlohmann::json::parse(request.body)["messages"].back().dump();
    std::smatch count;
    const bool is_there =
        std::regex_search(told, count, std::regex(R"((\d+) (notes\.txt|report\.md|todo\.txt|letters\.csv))"));
    chat_server::says(is_there ? "It has " + count[1].str() + " lines [1]." : "I don't know.")(request, connection);
  });
  const std::string sheet = played("shell_lines");
  EXPECT_THAT(sheet, HasSubstr("success shell_lines"));
}

TEST_F(RunTasks, sees_through_a_server_that_only_claims) {
  server_.then(chat_server::says("It has 1234567 lines."));
  const std::string sheet = played("shell_lines");
  EXPECT_THAT(sheet, HasSubstr("FALSE"));
}

}  // namespace
