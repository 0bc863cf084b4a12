// Any text, byte for byte, into real editors under several keyboard layouts.

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "tests/desk/input_window.h"
#include "tests/desk/x_server.h"
#include "tools/utf8.h"
#include "tools/x11_input.h"

// After GoogleTest: Xlib makes a macro of None.
#include <X11/XKBlib.h>
#include <X11/Xatom.h>
#include <X11/keysym.h>

namespace {

using desk_test::InputWindow;
using desk_test::TestProgram;
using desk_test::TestXServer;
using std::chrono::milliseconds;
using std::chrono::steady_clock;
using tools::InputOutcome;
using tools::KeyChange;
using tools::TypeText;
using tools::X11Input;
using Ending = InputOutcome::Ending;

// 600 distinct ideographs, several scripts, emoji, quotes that a shell would eat, tabs and line ends.
std::string hard_text() {
  std::string text =
      "Hello, World! {[@#]} ~`^ <a> äöüß éèñ ÀÇ Привет λ→∑ “”€ '\"$(x)\\` "
      "😀🦊\nfirst\tsecond\r\n";
  for (char32_t character = 0x4e00; character < 0x4e00 + 600; ++character) {
    text += tools::encode_utf8(character);
    if (character % 60 == 59) text += "\n";
  }
  return text + "end\n";  // FeatherPad would add the last line end itself
}

std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// An editor with a home of its own, its window in front.
class Editor {
 public:
  Editor(const TestXServer& server, const std::string& program) : display_(XOpenDisplay(server.display().c_str())) {
    char folder[] = "/tmp/deskhand-editor-XXXXXX";
    if (!::mkdtemp(folder)) throw std::runtime_error("no folder for the editor");
    home_ = folder;
    std::ofstream(file()).close();
    std::vector<std::string> command{"dbus-run-session", "--", program};
    if (program == "featherpad") command.push_back("--standalone");
    command.push_back(file());
    program_ = std::make_unique<TestProgram>(
        server.display(), command,
        std::vector<std::string>{"HOME=" + home_.string(), "XDG_RUNTIME_DIR=" + home_.string(), "NO_AT_BRIDGE=1",
                                 "GSETTINGS_BACKEND=memory", "XDG_CONFIG_HOME=" + (home_ / "config").string()});
  }
  ~Editor() {
    program_.reset();
    XCloseDisplay(display_);
    std::error_code ignored;
    std::filesystem::remove_all(home_, ignored);
  }
  std::filesystem::path file() const { return home_ / "note.txt"; }

  bool wait_for_focus() const {
    return wait_for([this] { return active_title().find("note.txt") != std::string::npos; }, milliseconds(15'000));
  }
  bool wait_for_content(const std::string& wanted) const {
    return wait_for([&] { return read_file(file()) == wanted; }, milliseconds(5'000));
  }

 private:
  template <typename Condition>
  static bool wait_for(const Condition& condition, milliseconds limit) {
    const auto until = steady_clock::now() + limit;
    while (!condition()) {
      if (steady_clock::now() > until) return false;
      std::this_thread::sleep_for(milliseconds(20));
    }
    return true;
  }
  std::string property(Window window, const char* name, Atom type) const {
    Atom found = None;
    int format = 0;
    unsigned long n_items = 0, after = 0;
    unsigned char* data = nullptr;
    std::string bytes;
    XGetWindowProperty(display_, window, XInternAtom(display_, name, False), 0, 1024, False, type, &found, &format,
                       &n_items, &after, &data);
    if (data) bytes.assign(reinterpret_cast<char*>(data), n_items * (format == 32 ? sizeof(long) : 1));
    if (data) XFree(data);
    return bytes;
  }
  std::string active_title() const {
    const std::string active = property(DefaultRootWindow(display_), "_NET_ACTIVE_WINDOW", XA_WINDOW);
    if (active.size() < sizeof(Window)) return {};
    Window window = None;
    std::memcpy(&window, active.data(), sizeof window);
    return window == None ? "" : property(window, "_NET_WM_NAME", XInternAtom(display_, "UTF8_STRING", False));
  }

  Display* display_;
  std::filesystem::path home_;
  std::unique_ptr<TestProgram> program_;
};

InputOutcome save(X11Input& input) {
  return input.perform(
      {KeyChange{XK_Control_L, true}, KeyChange{XK_s, true}, KeyChange{XK_s, false}, KeyChange{XK_Control_L, false}},
      {});
}

struct Layout {
  const char* program;
  const char* layout;
  unsigned group;
};
void PrintTo(const Layout& layout, std::ostream* out) {
  *out << layout.program << " under " << layout.layout << " group " << layout.group;
}

class TypedText : public testing::TestWithParam<Layout> {};

TEST_P(TypedText, arrives_byte_for_byte_and_the_keymap_is_as_before) {
  const Layout layout = GetParam();
  const TestXServer server;
  ASSERT_TRUE(desk_test::run_program({"setxkbmap", "-display", server.display(), "-layout", layout.layout}));
  InputWindow probe(server.display(), {1200, 700, 20, 20});  // only for its connection
  const TestProgram window_manager(server.display(), {"openbox", "--sm-disable"});
  XkbLockGroup(probe.display(), XkbUseCoreKbd, layout.group);
  XSync(probe.display(), False);
  const std::string keymap_before = desk_test::keymap_text(server.display());
  ASSERT_FALSE(keymap_before.empty());

  const Editor editor(server, layout.program);
  ASSERT_TRUE(editor.wait_for_focus());
  const auto input = X11Input::open({.display = server.display()});
  const std::string text = hard_text();
  const auto start = steady_clock::now();
  const InputOutcome outcome = input->perform({TypeText{text}}, {});
  const double took_s = std::chrono::duration<double>(steady_clock::now() - start).count();
  ASSERT_EQ(outcome.ending, Ending::Done) << outcome.message;
  EXPECT_EQ(outcome.characters_typed, tools::typeable(text)->size());
  RecordProperty("typing_ms", static_cast<int>(took_s * 1000));
  ASSERT_EQ(save(*input).ending, Ending::Done);
  std::string saved = text;
  saved.erase(saved.find('\r'), 1);
  EXPECT_TRUE(editor.wait_for_content(saved)) << "saved: " << read_file(editor.file());
  EXPECT_TRUE(probe.wait_for([&] { return desk_test::keymap_text(server.display()) == keymap_before; }));
  XkbStateRec state{};
  XkbGetState(probe.display(), XkbUseCoreKbd, &state);
  EXPECT_EQ(state.group, layout.group);
}

INSTANTIATE_TEST_SUITE_P(layouts, TypedText,
                         testing::Values(Layout{"mousepad", "us", 0}, Layout{"mousepad", "de", 0},
                                         Layout{"featherpad", "fr", 0}, Layout{"mousepad", "us,ru", 1},
                                         Layout{"featherpad", "us,ru", 1}));

// Ideographs that must be lent keycodes, typed by a process of its own that the test may kill.
std::string ideographs(int count) {
  std::string text;
  for (int idx = 0; idx < count; ++idx) text += tools::encode_utf8(U'\u4e00' + static_cast<char32_t>(idx));
  return text;
}

enum class Victim { App, Helper, Everything };

class KilledTyping : public testing::TestWithParam<Victim> {};

TEST_P(KilledTyping, leaves_the_keymap_as_it_was) {
  const TestXServer server;
  InputWindow window(server.display(), {0, 0, 100, 100});
  window.take_focus();
  const std::string keymap_before = desk_test::keymap_text(server.display());
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const pid_t app = ::fork();
  if (app == 0) {
    const auto input = X11Input::open({.display = server.display()});
    const pid_t helper = input->helper_pid();
    [[maybe_unused]] const auto written = ::write(ends[1], &helper, sizeof helper);
    input->perform({TypeText{ideographs(300)}}, {});
    for (;;) ::pause();
  }
  pid_t helper = -1;
  ASSERT_EQ(::read(ends[0], &helper, sizeof helper), static_cast<ssize_t>(sizeof helper));
  ASSERT_TRUE(window.wait_for_count(KeyPress, 10));
  ASSERT_NE(desk_test::keymap_text(server.display()), keymap_before);
  if (GetParam() == Victim::Everything) {
    const auto guardian = desk_test::child_of(helper);
    ASSERT_TRUE(guardian);
    ::kill(*guardian, SIGKILL);
  }
  ::kill(GetParam() == Victim::App ? app : helper, SIGKILL);
  if (GetParam() == Victim::Everything) {
    // Nobody is left to tidy up: the next start does.
    ::kill(app, SIGKILL);
    ASSERT_NE(desk_test::keymap_text(server.display()), keymap_before);
    X11Input::open({.display = server.display()});
  }
  EXPECT_TRUE(window.wait_for([&] { return desk_test::keymap_text(server.display()) == keymap_before; }));
  EXPECT_TRUE(GetParam() == Victim::Everything || desk_test::pressed_now(window.display()).nothing());
  ::kill(app, SIGKILL);
  ::waitpid(app, nullptr, 0);
  ::close(ends[0]);
  ::close(ends[1]);
}

INSTANTIATE_TEST_SUITE_P(whoever_dies, KilledTyping, testing::Values(Victim::App, Victim::Helper, Victim::Everything));

TEST(TypedTextStop, ends_between_two_characters_and_gives_the_keycodes_back) {
  const TestXServer server;
  InputWindow window(server.display(), {0, 0, 100, 100});
  window.take_focus();
  const std::string keymap_before = desk_test::keymap_text(server.display());
  const auto input = X11Input::open({.display = server.display()});
  std::stop_source stop;
  steady_clock::time_point asked_at;
  std::thread stopper([&] {
    window.wait_for_count(KeyPress, 40);
    asked_at = steady_clock::now();
    stop.request_stop();
  });
  const InputOutcome outcome = input->perform({TypeText{ideographs(300)}}, stop.get_token());
  const auto ended_at = steady_clock::now();
  stopper.join();
  EXPECT_EQ(outcome.ending, Ending::Stopped);
  EXPECT_LT(outcome.characters_typed, 300U);
  EXPECT_LT(ended_at - asked_at, milliseconds(100));
  EXPECT_TRUE(window.wait_for([&] { return desk_test::keymap_text(server.display()) == keymap_before; }));
}

TEST(TypedTextKeys, caps_lock_changes_nothing_and_is_as_before) {
  const TestXServer server;
  InputWindow window(server.display(), {0, 0, 100, 100});
  window.take_focus();
  XkbLockModifiers(window.display(), XkbUseCoreKbd, LockMask, LockMask);
  const auto input = X11Input::open({.display = server.display()});
  ASSERT_EQ(input->perform({TypeText{"aB"}}, {}).ending, Ending::Done);
  ASSERT_TRUE(window.wait_for_count(KeyRelease, 3));
  std::vector<KeySym> letters;
  for (const auto& event : window.events_of(KeyPress))
    if (event.keysym != XK_Shift_L) letters.push_back(event.keysym);
  EXPECT_EQ(letters, (std::vector<KeySym>{XK_a, XK_B}));
  EXPECT_TRUE(window.wait_for([&] {
    XkbStateRec state{};
    XkbGetState(window.display(), XkbUseCoreKbd, &state);
    return (state.locked_mods & LockMask) != 0;
  }));
}

}  // namespace
