// Replacing a text in a file, for the edit tool. Declared in hunk_match.h.

#include <algorithm>

#include "tools/hunk_match.h"
#include "tools/text_lines.h"

namespace tools {
namespace {

std::vector<size_t> find_text(std::string_view bytes, std::string_view text) {
  std::vector<size_t> found;
  // One byte on, not one match: a text that overlaps itself has no single place either.
  for (size_t at = bytes.find(text); at != std::string_view::npos; at = bytes.find(text, at + 1)) found.push_back(at);
  return found;
}

std::string with_line_ends(std::string_view text, std::string_view end) {
  std::string result;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\r' && i + 1 < text.size() && text[i + 1] == '\n') continue;
    if (text[i] == '\n') {
      result += end;
    } else {
      result += text[i];
    }
  }
  return result;
}

size_t line_of(std::string_view bytes, size_t offset) {
  return 1 + static_cast<size_t>(std::count(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(offset), '\n'));
}

// The end of the line in which `offset` lies.
std::string_view line_end_at(std::string_view bytes, size_t offset) {
  const size_t newline = bytes.find('\n', offset);
  if (newline == std::string_view::npos) return usual_line_end(split_lines(bytes));
  return newline > 0 && bytes[newline - 1] == '\r' ? "\r\n" : "\n";
}

MatchOutcome replace_at(std::string_view bytes, const std::vector<size_t>& places, std::string_view old_text,
                        std::string_view new_text, Rung rung) {
  AppliedText applied;
  size_t done = 0;
  for (const size_t place : places) {
    if (place < done) continue;  // overlaps the one before
    applied.bytes += bytes.substr(done, place - done);
    // A text without line ends of its own takes those of the place.
    const bool tells_ends =
        old_text.find('\n') != std::string_view::npos || new_text.find('\r') != std::string_view::npos;
    applied.bytes += tells_ends ? std::string(new_text) : with_line_ends(new_text, line_end_at(bytes, place));
    done = place + old_text.size();
    const size_t n_lines = 1 + static_cast<size_t>(std::count(old_text.begin(), old_text.end(), '\n'));
    applied.hunks.push_back({line_of(bytes, place), n_lines, rung, false});
  }
  applied.bytes += bytes.substr(done);
  return applied;
}

std::vector<std::string> plain_lines(std::string_view text) {
  std::vector<std::string> lines;
  for (const TextLine& line : split_lines(text)) lines.emplace_back(line.text);
  return lines;
}

// The old lines as context and removed, the new ones as added: what is common stays context, so it keeps the file's
// bytes. Common lines are found by the longest common subsequence.
Hunk hunk_between(const std::vector<std::string>& before, const std::vector<std::string>& after) {
  const size_t n = before.size(), m = after.size();
  std::vector<std::vector<uint32_t>> common(n + 1, std::vector<uint32_t>(m + 1, 0));
  for (size_t i = n; i-- > 0;)
    for (size_t j = m; j-- > 0;)
      common[i][j] = before[i] == after[j] ? common[i + 1][j + 1] + 1 : std::max(common[i + 1][j], common[i][j + 1]);
  Hunk hunk;
  for (size_t i = 0, j = 0; i < n || j < m;) {
    if (i < n && j < m && before[i] == after[j]) {
      hunk.lines.push_back({LineKind::Context, before[i++], false});
      ++j;
    } else if (i < n && (j == m || common[i + 1][j] >= common[i][j + 1])) {
      hunk.lines.push_back({LineKind::Removed, before[i++], false});
    } else {
      hunk.lines.push_back({LineKind::Added, after[j++], false});
    }
  }
  return hunk;
}

constexpr size_t kMaxComparedLines = 4000;  // of the old and the new text each

}  // namespace

MatchOutcome replace_text(std::string_view bytes, std::string_view old_text, std::string_view new_text,
                          Occurrences occurrences) {
  if (old_text.empty()) return MatchRefusal{"the old text is empty; to make a file or to fill an empty one, write it"};
  const std::string with_returns = with_line_ends(old_text, "\r\n");
  for (const auto& [text, rung] :
       {std::pair{std::string(old_text), Rung::Exact}, std::pair{with_returns, Rung::LineEnds}}) {
    const std::vector<size_t> places = find_text(bytes, text);
    if (places.empty()) continue;
    const std::string replacement = rung == Rung::Exact ? std::string(new_text) : with_line_ends(new_text, "\r\n");
    if (places.size() == 1 || occurrences == Occurrences::All)
      return replace_at(bytes, places, text, replacement, rung);
    std::string lines;
    for (size_t i = 0; i < places.size() && i < 8; ++i)
      lines += (i > 0 ? ", " : "") + std::to_string(line_of(bytes, places[i]));
    return MatchRefusal{"the old text occurs " + std::to_string(places.size()) + " times, at lines " + lines +
                        (places.size() > 8 ? " and more" : "") +
                        ". Nothing was changed. Give more of the text around the one that is meant, or ask for all."};
  }
  const std::vector<std::string> before = plain_lines(old_text), after = plain_lines(new_text);
  if (before.size() > kMaxComparedLines || after.size() > kMaxComparedLines)
    return MatchRefusal{"the old text isn't in the file, and it is too long to look for something similar"};
  return apply_hunks(bytes, {hunk_between(before, after)});
}

}  // namespace tools
