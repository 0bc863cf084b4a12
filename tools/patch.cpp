#include "tools/patch.h"

#include "tools/patch_lines.h"
#include "tools/text_lines.h"

namespace tools {
namespace {

// Markers may carry blanks, and a carriage return when the whole patch does.
std::string_view bare(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  return trim(line);
}

std::optional<std::string> after(std::string_view line, std::string_view marker) {
  line = bare(line);
  if (!line.starts_with(marker)) return std::nullopt;
  return std::string(trim(line.substr(marker.size())));
}

constexpr std::string_view kBegin = "*** Begin Patch", kEnd = "*** End Patch", kAdd = "*** Add File:";
constexpr std::string_view kDelete = "*** Delete File:", kUpdate = "*** Update File:", kMove = "*** Move to:";
constexpr std::string_view kEndOfFile = "*** End of File";

class CodexParser {
 public:
  explicit CodexParser(PatchReader reader) : reader_(std::move(reader)) {}

  std::variant<std::vector<FilePatch>, PatchError> parse() {
    while (!reader_.is_at_end() && bare(reader_.peek()) != kBegin) reader_.take();
    if (reader_.is_at_end()) return PatchError{1, "no \"*** Begin Patch\" line"};
    reader_.take();
    while (!error_ && !reader_.is_at_end() && bare(reader_.peek()) != kEnd) {
      if (bare(reader_.peek()).empty()) {
        reader_.take();
      } else {
        section();
      }
    }
    if (!error_ && reader_.is_at_end())
      fail("the patch ends without \"*** End Patch\"; it may be incomplete, so nothing was applied");
    if (!error_) check_rest();
    if (!error_ && files_.empty()) fail("the patch names no file");
    if (error_) return *error_;
    return std::move(files_);
  }

 private:
  void fail(std::string message) { error_ = PatchError{reader_.line_number(), std::move(message)}; }

  bool is_marker() const { return bare(reader_.peek()).starts_with("*** ") && !is_end_of_file(); }
  bool is_end_of_file() const { return bare(reader_.peek()) == kEndOfFile; }

  void section() {
    FilePatch file;
    file.patch_line = reader_.line_number();
    const std::string_view line = reader_.peek();
    if (const auto path = after(line, kAdd)) {
      file.kind = FilePatch::Kind::Add, file.path = *path;
    } else if (const auto path = after(line, kDelete)) {
      file.kind = FilePatch::Kind::Delete, file.path = *path;
    } else if (const auto path = after(line, kUpdate)) {
      file.path = *path;
    } else {
      return fail(
          "expected \"*** Add File: PATH\", \"*** Update File: PATH\", \"*** Delete File: PATH\" or \"*** End Patch\", "
          "found \"" +
          std::string(line.substr(0, 80)) + "\"");
    }
    if (file.path.empty()) return fail("the file's path is missing");
    reader_.take();
    if (file.kind == FilePatch::Kind::Add) added_lines(file);
    if (file.kind == FilePatch::Kind::Update) updates(file);
    if (!error_) files_.push_back(std::move(file));
  }

  void added_lines(FilePatch& file) {
    Hunk hunk;
    hunk.patch_line = reader_.line_number();
    while (!reader_.is_at_end() && !is_marker()) {
      const std::string_view line = reader_.peek();
      if (!line.starts_with('+')) {
        if (bare(line).empty() && (reader_.take(), reader_.is_at_end() || is_marker())) break;
        return fail("each line of an added file starts with \"+\"");
      }
      hunk.lines.push_back({LineKind::Added, std::string(reader_.take().substr(1)), false});
    }
    if (!hunk.lines.empty()) file.hunks.push_back(std::move(hunk));
  }

  void updates(FilePatch& file) {
    if (const auto path = after(reader_.peek(), kMove); path && !reader_.is_at_end()) {
      file.new_path = *path;
      if (path->empty()) return fail("the new path is missing");
      reader_.take();
    }
    while (!error_ && !reader_.is_at_end() && !is_marker()) {
      // Blank lines between sections belong to nobody.
      const size_t start = reader_.position();
      while (!reader_.is_at_end() && bare(reader_.peek()).empty()) reader_.take();
      if (reader_.is_at_end() || is_marker()) break;
      reader_.go_back_to(start);
      hunk(file);
    }
    if (!error_ && file.hunks.empty() && file.new_path.empty()) fail("the update of " + file.path + " changes nothing");
  }

  void hunk(FilePatch& file) {
    Hunk hunk;
    hunk.patch_line = reader_.line_number();
    while (!reader_.is_at_end() && reader_.peek().starts_with("@@")) anchor(hunk);
    int n_empty = 0;
    while (!reader_.is_at_end() && !is_marker() && !reader_.peek().starts_with("@@")) {
      if (is_end_of_file()) {
        reader_.take();
        hunk.is_at_end = true;
        break;
      }
      const std::string_view line = reader_.peek();
      const char mark = line.empty() || line == "\r" ? ' ' : line.front();
      if (mark != ' ' && mark != '-' && mark != '+')
        return fail("a line of a change starts with \" \", \"-\" or \"+\", this one is \"" +
                    std::string(line.substr(0, 80)) + "\"");
      const LineKind kind = mark == ' ' ? LineKind::Context : mark == '-' ? LineKind::Removed : LineKind::Added;
      hunk.lines.push_back({kind, std::string(line.empty() || line == "\r" ? line : line.substr(1)), false});
      n_empty = reader_.take().empty() ? n_empty + 1 : 0;
    }
    // Wholly empty lines at the end were written to separate, not as context.
    while (n_empty-- > 0 && hunk.lines.size() > 1) hunk.lines.pop_back();
    if (hunk.lines.empty()) return fail("a change without lines");
    file.hunks.push_back(std::move(hunk));
  }

  void anchor(Hunk& hunk) {
    std::string_view text = reader_.take().substr(2);
    if (text.ends_with('\r')) text.remove_suffix(1);
    if (text.starts_with(' ')) text.remove_prefix(1);
    // "@@ -1,2 +3,4 @@" is the other format's; its numbers, guessed by a model, prove nothing.
    if (text.starts_with('-') && text.find("@@") != std::string_view::npos) text = {};
    if (!trim(text).empty()) hunk.anchors.emplace_back(text);
  }

  // After the end only the wrappers that models add: a code fence or a here-document's word.
  void check_rest() {
    reader_.take();
    while (!reader_.is_at_end()) {
      const std::string_view line = bare(reader_.peek());
      if (line.find(' ') != std::string_view::npos || line.starts_with("***"))
        return fail("text after \"*** End Patch\"");
      reader_.take();
    }
  }

  PatchReader reader_;
  std::vector<FilePatch> files_;
  std::optional<PatchError> error_;
};

}  // namespace

std::variant<std::vector<FilePatch>, PatchError> parse_codex_patch(PatchReader reader) {
  return CodexParser(std::move(reader)).parse();
}

std::variant<std::vector<FilePatch>, PatchError> parse_patch(std::string_view text) {
  if (text.find('\0') != std::string_view::npos) return PatchError{1, "the patch contains a NUL byte"};
  const PatchReader reader(text);
  for (PatchReader line = reader; !line.is_at_end(); line.take()) {
    if (bare(line.peek()) == kBegin) return parse_codex_patch(reader);
    if (line.peek().starts_with("--- ") || line.peek().starts_with("diff --git ")) return parse_unified_diff(reader);
  }
  return PatchError{1, "neither \"*** Begin Patch\" nor a unified diff's \"--- \" line was found"};
}

}  // namespace tools
