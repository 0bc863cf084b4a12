#include "tools/output_cleaner.h"

#include <gtest/gtest.h>

#include <random>

namespace tools {
namespace {

std::string clean(std::string_view bytes) {
  OutputCleaner cleaner;
  cleaner.feed(bytes);
  std::string text = cleaner.take();
  return text + cleaner.finish();
}

TEST(OutputCleaner, keeps_plain_text_and_tabs) {
  EXPECT_EQ(clean("a\tb\n\nc  \n"), "a\tb\n\nc  \n");
}

TEST(OutputCleaner, line_ends_of_a_terminal_become_newlines) {
  EXPECT_EQ(clean("one\r\ntwo\r\n"), "one\ntwo\n");
}

TEST(OutputCleaner, colours_vanish) {
  EXPECT_EQ(clean("\x1b[0m\x1b[01;34mdir\x1b[0m  \x1b[38;5;196mred\x1b[m\n"), "dir  red\n");
}

TEST(OutputCleaner, a_thousand_step_progress_bar_is_one_line) {
  std::string bytes;
  for (int step = 1; step <= 1000; ++step) bytes += "\rProgress " + std::to_string(step) + "/1000";
  EXPECT_EQ(clean(bytes + "\ndone\n"), "Progress 1000/1000\ndone\n");
}

TEST(OutputCleaner, a_shorter_line_over_a_longer_one_keeps_what_the_screen_would_show) {
  EXPECT_EQ(clean("abcdef\rXY\n"), "XYcdef\n");
  EXPECT_EQ(clean("abcdef\rXY\x1b[K\n"), "XY\n");
}

TEST(OutputCleaner, bars_that_move_the_cursor_up_show_their_last_state) {
  std::string bytes = "layer a: 0%\nlayer b: 0%\n";
  for (int percent = 10; percent <= 100; percent += 10)
    bytes += "\x1b[2A\rlayer a: " + std::to_string(percent) + "%\nlayer b: " + std::to_string(percent) + "%\n";
  EXPECT_EQ(clean(bytes), "layer a: 100%\nlayer b: 100%\n");
}

TEST(OutputCleaner, backspace_overwrites) {
  EXPECT_EQ(clean("|\b/\b-\b\\\b \bdone\n"), "done\n");
}

TEST(OutputCleaner, titles_links_and_clipboard_writes_vanish) {
  EXPECT_EQ(clean("\x1b]0;title\x07ok\n"), "ok\n");
  EXPECT_EQ(clean("\x1b]8;;https://example.org\x1b\\link\x1b]8;;\x1b\\\n"), "link\n");
  EXPECT_EQ(clean("\x1b]52;c;c2VjcmV0\x07ok\n"), "ok\n");
  EXPECT_EQ(clean("\x1bPq#0;2;0;0;0#0~~@@\x1b\\ok\n"), "ok\n");
}

TEST(OutputCleaner, an_open_title_does_not_swallow_what_follows_the_next_escape) {
  EXPECT_EQ(clean("\x1b]0;never closed\n\x1b[1mtext\x1b[0m\n"), "text\n");
}

TEST(OutputCleaner, a_full_screen_program_leaves_nothing_behind) {
  OutputCleaner cleaner;
  cleaner.feed("before\n\x1b[?1049h\x1b[2J\x1b[1;1H~ editor ~\x1b[2;1Hline");
  EXPECT_EQ(cleaner.full_screen(), "~ editor ~\nline\n");
  cleaner.feed("\x1b[?1049lafter\n");
  EXPECT_EQ(cleaner.full_screen(), "");
  EXPECT_EQ(cleaner.finish(), "before\nafter\n");
}

TEST(OutputCleaner, a_cleared_screen_is_empty) {
  EXPECT_EQ(clean("old\n\x1b[H\x1b[2Jnew\n"), "new\n");
}

TEST(OutputCleaner, a_code_point_split_between_chunks_is_whole) {
  OutputCleaner cleaner;
  for (char byte : std::string("日本 é 😀\n")) cleaner.feed(std::string_view(&byte, 1));
  EXPECT_EQ(cleaner.finish(), "日本 é 😀\n");
}

TEST(OutputCleaner, broken_utf8_is_marked_and_the_rest_kept) {
  EXPECT_EQ(clean("a\xff"
                  "b\xe6\x97"),
            "a\xEF\xBF\xBD"
            "b\xEF\xBF\xBD");
  EXPECT_EQ(clean("\xed\xa0\x80"
                  "x"),
            "\xEF\xBF\xBDx");  // a lone surrogate
}

TEST(OutputCleaner, a_code_point_that_a_flush_cuts_arrives_whole_after_it) {
  OutputCleaner cleaner;
  cleaner.feed("a\xE6\x97");
  EXPECT_EQ(cleaner.flush(), "a");
  cleaner.feed("\xA5");
  EXPECT_EQ(cleaner.finish(), "日");
}

TEST(OutputCleaner, what_is_asked_for_in_the_middle_of_a_line_continues_it) {
  OutputCleaner cleaner;
  cleaner.feed("Name: ");
  EXPECT_EQ(cleaner.finish(), "Name: ");
  cleaner.feed("Ada\n");
  EXPECT_EQ(cleaner.finish(), "Ada\n");
}

TEST(OutputCleaner, a_line_of_fifty_megabytes_passes_whole_in_bounded_memory) {
  OutputCleaner cleaner;
  const std::string part(1 << 20, 'x');
  size_t n_bytes = 0, most = 0;
  for (int i = 0; i < 50; ++i) {
    cleaner.feed(part);
    const std::string text = cleaner.take();
    n_bytes += text.size();
    most = std::max(most, text.size());
  }
  n_bytes += cleaner.finish().size();
  EXPECT_EQ(n_bytes, 50u << 20);
  EXPECT_LE(most, (1u << 20) + 65536);
}

TEST(OutputCleaner, inserted_blanks_are_bounded) {
  std::string bytes = "ab\r";
  for (int i = 0; i < 10000; ++i) bytes += "\x1b[999@";
  EXPECT_LE(clean(bytes).size(), 1u << 17);
}

TEST(OutputCleaner, any_chunking_gives_the_same_text_without_control_characters) {
  std::mt19937 random(7);
  const std::vector<std::string> pieces = {"\x1b", "[",  "]",    "P",    "?1049h", "?1049l", ";",
                                           "1",    "99", "H",    "A",    "J",      "K",      "L",
                                           "M",    "b",  "\r",   "\n",   "\b",     "\t",     "ab",
                                           "é",    "日", "\xe6", "\xff", "\x07",   "\\",     "X",
                                           "@",    "7",  "8",    "c",    "\x18",   "D",      "long text here"};
  for (int round = 0; round < 2000; ++round) {
    std::string bytes;
    for (int i = 0; i < 60; ++i) bytes += pieces[random() % pieces.size()];
    OutputCleaner pieceswise;
    std::string text;
    for (size_t start = 0; start < bytes.size();) {
      const size_t size = 1 + random() % 5;
      pieceswise.feed(std::string_view(bytes).substr(start, size));
      text += pieceswise.take();
      start += size;
    }
    text += pieceswise.finish();
    ASSERT_EQ(text, clean(bytes));
    for (unsigned char c : text) ASSERT_TRUE(c >= 0x20 || c == '\n' || c == '\t') << static_cast<int>(c);
  }
}

}  // namespace
}  // namespace tools
