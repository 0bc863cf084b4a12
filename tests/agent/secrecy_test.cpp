// Secrets: where they come from, and that they don't come out again.

#include "agent/secrecy.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "agent/credentials.h"

namespace agent {
namespace {

namespace fs = std::filesystem;

class CredentialsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(root_ / "deskhand" / "secrets");
    fs::create_directories(root_ / "deskhand" / "keys");
    ::setenv("XDG_CONFIG_HOME", root_.c_str(), 1);
  }
  void TearDown() override {
    ::unsetenv("XDG_CONFIG_HOME");
    fs::remove_all(root_);
  }
  fs::path write(const fs::path& relative, const std::string& text, mode_t mode) {
    const fs::path path = root_ / "deskhand" / relative;
    std::ofstream(path) << text;
    ::chmod(path.c_str(), mode);
    return path;
  }

  fs::path root_ = fs::path(::testing::TempDir()) / ("credentials" + std::to_string(::getpid()));
};

TEST_F(CredentialsTest, a_file_must_be_the_owners_alone) {
  EXPECT_EQ(read_private_file(write("secrets/pin", "12 34\n", 0600)), "12 34");
  for (const mode_t mode : {0640, 0604, 0644}) {
    EXPECT_THROW(read_private_file(write("secrets/open", "1234", mode)), Error) << mode;
  }
  EXPECT_THROW(read_private_file(write("secrets/empty", "\n", 0600)), Error);
  EXPECT_THROW(read_private_file(root_ / "nothing"), Error);
  EXPECT_THROW(read_private_file(root_), Error);
}

TEST_F(CredentialsTest, the_environment_comes_first_and_forgets) {
  write("secrets/pin", "from the file", 0600);
  ::setenv("DESKHAND_SECRET_PIN", "from the environment", 1);
  EXPECT_EQ(named_secret("pin"), "from the environment");
  EXPECT_EQ(::getenv("DESKHAND_SECRET_PIN"), nullptr) << "programs started later must not inherit it";
  EXPECT_EQ(named_secret("pin"), "from the file");
  try {
    named_secret("other");
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("DESKHAND_SECRET_OTHER"), std::string::npos) << "it says where to put it";
  }
}

TEST_F(CredentialsTest, a_servers_key_belongs_to_its_host) {
  write("keys/gpu:8000", "sk-1\n", 0600);
  EXPECT_EQ(server_key("gpu:8000"), "sk-1");
  EXPECT_EQ(server_key("other:8000"), std::nullopt);
  write("keys/gpu:8000", "sk-1\n", 0644);
  EXPECT_THROW(server_key("gpu:8000"), Error);
}

class SecrecyTest : public ::testing::Test {
 protected:
  SecrecyTest() {
    secrecy_.add("pin", "abab");
    secrecy_.add("password", "correct horse");
  }
  std::string streamed(const std::string& text, std::size_t step) {
    std::string said;
    CleanPieces pieces(secrecy_, [&](const ReplyPiece& piece) { said += piece.text; });
    for (std::size_t at = 0; at < text.size(); at += step) pieces.push({ReplyPiece::Kind::Text, text.substr(at, step)});
    pieces.finish();
    return said;
  }

  Secrecy secrecy_;
};

TEST_F(SecrecyTest, a_stream_shows_no_secret_however_it_is_cut) {
  const std::string text = "It is correct horse, not correct hay; ababab is abab and corr";
  for (std::size_t step = 1; step <= text.size(); ++step) {
    const std::string said = streamed(text, step);
    EXPECT_EQ(said.find("correct horse"), std::string::npos) << step;
    EXPECT_EQ(said.find("abab"), std::string::npos) << step << ": " << said;
    EXPECT_TRUE(said.starts_with("It is {{password}}, not correct hay; {{pin}}")) << said;
    EXPECT_TRUE(said.ends_with("and corr")) << said;
  }
}

TEST_F(SecrecyTest, results_and_replies_are_cleaned_everywhere) {
  tools::ToolResult result{
      .ok = true, .text = "$ x\ncorrect horse!", .details = {{"header_bytes", 4}, {"line", "abab"}}};
  result.evidence = tools::Evidence{.windows_opened = {"Login abab"}, .focused_window = "abab"};
  result.evidence->field_text = tools::FieldText{.excerpt = "now abab"};
  const tools::ToolResult clean = secrecy_.clean(result);
  EXPECT_EQ(clean.evidence->field_text->excerpt, "now {{pin}}");
  EXPECT_EQ(clean.text, "$ x\n{{password}}!");
  EXPECT_EQ(clean.details.dump().find("abab"), std::string::npos);
  EXPECT_EQ(clean.details["header_bytes"], 4);
  EXPECT_EQ(clean.evidence->windows_opened[0], "Login {{pin}}");
  EXPECT_EQ(*clean.evidence->focused_window, "{{pin}}");
  const AssistantMessage message =
      secrecy_.clean(AssistantMessage{"abab", "correct horse", {{"1", "keyboard", {{"text", "abab"}}}}});
  EXPECT_EQ(message.thought + message.text, "{{pin}}{{password}}");
  EXPECT_EQ(message.calls[0].arguments["text"], "{{pin}}") << "and so it can be typed";
}

}  // namespace
}  // namespace agent
