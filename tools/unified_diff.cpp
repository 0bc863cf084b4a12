// The unified diff, as diff -u and git diff write it and as models imitate it.

#include <array>
#include <charconv>

#include "tools/patch_lines.h"
#include "tools/text_lines.h"

namespace tools {
namespace {

std::string_view without_return(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

// git writes unusual names as "na\303\257ve".
std::optional<std::string> unquote(std::string_view text) {
  if (!text.starts_with('"')) return std::string(text);
  std::string name;
  for (size_t i = 1; i < text.size(); ++i) {
    if (text[i] == '"') return name;
    if (text[i] != '\\') {
      name += text[i];
      continue;
    }
    if (++i >= text.size()) break;
    if (text[i] >= '0' && text[i] <= '3' && i + 2 < text.size()) {
      name += static_cast<char>((text[i] - '0') * 64 + (text[i + 1] - '0') * 8 + (text[i + 2] - '0'));
      i += 2;
    } else {
      static constexpr std::string_view kNames = "abtnvfr\"\\", kBytes = "\a\b\t\n\v\f\r\"\\";
      const size_t which = kNames.find(text[i]);
      if (which == std::string_view::npos) break;
      name += kBytes[which];
    }
  }
  return std::nullopt;
}

struct Range {
  size_t old_line = 0, n_old = 1, n_new = 1;
};

bool read_number(std::string_view& text, size_t& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || number > 1'000'000'000) return false;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return true;
}

bool read_pair(std::string_view& text, size_t& line, size_t& count) {
  if (!read_number(text, line)) return false;
  if (!text.starts_with(',')) return true;
  text.remove_prefix(1);
  return read_number(text, count);
}

// "@@ -12,3 +14,4 @@ anything"
std::optional<Range> read_range(std::string_view line) {
  Range range;
  size_t new_line = 0;
  if (!line.starts_with("@@ -")) return std::nullopt;
  line.remove_prefix(4);
  if (!read_pair(line, range.old_line, range.n_old) || !line.starts_with(" +")) return std::nullopt;
  line.remove_prefix(2);
  if (!read_pair(line, new_line, range.n_new) || !line.starts_with(" @@")) return std::nullopt;
  return range;
}

class UnifiedParser {
 public:
  explicit UnifiedParser(PatchReader reader) : reader_(std::move(reader)) {}

  std::variant<std::vector<FilePatch>, PatchError> parse() {
    while (!error_ && !reader_.is_at_end()) {
      if (reader_.peek().starts_with("diff --git ")) {
        git_file();
      } else if (is_file_header()) {
        file({});
      } else if (reader_.peek().starts_with("@@ -")) {
        fail("a hunk without the \"--- \" and \"+++ \" lines that name its file");
      } else {
        reader_.take();  // mail headers, code fences, remarks
      }
    }
    if (!error_ && files_.empty()) fail("the diff changes no file");
    if (error_) return *error_;
    return std::move(files_);
  }

 private:
  void fail(std::string message) { error_ = PatchError{reader_.line_number(), std::move(message)}; }
  bool is_file_header() const { return reader_.peek().starts_with("--- ") && reader_.peek(1).starts_with("+++ "); }

  void git_file() {
    FilePatch file;
    file.patch_line = reader_.line_number();
    const std::string_view names = without_return(reader_.take()).substr(11);
    bool is_named = false;
    while (!reader_.is_at_end() && !is_file_header()) {
      const std::string_view line = without_return(reader_.peek());
      if (line.starts_with("diff --git ") || line.starts_with("@@ -")) break;
      if (line.starts_with("GIT binary patch") || line.starts_with("Binary files "))
        return fail("binary changes can't be applied");
      if (line.starts_with("copy from ")) return fail("copies can't be applied; add the file instead");
      if (line.starts_with("old mode "))
        return fail("changes of a file's mode can't be applied; use the shell's chmod");
      if (line.starts_with("new file mode ")) {
        file.kind = FilePatch::Kind::Add;
        if (line.ends_with("120000") || line.ends_with("160000"))
          return fail("links and submodules can't be added by a patch");
        file.is_executable = line.ends_with("755");
      }
      if (line.starts_with("deleted file mode ")) file.kind = FilePatch::Kind::Delete;
      if (line.starts_with("rename from ")) is_named = read_name(line.substr(12), file.path);
      if (line.starts_with("rename to ")) is_named = read_name(line.substr(10), file.new_path) && is_named;
      if (error_) return;
      reader_.take();
    }
    if (is_file_header()) return this->file(std::move(file));
    // No text changes: a pure rename, an empty file added or deleted.
    if (!is_named && file.kind == FilePatch::Kind::Update) return;
    if (!is_named) file.path = name_of_empty_file(names);
    if (file.path.empty()) return fail("the file's name can't be read from \"" + std::string(names) + "\"");
    files_.push_back(std::move(file));
  }

  // "a/NAME b/NAME": both halves are the same name.
  static std::string name_of_empty_file(std::string_view names) {
    if (names.starts_with('"')) {
      const std::string name = unquote(names).value_or("");
      return name.size() > 2 ? name.substr(2) : std::string();
    }
    const size_t half = names.size() / 2;
    if (names.size() < 5 || names.size() % 2 == 0 || names[half] != ' ') return {};
    const std::string_view first = names.substr(2, half - 2), second = names.substr(half + 3);
    return first == second ? std::string(first) : std::string();
  }

  bool read_name(std::string_view text, std::string& name) {
    const auto read = unquote(text);
    if (!read || read->empty()) {
      fail("the file's name can't be read");
      return false;
    }
    name = *read;
    return true;
  }

  // The name after "--- " or "+++ ": up to a tab, behind which diff writes the time.
  std::string header_name(std::string_view line) {
    line = without_return(line).substr(4);
    if (!line.starts_with('"')) line = line.substr(0, line.find('\t'));
    std::string name;
    read_name(line, name);
    return name;
  }

  void file(FilePatch file) {
    if (file.patch_line == 0) file.patch_line = reader_.line_number();
    std::string old_name = header_name(reader_.take());
    if (error_) return;
    std::string new_name = header_name(reader_.take());
    if (error_) return;
    const bool is_added = old_name == "/dev/null", is_deleted = new_name == "/dev/null";
    if (is_added && is_deleted) return fail("a change from nothing to nothing");
    const bool has_prefixes = (is_added || old_name.starts_with("a/")) && (is_deleted || new_name.starts_with("b/"));
    if (has_prefixes && !is_added) old_name.erase(0, 2);
    if (has_prefixes && !is_deleted) new_name.erase(0, 2);
    if (is_added) file.kind = FilePatch::Kind::Add;
    if (is_deleted) file.kind = FilePatch::Kind::Delete;
    if (file.new_path.empty()) file.path = is_deleted ? old_name : new_name;
    while (!error_ && !reader_.is_at_end() && reader_.peek().starts_with("@@")) hunk(file);
    if (!error_ && file.hunks.empty()) fail("no hunk follows the names of " + file.path);
    if (!error_ && file.kind == FilePatch::Kind::Add && file.hunks.size() > 1) fail("an added file has one hunk");
    if (!error_) files_.push_back(std::move(file));
  }

  void hunk(FilePatch& file) {
    Hunk hunk;
    hunk.patch_line = reader_.line_number();
    const auto range = read_range(reader_.peek());
    if (!range) return fail("a hunk starts with \"@@ -LINE,COUNT +LINE,COUNT @@\"");
    reader_.take();
    hunk.old_line = range->old_line;
    const size_t start = reader_.position();
    if (!counted_lines(hunk, *range)) {
      // Models miscount. The lines themselves still say what they are.
      reader_.go_back_to(start);
      hunk.lines.clear();
      uncounted_lines(hunk);
    }
    if (!error_ && hunk.lines.empty()) fail("a hunk without lines");
    if (!error_) file.hunks.push_back(std::move(hunk));
  }

  bool take_line(Hunk& hunk) {
    const std::string_view line = reader_.peek();
    const bool is_empty = line.empty() || line == "\r";  // a context line whose space was lost
    const char mark = is_empty ? ' ' : line.front();
    if (mark == '\\') {
      if (hunk.lines.empty()) return false;
      hunk.lines.back().has_no_newline = true;
    } else if (mark == ' ' || mark == '-' || mark == '+') {
      const LineKind kind = mark == ' ' ? LineKind::Context : mark == '-' ? LineKind::Removed : LineKind::Added;
      hunk.lines.push_back({kind, std::string(is_empty ? line : line.substr(1)), false});
    } else {
      return false;
    }
    reader_.take();
    return true;
  }

  // As many lines as the header says; true when something that isn't a change follows.
  bool counted_lines(Hunk& hunk, const Range& range) {
    size_t n_old = 0, n_new = 0;
    while (!reader_.is_at_end() && (n_old < range.n_old || n_new < range.n_new)) {
      const size_t n_before = hunk.lines.size();
      if (!take_line(hunk)) return false;
      if (hunk.lines.size() == n_before) continue;
      const LineKind kind = hunk.lines.back().kind;
      if (kind != LineKind::Added) ++n_old;
      if (kind != LineKind::Removed) ++n_new;
    }
    while (!reader_.is_at_end() && reader_.peek().starts_with('\\')) take_line(hunk);
    if (n_old != range.n_old || n_new != range.n_new) return false;
    const std::string_view next = reader_.peek();
    return !(next.starts_with(' ') || next.starts_with('+') ||
             (next.starts_with('-') && !is_file_header() && next != "-- "));
  }

  void uncounted_lines(Hunk& hunk) {
    while (!reader_.is_at_end() && !is_file_header() && !reader_.peek().starts_with("@@ -") &&
           !reader_.peek().starts_with("diff --git ") && take_line(hunk))
      continue;
    while (!hunk.lines.empty() && hunk.lines.back().kind == LineKind::Context &&
           without_return(hunk.lines.back().text).empty())
      hunk.lines.pop_back();
  }

  PatchReader reader_;
  std::vector<FilePatch> files_;
  std::optional<PatchError> error_;
};

}  // namespace

std::variant<std::vector<FilePatch>, PatchError> parse_unified_diff(PatchReader reader) {
  return UnifiedParser(std::move(reader)).parse();
}

}  // namespace tools
