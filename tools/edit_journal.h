#pragma once
// Changes several files as one: all of them or none, also when the program is killed or the power fails in between.
// Before anything is touched, the bytes before and after lie in the journal; an entry without its commit mark is rolled
// back when the journal is next opened. Committed entries can be undone as long as the files are still as they were
// left.
//
// Files are written in place, so mode, owner, links, hard links and attributes stay. The price is that a reader may see
// a half-written file for a moment; the journal repairs it if we die in that moment.

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "tools/workspace.h"

namespace tools {

struct FileChange {
  enum class Kind { Write, Create, Delete, Move };
  Kind kind = Kind::Write;
  std::filesystem::path path;      // resolved by the workspace
  std::filesystem::path new_path;  // of a move
  std::string before, after;       // whole contents; a move may change them too
  mode_t mode = 0644;              // of a created file
};

class EditJournal {
 public:
  // One journal folder serves one workspace; several programs may share it.
  EditJournal(const Workspace& workspace, std::filesystem::path folder);

  struct Recovery {
    std::vector<std::string> restored;  // files put back to what they were
    std::vector<std::string> left;      // files that somebody else has changed since: untouched, with the reason
  };
  // Rolls back what was interrupted. To be called before the first change.
  Recovery recover();

  struct Failure {
    std::string reason;  // nothing was changed
  };
  // From now on each entry bears this label (a session's): what it did can be taken back as a whole.
  void set_label(std::string label) { label_ = std::move(label); }

  // The entry's number. A file that isn't as `before` says is a failure.
  std::variant<int64_t, Failure> apply(const std::vector<FileChange>& changes);

  // Keeps changes that something else, such as a command, has made already: its files can be put back as far as they
  // are still as it left them. `new_folders`: the outermost first.
  std::variant<int64_t, Failure> adopt(const std::vector<FileChange>& changes,
                                       const std::vector<std::filesystem::path>& new_folders);

  struct Undone {
    int64_t entry = 0;
    std::vector<std::string> files;
  };
  // Takes back the newest change of our own that isn't undone yet, or the one given.
  std::variant<Undone, Failure> undo(std::optional<int64_t> entry = {});

  // All that was done under a label and isn't taken back yet.
  struct LabelUndo {
    std::vector<std::string> files;     // that would be, or were, put back
    std::vector<std::string> left;      // files that a command changed and somebody else since; they stay as they are
    std::vector<std::string> problems;  // of our own changes: what stands against it
  };
  LabelUndo check_undo(const std::string& label) const;
  // Puts back every byte, the newest change first. With a problem nothing is touched.
  LabelUndo undo_label(const std::string& label);

 private:
  struct Entry;
  std::variant<int64_t, Failure> apply_entry(Entry entry);
  std::vector<int64_t> entry_numbers() const;
  int64_t next_number() const;
  std::optional<Entry> load(int64_t number) const;
  std::optional<std::string> write_entry(const Entry& entry) const;
  std::optional<std::string> check_before(const Entry& entry) const;
  std::optional<std::string> check_before(const FileChange& change) const;
  std::optional<std::string> perform(const Entry& entry) const;
  std::optional<std::string> perform(const FileChange& change) const;
  void roll_back(const Entry& entry, Recovery& recovery) const;
  void forget_old() const;
  std::filesystem::path entry_folder(int64_t number) const { return folder_ / std::to_string(number); }

  std::vector<Entry> entries_to_undo(const std::string& label) const;  // the newest first

  const Workspace& workspace_;
  std::filesystem::path folder_;
  std::string label_;
};

}  // namespace tools
