#include "tools/nearest_lines.h"

#include <algorithm>
#include <unordered_map>

namespace tools {
namespace {

constexpr size_t kShownLines = 40;
constexpr size_t kShownBytes = 200;  // of one line
constexpr size_t kMaxRepeats = 200;  // a line that occurs more often says little about the place

// Each line of the text votes for the places where it would lie if the text began there.
bool best_start(const std::vector<TextLine>& file, const std::vector<std::string_view>& wanted, size_t& start) {
  std::unordered_map<std::string_view, std::vector<size_t>> wanted_at;
  for (size_t i = 0; i < wanted.size(); ++i)
    if (!trim(wanted[i]).empty()) wanted_at[trim(wanted[i])].push_back(i);
  std::unordered_map<std::string_view, size_t> n_seen;
  std::unordered_map<std::ptrdiff_t, size_t> votes;
  for (size_t line_idx = 0; line_idx < file.size(); ++line_idx) {
    const auto entry = wanted_at.find(trim(file[line_idx].text));
    if (entry == wanted_at.end() || ++n_seen[entry->first] > kMaxRepeats) continue;
    for (size_t i : entry->second) ++votes[static_cast<std::ptrdiff_t>(line_idx) - static_cast<std::ptrdiff_t>(i)];
  }
  // A lost or an added line splits the votes between neighbours: count those nearby too.
  size_t most = 0;
  for (const auto& [offset, n_votes] : votes) {
    size_t total = 0;
    for (std::ptrdiff_t near = offset - 2; near <= offset + 2; ++near)
      if (const auto found = votes.find(near); found != votes.end()) total += found->second;
    const size_t candidate = static_cast<size_t>(std::max<std::ptrdiff_t>(offset, 0));
    if (total > most || (total == most && candidate < start)) most = total, start = candidate;
  }
  return most > 0;
}

// Without any equal line: the line that shares the longest start with the first telling line of the text.
bool likest_line(const std::vector<TextLine>& file, const std::vector<std::string_view>& wanted, size_t& start) {
  size_t longest = 5;
  for (const std::string_view line : wanted) {
    const std::string_view text = trim(line);
    if (text.size() < 6) continue;
    for (size_t i = 0; i < file.size(); ++i) {
      const std::string_view other = trim(file[i].text);
      const size_t n_same =
          static_cast<size_t>(std::mismatch(text.begin(), text.end(), other.begin(), other.end()).first - text.begin());
      if (n_same > longest) longest = n_same, start = i;
    }
    break;
  }
  return longest > 5;
}

}  // namespace

std::string describe_nearest(const std::vector<TextLine>& file, const std::vector<std::string_view>& wanted) {
  if (file.empty()) return "The file is empty.";
  size_t start = 0;
  if (!best_start(file, wanted, start) && !likest_line(file, wanted, start))
    return "Nothing like it is there; read the file again (it has " + std::to_string(file.size()) + " lines).";
  const size_t end = std::min({start + std::max<size_t>(wanted.size(), 1) + 1, start + kShownLines, file.size()});
  std::string text =
      "The most similar text is at lines " + std::to_string(start + 1) + "-" + std::to_string(end) + ":\n";
  for (size_t i = start; i < end; ++i)
    text += std::to_string(i + 1) + "\t" + std::string(file[i].text.substr(0, kShownBytes)) + "\n";
  return text;
}

}  // namespace tools
