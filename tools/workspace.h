#pragma once
// The folder that the file tools may work in, and the only way from a path in words to an open file. Links are followed
// before the check, and the file is opened by its real path without following any, so neither a link nor a folder
// swapped for one in between leads out.

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <variant>
#include <vector>

namespace tools {

// By the words alone: both absolute, no links followed. The folder itself counts.
bool is_below(const std::filesystem::path& path, const std::filesystem::path& folder);

class Workspace {
 public:
  // `readable`: folders outside that may be read, not written.
  explicit Workspace(const std::filesystem::path& root, std::vector<std::filesystem::path> readable = {});
  ~Workspace();
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;

  enum class Use { Read, Write };
  struct Refusal {
    std::string reason;
  };
  // The real path, existing or not, of what `path` names (relative to the root, or absolute).
  std::variant<std::filesystem::path, Refusal> resolve(const std::string& path, Use use) const;
  // Does the path lie inside, links followed? False for what can't be resolved.
  bool contains(const std::string& path) const;

  // Opens a resolved path below the root or a readable folder; -1 with errno set.
  int open(const std::filesystem::path& resolved, int flags, mode_t mode = 0) const;
  // The same for the folder that the path lies in, for making, renaming and deleting.
  int open_parent(const std::filesystem::path& resolved) const { return open(resolved.parent_path(), kFolder); }

  // How a resolved path is shown: relative to the root when inside.
  std::string name(const std::filesystem::path& resolved) const;
  const std::filesystem::path& root() const { return root_; }

 private:
  static const int kFolder;
  std::filesystem::path root_;
  std::vector<std::filesystem::path> readable_;
};

}  // namespace tools
