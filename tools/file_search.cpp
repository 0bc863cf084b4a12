#include "tools/file_search.h"

#include <sys/stat.h>

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>

#include "tools/output_excerpt.h"
#include "tools/subprocess.h"

namespace tools {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr size_t kMaxReply_bytes = 20000;
constexpr size_t kMaxFoundLine_bytes = 400;
constexpr std::chrono::seconds kLimit{30};

FileReply refuse(std::string text) {
  return {false, std::move(text), {}};
}

FileReply no_ripgrep() {
  return refuse("ripgrep (rg) isn't installed; install it (apt install ripgrep) or search with the shell");
}

std::string size_text(uintmax_t n_bytes) {
  if (n_bytes < 10000) return std::to_string(n_bytes) + " B";
  if (n_bytes < 10'000'000) return std::to_string(n_bytes / 1000) + " kB";
  return std::to_string(n_bytes / 1'000'000) + " MB";
}

class Tree {
 public:
  explicit Tree(std::stop_token stop) : stop_(std::move(stop)) {}

  void add(const fs::path& folder, int depth, const std::string& indent) {
    std::vector<fs::directory_entry> items;
    std::error_code error;
    for (const auto& item : fs::directory_iterator(folder, error)) items.push_back(item);
    if (error) text_ += indent + "(can't be read: " + error.message() + ")\n";
    std::sort(items.begin(), items.end(),
              [](const auto& a, const auto& b) { return a.path().filename() < b.path().filename(); });
    for (const fs::directory_entry& item : items) {
      if (text_.size() > kMaxReply_bytes || stop_.stop_requested()) {
        ++n_omitted_;
        continue;
      }
      std::error_code ignored;
      const std::string name = item.path().filename().string();
      if (item.is_symlink(ignored)) {
        text_ += indent + name + " -> " + fs::read_symlink(item.path(), ignored).string() + "\n";
      } else if (item.is_directory(ignored)) {
        text_ += indent + name + "/\n";
        if (depth > 1 && name != ".git") add(item.path(), depth - 1, indent + "  ");
      } else {
        const uintmax_t n_bytes = item.file_size(error);
        text_ += indent + name + " (" + (error ? "no regular file" : size_text(n_bytes)) + ")\n";
      }
    }
  }

  std::string text() const {
    return text_ + (n_omitted_ > 0
                        ? "[... " + std::to_string(n_omitted_) + " more not shown; list a deeper folder ...]\n"
                        : "");
  }

 private:
  std::stop_token stop_;
  std::string text_;
  size_t n_omitted_ = 0;
};

// The real path of what a query names, or the refusal.
std::variant<fs::path, FileReply> existing(const Workspace& workspace, const std::string& path) {
  const auto resolved = workspace.resolve(path, Workspace::Use::Read);
  if (const auto* refusal = std::get_if<Workspace::Refusal>(&resolved)) return refuse(refusal->reason);
  std::error_code error;
  if (!fs::exists(std::get<fs::path>(resolved), error)) return refuse(path + " doesn't exist");
  return std::get<fs::path>(resolved);
}

FileReply find_by_glob(const Workspace& workspace, const fs::path& folder, const std::string& glob,
                       std::stop_token stop) {
  std::string output;
  const auto result = run_program(
      {"rg", "--no-config", "--files", "--hidden", "--glob", "!.git", "--glob", glob, "--sort", "path", "--", "."},
      folder, [&](std::string_view bytes) { return (output += bytes).size() < (16u << 20); }, kLimit, stop);
  if (!result) return no_ripgrep();
  if (stop.stop_requested()) return refuse("stopped");
  if (result->exit_code > 1) return refuse("the search failed: " + result->errors);
  std::string text;
  size_t n_found = 0, n_omitted = 0;
  for (size_t start = 0; start < output.size();) {
    const size_t end = std::min(output.find('\n', start), output.size());
    std::string_view name = std::string_view(output).substr(start, end - start);
    if (name.starts_with("./")) name.remove_prefix(2);
    ++n_found;
    if (text.size() < kMaxReply_bytes) {
      text += workspace.name(folder / name) + "\n";
    } else {
      ++n_omitted;
    }
    start = end + 1;
  }
  if (n_found == 0) return {true, "no file matches " + glob + "\n", {{"n_found", 0}}};
  if (n_omitted > 0) text += "[... " + std::to_string(n_omitted) + " more not shown; narrow the pattern ...]\n";
  return {true, std::to_string(n_found) + " files\n" + text, {{"n_found", n_found}}};
}

// ripgrep gives text, or base64 where it isn't UTF-8; such a line is only named.
std::string text_of(const json& data, const char* key) {
  const auto field = data.find(key);
  if (field == data.end()) return {};
  return field->value("text", "(not UTF-8)");
}

// Collects ripgrep's JSON lines.
class Matches {
 public:
  Matches(const Workspace& workspace, fs::path folder) : workspace_(workspace), folder_(std::move(folder)) {}

  bool add(std::string_view bytes) {
    size_t start = 0, searched = pending_.size();  // what was pending has no line's end
    pending_ += bytes;
    for (size_t end; (end = pending_.find('\n', searched)) != std::string::npos; start = searched = end + 1)
      message(json::parse(pending_.begin() + static_cast<std::ptrdiff_t>(start),
                          pending_.begin() + static_cast<std::ptrdiff_t>(end), nullptr, false));
    pending_.erase(0, start);
    return n_lines_ < 100000;
  }

  FileReply reply(const std::string& pattern) const {
    if (n_lines_ == 0) return {true, "nothing matches " + pattern + "\n", {{"n_lines", 0}, {"n_files", 0}}};
    std::string text = std::to_string(n_lines_) + " lines in " + std::to_string(n_files_) + " files\n" + text_;
    if (n_omitted_ > 0)
      text += "[... " + std::to_string(n_omitted_) + " more lines not shown; narrow the pattern or the path ...]\n";
    return {true, text, {{"n_lines", n_lines_}, {"n_files", n_files_}}};
  }

 private:
  void message(const json& message) {
    if (!message.is_object()) return;
    const std::string type = message.value("type", "");
    if (type == "begin") ++n_files_;
    if (type != "match" && type != "context") return;
    const json& data = message.at("data");
    const bool is_match = type == "match";
    if (is_match) ++n_lines_;
    if (text_.size() > kMaxReply_bytes) {
      n_omitted_ += is_match ? 1 : 0;
      return;
    }
    std::string path = text_of(data, "path");
    if (path.starts_with("./")) path.erase(0, 2);
    std::string line = text_of(data, "lines");
    while (line.ends_with('\n') || line.ends_with('\r')) line.pop_back();
    const std::string_view start = utf8_prefix(line, kMaxFoundLine_bytes);
    const std::string number = std::to_string(data.value("line_number", 0));
    text_ += workspace_.name(folder_ / path) + (is_match ? ":" : "-") + number + (is_match ? ": " : "- ") +
             std::string(start);
    text_ += start.size() < line.size() ? " [...]\n" : "\n";
  }

  const Workspace& workspace_;
  fs::path folder_;
  std::string pending_, text_;
  size_t n_lines_ = 0, n_files_ = 0, n_omitted_ = 0;
};

}  // namespace

FileReply list_files(const Workspace& workspace, const ListQuery& query, std::stop_token stop) {
  auto found = existing(workspace, query.path);
  if (auto* reply = std::get_if<FileReply>(&found)) return *reply;
  const fs::path& folder = std::get<fs::path>(found);
  std::error_code error;
  if (!fs::is_directory(folder, error)) return refuse(query.path + " isn't a folder");
  if (query.glob) return find_by_glob(workspace, folder, *query.glob, stop);
  Tree tree(stop);
  tree.add(folder, std::clamp(query.depth, 1, 10), "");
  return {true, workspace.name(folder) + "/\n" + tree.text(), nullptr};
}

FileReply grep(const Workspace& workspace, const GrepQuery& query, std::stop_token stop) {
  auto found = existing(workspace, query.path);
  if (auto* reply = std::get_if<FileReply>(&found)) return *reply;
  const fs::path& place = std::get<fs::path>(found);
  std::error_code error;
  const bool is_folder = fs::is_directory(place, error);
  if (!is_folder && !fs::is_regular_file(place, error)) return refuse(query.path + " isn't a regular file");
  const fs::path folder = is_folder ? place : place.parent_path();
  std::vector<std::string> command = {"rg", "--no-config", "--json", "--hidden", "--glob", "!.git", "--sort", "path"};
  if (query.glob) command.insert(command.end(), {"--glob", *query.glob});
  if (query.is_literal) command.emplace_back("--fixed-strings");
  if (query.ignores_case) command.emplace_back("--ignore-case");
  if (query.n_context_lines > 0)
    command.insert(command.end(), {"--context", std::to_string(std::min(query.n_context_lines, 20))});
  command.insert(command.end(), {"--regexp", query.pattern, "--", is_folder ? "." : "./" + place.filename().string()});
  Matches matches(workspace, folder);
  const auto result = run_program(
      command, folder, [&](std::string_view bytes) { return matches.add(bytes); }, kLimit, stop);
  if (!result) return no_ripgrep();
  if (stop.stop_requested()) return refuse("stopped");
  if (result->exit_code == 2) return refuse("the search failed: " + result->errors);
  return matches.reply(query.pattern);
}

}  // namespace tools
