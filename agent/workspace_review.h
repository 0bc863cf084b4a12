#pragma once
// What a session changed in its workspace, whoever changed it: the file tools, or a command.

#include <filesystem>
#include <map>
#include <string>

namespace agent {

class WorkspaceReview {
 public:
  // Remembers the folder as it is now: text files up to a mebibyte, of other files their size and time.
  explicit WorkspaceReview(std::filesystem::path folder);

  // A unified diff of all text files, and one line for each other file that is new, gone or changed. Empty: nothing
  // changed. What lies in .git is not looked at.
  std::string diff() const;

 private:
  struct File {
    bool is_text = false;
    std::string content;  // of a text
    std::string mark;     // of others: size and time
  };
  std::map<std::string, File> read_all() const;  // by path in the folder

  std::filesystem::path folder_;
  std::map<std::string, File> before_;
};

}  // namespace agent
