#pragma once
// What a tool is: a named ability of the agent with a JSON schema for its arguments, an effect that the permission
// rules judge before it runs, and a result that says what really happened.

#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "capture/frame.h"
#include "tools/anchor.h"

namespace tools {

// What a call would do to the world. The permission rules decide on this before the call runs.
enum class Effect {
  Observe,         // looks at the screen or at windows
  Read,            // reads files inside the workspace
  ReadElsewhere,   // reads files outside it
  InputPrivate,    // pointer, keyboard, windows, clipboard of a private desktop
  InputUser,       // the same on the user's own desktop
  WriteWorkspace,  // changes files inside the workspace
  WriteElsewhere,  // changes files outside it
  Shell,           // runs a command
  Network,         // talks to another machine
};

struct ToolSpec {
  std::string name;           // as the model calls it: [a-z_]+
  std::string description;    // for the model
  nlohmann::json parameters;  // JSON schema of the arguments object
};

struct ToolCall {
  std::string id;  // unique in a session
  std::string name;
  nlohmann::json arguments;  // an object
};

// How sure we are that an action did what it was meant to do.
enum class Verdict { Confirmed, Partial, NoOp, Unverifiable, Refused };

struct Rect {  // desktop points, half-open
  int x = 0, y = 0, width = 0, height = 0;
};

// Content that moved as a whole, as scrolling does: what was at (x, y) is now at (x + dx, y + dy). Desktop points.
struct ScrolledContent {
  Rect area;
  int dx = 0, dy = 0;
};

// What the field that was typed into held afterwards, as its program tells it.
struct FieldText {
  enum class State {
    AsTyped,    // what it held before, with the typed text at the caret
    Different,  // something else: shortened, completed, formatted
    Unchanged,  // nothing of it arrived
  };
  State state = State::AsTyped;
  std::string excerpt = {};  // what is there, unless it is as typed
};

// What was seen to change between just before and just after an action.
struct Evidence {
  Verdict verdict = Verdict::Unverifiable;
  std::vector<Rect> changed_regions = {};
  std::vector<std::string> windows_opened = {}, windows_closed = {};  // titles
  std::optional<std::string> focused_window = {};                     // title, when the focus moved
  bool clipboard_changed = false;
  std::optional<ScrolledContent> scrolled = {};
  std::optional<FieldText> field_text = {};  // none: nothing was typed, or it can't be read back
  bool settled = true;                       // false: the screen was still moving when we stopped waiting
};

struct ToolResult {
  bool ok = false;        // false: an expected failure, `text` says what, where and what to do
  std::string text = {};  // for the model
  std::vector<std::shared_ptr<const capture::Frame>> frames = {};
  std::optional<Evidence> evidence = {};  // for actions on a desktop
  nlohmann::json details = {};            // for the record and the view; null when there is nothing to add
  std::vector<Anchor> anchors = {};       // what it acted on, as that looked just before
};

// What a call would hit right now, as far as it can be seen: a consent is for this and nothing else.
struct CallTarget {
  std::string what;                                // for the user: the window by its title and program
  std::uint64_t window = 0;                        // its X id, 0: none
  std::shared_ptr<const capture::Frame> surround;  // the screen around the point; null: not a place on the screen
};

// A file as a call would change it. Texts without a byte-order mark.
struct FileEdit {
  std::string path;                          // its name in the workspace
  std::optional<std::string> before, after;  // none: there is no file
  bool is_executable = false;                // of a new file
};

// One ability. Owned by the registry; called from the agent thread only.
class Tool {
 public:
  virtual ~Tool() = default;
  virtual ToolSpec spec() const = 0;
  // The effect that this very call would have; arguments are already checked against the schema.
  virtual Effect effect(const ToolCall& call) const = 0;
  // None: the arguments say all.
  virtual std::optional<CallTarget> target(const ToolCall&) { return std::nullopt; }
  // What it would do to files; empty: nothing, it would fail, or the arguments say all. Changes nothing.
  virtual std::vector<FileEdit> preview(const ToolCall&) { return {}; }
  // Never throws for an expected failure; returns soon (< 100 ms) after `stop` is requested, everything released.
  virtual ToolResult run(const ToolCall& call, std::stop_token stop) = 0;
};

}  // namespace tools
