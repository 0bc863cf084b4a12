// The owning half of clipboard.h: answers SelectionRequest events as ICCCM 2.2 wants it, much data in parts (INCR).

#include <xcb/xfixes.h>

#include <algorithm>

#include "capture/error.h"
#include "tools/clipboard.h"

namespace tools {
namespace {

using capture::XReply;
using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr size_t kLargestPartBytes = 256U << 10;
constexpr auto kTransferLimit = 30s;  // a program that stopped taking parts for this long is given up

std::optional<std::string> to_latin1(const std::string& utf8) {
  std::string text;
  for (size_t i = 0; i < utf8.size(); ++i) {
    const auto c = static_cast<unsigned char>(utf8[i]);
    if (c < 0x80) {
      text.push_back(utf8[i]);
    } else if ((c == 0xc2 || c == 0xc3) && i + 1 < utf8.size()) {
      text.push_back(static_cast<char>(((c & 0x03) << 6) | (static_cast<unsigned char>(utf8[++i]) & 0x3f)));
    } else {
      return std::nullopt;
    }
  }
  return text;
}

}  // namespace

SelectionOwner::SelectionOwner(const std::string& display)
    : connection_(capture::X11Connection::open(display)), atoms_(connection_) {
  connection_->require(&xcb_xfixes_id, "XFIXES", "watching the clipboard");
  xcb_connection_t* c = connection_->get();
  const XReply<xcb_xfixes_query_version_reply_t> version(
      xcb_xfixes_query_version_reply(c, xcb_xfixes_query_version(c, 5, 0), nullptr));
  window_ = xcb_generate_id(c);
  const uint32_t events = XCB_EVENT_MASK_PROPERTY_CHANGE;
  xcb_create_window(c, XCB_COPY_FROM_PARENT, window_, connection_->root(), -10, -10, 1, 1, 0,
                    XCB_WINDOW_CLASS_INPUT_ONLY, XCB_COPY_FROM_PARENT, XCB_CW_EVENT_MASK, &events);
  for (const Selection selection : {Selection::Clipboard, Selection::Primary})
    xcb_xfixes_select_selection_input(c, window_, atom_of(selection),
                                      XCB_XFIXES_SELECTION_EVENT_MASK_SET_SELECTION_OWNER);
  part_bytes_ = std::min<size_t>(kLargestPartBytes, size_t{xcb_get_maximum_request_length(c)} * 4 - 256);
  xcb_flush(c);
  thread_ = std::thread([this] { serve(); });
}

SelectionOwner::~SelectionOwner() {
  xcb_client_message_event_t end = {};
  end.response_type = XCB_CLIENT_MESSAGE;
  end.format = 32;
  end.window = window_;
  end.type = atoms_["DESKHAND_END"];
  xcb_send_event(connection_->get(), 0, window_, 0, reinterpret_cast<const char*>(&end));
  xcb_flush(connection_->get());
  thread_.join();
}

xcb_atom_t SelectionOwner::atom_of(Selection selection) {
  return atoms_[selection == Selection::Clipboard ? "CLIPBOARD" : "PRIMARY"];
}

std::optional<Selection> SelectionOwner::selection_of(xcb_atom_t atom) {
  for (const Selection selection : {Selection::Clipboard, Selection::Primary})
    if (atom == atom_of(selection)) return selection;
  return std::nullopt;
}

// A timestamp of the server's own, as ICCCM asks for: the time of a change of a property made for the purpose.
std::optional<xcb_timestamp_t> SelectionOwner::server_time() {
  const auto probe = capture::X11Connection::open(connection_->display());
  xcb_connection_t* c = probe->get();
  const xcb_window_t window = xcb_generate_id(c);
  const uint32_t events = XCB_EVENT_MASK_PROPERTY_CHANGE;
  xcb_create_window(c, XCB_COPY_FROM_PARENT, window, probe->root(), -10, -10, 1, 1, 0, XCB_WINDOW_CLASS_INPUT_ONLY,
                    XCB_COPY_FROM_PARENT, XCB_CW_EVENT_MASK, &events);
  xcb_change_property(c, XCB_PROP_MODE_APPEND, window, XCB_ATOM_WM_NAME, XCB_ATOM_STRING, 8, 0, nullptr);
  xcb_flush(c);
  while (const XReply<xcb_generic_event_t> event{xcb_wait_for_event(c)})
    if ((event->response_type & 0x7f) == XCB_PROPERTY_NOTIFY)
      return reinterpret_cast<const xcb_property_notify_event_t&>(*event).time;
  return std::nullopt;
}

bool SelectionOwner::own(Selection selection, ClipboardContent content) {
  xcb_connection_t* c = connection_->get();
  const std::optional<xcb_timestamp_t> now = server_time();
  if (!now) return false;
  Held held{.data = {}, .since = *now};
  for (auto& [type, data] : content) {
    if (type == "text/plain") {
      if (const std::optional<std::string> latin1 = to_latin1(data))
        held.data["STRING"] = std::make_shared<const std::string>(*latin1);
      const auto text = std::make_shared<const std::string>(std::move(data));
      for (const char* target : {"UTF8_STRING", "text/plain;charset=utf-8", "text/plain", "TEXT"})
        held.data[target] = text;
    } else {
      held.data[type] = std::make_shared<const std::string>(std::move(data));
    }
  }
  const xcb_window_t owner = held.data.empty() ? static_cast<xcb_window_t>(XCB_WINDOW_NONE) : window_;
  {
    const std::lock_guard lock(mutex_);
    held_[selection] = std::move(held);
  }
  xcb_set_selection_owner(c, owner, atom_of(selection), *now);
  const XReply<xcb_get_selection_owner_reply_t> reply(
      xcb_get_selection_owner_reply(c, xcb_get_selection_owner(c, atom_of(selection)), nullptr));
  return reply && reply->owner == owner;
}

bool SelectionOwner::owns(Selection selection) const {
  const std::lock_guard lock(mutex_);
  const auto held = held_.find(selection);
  return held != held_.end() && !held->second.data.empty();
}

std::uint64_t SelectionOwner::n_changes(Selection selection) const {
  // What happened before this call has been told before the answer to this question.
  const XReply<xcb_get_input_focus_reply_t> fence(
      xcb_get_input_focus_reply(connection_->get(), xcb_get_input_focus(connection_->get()), nullptr));
  const std::lock_guard lock(mutex_);
  const auto found = n_changes_.find(selection);
  return found == n_changes_.end() ? 0 : found->second;
}

void SelectionOwner::serve() {
  xcb_connection_t* c = connection_->get();
  const uint8_t selection_changed =
      static_cast<uint8_t>(xcb_get_extension_data(c, &xcb_xfixes_id)->first_event + XCB_XFIXES_SELECTION_NOTIFY);
  const xcb_atom_t end = atoms_["DESKHAND_END"];
  while (const XReply<xcb_generic_event_t> event{xcb_wait_for_event(c)}) {
    const uint8_t type = event->response_type & 0x7f;
    if (type == XCB_SELECTION_REQUEST) {
      answer(reinterpret_cast<const xcb_selection_request_event_t&>(*event));
    } else if (type == XCB_PROPERTY_NOTIFY) {
      send_next_part(reinterpret_cast<const xcb_property_notify_event_t&>(*event));
    } else if (type == XCB_SELECTION_CLEAR) {
      const auto& cleared = reinterpret_cast<const xcb_selection_clear_event_t&>(*event);
      const std::lock_guard lock(mutex_);
      const std::optional<Selection> selection = selection_of(cleared.selection);
      // Older than what we hold: our own newer claim crossed it.
      if (selection && held_[*selection].since <= cleared.time) held_[*selection] = {};
    } else if (type == selection_changed) {
      count_change(reinterpret_cast<const xcb_xfixes_selection_notify_event_t&>(*event).selection);
    } else if (type == XCB_CLIENT_MESSAGE && reinterpret_cast<const xcb_client_message_event_t&>(*event).type == end) {
      return;
    }  // errors too come as events: a requestor that has vanished needs no answer
  }
}

void SelectionOwner::count_change(xcb_atom_t atom) {
  const std::optional<Selection> selection = selection_of(atom);
  const std::lock_guard lock(mutex_);
  if (selection) ++n_changes_[*selection];
}

void SelectionOwner::answer(const xcb_selection_request_event_t& request) {
  xcb_connection_t* c = connection_->get();
  // Clients older than ICCCM name no property and mean the target.
  const xcb_atom_t property = request.property == XCB_ATOM_NONE ? request.target : request.property;
  xcb_selection_notify_event_t notify = {};
  notify.response_type = XCB_SELECTION_NOTIFY;
  notify.time = request.time;
  notify.requestor = request.requestor;
  notify.selection = request.selection;
  notify.target = request.target;
  notify.property = put_answer(request, property) ? property : static_cast<xcb_atom_t>(XCB_ATOM_NONE);
  xcb_send_event(c, 0, request.requestor, 0, reinterpret_cast<const char*>(&notify));
  xcb_flush(c);
}

bool SelectionOwner::put_answer(const xcb_selection_request_event_t& request, xcb_atom_t property) {
  xcb_connection_t* c = connection_->get();
  const std::optional<Selection> selection = selection_of(request.selection);
  if (!selection) return false;
  Held held;
  {
    const std::lock_guard lock(mutex_);
    held = held_[*selection];
  }
  if (held.data.empty()) return false;
  if (request.target == atoms_["TARGETS"]) {
    std::vector<xcb_atom_t> targets = {atoms_["TARGETS"], atoms_["TIMESTAMP"]};
    for (const auto& [target, data] : held.data) targets.push_back(atoms_[target]);
    xcb_change_property(c, XCB_PROP_MODE_REPLACE, request.requestor, property, XCB_ATOM_ATOM, 32,
                        static_cast<uint32_t>(targets.size()), targets.data());
    return true;
  }
  if (request.target == atoms_["TIMESTAMP"]) {
    xcb_change_property(c, XCB_PROP_MODE_REPLACE, request.requestor, property, XCB_ATOM_INTEGER, 32, 1, &held.since);
    return true;
  }
  const auto found = held.data.find(atoms_.name_of(request.target));
  if (found == held.data.end()) return false;
  const std::shared_ptr<const std::string>& data = found->second;
  // TEXT means: in an encoding of your choice, named by the type.
  const xcb_atom_t type = request.target == atoms_["TEXT"] ? atoms_["UTF8_STRING"] : request.target;
  if (data->size() <= part_bytes_) {
    xcb_change_property(c, XCB_PROP_MODE_REPLACE, request.requestor, property, type, 8,
                        static_cast<uint32_t>(data->size()), data->data());
    return true;
  }
  const auto total = static_cast<uint32_t>(data->size());
  const uint32_t events = XCB_EVENT_MASK_PROPERTY_CHANGE;
  xcb_change_window_attributes(c, request.requestor, XCB_CW_EVENT_MASK, &events);
  xcb_change_property(c, XCB_PROP_MODE_REPLACE, request.requestor, property, atoms_["INCR"], 32, 1, &total);
  const auto now = Clock::now();
  // A program that asks again for the same place has given up what it asked for before.
  std::erase_if(transfers_, [&](const Transfer& transfer) {
    return now - transfer.last_progress > kTransferLimit ||
           (transfer.requestor == request.requestor && transfer.property == property);
  });
  transfers_.push_back({request.requestor, property, type, data, 0, now});
  return true;
}

void SelectionOwner::send_next_part(const xcb_property_notify_event_t& event) {
  if (event.state != XCB_PROPERTY_DELETE) return;
  const auto transfer = std::find_if(transfers_.begin(), transfers_.end(), [&](const Transfer& candidate) {
    return candidate.requestor == event.window && candidate.property == event.atom;
  });
  if (transfer == transfers_.end()) return;
  xcb_connection_t* c = connection_->get();
  const size_t n_bytes = std::min(part_bytes_, transfer->data->size() - transfer->n_sent);
  xcb_change_property(c, XCB_PROP_MODE_REPLACE, transfer->requestor, transfer->property, transfer->type, 8,
                      static_cast<uint32_t>(n_bytes), transfer->data->data() + transfer->n_sent);
  transfer->n_sent += n_bytes;
  transfer->last_progress = Clock::now();
  if (n_bytes == 0) {  // the empty part that ends it
    const uint32_t none = 0;
    xcb_change_window_attributes(c, transfer->requestor, XCB_CW_EVENT_MASK, &none);
    transfers_.erase(transfer);
  }
  xcb_flush(c);
}

}  // namespace tools
