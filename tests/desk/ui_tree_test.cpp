// The widgets of real programs of three kinds: GTK 3, Qt 5 and one without any.
#include "tools/ui_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>

#include <chrono>
#include <cstdlib>
#include <fstream>

#include "capture/error.h"
#include "tests/desk/x_server.h"
#include "tools/accessibility_bus.h"
#include "tools/private_desktop.h"
#include "tools/x11_input.h"

namespace tools {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

struct Fixture {
  PrivateDesktop desktop = PrivateDesktop::start();
  Windows windows = Windows::open(desktop.display());
  UiTree tree{desktop.display()};

  Window opened(const std::vector<std::string>& argv, const Environment& environment = {}) {
    const DesktopProcess process = desktop.launch(argv, environment);
    const auto fits = [&](const Window& window) { return belongs_to_session(window, process.pid()); };
    const std::optional<Window> window = windows.wait_for(fits, 30s);
    EXPECT_TRUE(window.has_value()) << argv[0] << ": " << process.output();
    return window.value_or(Window{});
  }

  // As soon as the program shows such a widget: its window comes first.
  UiSnapshot read_with(const Window& window, std::string_view role, std::string_view name) {
    const UiReadOptions patient{.limit = 20s};
    UiSnapshot snapshot = tree.read(window, patient);
    for (int i = 0; i < 200 && find_nodes(snapshot, role, name).empty(); ++i) {
      poll(nullptr, 0, 50);
      snapshot = tree.read(window, patient);
    }
    return snapshot;
  }

  UiNode only(const UiSnapshot& snapshot, std::string_view role, std::string_view name) {
    const std::vector<size_t> found = find_nodes(snapshot, role, name);
    EXPECT_EQ(found.size(), 1U) << role << " " << name;
    return found.empty() ? UiNode{} : snapshot.nodes[found[0]];
  }

  // How many pixels of the box differ from its first one: an empty place has none.
  int n_inked_pixels(const Rect& box) {
    const auto x = capture::X11Connection::open(desktop.display());
    const capture::XReply<xcb_get_image_reply_t> image(
        xcb_get_image_reply(x->get(),
                            xcb_get_image(x->get(), XCB_IMAGE_FORMAT_Z_PIXMAP, x->root(), static_cast<int16_t>(box.x),
                                          static_cast<int16_t>(box.y), static_cast<uint16_t>(box.width),
                                          static_cast<uint16_t>(box.height), ~0U),
                            nullptr));
    if (!image) return -1;
    const auto* pixels = reinterpret_cast<const uint32_t*>(xcb_get_image_data(image.get()));
    int n_different = 0;
    for (int i = 0; i < box.width * box.height; ++i) n_different += (pixels[i] & 0xffffff) != (pixels[0] & 0xffffff);
    return n_different;
  }
  // As soon as the program has painted there.
  bool is_inked(const Rect& box) {
    for (int i = 0; i < 1000 && n_inked_pixels(box) <= 10; ++i) poll(nullptr, 0, 10);
    return n_inked_pixels(box) > 10;
  }
};

bool contains(const Rect& outer, const Rect& inner) {
  return inner.x >= outer.x && inner.y >= outer.y && inner.x + inner.width <= outer.x + outer.width &&
         inner.y + inner.height <= outer.y + outer.height;
}

int read_time_ms(UiTree& tree, const Window& window) {
  const auto before = std::chrono::steady_clock::now();
  tree.read(window);
  return static_cast<int>((std::chrono::steady_clock::now() - before) / 1ms);
}

TEST(UiTree, finds_the_keys_of_a_gtk_calculator) {
  Fixture f;
  const Window window = f.opened({"galculator"});
  const UiSnapshot snapshot = f.read_with(window, "button", "3");
  RecordProperty("nodes", static_cast<int>(snapshot.nodes.size()));
  RecordProperty("read_ms", read_time_ms(f.tree, window));
  EXPECT_GT(snapshot.nodes.size(), 40U);
  EXPECT_TRUE(snapshot.has_boxes);
  EXPECT_EQ(snapshot.n_omitted, 0);
  std::vector<Rect> boxes;
  for (const char* digit : {"7", "8", "9", "4", "5", "6", "1", "2", "3"}) {
    const UiNode key = f.only(snapshot, "button", digit);
    ASSERT_TRUE(key.box.has_value()) << digit;
    EXPECT_TRUE(contains(window.client, *key.box)) << digit;
    EXPECT_TRUE(f.is_inked(*key.box)) << digit << ": its label is painted there";
    const auto point = UiTree::click_point(key, window, f.windows);
    EXPECT_TRUE(std::holds_alternative<UiPoint>(point)) << std::get<std::string>(point);
    boxes.push_back(*key.box);
  }
  // As on a telephone upside down: 7 8 9 above 4 5 6 above 1 2 3.
  for (size_t i = 0; i < 9; ++i) {
    EXPECT_TRUE(i % 3 == 2 || boxes[i].x + boxes[i].width <= boxes[i + 1].x) << i;
    EXPECT_TRUE(i >= 6 || boxes[i].y + boxes[i].height <= boxes[i + 3].y) << i;
  }
}

TEST(UiTree, pressing_keys_at_their_points_computes) {
  Fixture f;
  const Window window = f.opened({"galculator"});
  EXPECT_EQ(f.windows.activate(window.id), std::nullopt);
  const UiSnapshot snapshot = f.read_with(window, "button", "=");
  const std::unique_ptr<X11Input> input = X11Input::open({.display = f.desktop.display()});
  for (const char* key : {"AC", "7", "*", "6", "="}) {
    const auto point = UiTree::click_point(f.only(snapshot, "button", key), window, f.windows);
    ASSERT_TRUE(std::holds_alternative<UiPoint>(point)) << key << ": " << std::get<std::string>(point);
    const auto [x, y] = std::get<UiPoint>(point);
    const InputOutcome outcome = input->perform(
        {MoveTo{x, y}, Pause{30}, ButtonChange{1, true}, Pause{30}, ButtonChange{1, false}, Pause{30}}, {});
    ASSERT_EQ(outcome.ending, InputOutcome::Ending::Done) << outcome.message;
  }
  const UiNode display = f.only(snapshot, "text", "");
  std::string shown;
  for (int i = 0; i < 500 && shown.find("42") == std::string::npos; ++i) {
    poll(nullptr, 0, 10);
    shown = f.tree.read_text(display).value_or("");
  }
  EXPECT_THAT(shown, HasSubstr("42"));
}

TEST(UiTree, boxes_are_right_on_a_screen_of_double_scale) {
  Fixture f;
  const Window window = f.opened({"galculator"}, {{"GDK_SCALE", "2"}});
  const UiSnapshot snapshot = f.read_with(window, "button", "3");
  const UiNode seven = f.only(snapshot, "button", "7"), three = f.only(snapshot, "button", "3");
  ASSERT_TRUE(seven.box && three.box);
  EXPECT_TRUE(contains(window.client, *seven.box));
  EXPECT_TRUE(f.is_inked(*seven.box));
  EXPECT_GT(three.box->y + three.box->height, window.client.y + window.client.height / 2) << "in the lower half";
}

TEST(UiTree, boxes_that_are_all_zero_are_not_believed) {
  Fixture f;
  const Window window = f.opened({DESKHAND_BIN_DIR "/deskhand-test-form", "placeless"});
  const UiSnapshot snapshot = f.read_with(window, "", "");
  ASSERT_FALSE(snapshot.nodes.empty());
  EXPECT_FALSE(snapshot.has_boxes);
  for (const UiNode& node : snapshot.nodes) {
    EXPECT_FALSE(node.box.has_value()) << node.role;
    EXPECT_TRUE(std::holds_alternative<std::string>(UiTree::click_point(node, window, f.windows)));
  }
  EXPECT_THAT(snapshot.notes, testing::Contains(HasSubstr("point at them in the picture instead")));
}

TEST(UiTree, a_covered_widget_has_no_click_point) {
  Fixture f;
  const Window calculator = f.opened({"galculator"});
  EXPECT_EQ(f.windows.move_resize(calculator.id, {100, 100, calculator.frame.width, calculator.frame.height}),
            std::nullopt);
  const Window moved = *f.windows.find(calculator.id);
  const UiNode seven = f.only(f.read_with(moved, "button", "7"), "button", "7");
  ASSERT_TRUE(seven.box.has_value());
  EXPECT_TRUE(contains(moved.client, *seven.box)) << "the box moves with its window";
  const Window cover = f.opened({"xterm", "-T", "cover", "-geometry", "120x50+0+0"});
  EXPECT_EQ(f.windows.activate(cover.id), std::nullopt);
  const auto covered = UiTree::click_point(seven, moved, f.windows);
  ASSERT_TRUE(std::holds_alternative<std::string>(covered));
  EXPECT_THAT(std::get<std::string>(covered), HasSubstr("the window \"cover\" covers it"));
  EXPECT_EQ(f.windows.activate(calculator.id), std::nullopt);
  EXPECT_TRUE(std::holds_alternative<UiPoint>(UiTree::click_point(seven, moved, f.windows)));
}

void text_goes_in_and_comes_back(Fixture& f, const std::vector<std::string>& argv, const std::string& role) {
  const Window window = f.opened(argv);
  const UiSnapshot snapshot = f.read_with(window, role, "");
  testing::Test::RecordProperty(argv[0] + "_nodes", static_cast<int>(snapshot.nodes.size()));
  testing::Test::RecordProperty(argv[0] + "_read_ms", read_time_ms(f.tree, window));
  EXPECT_TRUE(snapshot.has_boxes);
  const std::vector<size_t> editors = find_nodes(snapshot, role, "");
  const UiNode* editor = nullptr;
  for (const size_t i : editors)
    if (snapshot.nodes[i].is_editable && snapshot.nodes[i].box && snapshot.nodes[i].box->height > 100)
      editor = &snapshot.nodes[i];
  ASSERT_NE(editor, nullptr) << editors.size() << " of role " << role;
  const std::string text = "Zeile 1 äß €\n第二行 😀\tend 'x' $(y)\n";
  EXPECT_EQ(f.tree.replace_text(*editor, text), std::nullopt);
  EXPECT_EQ(f.tree.read_text(*editor), text);
  const std::optional<std::string> problem = f.tree.insert_text(*editor, "→ 😀 more");
  EXPECT_EQ(problem, std::nullopt);
  const std::string after = f.tree.read_text(*editor).value_or("");
  EXPECT_EQ(after.size(), text.size() + std::string("→ 😀 more").size());
  EXPECT_THAT(after, HasSubstr("→ 😀 more"));
  EXPECT_EQ(f.tree.replace_text(*editor, "ä😀 alt und gut"), std::nullopt);
  const auto bus = AccessibilityBus::open(f.desktop.display());
  const AccessibleId id{QString::fromStdString(editor->bus), QString::fromStdString(editor->path)};
  const int shift = snapshot.toolkit == "Qt" ? 1 : 0;  // the emoji counts twice there
  bus->ask(AccessibilityBus::method(id, "org.a11y.atspi.Text", "AddSelection", {3 + shift, 6 + shift}),
           {std::chrono::steady_clock::now() + 20s, {}});
  EXPECT_EQ(f.tree.insert_text(*editor, "neu 第二行"), std::nullopt) << "in place of what is selected";
  EXPECT_EQ(f.tree.read_text(*editor), "ä😀 neu 第二行 und gut");
  const UiSnapshot again = f.tree.read(window);
  bool is_told = false;
  for (const UiNode& node : again.nodes) is_told |= node.text.find("第二行") != std::string::npos;
  EXPECT_TRUE(is_told) << "the snapshot tells the text";
}

TEST(UiTree, text_goes_into_a_gtk_editor_and_is_read_back) {
  Fixture f;
  text_goes_in_and_comes_back(f, {"mousepad"}, "text");
}

TEST(UiTree, text_goes_into_a_qt_editor_and_is_read_back) {
  Fixture f;
  text_goes_in_and_comes_back(f, {"featherpad"}, "text");
}

TEST(UiTree, names_the_files_that_a_gtk_2_file_manager_shows) {
  Fixture f;
  std::ofstream(f.desktop.home() / "Übung 7.txt") << "x";
  const Window window = f.opened({"pcmanfm"});
  const UiNode file = f.only(f.read_with(window, "icon", "Übung 7.txt"), "icon", "Übung 7.txt");
  ASSERT_TRUE(file.box.has_value());
  EXPECT_TRUE(contains(window.client, *file.box));
}

TEST(UiTree, a_budget_is_kept_and_what_it_cut_is_counted) {
  Fixture f;
  const Window window = f.opened({"mousepad"});
  const size_t n_all = f.read_with(window, "text", "").nodes.size();
  const UiSnapshot some = f.tree.read(window, {.max_nodes = 12});
  EXPECT_LE(some.nodes.size(), 12U);
  EXPECT_GT(n_all, 12U);
  EXPECT_GT(some.n_omitted, 0);
}

TEST(UiTree, a_program_without_widgets_says_so) {
  Fixture f;
  const UiSnapshot snapshot = f.tree.read(f.opened({"xterm"}));
  EXPECT_TRUE(snapshot.nodes.empty());
  ASSERT_EQ(snapshot.notes.size(), 1U);
  EXPECT_THAT(snapshot.notes[0], HasSubstr("work from the picture"));
}

TEST(UiTree, a_program_that_hangs_or_dies_costs_only_the_limit) {
  Fixture f;
  const DesktopProcess process = f.desktop.launch({"galculator"});
  const auto window = f.windows.wait_for([&](const Window& w) { return w.pid == process.pid(); }, 30s);
  ASSERT_TRUE(window.has_value());
  const UiNode seven = f.only(f.read_with(*window, "button", "7"), "button", "7");
  kill(process.pid(), SIGSTOP);
  const auto before = std::chrono::steady_clock::now();
  const UiSnapshot hung = f.tree.read(*window, {.limit = 300ms});
  EXPECT_LT(std::chrono::steady_clock::now() - before, 2s);
  ASSERT_FALSE(hung.notes.empty());
  kill(process.pid(), SIGKILL);
  process.wait(10s);
  EXPECT_FALSE(f.tree.read_text(seven).has_value());
  EXPECT_TRUE(f.tree.read(*window, {.limit = 300ms}).nodes.empty());
}

TEST(UiTree, a_display_without_an_accessibility_bus_is_named) {
  const desk_test::TestXServer server;
  const char* address = getenv("DBUS_SESSION_BUS_ADDRESS");
  const std::string saved = address ? address : "";
  setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nonexistent", 1);
  EXPECT_THROW(UiTree{server.display()}, capture::Error);
  address ? setenv("DBUS_SESSION_BUS_ADDRESS", saved.c_str(), 1) : unsetenv("DBUS_SESSION_BUS_ADDRESS");
}

}  // namespace
}  // namespace tools
