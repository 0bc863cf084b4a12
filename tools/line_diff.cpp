#include "tools/line_diff.h"

#include <algorithm>
#include <vector>

namespace tools {
namespace {

constexpr int kContext = 3;
constexpr int kMostEdits = 2000;  // beyond that the whole middle counts as replaced

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1);
    lines.push_back(text.substr(0, end + 1));
    text.remove_prefix(end + 1);
  }
  return lines;
}

struct Edit {
  char kind = ' ';  // ' ' both, '-' before only, '+' after only
  std::string_view line;
};

using Lines = std::vector<std::string_view>;

// Myers' greedy algorithm: for each number of edits, how far each diagonal gets. `trace` keeps what came before each
// round. The number of edits, or −1 when they are too many.
int furthest(const Lines& a, const Lines& b, std::vector<std::vector<int>>& trace) {
  const int n = static_cast<int>(a.size()), m = static_cast<int>(b.size()), most = std::min(n + m, kMostEdits);
  std::vector<int> reach(2 * static_cast<std::size_t>(most) + 3, 0);
  const auto at = [&](int diagonal) -> int& { return reach[static_cast<std::size_t>(diagonal + most + 1)]; };
  for (int d = 0; d <= most; ++d) {
    trace.push_back(reach);
    for (int k = -d; k <= d; k += 2) {
      int x = k == -d || (k != d && at(k - 1) < at(k + 1)) ? at(k + 1) : at(k - 1) + 1;
      while (x < n && x - k < m && a[static_cast<std::size_t>(x)] == b[static_cast<std::size_t>(x - k)]) ++x;
      at(k) = x;
      if (x >= n && x - k >= m) return d;
    }
  }
  return -1;
}

std::vector<Edit> edits_between(const Lines& a, const Lines& b) {
  std::vector<std::vector<int>> trace;
  std::vector<Edit> edits;
  const int n_edits = furthest(a, b, trace);
  if (n_edits < 0) {
    for (const auto line : a) edits.push_back({'-', line});
    for (const auto line : b) edits.push_back({'+', line});
    return edits;
  }
  const int most = std::min(static_cast<int>(a.size() + b.size()), kMostEdits);
  int x = static_cast<int>(a.size()), y = static_cast<int>(b.size());
  for (int d = n_edits; d >= 0; --d) {
    const auto at = [&](int k) { return trace[static_cast<std::size_t>(d)][static_cast<std::size_t>(k + most + 1)]; };
    const int k = x - y;
    const bool is_added = k == -d || (k != d && at(k - 1) < at(k + 1));
    const int from_k = is_added ? k + 1 : k - 1, from_x = d == 0 ? 0 : at(from_k),
              from_y = d == 0 ? 0 : from_x - from_k;
    while (x > from_x && y > from_y) {
      --x, --y;
      edits.push_back({' ', a[static_cast<std::size_t>(x)]});
    }
    if (d == 0) break;
    if (is_added) edits.push_back({'+', b[static_cast<std::size_t>(--y)]});
    if (!is_added) edits.push_back({'-', a[static_cast<std::size_t>(--x)]});
  }
  std::reverse(edits.begin(), edits.end());
  return edits;
}

void write_line(const Edit& edit, std::string& text) {
  text += edit.kind;
  text += edit.line;
  if (!edit.line.ends_with('\n')) text += "\n\\ No newline at end of file\n";
}

}  // namespace

std::string unified_diff(const std::string& path, std::string_view before, std::string_view after) {
  if (before == after && (before.data() == nullptr) == (after.data() == nullptr)) return "";
  const std::vector<Edit> edits = edits_between(lines_of(before), lines_of(after));
  std::string text = "--- " + (before.data() == nullptr ? "/dev/null" : "a/" + path) + "\n+++ " +
                     (after.data() == nullptr ? "/dev/null" : "b/" + path) + "\n";
  const auto is_change = [](const Edit& edit) { return edit.kind != ' '; };
  std::size_t old_line = 1, new_line = 1, at = 0;
  while (at < edits.size()) {
    const auto change = std::find_if(edits.begin() + static_cast<std::ptrdiff_t>(at), edits.end(), is_change);
    if (change == edits.end()) break;
    const std::size_t first_change = static_cast<std::size_t>(change - edits.begin());
    const std::size_t start = std::max(at, first_change - std::min<std::size_t>(first_change, kContext));
    std::size_t end = first_change, n_same = 0;
    for (; end < edits.size() && n_same <= 2 * kContext; ++end) n_same = is_change(edits[end]) ? 0 : n_same + 1;
    end -= n_same > kContext ? n_same - kContext : 0;
    old_line += start - at, new_line += start - at;
    std::size_t n_old = 0, n_new = 0;
    std::string body;
    for (std::size_t i = start; i < end; ++i) {
      n_old += edits[i].kind != '+';
      n_new += edits[i].kind != '-';
      write_line(edits[i], body);
    }
    const auto range = [](std::size_t line, std::size_t n) {
      return std::to_string(n == 0 ? line - 1 : line) + "," + std::to_string(n);
    };
    text += "@@ -" + range(old_line, n_old) + " +" + range(new_line, n_new) + " @@\n" + body;
    old_line += n_old, new_line += n_new;
    at = end;
  }
  return text;
}

}  // namespace tools
