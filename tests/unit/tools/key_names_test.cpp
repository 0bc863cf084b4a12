#include "tools/key_names.h"

#include <gtest/gtest.h>

namespace {

using tools::canonical_key_name;
using tools::KeyNameError;
using tools::parse_chord;
using Keys = std::vector<std::string>;

Keys chord(const std::string& text) {
  const auto parsed = parse_chord(text);
  const auto* keys = std::get_if<Keys>(&parsed);
  return keys ? *keys : Keys{"error: " + std::get<KeyNameError>(parsed).message};
}

TEST(KeyNames, one_key_has_many_spellings) {
  for (const char* name : {"ctrl", "Ctrl", "CTRL", "Control", "Control_L", "ctrl_l", "ctrlleft", "LeftControl"})
    EXPECT_EQ(canonical_key_name(name), "ctrl") << name;
  for (const char* name : {"Return", "return", "enter", "ENTER", "\n"}) EXPECT_EQ(canonical_key_name(name), "Return");
  for (const char* name : {"escape", "esc", "Esc", "ESC"}) EXPECT_EQ(canonical_key_name(name), "Escape");
  for (const char* name : {"page_down", "Page_Down", "PAGEDOWN", "pgdn", "Next"})
    EXPECT_EQ(canonical_key_name(name), "Page_Down");
  for (const char* name : {"super", "Super_L", "win", "cmd", "meta", "winleft"})
    EXPECT_EQ(canonical_key_name(name), "super");
  EXPECT_EQ(canonical_key_name("ARROWUP"), "Up");
  EXPECT_EQ(canonical_key_name("F12"), "F12");
  EXPECT_EQ(canonical_key_name("f1"), "F1");
  EXPECT_EQ(canonical_key_name("KP_0"), "KP_0");
  EXPECT_EQ(canonical_key_name("space"), "space");
  EXPECT_EQ(canonical_key_name(" "), "space");
  EXPECT_EQ(canonical_key_name("é"), "é");
  EXPECT_EQ(canonical_key_name("plus"), "+");
}

TEST(KeyNames, canonical_names_name_themselves) {
  for (const char* name : {"ctrl", "shift", "alt", "super", "Return", "space", "Page_Down", "KP_0", "+", "a", "é",
                           "Control_R", "F12", "XF86AudioMute", "ISO_Level3_Shift", "BackSpace", "Tab"})
    EXPECT_EQ(canonical_key_name(name), name);
}

TEST(KeyNames, unknown_names_are_errors_and_nothing_is_dropped) {
  EXPECT_EQ(canonical_key_name("foo"), std::nullopt);
  EXPECT_EQ(canonical_key_name(""), std::nullopt);
  EXPECT_EQ(canonical_key_name("\x01"), std::nullopt);
  EXPECT_EQ(canonical_key_name("\xff\xfe"), std::nullopt);
  EXPECT_EQ(chord("ctrl+foo"), Keys{"error: there is no key named \"foo\""});
  EXPECT_EQ(chord("ctrl+"), Keys{"error: the key names end with a lone +"});
}

TEST(KeyNames, chords_keep_their_order_and_know_the_plus_key) {
  EXPECT_EQ(chord("ctrl+shift+t"), (Keys{"ctrl", "shift", "t"}));
  EXPECT_EQ(chord("Ctrl+S"), (Keys{"ctrl", "s"}));
  EXPECT_EQ(chord("A"), Keys{"A"});
  EXPECT_EQ(chord("ctrl++"), (Keys{"ctrl", "+"}));
  EXPECT_EQ(chord("+"), Keys{"+"});
  EXPECT_EQ(chord("alt + F4"), (Keys{"alt", "F4"}));
}

}  // namespace
