// What a private desktop's home holds at first.

#include "tools/desktop_home.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "tests/unit/tools/temporary_folder.h"

namespace tools {
namespace {

namespace fs = std::filesystem;

TEST(DesktopHome, has_the_files_folders_and_links_of_its_template_and_no_pipe) {
  const TemporaryFolder from, to;
  from.write(".config/editor/settings", "dark");
  fs::permissions(from.write("script", "#!/bin/sh"), fs::perms::owner_all);
  fs::create_symlink("/nowhere", from.path() / "link");
  fs::create_directory_symlink("/", from.path() / "all");
  fs::create_directory(from.path() / "empty");
  ASSERT_EQ(::mkfifo((from.path() / ".config" / "pipe").c_str(), 0600), 0);
  const DesktopHome made = make_desktop_home(to.path(), {.home_template = from.path()});
  EXPECT_EQ(to.read("home/.config/editor/settings"), "dark");
  EXPECT_EQ(fs::status(made.home / "script").permissions(), fs::perms::owner_all);
  EXPECT_EQ(fs::read_symlink(made.home / "link"), "/nowhere");
  EXPECT_EQ(fs::read_symlink(made.home / "all"), "/");
  EXPECT_TRUE(fs::is_directory(made.home / "empty"));
  EXPECT_FALSE(fs::exists(made.home / ".config" / "pipe"));
}

}  // namespace
}  // namespace tools
