#pragma once
// Reads and changes the files of a workspace. Changes go through the journal: whole calls, never parts of one. Belongs
// to one thread.

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tools/edit_journal.h"
#include "tools/folder_watch.h"
#include "tools/hunk_match.h"
#include "tools/patch.h"
#include "tools/tool.h"
#include "tools/workspace.h"

namespace tools {

struct FileReply {
  bool ok = false;
  std::string text;        // for the model: what was done, or why nothing was
  nlohmann::json details;  // for the record: {"entry": 3, "files": [{"path", "kind", "hunks": [{"line", "rung"}]}]}
};

struct FilesOptions {
  std::filesystem::path workspace;
  std::vector<std::filesystem::path> readable;  // outside it; the shell's outputs, for example
  std::filesystem::path journal;                // a folder of ours, outside the workspace
  size_t max_file_bytes = 32 << 20;             // larger files aren't edited
  size_t max_reply_bytes = 40000;
};

class Files {
 public:
  explicit Files(FilesOptions options);

  // What an interrupted edit of an earlier run left, put in order.
  const EditJournal::Recovery& recovery() const { return recovery_; }
  const Workspace& workspace() const { return workspace_; }

  // Numbered lines from `first_line` (from 1); none: up to the budget.
  FileReply read(const std::string& path, size_t first_line, std::optional<size_t> n_lines);
  // Makes a file, or replaces one that was read before and hasn't changed since.
  FileReply write(const std::string& path, std::string_view content);
  FileReply edit(const std::string& path, std::string_view old_text, std::string_view new_text,
                 Occurrences occurrences);
  FileReply apply_patch(std::string_view patch);
  FileReply undo();
  // What these three would change; empty when they would be refused, or move a file.
  std::vector<FileEdit> preview_write(const std::string& path, std::string_view content);
  std::vector<FileEdit> preview_edit(const std::string& path, std::string_view old_text, std::string_view new_text,
                                     Occurrences occurrences);
  std::vector<FileEdit> preview_patch(std::string_view patch);
  // Around something that may change files by itself, such as a command: what it did is kept for undo as if it were an
  // edit. The reply's text is one line, empty when nothing changed.
  void before_command() { watch_.look(); }
  FileReply after_command();
  // Changes bear this label from now on, see EditJournal.
  void label_changes(const std::string& label) { journal_.set_label(label); }

 private:
  struct Content {
    std::filesystem::path path;  // real
    std::string bytes;
    bool has_changed = false;  // since it was last read here
  };
  // One file on its way through a patch.
  struct Staged {
    FileChange change;
    std::vector<PlacedHunk> hunks;
    bool had_changed = false;  // elsewhere, since it was read
  };
  using Staging = std::variant<std::vector<Staged>, FileReply>;  // a reply: it is refused

  std::variant<Content, FileReply> load_for_edit(const std::string& path);
  Staging stage_write(const std::string& path, std::string_view content);
  Staging stage_edit(const std::string& path, std::string_view old_text, std::string_view new_text,
                     Occurrences occurrences);
  Staging stage_patch(std::string_view text);
  std::optional<std::string> stage(const FilePatch& patch, std::vector<Staged>& staged);
  std::optional<std::string> stage_update(const FilePatch& patch, Staged& entry, bool is_new);
  FileReply commit(Staging staging);
  std::vector<FileEdit> preview(const Staging& staging) const;
  void remember(const std::filesystem::path& path, std::string_view bytes);

  FilesOptions options_;
  Workspace workspace_;
  EditJournal journal_;
  FolderWatch watch_;
  EditJournal::Recovery recovery_;
  std::map<std::filesystem::path, std::string> seen_;  // hash of each file's content as last read or written here
};

}  // namespace tools
