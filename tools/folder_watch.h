#pragma once
// What something that we don't control, such as a command, did to the files of a workspace: their bytes before and
// after. What lies in .git, links and files that aren't regular are left out, and a workspace of more than 20,000 files
// as a whole. What somebody else changes meanwhile can't be told apart.

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "tools/edit_journal.h"
#include "tools/workspace.h"

namespace tools {

class FolderWatch {
 public:
  explicit FolderWatch(const Workspace& workspace) : workspace_(workspace) {}

  // Changes count from here on. Reads what is new since the last look only.
  void look();

  struct Changes {
    std::vector<FileChange> files;                   // written, deleted and then made ones
    std::vector<std::filesystem::path> new_folders;  // the outermost first
    std::vector<std::string> not_kept;               // files whose bytes aren't known or are too many to keep; by name
  };
  Changes changes();  // since look()

 private:
  // A file with the same mark is taken to be the same: size, times of content and of state, inode.
  struct Mark {
    std::uintmax_t size = 0;
    std::int64_t modified_ns = 0, changed_ns = 0;
    std::uint64_t inode = 0;
    bool operator==(const Mark&) const = default;
  };
  struct File {
    Mark mark;
    mode_t mode = 0;
    std::shared_ptr<const std::string> bytes;  // null: too large
    bool is_settled = false;                   // a change behind this look would show in the mark
  };
  struct Snapshot {
    std::map<std::filesystem::path, File> files;
    std::set<std::filesystem::path> folders;
    bool is_whole = false;  // all of them were seen
  };
  Snapshot read(const Snapshot& known) const;
  static bool is_same(const File& before, const File& after);

  const Workspace& workspace_;
  Snapshot last_;
};

}  // namespace tools
