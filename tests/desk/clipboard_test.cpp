// The clipboard against itself and against programs that know nothing of us.
#include "tools/clipboard.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>

#include <chrono>

#include "tools/accessibility_bus.h"
#include "tools/private_desktop.h"
#include "tools/ui_tree.h"

namespace tools {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

struct Fixture {
  PrivateDesktop desktop = PrivateDesktop::start({.window_manager = DesktopOptions::WindowManager::None});
  Clipboard ours{desktop.display()};
  Clipboard theirs{desktop.display()};  // another program, as far as X can tell

  std::string text(Clipboard& clipboard, Selection selection = Selection::Clipboard) {
    const ClipboardRead read = clipboard.read_text(selection);
    return read.content.contains("text/plain") ? read.content.at("text/plain") : "(" + read.problem + ")";
  }
};

std::string long_text(size_t n_bytes) {
  std::string text;
  for (unsigned i = 0; text.size() < n_bytes; ++i) text += std::to_string(i) + " ä中😀\n";
  return text;
}

TEST(Clipboard, text_goes_from_one_program_to_another) {
  Fixture f;
  EXPECT_THAT(f.text(f.ours), HasSubstr("is empty"));
  EXPECT_TRUE(f.ours.write(Selection::Clipboard, {{"text/plain", "Grüße — 中 😀\n\ttab"}}));
  EXPECT_TRUE(f.ours.write(Selection::Primary, {{"text/plain", "marked"}}));
  EXPECT_EQ(f.text(f.theirs), "Grüße — 中 😀\n\ttab");
  EXPECT_EQ(f.text(f.theirs, Selection::Primary), "marked");
  EXPECT_EQ(f.text(f.ours), "Grüße — 中 😀\n\ttab") << "our own reads back too";
  EXPECT_TRUE(f.theirs.write(Selection::Clipboard, {{"text/plain", "new"}}));
  EXPECT_EQ(f.text(f.ours), "new");
}

TEST(Clipboard, much_data_goes_in_parts) {
  Fixture f;
  for (const size_t n_bytes : {256U << 10, (256U << 10) + 1, 5U << 20}) {
    std::string text = long_text(n_bytes);
    EXPECT_TRUE(f.ours.write(Selection::Clipboard, {{"text/plain", text}}));
    EXPECT_TRUE(f.text(f.theirs) == text) << n_bytes;
  }
}

TEST(Clipboard, what_was_there_is_put_back_whole) {
  Fixture f;
  const ClipboardContent before = {{"text/plain", long_text(5U << 20)},
                                   {"text/html", "<b>fett</b>"},
                                   {"image/png", std::string("\x89PNG\r\n\x1a\n\0\xff", 10)}};
  ASSERT_TRUE(f.theirs.write(Selection::Clipboard, before));
  const ClipboardRead saved = f.ours.read_all(Selection::Clipboard);
  EXPECT_EQ(saved.problem, "");
  EXPECT_TRUE(saved.content == before);
  EXPECT_TRUE(f.ours.write(Selection::Clipboard, {{"text/plain", "for a moment"}}));
  EXPECT_EQ(f.text(f.theirs), "for a moment");
  EXPECT_TRUE(f.ours.write(Selection::Clipboard, saved.content));
  EXPECT_TRUE(f.theirs.read_all(Selection::Clipboard).content == before);
}

TEST(Clipboard, an_empty_clipboard_is_put_back_empty) {
  Fixture f;
  const ClipboardRead saved = f.ours.read_all(Selection::Primary);
  EXPECT_TRUE(saved.content.empty());
  f.ours.write(Selection::Primary, {{"text/plain", "x"}});
  f.ours.write(Selection::Primary, saved.content);
  EXPECT_THAT(f.text(f.theirs, Selection::Primary), HasSubstr("is empty"));
}

TEST(Clipboard, losing_it_to_another_program_is_noticed) {
  Fixture f;
  const auto before = f.ours.n_changes(Selection::Clipboard);
  f.ours.write(Selection::Clipboard, {{"text/plain", "mine"}});
  EXPECT_TRUE(f.ours.owns(Selection::Clipboard));
  f.theirs.write(Selection::Clipboard, {{"text/plain", "theirs"}});
  for (int i = 0; i < 1000 && f.ours.n_changes(Selection::Clipboard) < before + 2; ++i) poll(nullptr, 0, 5);
  EXPECT_FALSE(f.ours.owns(Selection::Clipboard));
  EXPECT_EQ(f.ours.n_changes(Selection::Clipboard), before + 2);
  EXPECT_EQ(f.ours.n_changes(Selection::Primary), 0U);
}

// An editor that copies and pastes by its own functions.
struct Editor {
  PrivateDesktop desktop = PrivateDesktop::start();
  Clipboard clipboard{desktop.display()};
  UiTree tree{desktop.display()};
  std::unique_ptr<AccessibilityBus> bus = AccessibilityBus::open(desktop.display());
  UiNode area;

  explicit Editor(const std::string& program) {
    const Windows windows = Windows::open(desktop.display());
    const DesktopProcess process = desktop.launch({program});
    const auto window = windows.wait_for([&](const Window& w) { return belongs_to_session(w, process.pid()); }, 30s);
    // The focus comes a moment after the window.
    for (int i = 0; i < 400 && area.path.empty(); ++i) {
      for (const UiNode& node : tree.read(window.value_or(Window{})).nodes)
        if (node.is_editable && node.has_state("focused")) area = node;
      if (area.path.empty()) poll(nullptr, 0, 50);
    }
  }
  void call(const char* name, const QVariantList& arguments) {
    const AccessibleId id{QString::fromStdString(area.bus), QString::fromStdString(area.path)};
    bus->ask(AccessibilityBus::method(id, "org.a11y.atspi.EditableText", name, arguments),
             {std::chrono::steady_clock::now() + 20s, {}});
  }
  std::string copied() {
    for (int i = 0; i < 1000 && clipboard.owns(Selection::Clipboard); ++i) poll(nullptr, 0, 5);
    const ClipboardRead read = clipboard.read_text(Selection::Clipboard);
    return read.content.contains("text/plain") ? read.content.at("text/plain") : "(" + read.problem + ")";
  }
};

TEST(Clipboard, what_a_gtk_editor_copies_is_read_however_long) {
  Editor editor("mousepad");
  const std::string text = long_text(3U << 20);
  ASSERT_EQ(editor.tree.replace_text(editor.area, text), std::nullopt);
  ASSERT_TRUE(editor.clipboard.write(Selection::Clipboard, {{"text/plain", "before"}}));
  editor.call("CopyText", {0, 7});
  EXPECT_EQ(editor.copied(), "0 ä中😀\n1");
  const auto n_changes = editor.clipboard.n_changes(Selection::Clipboard);
  const int n_characters = static_cast<int>(QString::fromStdString(text).toUcs4().size());
  editor.call("CopyText", {0, n_characters});
  for (int i = 0; i < 1000 && editor.clipboard.n_changes(Selection::Clipboard) == n_changes; ++i) poll(nullptr, 0, 5);
  EXPECT_TRUE(editor.copied() == text);
}

TEST(Clipboard, a_qt_editor_pastes_what_we_hold_and_we_read_what_it_copies) {
  Editor editor("featherpad");
  const std::string text = long_text(300U << 10);
  ASSERT_TRUE(editor.clipboard.write(Selection::Clipboard, {{"text/plain", text}}));
  editor.call("PasteText", {0});
  for (int i = 0; i < 1000 && editor.tree.read_text(editor.area) != text; ++i) poll(nullptr, 0, 10);
  EXPECT_TRUE(editor.tree.read_text(editor.area) == text);
  editor.call("CopyText", {0, 7});  // the emoji counts twice
  EXPECT_EQ(editor.copied(), "0 ä中😀\n");
}

TEST(Clipboard, an_owner_that_does_not_answer_is_named) {
  Fixture f;
  // A window that owns the clipboard and never looks at its events.
  const auto connection = capture::X11Connection::open(f.desktop.display());
  xcb_connection_t* c = connection->get();
  const xcb_window_t window = xcb_generate_id(c);
  xcb_create_window(c, XCB_COPY_FROM_PARENT, window, connection->root(), 0, 0, 1, 1, 0, XCB_WINDOW_CLASS_INPUT_ONLY,
                    XCB_COPY_FROM_PARENT, 0, nullptr);
  X11Atoms atoms(connection);
  xcb_set_selection_owner(c, window, atoms["CLIPBOARD"], XCB_CURRENT_TIME);
  free(xcb_get_input_focus_reply(c, xcb_get_input_focus(c), nullptr));
  EXPECT_THAT(f.ours.read_text(Selection::Clipboard).problem, HasSubstr("does not answer"));
  std::stop_source stop;
  stop.request_stop();
  EXPECT_THAT(f.ours.read_text(Selection::Clipboard, stop.get_token()).problem, HasSubstr("stopped"));
}

}  // namespace
}  // namespace tools
