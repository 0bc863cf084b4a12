#pragma once
// What the tools of one desktop share: its eyes, its hands, its windows, and which pictures the model has been shown.

#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "capture/settle.h"
#include "capture/x11_source.h"
#include "tools/clipboard.h"
#include "tools/desktop_view.h"
#include "tools/input_backend.h"
#include "tools/tool.h"
#include "tools/ui_tree.h"
#include "tools/windows.h"

namespace tools {

// Used from the agent thread only; the tools that work on it must not outlive it.
class Desktop {
 public:
  struct Options {
    std::string display{};                                   // empty: $DISPLAY
    std::string xauthority{};                                // empty: $XAUTHORITY
    bool is_private = false;                                 // our own desktop, not the user's
    bool reads_widgets = false;                              // over its accessibility bus, where it has one
    std::vector<std::uint32_t> panic_chord{0xffe1, 0xffe2};  // X keysyms; both Shift keys
  };
  // Throws capture::Error with one plain sentence when the display can't be used.
  static std::unique_ptr<Desktop> open(const Options& options);

  Effect input_effect() const { return is_private_ ? Effect::InputPrivate : Effect::InputUser; }
  InputBackend& input() { return *input_; }
  InputOutcome perform(const std::vector<InputStep>& steps, std::stop_token stop);
  std::chrono::steady_clock::time_point last_input() const { return last_input_; }  // when perform() ended
  const Windows& windows() const { return windows_; }
  capture::ScreenWatch& screen_watch() { return *watch_; }
  Clipboard& clipboard() { return *clipboard_; }
  UiTree* widgets() { return widgets_.get(); }  // null: not wanted, or the desktop has no accessibility bus
  // What was read of a window's widgets a moment ago, once; none when it is too old, or input came after it.
  void keep_widgets(WindowId window, UiSnapshot snapshot);
  std::optional<UiSnapshot> take_widgets(WindowId window);
  capture::Grab grab(const capture::GrabOptions& options = {}) { return source_->grab(options); }
  std::optional<capture::DesktopPoint> pointer();

  // From now on {{name}} in a typed text stands for the value, which only the input backend puts in.
  void add_secret(const std::string& name, const std::string& value);
  bool mentions_secret(const std::string& text) const;

  // The model is shown this frame: its id may be used in points from now on, and the window that has the focus now is
  // the one that the model will think of.
  void show(const capture::Frame& frame);
  // The desktop point for a point in a frame that was shown; `frame_id` 0: the newest one. A message for the model when
  // there is no such point.
  std::variant<capture::DesktopPoint, std::string> to_desktop(std::uint64_t frame_id, double x_px, double y_px) const;

  // The same for a part of the frame.
  std::variant<capture::Rect, std::string> area_to_desktop(std::uint64_t frame_id, capture::Rect area_px) const;

  // What the tools for windows and widgets need of it; holds on to this object.
  DesktopView view();

  // The window that had the focus when the model looked last, or after its own last action.
  void remember_focus();
  // Says that the focus has moved since, behind the model's back.
  std::optional<std::string> focus_problem() const;

 private:
  Desktop(Windows windows, bool is_private) : windows_(std::move(windows)), is_private_(is_private) {}

  struct WidgetsRead {
    WindowId window;
    std::chrono::steady_clock::time_point at;
    UiSnapshot snapshot;
  };
  struct Shown {
    std::uint64_t frame_id;
    capture::ScreenMap map;
  };
  // Null, with the reason, when the model never saw such a frame.
  const Shown* find_shown(std::uint64_t frame_id, std::string& problem) const;

  Windows windows_;
  bool is_private_;
  std::unique_ptr<InputBackend> input_;
  std::unique_ptr<capture::X11Source> source_;
  std::unique_ptr<capture::ScreenWatch> watch_;
  std::unique_ptr<Clipboard> clipboard_;
  std::unique_ptr<UiTree> widgets_;
  std::optional<WidgetsRead> widgets_read_;
  std::deque<Shown> shown_;
  std::vector<std::string> secret_names_;
  std::optional<WindowId> focused_;
  std::chrono::steady_clock::time_point last_input_{};
};

}  // namespace tools
