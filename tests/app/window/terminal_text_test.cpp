// Colours and carriage returns of terminal output.

#include "app/window/terminal_text.h"

#include <gtest/gtest.h>

namespace app {
namespace {

TEST(TerminalText, keeps_colours_and_drops_other_sequences) {
  const TerminalText text = terminal_text("\x1b]0;title\a\x1b[2Jplain \x1b[1;31mred\x1b[0m end\n");
  EXPECT_EQ(text.text, "plain red end\n");
  ASSERT_EQ(text.formats.size(), 1);
  EXPECT_EQ(text.formats[0].start, 6);
  EXPECT_EQ(text.formats[0].length, 3);
  EXPECT_TRUE(text.formats[0].format.foreground().color().isValid());
  EXPECT_EQ(text.formats[0].format.fontWeight(), QFont::Bold);
}

TEST(TerminalText, a_line_written_anew_replaces_the_old_one) {
  const TerminalText text = terminal_text("one\r\n\x1b[32m10 %\x1b[0m\r\x1b[32m100 %\x1b[0m\n");
  EXPECT_EQ(text.text, "one\n100 %\n");
  ASSERT_EQ(text.formats.size(), 1);
  EXPECT_EQ(text.formats[0].start, 4);
  EXPECT_EQ(text.formats[0].length, 5);
}

TEST(TerminalText, understands_256_and_direct_colours) {
  const TerminalText text = terminal_text("\x1b[38;5;196ma\x1b[38;2;1;2;3mb");
  ASSERT_EQ(text.formats.size(), 2);
  EXPECT_EQ(text.formats[0].format.foreground().color(), QColor(255, 0, 0));
  EXPECT_EQ(text.formats[1].format.foreground().color(), QColor(1, 2, 3));
}

TEST(TerminalText, shows_what_would_hide) {
  EXPECT_EQ(terminal_text("a\x01z").text, "a\\u{1}z");
}

}  // namespace
}  // namespace app
