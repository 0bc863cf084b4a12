#include "tools/output_cleaner.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "tools/utf8.h"

namespace tools {
namespace {

constexpr size_t kWindowRows = 50;      // as high as the terminal: what a cursor can still reach
constexpr size_t kMaxColumn = 1000;     // a cursor jump goes no further, so padding stays small
constexpr size_t kMaxRowCells = 65536;  // a longer row is passed on in pieces
constexpr size_t kMaxStringBytes = 1 << 20;
constexpr size_t kMaxParameters = 64;
constexpr char32_t kReplacement = 0xFFFD;

void append_row(std::string& text, const std::u32string& row) {
  for (char32_t point : row) text += encode_utf8(point);
}

// "4;12" → {4, 12}. A missing number is 0; numbers are bounded so that no sum overflows.
std::vector<size_t> numbers(std::string_view parameters) {
  std::vector<size_t> found{0};
  for (char c : parameters) {
    if (c == ';' || c == ':') found.push_back(0);
    if (c >= '0' && c <= '9') found.back() = std::min<size_t>(found.back() * 10 + static_cast<size_t>(c - '0'), 99999);
  }
  return found;
}

bool is_plain(unsigned char c) {
  return c >= 0x20 && c < 0x7F;
}

}  // namespace

void OutputCleaner::feed(std::string_view bytes) {
  while (!bytes.empty()) {
    size_t n_plain = 0;
    if (state_ == State::Ground && continuation_bytes_ == 0)
      while (n_plain < bytes.size() && is_plain(static_cast<unsigned char>(bytes[n_plain]))) ++n_plain;
    if (n_plain > 0) {
      put_plain(bytes.substr(0, n_plain));
      bytes.remove_prefix(n_plain);
    } else {
      byte(static_cast<unsigned char>(bytes.front()));
      bytes.remove_prefix(1);
    }
  }
}

std::string OutputCleaner::take() {
  return std::exchange(final_, {});
}

std::string OutputCleaner::finish() {
  if (continuation_bytes_ > 0) {
    continuation_bytes_ = 0;
    put(kReplacement);
  }
  return flush();
}

std::string OutputCleaner::flush() {
  while (main_.rows.size() > main_.row + 1 && main_.rows.back().empty()) main_.rows.pop_back();
  for (size_t i = 0; i < main_.rows.size(); ++i) {
    if (i > 0) final_ += '\n';
    append_row(final_, main_.rows[i]);
  }
  main_ = {};
  return take();
}

std::string OutputCleaner::full_screen() const {
  std::string text;
  if (!is_full_screen_) return text;
  for (const std::u32string& row : full_.rows) {
    append_row(text, row);
    text += '\n';
  }
  while (text.size() > 1 && text[text.size() - 2] == '\n') text.pop_back();
  return text;
}

void OutputCleaner::byte(unsigned char c) {
  switch (state_) {
    case State::Ground:
      return ground(c);
    case State::Escape:
      return escape(c);
    case State::SkipOne:
      state_ = State::Ground;
      return;
    case State::Sequence:
      return sequence(c);
    case State::String:
      if (c == 0x1B) {
        state_ = State::StringEscape;
      } else if (c == 0x07 || c == 0x18 || c == 0x1A || ++string_bytes_ > kMaxStringBytes) {
        state_ = State::Ground;
      }
      return;
    case State::StringEscape:
      // ESC \ ends the string; any other escape ends it too and begins anew, so an open title can't swallow the rest.
      state_ = State::Ground;
      if (c != '\\') escape(c);
      return;
  }
}

void OutputCleaner::ground(unsigned char c) {
  if (continuation_bytes_ > 0 && (c & 0xC0) != 0x80) {
    continuation_bytes_ = 0;
    put(kReplacement);
  }
  if (c >= 0x80) {
    utf8(c);
  } else if (is_plain(c)) {
    put(c);
  } else {
    control(c);
  }
}

void OutputCleaner::utf8(unsigned char c) {
  if (continuation_bytes_ > 0) {
    point_ = point_ << 6 | (c & 0x3F);
    if (--continuation_bytes_ > 0) return;
    static constexpr char32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
    const bool is_valid =
        point_ >= kLeast[sequence_bytes_] && point_ <= 0x10FFFF && (point_ < 0xD800 || point_ > 0xDFFF);
    const bool is_control = point_ >= 0x80 && point_ < 0xA0;
    if (!is_control || !is_valid) put(is_valid ? point_ : kReplacement);
    return;
  }
  sequence_bytes_ = c >= 0xF0 && c < 0xF8 ? 4 : c >= 0xE0 && c < 0xF0 ? 3 : c >= 0xC0 && c < 0xE0 ? 2 : 0;
  if (sequence_bytes_ == 0) return put(kReplacement);
  continuation_bytes_ = sequence_bytes_ - 1;
  point_ = c & (0xFF >> (sequence_bytes_ + 1));
}

void OutputCleaner::control(unsigned char c) {
  Screen& s = screen();
  switch (c) {
    case '\n':
    case '\v':
    case '\f':
      return new_line();
    case '\r':
      s.column = 0;
      return;
    case '\b':
      if (s.column > 0) --s.column;
      return;
    case '\t':
      // At the end of a row a tab is text (tables, makefiles); inside one it only moves the cursor.
      if (s.column >= s.rows[s.row].size()) return put(U'\t');
      s.column = std::min(s.column / 8 * 8 + 8, s.rows[s.row].size());
      return;
    case 0x1B:
      state_ = State::Escape;
      return;
    default:
      return;
  }
}

void OutputCleaner::escape(unsigned char c) {
  state_ = State::Ground;
  Screen& s = screen();
  switch (c) {
    case '[':
      state_ = State::Sequence;
      parameters_.clear();
      return;
    case ']':
    case 'P':
    case 'X':
    case '^':
    case '_':
      state_ = State::String;
      string_bytes_ = 0;
      return;
    case '7':
      s.saved_row = s.row, s.saved_column = s.column;
      return;
    case '8':
      return go_to(s.saved_row, s.saved_column);
    case 'M':
      if (s.row > 0) --s.row;
      return;
    case 'D':
    case 'E':
      return new_line();
    case 'c':
      s = {};
      return;
    case 0x1B:
      state_ = State::Escape;
      return;
    default:
      // Character sets and the like take one more byte.
      if (c >= 0x20 && c < 0x30) state_ = State::SkipOne;
      return;
  }
}

void OutputCleaner::sequence(unsigned char c) {
  if (c == 0x1B) {
    state_ = State::Escape;
  } else if (c >= 0x40 && c < 0x7F) {
    state_ = State::Ground;
    if (parameters_.size() <= kMaxParameters) run_sequence(static_cast<char>(c));
  } else if (c >= 0x20 && c < 0x40) {
    if (parameters_.size() <= kMaxParameters) parameters_ += static_cast<char>(c);
  } else if (c == 0x18 || c == 0x1A || c >= 0x7F) {
    state_ = State::Ground;
  } else {
    control(c);  // as terminals do: a control character inside a sequence acts at once
    if (state_ != State::Escape) state_ = State::Sequence;
  }
}

void OutputCleaner::run_sequence(char final) {
  const std::vector<size_t> n = numbers(parameters_);
  const size_t count = std::max<size_t>(n[0], 1);
  if (parameters_.starts_with('?')) {
    if (final == 'h' || final == 'l') set_mode(final == 'h');
    return;
  }
  switch (final) {
    case 'J':
    case 'K':
      return erase(final, n[0]);
    case 'L':
    case 'M':
    case 'P':
    case 'X':
    case '@':
      return edit_row(final, count);
    case 'b':
      for (size_t i = 0; i < std::min<size_t>(count, kMaxColumn); ++i) put(last_point_);
      return;
    default:
      return move_cursor(final, count, n.size() > 1 ? std::max<size_t>(n[1], 1) : 1);
  }
}

void OutputCleaner::move_cursor(char final, size_t n, size_t second) {
  Screen& s = screen();
  switch (final) {
    case 'A':
      return go_to(s.row - std::min(s.row, n), s.column);
    case 'B':
    case 'e':
      return go_to(s.row + n, s.column);
    case 'C':
    case 'a':
      return go_to(s.row, s.column + n);
    case 'D':
      return go_to(s.row, s.column - std::min(s.column, n));
    case 'E':
      return go_to(s.row + n, 0);
    case 'F':
      return go_to(s.row - std::min(s.row, n), 0);
    case 'G':
    case '`':
      return go_to(s.row, n - 1);
    case 'd':
      return go_to(n - 1, s.column);
    case 'H':
    case 'f':
      return go_to(n - 1, second - 1);
    case 's':
      s.saved_row = s.row, s.saved_column = s.column;
      return;
    case 'u':
      return go_to(s.saved_row, s.saved_column);
    default:
      return;
  }
}

void OutputCleaner::erase(char final, size_t mode) {
  Screen& s = screen();
  std::u32string& row = s.rows[s.row];
  const bool is_screen = final == 'J';
  if (mode == 0 || mode == 2) {
    row.resize(std::min(row.size(), mode == 2 ? 0 : s.column));
    if (is_screen) s.rows.resize(s.row + 1);
  }
  if (mode == 1) std::fill_n(row.begin(), std::min(row.size(), s.column + 1), U' ');
  if (is_screen && (mode == 1 || mode == 2))
    for (size_t i = 0; i < s.row; ++i) s.rows[i].clear();
}

void OutputCleaner::edit_row(char final, size_t n) {
  Screen& s = screen();
  std::u32string& row = s.rows[s.row];
  const auto at = [&s](size_t index) { return s.rows.begin() + static_cast<std::ptrdiff_t>(index); };
  if (final == 'L') {
    n = std::min(n, kWindowRows - s.row);
    s.rows.insert(at(s.row), n, std::u32string());
    if (s.rows.size() > kWindowRows) s.rows.resize(kWindowRows);
  } else if (final == 'M') {
    s.rows.erase(at(s.row), at(std::min(s.row + n, s.rows.size())));
    if (s.rows.size() <= s.row) s.rows.resize(s.row + 1);
  } else if (s.column < row.size()) {
    const size_t reach = std::min(n, row.size() - s.column);
    if (final == 'P') row.erase(s.column, reach);
    if (final == 'X') std::fill_n(row.begin() + static_cast<std::ptrdiff_t>(s.column), reach, U' ');
    // Bounded too: a few bytes must not make a row of any length.
    if (final == '@') row.insert(s.column, std::min({n, kMaxColumn, kMaxRowCells - row.size()}), U' ');
  }
}

void OutputCleaner::set_mode(bool is_on) {
  for (size_t mode : numbers(parameters_)) {
    if (mode != 1049 && mode != 1047 && mode != 47) continue;
    if (is_on && !is_full_screen_) full_ = {};
    is_full_screen_ = is_on;
  }
}

void OutputCleaner::put(char32_t point) {
  Screen& s = screen();
  std::u32string& row = s.rows[s.row];
  if (row.size() < s.column) row.resize(s.column, U' ');
  if (s.column < row.size()) {
    row[s.column] = point;
  } else {
    row += point;
  }
  ++s.column;
  last_point_ = point;
  if (row.size() >= kMaxRowCells) flush_long_row();
}

// The common case of `put` for many characters: they go to the end of the row.
void OutputCleaner::put_plain(std::string_view text) {
  while (!text.empty()) {
    Screen& s = screen();
    std::u32string& row = s.rows[s.row];
    if (s.column != row.size()) {
      put(static_cast<unsigned char>(text.front()));
      text.remove_prefix(1);
      continue;
    }
    const size_t n = std::min(text.size(), kMaxRowCells - row.size());
    row.append(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(n));
    s.column += n;
    last_point_ = row.back();
    text.remove_prefix(n);
    if (row.size() >= kMaxRowCells) flush_long_row();
  }
}

void OutputCleaner::new_line() {
  Screen& s = screen();
  s.column = 0;
  if (++s.row < s.rows.size()) return;
  s.rows.emplace_back();
  if (s.rows.size() <= kWindowRows) return;
  if (!is_full_screen_) {
    append_row(final_, s.rows.front());
    final_ += '\n';
  }
  s.rows.pop_front();
  --s.row;
  if (s.saved_row > 0) --s.saved_row;
}

void OutputCleaner::go_to(size_t row, size_t column) {
  Screen& s = screen();
  s.row = std::min(row, kWindowRows - 1);
  // A cursor already beyond the bound (a long line) may stay, but not jump further.
  s.column = std::min(column, std::max(kMaxColumn, s.rows[std::min(s.row, s.rows.size() - 1)].size()));
  if (s.rows.size() <= s.row) s.rows.resize(s.row + 1);
}

void OutputCleaner::flush_long_row() {
  Screen& s = screen();
  if (!is_full_screen_) {
    for (size_t i = 0; i <= s.row; ++i) {
      append_row(final_, s.rows[i]);
      if (i < s.row) final_ += '\n';
    }
  }
  s.rows.erase(s.rows.begin(), s.rows.begin() + static_cast<std::ptrdiff_t>(s.row));
  s.rows.front().clear();
  s.row = s.column = s.saved_row = s.saved_column = 0;
}

}  // namespace tools
