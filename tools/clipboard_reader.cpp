// The asking half of clipboard.h: ConvertSelection, then the answer in one property or, for much data, in parts (INCR).

#include <poll.h>

#include <algorithm>

#include "tools/clipboard.h"

namespace tools {
namespace {

using capture::XReply;
using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr auto kAnswerLimit = 3s;  // for the answer, and again for each part of it
constexpr size_t kMaxBytes = 256U << 20;
constexpr uint32_t kWordsPerRead = 1U << 18;
constexpr auto kStopCheck = 50ms;

// Types that are data and can be held and given back later. Text comes under "text/plain".
constexpr std::string_view kKnownTypes[] = {"text/html",  "text/uri-list",
                                            "text/rtf",   "image/png",
                                            "image/jpeg", "x-special/gnome-copied-files",
                                            "image/bmp",  "application/x-kde-cutselection"};
constexpr std::string_view kTextTargets[] = {"UTF8_STRING", "text/plain;charset=utf-8", "text/plain", "STRING"};

bool contains(const std::vector<std::string>& values, std::string_view value) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

}  // namespace

SelectionReader::SelectionReader(const std::string& display)
    : connection_(capture::X11Connection::open(display)), atoms_(connection_) {
  xcb_connection_t* c = connection_->get();
  window_ = xcb_generate_id(c);
  const uint32_t events = XCB_EVENT_MASK_PROPERTY_CHANGE;
  xcb_create_window(c, XCB_COPY_FROM_PARENT, window_, connection_->root(), -10, -10, 1, 1, 0,
                    XCB_WINDOW_CLASS_INPUT_ONLY, XCB_COPY_FROM_PARENT, XCB_CW_EVENT_MASK, &events);
}

SelectionReader::~SelectionReader() {
  xcb_destroy_window(connection_->get(), window_);
}

bool SelectionReader::has_owner(Selection selection) {
  xcb_connection_t* c = connection_->get();
  const xcb_atom_t name = atoms_[selection == Selection::Clipboard ? "CLIPBOARD" : "PRIMARY"];
  const XReply<xcb_get_selection_owner_reply_t> reply(
      xcb_get_selection_owner_reply(c, xcb_get_selection_owner(c, name), nullptr));
  return reply && reply->owner != XCB_WINDOW_NONE;
}

XReply<xcb_generic_event_t> SelectionReader::next_event(Clock::time_point deadline, std::stop_token stop) {
  xcb_connection_t* c = connection_->get();
  xcb_flush(c);
  while (connection_->is_alive() && !stop.stop_requested()) {
    if (XReply<xcb_generic_event_t> event{xcb_poll_for_event(c)}) return event;
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
    if (left <= 0ms) break;
    pollfd readable{xcb_get_file_descriptor(c), POLLIN, 0};
    poll(&readable, 1, static_cast<int>(std::min<std::chrono::milliseconds>(left, kStopCheck).count()));
  }
  return nullptr;
}

// Appends what lies in our property to `data` and deletes it, which tells the owner to go on.
bool SelectionReader::take_property(std::string& data, xcb_atom_t& type, bool& is_too_large) {
  xcb_connection_t* c = connection_->get();
  const xcb_atom_t property = atoms_["DESKHAND_SELECTION"];
  type = XCB_ATOM_NONE;
  for (uint32_t offset = 0;;) {
    const PropertyReply reply(xcb_get_property_reply(
        c, xcb_get_property(c, 0, window_, property, XCB_GET_PROPERTY_TYPE_ANY, offset, kWordsPerRead), nullptr));
    if (!reply) return false;
    type = reply->type;
    const auto n_bytes = static_cast<size_t>(xcb_get_property_value_length(reply.get()));
    is_too_large = data.size() + n_bytes + reply->bytes_after > kMaxBytes;
    if (!is_too_large) data.append(static_cast<const char*>(xcb_get_property_value(reply.get())), n_bytes);
    if (reply->bytes_after == 0 || is_too_large) break;
    offset += static_cast<uint32_t>(n_bytes / 4);
  }
  xcb_delete_property(c, window_, property);
  return true;
}

SelectionReader::Outcome SelectionReader::receive_in_parts(std::string& data, std::stop_token stop) {
  const xcb_atom_t property = atoms_["DESKHAND_SELECTION"];
  auto deadline = Clock::now() + kAnswerLimit;
  while (const auto event = next_event(deadline, stop)) {
    if ((event->response_type & 0x7f) != XCB_PROPERTY_NOTIFY) continue;
    const auto& changed = reinterpret_cast<const xcb_property_notify_event_t&>(*event);
    if (changed.atom != property || changed.state != XCB_PROPERTY_NEW_VALUE) continue;
    const size_t n_before = data.size();
    xcb_atom_t type = XCB_ATOM_NONE;
    bool is_too_large = false;
    if (!take_property(data, type, is_too_large)) return Outcome::NoAnswer;
    if (is_too_large) return Outcome::TooLarge;
    if (data.size() == n_before) return Outcome::Ok;  // an empty part is the end
    deadline = Clock::now() + kAnswerLimit;
  }
  return stop.stop_requested() ? Outcome::Stopped : Outcome::NoAnswer;
}

SelectionReader::Outcome SelectionReader::convert(Selection selection, std::string_view target, std::string& data,
                                                  std::stop_token stop) {
  xcb_connection_t* c = connection_->get();
  const xcb_atom_t name = atoms_[selection == Selection::Clipboard ? "CLIPBOARD" : "PRIMARY"];
  const xcb_atom_t property = atoms_["DESKHAND_SELECTION"], wanted = atoms_[target], in_parts = atoms_["INCR"];
  xcb_delete_property(c, window_, property);
  xcb_convert_selection(c, window_, name, wanted, property, XCB_CURRENT_TIME);
  const auto deadline = Clock::now() + kAnswerLimit;
  while (const auto event = next_event(deadline, stop)) {
    if ((event->response_type & 0x7f) != XCB_SELECTION_NOTIFY) continue;
    const auto& notified = reinterpret_cast<const xcb_selection_notify_event_t&>(*event);
    if (notified.selection != name || notified.target != wanted) continue;  // a late answer to an earlier question
    if (notified.property == XCB_ATOM_NONE) return Outcome::NotOffered;
    xcb_atom_t type = XCB_ATOM_NONE;
    bool is_too_large = false;
    data.clear();
    // Events before the deletion of the property speak of the answer itself, not of its parts.
    while (const XReply<xcb_generic_event_t> old{xcb_poll_for_queued_event(c)}) {
    }
    if (!take_property(data, type, is_too_large)) return Outcome::NoAnswer;
    if (is_too_large) return Outcome::TooLarge;
    if (type != in_parts) return type == XCB_ATOM_NONE ? Outcome::NotOffered : Outcome::Ok;
    data.clear();
    return receive_in_parts(data, stop);
  }
  return stop.stop_requested() ? Outcome::Stopped : Outcome::NoAnswer;
}

std::vector<std::string> SelectionReader::offered(Selection selection, std::stop_token stop, Outcome& outcome) {
  std::string data;
  outcome = convert(selection, "TARGETS", data, std::move(stop));
  std::vector<std::string> targets;
  for (size_t at = 0; outcome == Outcome::Ok && at + 4 <= data.size(); at += 4)
    targets.push_back(atoms_.name_of(*reinterpret_cast<const xcb_atom_t*>(data.data() + at)));
  return targets;
}

std::string SelectionReader::problem_of(Outcome outcome, Selection selection) const {
  const std::string name = selection == Selection::Clipboard ? "the clipboard" : "the primary selection";
  switch (outcome) {
    case Outcome::Ok:
      return "";
    case Outcome::NotOffered:
      return name + " holds nothing of that kind";
    case Outcome::NoAnswer:
      return "the program that owns " + name + " does not answer";
    case Outcome::TooLarge:
      return name + " holds more than " + std::to_string(kMaxBytes >> 20) + " MiB";
    case Outcome::Stopped:
      return "stopped while reading " + name;
  }
  return "";
}

ClipboardRead SelectionReader::read_first(Selection selection, const std::vector<std::string>& types,
                                          std::stop_token stop) {
  ClipboardRead result;
  if (!has_owner(selection)) {
    result.problem =
        std::string(selection == Selection::Clipboard ? "the clipboard" : "the primary selection") + " is empty";
    return result;
  }
  Outcome outcome = Outcome::Ok;
  const std::vector<std::string> targets = offered(selection, stop, outcome);
  if (outcome != Outcome::Ok && outcome != Outcome::NotOffered) {
    result.problem = problem_of(outcome, selection);
    return result;
  }
  outcome = Outcome::NotOffered;
  for (const std::string& type : types) {
    if (!contains(targets, type)) continue;
    std::string data;
    outcome = convert(selection, type, data, stop);
    if (outcome == Outcome::Ok) {
      result.content[type] = std::move(data);
      return result;
    }
  }
  result.problem = problem_of(outcome, selection);
  return result;
}

ClipboardRead SelectionReader::read_all(Selection selection, std::stop_token stop) {
  ClipboardRead result;
  if (!has_owner(selection)) return result;
  Outcome outcome = Outcome::Ok;
  const std::vector<std::string> targets = offered(selection, stop, outcome);
  if (outcome != Outcome::Ok) result.problem = problem_of(outcome, selection);
  for (const std::string_view target : kTextTargets) {
    std::string data;
    if (!contains(targets, target) || convert(selection, target, data, stop) != Outcome::Ok) continue;
    result.content["text/plain"] = target == "STRING" ? latin1_to_utf8(data) : data;
    break;
  }
  for (const std::string_view type : kKnownTypes) {
    std::string data;
    if (!contains(targets, type)) continue;
    if (convert(selection, type, data, stop) == Outcome::Ok) {
      result.content[std::string(type)] = std::move(data);
    } else {
      result.problem = "the part " + std::string(type) + " could not be read";
    }
  }
  if (result.content.empty() && result.problem.empty()) result.problem = problem_of(Outcome::NotOffered, selection);
  return result;
}

ClipboardRead Clipboard::read_text(Selection selection, std::stop_token stop) {
  const std::vector<std::string> targets(std::begin(kTextTargets), std::end(kTextTargets));
  ClipboardRead read = reader_.read_first(selection, targets, std::move(stop));
  if (read.content.empty()) return read;
  const auto& [target, data] = *read.content.begin();
  ClipboardRead text;
  text.content["text/plain"] = target == "STRING" ? latin1_to_utf8(data) : data;
  return text;
}

}  // namespace tools
