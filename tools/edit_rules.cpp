#include "tools/edit_rules.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "tools/ascii.h"
#include "tools/text_lines.h"

namespace tools {
namespace {

constexpr std::array<std::string_view, 10> kCommentStarts = {"//", "#",    "--", ";",   "/*",
                                                             "*",  "<!--", "%",  "{/*", "..."};
constexpr std::array<std::string_view, 11> kOmissions = {
    "rest of",        "existing",  "remaining", "remains the same", "remain the same", "unchanged",
    "same as before", "as before", "omitted",   "previous code",    "other code"};

}  // namespace

bool is_placeholder(std::string_view line) {
  const std::string text = ascii_lower(trim(line));
  const bool is_comment = std::any_of(kCommentStarts.begin(), kCommentStarts.end(),
                                      [&](std::string_view start) { return text.starts_with(start); }) ||
                          text.starts_with("\u2026");
  const bool has_dots = text.find("...") != std::string::npos || text.find("\u2026") != std::string::npos;
  if (!is_comment || !has_dots) return false;
  return std::any_of(kOmissions.begin(), kOmissions.end(),
                     [&](std::string_view words) { return text.find(words) != std::string::npos; });
}

std::optional<std::string> problem_with_added(std::string_view before, std::string_view added) {
  for (const TextLine& line : split_lines(added)) {
    if (is_placeholder(line.text) && before.find(trim(line.text)) == std::string_view::npos)
      return "the line \"" + std::string(trim(line.text)) +
             "\" stands for code that was left out; write the code itself, or edit only the lines that change";
  }
  if (added.find('\0') != std::string_view::npos) return "the new text contains a NUL byte";
  if (!before.empty() && !is_utf8(before) && !is_ascii(added))
    return "the file isn't UTF-8, and the new text has characters beyond ASCII, which would mix two encodings; convert "
           "the file first (iconv), or use ASCII only";
  return std::nullopt;
}

std::string added_text(const std::vector<Hunk>& hunks) {
  std::string text;
  for (const Hunk& hunk : hunks)
    for (const PatchLine& line : hunk.lines)
      if (line.kind == LineKind::Added) text += line.text + "\n";
  return text;
}

}  // namespace tools
