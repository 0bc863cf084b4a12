#include "tools/edit_choice.h"

#include <algorithm>

#include "tools/line_diff.h"

namespace tools {
namespace {

std::string range_text(size_t line, size_t n_lines) {
  return std::to_string(n_lines == 0 && line > 0 ? line - 1 : line) + "," + std::to_string(n_lines);
}

std::string file_header(const FilePatch& file) {
  const bool is_added = file.kind == FilePatch::Kind::Add, is_deleted = file.kind == FilePatch::Kind::Delete;
  std::string header;
  if (is_added && file.is_executable) {
    header = "diff --git a/" + file.path + " b/" + file.path + "\nnew file mode 100755\n";
  }
  return header + "--- " + (is_added ? "/dev/null" : "a/" + file.path) + "\n+++ " +
         (is_deleted ? "/dev/null" : "b/" + file.path) + "\n";
}

// `shift`: by how many lines the hunks before it have moved the new text.
std::string hunk_text(const Hunk& hunk, std::ptrdiff_t& shift) {
  static constexpr char kMarks[] = {' ', '-', '+'};
  size_t n_old = 0, n_new = 0;
  std::string body;
  for (const PatchLine& line : hunk.lines) {
    n_old += line.kind != LineKind::Added;
    n_new += line.kind != LineKind::Removed;
    body += kMarks[static_cast<size_t>(line.kind)] + line.text + "\n";
    if (line.has_no_newline) body += "\\ No newline at end of file\n";
  }
  // Without old lines a hunk names the line before it.
  const size_t first_old = hunk.old_line.value_or(1) + (n_old == 0 ? 1 : 0);
  const auto first_new =
      static_cast<size_t>(std::max<std::ptrdiff_t>(static_cast<std::ptrdiff_t>(first_old) + shift, 0));
  shift += static_cast<std::ptrdiff_t>(n_new) - static_cast<std::ptrdiff_t>(n_old);
  return "@@ -" + range_text(first_old, n_old) + " +" + range_text(first_new, n_new) + " @@\n" + body;
}

std::optional<std::string_view> view_of(const std::optional<std::string>& text) {
  return text ? std::optional<std::string_view>(*text) : std::nullopt;
}

}  // namespace

std::vector<FilePatch> hunks_of(const std::vector<FileEdit>& edits) {
  std::vector<FilePatch> files;
  for (const FileEdit& edit : edits) {
    const std::string diff = unified_diff(edit.path, view_of(edit.before).value_or(std::string_view()),
                                          view_of(edit.after).value_or(std::string_view()));
    auto parsed = parse_patch(diff);
    auto* read = std::get_if<std::vector<FilePatch>>(&parsed);
    // An empty file that comes or goes has no lines, and a strange name doesn't survive the diff.
    if (read == nullptr || read->size() != 1 || read->front().path != edit.path) return {};
    read->front().is_executable = edit.is_executable;
    files.push_back(std::move(read->front()));
  }
  return files;
}

std::string patch_text(const std::vector<FilePatch>& files) {
  std::string text;
  for (const FilePatch& file : files) {
    text += file_header(file);
    std::ptrdiff_t shift = 0;
    for (const Hunk& hunk : file.hunks) text += hunk_text(hunk, shift);
  }
  return text;
}

EditChoice choose_hunks(const std::vector<FilePatch>& files, const std::vector<bool>& is_taken) {
  std::vector<FilePatch> taken, left_out;
  EditChoice choice;
  size_t hunk_idx = 0;
  for (const FilePatch& file : files) {
    FilePatch parts[2] = {file, file};  // left out, taken
    for (FilePatch& part : parts) part.hunks.clear();
    for (const Hunk& hunk : file.hunks) {
      const bool takes = is_taken.at(hunk_idx++);
      parts[takes].hunks.push_back(hunk);
      ++(takes ? choice.n_taken : choice.n_left_out);
    }
    if (!parts[0].hunks.empty()) left_out.push_back(std::move(parts[0]));
    if (!parts[1].hunks.empty()) taken.push_back(std::move(parts[1]));
  }
  choice.taken = patch_text(taken);
  choice.left_out = patch_text(left_out);
  return choice;
}

}  // namespace tools
