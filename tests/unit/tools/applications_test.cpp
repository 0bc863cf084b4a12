#include "tools/applications.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

namespace tools {
namespace {

namespace fs = std::filesystem;

std::string entry(const std::string& name, const std::string& generic, const std::string& exec,
                  const std::string& more = "") {
  return "# a comment\n[Desktop Entry]\nType=Application\nName=" + name + "\nName[de]=Anders\nGenericName=" + generic +
         "\nExec=" + exec + "\n" + more + "[Desktop Action New]\nName=New\nExec=other\n";
}

TEST(DesktopEntry, gives_the_command_line_without_field_codes) {
  const auto application = parse_desktop_entry("editor", entry("Editor", "Text Editor", "edit --new %U \"a b\" 100%%"));
  ASSERT_TRUE(application);
  EXPECT_EQ(application->name, "Editor");
  EXPECT_EQ(application->argv, (std::vector<std::string>{"edit", "--new", "a b", "100%"}));
}

TEST(DesktopEntry, passes_over_what_is_hidden_needs_a_terminal_or_is_broken) {
  EXPECT_FALSE(parse_desktop_entry("x", entry("X", "", "x", "Hidden=true\n")));
  EXPECT_FALSE(parse_desktop_entry("x", entry("X", "", "x", "Terminal=true\n")));
  EXPECT_FALSE(parse_desktop_entry("x", entry("X", "", "x \"unclosed")));
  EXPECT_FALSE(parse_desktop_entry("x", entry("X", "", "")));
  EXPECT_FALSE(parse_desktop_entry("x", "[Desktop Entry]\nType=Link\nName=X\nExec=x\n"));
  EXPECT_FALSE(parse_desktop_entry("x", "not an entry at all"));
}

class Applications : public ::testing::Test {
 protected:
  void SetUp() override {
    write("own", "org.example.Writer", entry("Writer", "Text Editor", "writer --mine"));
    write("system", "org.example.Writer", entry("Writer", "Text Editor", "writer"));
    write("system", "calc", entry("Sums", "Calculator", "/usr/bin/sums"));
  }
  void TearDown() override { fs::remove_all(root_); }

  void write(const std::string& folder, const std::string& id, const std::string& text) const {
    fs::create_directories(root_ / folder);
    std::ofstream(root_ / folder / (id + ".desktop")) << text;
  }
  std::optional<std::vector<std::string>> find(const std::string& name) const {
    return find_application(name, {root_ / "own", root_ / "absent", root_ / "system"});
  }

  fs::path root_ = fs::path(::testing::TempDir()) / ("applications" + std::to_string(::getpid()));
};

TEST_F(Applications, are_found_by_every_name_people_use) {
  for (const char* name : {"calc", "Sums", "sums", "CALCULATOR"}) {
    EXPECT_EQ(find(name), (std::vector<std::string>{"/usr/bin/sums"})) << name;
  }
  EXPECT_EQ(find("Spreadsheet"), std::nullopt);
  EXPECT_EQ(find("Calc"), find("calc"));
}

TEST_F(Applications, are_found_by_their_category_when_no_name_fits) {
  write("system", "sheets", entry("Sheets", "", "sheets", "Categories=Office;Spreadsheet;\n"));
  write("system", "manager", entry("Files", "", "files", "Categories=System;FileManager\n"));
  EXPECT_EQ(find("Spreadsheet"), (std::vector<std::string>{"sheets"}));
  EXPECT_EQ(find("File Manager"), (std::vector<std::string>{"files"}));
  EXPECT_EQ(find("sheet"), std::nullopt);
}

TEST_F(Applications, a_pipe_is_no_entry) {
  ::alarm(60);  // who waits for its other end, ends here
  ASSERT_EQ(::mkfifo((root_ / "own" / "calc.desktop").c_str(), 0600), 0);
  EXPECT_EQ(find("calc"), (std::vector<std::string>{"/usr/bin/sums"}));
  ::alarm(0);
}

TEST_F(Applications, the_users_own_entry_wins) {
  EXPECT_EQ(find("text editor"), (std::vector<std::string>{"writer", "--mine"}));
}

}  // namespace
}  // namespace tools
