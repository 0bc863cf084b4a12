#pragma once
// The two clipboards of an X desktop: CLIPBOARD (copy and paste) and PRIMARY (the marked text), read and written, with
// everything that was there kept for putting it back.

#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "tools/x11_atoms.h"

namespace tools {

enum class Selection { Clipboard, Primary };

// Data by MIME type ("text/plain", "text/html", "image/png", …); text is UTF-8. Empty: nothing is on the clipboard.
using ClipboardContent = std::map<std::string, std::string>;

struct ClipboardRead {
  ClipboardContent content;
  std::string problem;  // empty: all that could be read is there
};

// Asks the program that owns a clipboard. Used by one thread.
class SelectionReader {
 public:
  explicit SelectionReader(const std::string& display);
  ~SelectionReader();
  SelectionReader(const SelectionReader&) = delete;
  SelectionReader& operator=(const SelectionReader&) = delete;

  bool has_owner(Selection selection);
  // In one of the types asked for, the first that the owner offers; one value in `content` or none.
  ClipboardRead read_first(Selection selection, const std::vector<std::string>& types, std::stop_token stop = {});
  // In every type that we know how to give back.
  ClipboardRead read_all(Selection selection, std::stop_token stop = {});

 private:
  enum class Outcome { Ok, NotOffered, NoAnswer, TooLarge, Stopped };
  std::vector<std::string> offered(Selection selection, std::stop_token stop, Outcome& outcome);
  Outcome convert(Selection selection, std::string_view target, std::string& data, std::stop_token stop);
  Outcome receive_in_parts(std::string& data, std::stop_token stop);
  bool take_property(std::string& data, xcb_atom_t& type, bool& is_too_large);
  capture::XReply<xcb_generic_event_t> next_event(std::chrono::steady_clock::time_point deadline, std::stop_token stop);
  std::string problem_of(Outcome outcome, Selection selection) const;

  std::shared_ptr<capture::X11Connection> connection_;
  X11Atoms atoms_;
  xcb_window_t window_;
};

// Owns clipboards and answers those who paste, on a thread of its own, until somebody else copies something. What it
// holds ends with it. Any thread.
class SelectionOwner {
 public:
  explicit SelectionOwner(const std::string& display);
  ~SelectionOwner();
  SelectionOwner(const SelectionOwner&) = delete;
  SelectionOwner& operator=(const SelectionOwner&) = delete;

  // False: another program took the clipboard in the same moment. Empty content clears it.
  bool own(Selection selection, ClipboardContent content);
  bool owns(Selection selection) const;
  // How often the clipboard changed hands since this object exists.
  std::uint64_t n_changes(Selection selection) const;

 private:
  // A large answer on its way in parts, each sent when the last has been taken.
  struct Transfer {
    xcb_window_t requestor;
    xcb_atom_t property, type;
    std::shared_ptr<const std::string> data;
    size_t n_sent;
    std::chrono::steady_clock::time_point last_progress;
  };
  struct Held {
    std::map<std::string, std::shared_ptr<const std::string>> data;  // by target
    xcb_timestamp_t since = XCB_CURRENT_TIME;
  };

  void serve();
  void answer(const xcb_selection_request_event_t& request);
  bool put_answer(const xcb_selection_request_event_t& request, xcb_atom_t property);
  void send_next_part(const xcb_property_notify_event_t& event);
  void count_change(xcb_atom_t selection);
  std::optional<xcb_timestamp_t> server_time();
  xcb_atom_t atom_of(Selection selection);
  std::optional<Selection> selection_of(xcb_atom_t atom);

  std::shared_ptr<capture::X11Connection> connection_;
  X11Atoms atoms_;
  xcb_window_t window_;
  size_t part_bytes_;
  mutable std::mutex mutex_;
  std::map<Selection, Held> held_;
  std::map<Selection, std::uint64_t> n_changes_;
  std::vector<Transfer> transfers_;  // the serving thread's own
  std::thread thread_;
};

// Both halves for one desktop. Used by one thread.
class Clipboard {
 public:
  // Empty: the display that DISPLAY names. Throws capture::Error that says why it can't be reached.
  explicit Clipboard(const std::string& display = "") : reader_(display), owner_(display) {}

  // The text, whatever encoding its owner has; in `content` under "text/plain".
  ClipboardRead read_text(Selection selection, std::stop_token stop = {});
  // All that `write` could put back.
  ClipboardRead read_all(Selection selection, std::stop_token stop = {}) {
    return reader_.read_all(selection, std::move(stop));
  }
  // False: another program took the clipboard in the same moment. Empty content clears it.
  bool write(Selection selection, ClipboardContent content) { return owner_.own(selection, std::move(content)); }
  bool owns(Selection selection) const { return owner_.owns(selection); }
  std::uint64_t n_changes(Selection selection) const { return owner_.n_changes(selection); }

 private:
  SelectionReader reader_;
  SelectionOwner owner_;
};

}  // namespace tools
