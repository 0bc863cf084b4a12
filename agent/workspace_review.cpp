#include "agent/workspace_review.h"

#include <fstream>

#include "tools/line_diff.h"
#include "tools/text_lines.h"

namespace agent {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kMostTextBytes = 1 << 20;
constexpr std::size_t kMostFiles = 20'000;
constexpr std::size_t kMostBytes = 256 << 20;  // of all texts together

// Never more than the size that the file claims: the kernel's own files claim none, and some never end.
std::string read_bytes(const fs::path& path, std::uintmax_t size) {
  std::string bytes(size, '\0');
  if (size == 0) return bytes;
  std::ifstream file(path, std::ios::binary);
  file.read(bytes.data(), static_cast<std::streamsize>(size));
  bytes.resize(static_cast<std::size_t>(file.gcount()));
  return bytes;
}

}  // namespace

WorkspaceReview::WorkspaceReview(fs::path folder) : folder_(std::move(folder)), before_(read_all()) {}

std::map<std::string, WorkspaceReview::File> WorkspaceReview::read_all() const {
  std::map<std::string, File> files;
  std::size_t n_bytes = 0;
  std::error_code problem;  // files that vanish or can't be read meanwhile are left out
  const auto options = fs::directory_options::skip_permission_denied;
  for (fs::recursive_directory_iterator it(folder_, options, problem), end; it != end && !problem;
       it.increment(problem)) {
    if (it->path().filename() == ".git") it.disable_recursion_pending();
    if (!it->is_regular_file(problem) || it->is_symlink(problem)) continue;
    if (files.size() >= kMostFiles) break;
    File file;
    const std::uintmax_t size = it->file_size(problem);
    if (size <= kMostTextBytes && n_bytes < kMostBytes) {
      file.content = read_bytes(it->path(), size);
      file.is_text = file.content.find('\0') == std::string::npos && tools::is_utf8(file.content);
      n_bytes += file.content.size();
    }
    if (!file.is_text) {
      file.content.clear();
      file.mark = std::to_string(size) + " " + std::to_string(it->last_write_time(problem).time_since_epoch().count());
    }
    files[it->path().lexically_relative(folder_).string()] = std::move(file);
  }
  return files;
}

std::string WorkspaceReview::diff() const {
  const std::map<std::string, File> now = read_all();
  std::map<std::string, std::pair<const File*, const File*>> pairs;
  for (const auto& [path, file] : before_) pairs[path].first = &file;
  for (const auto& [path, file] : now) pairs[path].second = &file;
  std::string text;
  for (const auto& [path, pair] : pairs) {
    const auto [old_file, new_file] = pair;
    const auto is_text = [](const File* file) { return file == nullptr || file->is_text; };
    if (is_text(old_file) && is_text(new_file)) {
      text += tools::unified_diff(path, old_file ? std::string_view(old_file->content) : std::string_view(),
                                  new_file ? std::string_view(new_file->content) : std::string_view());
    } else if (old_file == nullptr || new_file == nullptr || old_file->mark != new_file->mark) {
      text += "Binary file " + path +
              (old_file == nullptr   ? " is new\n"
               : new_file == nullptr ? " is gone\n"
                                     : " changed\n");
    }
  }
  return text;
}

}  // namespace agent
