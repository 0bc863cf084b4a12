#pragma once
// The widgets of a window as its program tells them over AT-SPI: what they are, what they are called, where they lie on
// the screen, and the text in them. What they say is checked against the window where it can be.

#include <chrono>
#include <memory>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <variant>
#include <vector>

#include "tools/windows.h"

namespace tools {

struct AccessibleId;
struct Patience;
class AccessibilityBus;

struct UiNode {
  std::string role;                 // "push button", "entry", …
  std::string name;                 // the label that the program gives it
  std::string text;                 // what an entry or document holds, its beginning; never that of a password field
  std::vector<std::string> states;  // "focused", "checked", "disabled", …
  std::optional<Rect> box;          // what of it can be seen inside its window, desktop points
  int parent = -1;                  // index of its parent in the snapshot, −1 for the window itself
  int depth = 0;
  bool has_text = false;        // its whole text can be read
  bool is_editable = false;     // and text can be put in
  bool is_single_line = false;  // Return ends the input there instead of becoming a part of it; false: not told
  std::string bus, path;        // the object on the accessibility bus

  bool has_state(std::string_view state) const;
};

// In reading order: each node before its children.
struct UiSnapshot {
  std::vector<UiNode> nodes;       // only what the program says is showing
  int n_omitted = 0;               // nodes left out to stay within the budget, at least
  bool has_boxes = false;          // false: the program's boxes can't be trusted and were removed
  std::string toolkit;             // "gtk", "Qt", …
  std::vector<std::string> notes;  // what the reader of the snapshot should know
};

struct UiReadOptions {
  size_t max_nodes = 600;
  std::chrono::milliseconds limit = std::chrono::milliseconds(2500);
};

struct UiPoint {
  int x_pt = 0, y_pt = 0;
};

// Used by one thread.
class UiTree {
 public:
  // Empty: the display that DISPLAY names. Throws capture::Error when it has no accessibility bus.
  explicit UiTree(const std::string& display = "");
  ~UiTree();

  // A program read for the first time is read again until its tree stops growing. A window whose program shows no tree
  // gives an empty snapshot with a note.
  UiSnapshot read(const Window& window, const UiReadOptions& options = {}, std::stop_token stop = {});

  // The middle of what shows of the node, if its window is really the one seen there; else why not.
  static std::variant<UiPoint, std::string> click_point(const UiNode& node, const Window& window,
                                                        const Windows& windows);

  // The whole text. None: the node has no text or its program does not answer; password fields are never read.
  std::optional<std::string> read_text(const UiNode& node, std::stop_token stop = {});
  // Puts text in at the caret (instead of what is selected, as typing would), or replaces everything. Nothing: done,
  // and read back to be exactly that. Else what went wrong, for the model. One request however long the text is: no
  // keys, no layout, no input method.
  std::optional<std::string> insert_text(const UiNode& node, const std::string& text, std::stop_token stop = {});
  std::optional<std::string> replace_text(const UiNode& node, const std::string& text, std::stop_token stop = {});

  // The innermost widget of the window that has the focus and takes text.
  std::optional<UiNode> focused_field(const Window& window, std::stop_token stop = {});
  // What the node holds now, and what it would hold with this text typed into it. None: its program does not tell.
  struct Typing {
    std::string before, after;
  };
  std::optional<Typing> typing(const UiNode& node, const std::string& text, std::stop_token stop = {});

 private:
  struct Place;  // what a field holds and where typed text goes
  std::optional<Place> place_in(const UiNode& node, const Patience& patience);
  std::optional<std::string> verify_text(const UiNode& node, const std::string& expected, const Patience& patience);
  std::optional<std::string> text_of(const UiNode& node, const Patience& patience);

  std::unique_ptr<AccessibilityBus> bus_;
  std::set<std::string> known_programs_;  // bus names of those whose tree was complete once
  std::set<pid_t> silent_programs_;       // those that were waited for once and did not come to the bus
};

// Indices of the nodes with that role (empty: any; "button" fits "push button" too) and a name that equals `name` (or a
// text, where there is no name); when none equals it, those whose name contains it. Upper and lower case ASCII letters
// count as equal; an empty name fits all.
std::vector<size_t> find_nodes(const UiSnapshot& snapshot, std::string_view role, std::string_view name);

}  // namespace tools
