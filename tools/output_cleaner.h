#pragma once
// Turns what a program writes to a terminal into the text that a person would see there: progress lines collapse to
// their last state, colours and titles vanish, full-screen programs leave nothing behind. Never emits a control
// character other than newline and tab; always emits valid UTF-8. The same bytes in any chunking give the same text.

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

namespace tools {

class OutputCleaner {
 public:
  void feed(std::string_view bytes);
  // The text that can't change any more: rows that have left the movable window. Each call gives what is new.
  std::string take();
  // The rest too: the window is emptied and what follows continues in the last row, a code point begun before it too.
  std::string flush();
  // The same at the end of the output: a code point that was begun won't be completed any more.
  std::string finish();
  // What a full-screen program shows now; empty when none does.
  std::string full_screen() const;

 private:
  // One cell holds one code point. Rows are as long as what was printed; the terminal's width doesn't fold them.
  struct Screen {
    std::deque<std::u32string> rows{1};
    size_t row = 0, column = 0, saved_row = 0, saved_column = 0;
  };
  enum class State { Ground, Escape, SkipOne, Sequence, String, StringEscape };

  Screen& screen() { return is_full_screen_ ? full_ : main_; }
  void byte(unsigned char c);
  void ground(unsigned char c);
  void utf8(unsigned char c);
  void control(unsigned char c);
  void escape(unsigned char c);
  void sequence(unsigned char c);
  void run_sequence(char final);
  void move_cursor(char final, size_t n, size_t second);
  void erase(char final, size_t mode);
  void edit_row(char final, size_t n);
  void set_mode(bool is_on);
  void put(char32_t point);
  void put_plain(std::string_view text);
  void new_line();
  void go_to(size_t row, size_t column);
  void flush_long_row();

  Screen main_, full_;
  bool is_full_screen_ = false;
  State state_ = State::Ground;
  std::string parameters_;      // of the control sequence being read
  size_t string_bytes_ = 0;     // length of the string (title, link, clipboard, picture) being skipped
  char32_t point_ = 0;          // the code point being read
  int continuation_bytes_ = 0;  // how many of its bytes are missing
  int sequence_bytes_ = 0;      // how many bytes it has in all
  char32_t last_point_ = U' ';
  std::string final_;
};

}  // namespace tools
