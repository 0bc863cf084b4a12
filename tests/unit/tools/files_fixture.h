#pragma once
// A workspace of real files for the tests of the file tools.

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <string>

#include "tests/unit/tools/temporary_folder.h"
#include "tools/files.h"

namespace tools {

class FilesTest : public testing::Test {
 protected:
  FilesOptions options() const { return {work_.path(), {}, state_.path() / "journal"}; }
  FileReply edit(const std::string& name, std::string_view before, std::string_view after) {
    return files_.edit(name, before, after, Occurrences::One);
  }
  // Edits `bytes` and gives what became of them; "refused" when it was.
  std::string edited(const std::string& bytes, std::string_view before, std::string_view after) {
    work_.write("f", bytes);
    files_.read("f", 1, {});
    const FileReply reply = edit("f", before, after);
    last_reply_ = reply.text;
    return reply.ok ? work_.read("f") : "refused";
  }
  std::string patched(const std::string& bytes, const std::string& hunk) {
    work_.write("f", bytes);
    const FileReply reply = files_.apply_patch("*** Begin Patch\n*** Update File: f\n" + hunk + "*** End Patch\n");
    last_reply_ = reply.text;
    return reply.ok ? work_.read("f") : "refused";
  }
  static struct stat status(const std::filesystem::path& path) {
    struct stat status {};
    lstat(path.c_str(), &status);
    return status;
  }

  TemporaryFolder work_{fast_disk()}, state_{fast_disk()};
  Files files_{options()};
  std::string last_reply_;
};

}  // namespace tools
