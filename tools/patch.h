#pragma once
// Reads the two patch formats that models write: Codex's apply_patch envelope and the unified diff of diff and git.
// Only the form is judged here; where a hunk belongs is found by hunk_match.h.

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace tools {

enum class LineKind { Context, Removed, Added };

struct PatchLine {
  LineKind kind = LineKind::Context;
  std::string text;             // bytes between the mark and the newline; a carriage return is part of it
  bool has_no_newline = false;  // "\ No newline at end of file" follows
};

struct Hunk {
  std::vector<PatchLine> lines;
  std::vector<std::string> anchors;  // Codex's "@@ text": lines above the hunk, outermost first
  std::optional<size_t> old_line;    // unified: the first old line, from 1; a hint
  bool is_at_end = false;            // Codex's "*** End of File"
  size_t patch_line = 0;             // where it stands in the patch, from 1
};

struct FilePatch {
  enum class Kind { Add, Delete, Update };
  Kind kind = Kind::Update;
  std::string path;            // as written; relative to the workspace
  std::string new_path;        // of a move; else empty
  bool is_executable = false;  // of an added file
  std::vector<Hunk> hunks;     // Add: one hunk of added lines, or none for an empty file
  size_t patch_line = 0;
};

struct PatchError {
  size_t line = 0;  // of the patch, from 1
  std::string message;
};

std::variant<std::vector<FilePatch>, PatchError> parse_patch(std::string_view text);

}  // namespace tools
