#include "tools/windows.h"

#include <poll.h>
#include <unistd.h>
#include <xcb/res.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>

#include "capture/error.h"
#include "tools/ascii.h"

namespace tools {
namespace {

using capture::XReply;
using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr auto kRecheck = 40ms;  // for what no event tells
constexpr auto kRest = 70ms;     // a window that kept its place for this long stays there
constexpr uint32_t kMaxPropertyWords = 1 << 16;

// One window's questions, asked together so that a list costs one round trip and not ten per window.
struct Questions {
  xcb_get_geometry_cookie_t geometry;
  xcb_translate_coordinates_cookie_t origin;
  xcb_get_window_attributes_cookie_t attributes;
  xcb_get_property_cookie_t title, visible_title, old_title, wm_class, type, claimed_pid, extents, shadow, desktop,
      owner, states;
  xcb_res_query_client_ids_cookie_t pid;
};

xcb_get_property_cookie_t ask(xcb_connection_t* c, WindowId id, xcb_atom_t property) {
  return xcb_get_property(c, 0, id, property, XCB_GET_PROPERTY_TYPE_ANY, 0, kMaxPropertyWords);
}

PropertyReply answer(xcb_connection_t* c, xcb_get_property_cookie_t cookie) {
  return PropertyReply(xcb_get_property_reply(c, cookie, nullptr));
}

pid_t pid_by_server(xcb_connection_t* c, xcb_res_query_client_ids_cookie_t cookie) {
  const XReply<xcb_res_query_client_ids_reply_t> reply(xcb_res_query_client_ids_reply(c, cookie, nullptr));
  if (!reply) return 0;
  for (auto ids = xcb_res_query_client_ids_ids_iterator(reply.get()); ids.rem > 0; xcb_res_client_id_value_next(&ids))
    if ((ids.data->spec.mask & XCB_RES_CLIENT_ID_MASK_LOCAL_CLIENT_PID) != 0 && ids.data->length >= 4)
      return static_cast<pid_t>(*xcb_res_client_id_value_value(ids.data));
  return 0;
}

// The program's file name; "comm" cuts names after 15 characters, so it comes second.
std::string name_of_process(pid_t pid) {
  if (pid <= 0) return "";
  const std::string proc = "/proc/" + std::to_string(pid);
  std::error_code error;
  const std::filesystem::path program = std::filesystem::read_symlink(proc + "/exe", error);
  if (!error) return program.filename();
  std::ifstream in(proc + "/comm");
  std::string name;
  std::getline(in, name);
  return name;
}

// "_NET_WM_WINDOW_TYPE_DIALOG" → "dialog"
std::string last_words(const std::string& atom_name, std::string_view prefix) {
  if (!atom_name.starts_with(prefix)) return "";
  return ascii_lower(atom_name.substr(prefix.size()));
}

bool same(const Rect& a, const Rect& b) {
  return a.x == b.x && a.y == b.y && a.width == b.width && a.height == b.height;
}

Rect grown(const Rect& rect, const std::vector<uint32_t>& extents, int sign) {  // extents: left, right, top, bottom
  if (extents.size() < 4) return rect;
  const int left = sign * static_cast<int>(extents[0]), right = sign * static_cast<int>(extents[1]);
  const int top = sign * static_cast<int>(extents[2]), bottom = sign * static_cast<int>(extents[3]);
  return {rect.x - left, rect.y - top, rect.width + left + right, rect.height + top + bottom};
}

std::vector<std::string> state_names(const std::vector<uint32_t>& atoms, X11Atoms& names) {
  std::vector<std::string> states;
  for (const uint32_t atom : atoms) {
    const std::string word = last_words(names.name_of(atom), "_NET_WM_STATE_");
    if (word == "hidden") {
      states.emplace_back("minimized");
    } else if (word == "maximized_vert" || word == "maximized_horz") {
      states.push_back(word);
    } else if (word == "demands_attention") {
      states.emplace_back("attention");
    } else if (!word.empty() && word != "focused") {
      states.push_back(word);
    }
  }
  const auto has = [&](const char* state) { return std::find(states.begin(), states.end(), state) != states.end(); };
  if (has("maximized_vert") && has("maximized_horz")) {
    std::erase_if(states, [](const std::string& state) { return state.starts_with("maximized_"); });
    states.emplace_back("maximized");
  }
  return states;
}

Questions ask_about(xcb_connection_t* c, X11Atoms& atoms, WindowId id, WindowId root, bool server_knows_pids) {
  const auto property = [&](const char* name) { return ask(c, id, atoms[name]); };
  const xcb_res_client_id_spec_t spec{id, XCB_RES_CLIENT_ID_MASK_LOCAL_CLIENT_PID};
  return {.geometry = xcb_get_geometry(c, id),
          .origin = xcb_translate_coordinates(c, id, root, 0, 0),
          .attributes = xcb_get_window_attributes(c, id),
          .title = property("_NET_WM_NAME"),
          .visible_title = property("_NET_WM_VISIBLE_NAME"),
          .old_title = property("WM_NAME"),
          .wm_class = property("WM_CLASS"),
          .type = property("_NET_WM_WINDOW_TYPE"),
          .claimed_pid = property("_NET_WM_PID"),
          .extents = property("_NET_FRAME_EXTENTS"),
          .shadow = property("_GTK_FRAME_EXTENTS"),
          .desktop = property("_NET_WM_DESKTOP"),
          .owner = property("WM_TRANSIENT_FOR"),
          .states = property("_NET_WM_STATE"),
          .pid = server_knows_pids ? xcb_res_query_client_ids(c, 1, &spec) : xcb_res_query_client_ids_cookie_t{}};
}

// WM_NAME in Latin-1 is the oldest way; where it is compound text, the window manager's own reading comes first.
std::string title_of(xcb_connection_t* c, const Questions& q, X11Atoms& atoms) {
  const std::string title = property_text(answer(c, q.title));
  const std::string visible = property_text(answer(c, q.visible_title));
  const PropertyReply old = answer(c, q.old_title);
  if (!title.empty()) return title;
  if (!visible.empty()) return visible;
  return old && old->type == atoms["UTF8_STRING"] ? property_text(old) : latin1_to_utf8(property_text(old));
}

// Takes every answer, so that none is left waiting in the connection. None: the window has vanished.
std::optional<Window> answered(xcb_connection_t* c, const Questions& q, X11Atoms& atoms, bool server_knows_pids) {
  const XReply<xcb_get_geometry_reply_t> geometry(xcb_get_geometry_reply(c, q.geometry, nullptr));
  const XReply<xcb_translate_coordinates_reply_t> origin(xcb_translate_coordinates_reply(c, q.origin, nullptr));
  const XReply<xcb_get_window_attributes_reply_t> attributes(xcb_get_window_attributes_reply(c, q.attributes, nullptr));
  Window window;
  window.title = title_of(c, q, atoms);
  const std::string wm_class = property_text(answer(c, q.wm_class));  // instance NUL class NUL
  const std::vector<uint32_t> type = property_numbers(answer(c, q.type));
  const std::vector<uint32_t> claimed_pid = property_numbers(answer(c, q.claimed_pid));
  const std::vector<uint32_t> extents = property_numbers(answer(c, q.extents));
  const std::vector<uint32_t> shadow = property_numbers(answer(c, q.shadow));
  const std::vector<uint32_t> desktop = property_numbers(answer(c, q.desktop));
  const std::vector<uint32_t> owner = property_numbers(answer(c, q.owner));
  const std::vector<uint32_t> states = property_numbers(answer(c, q.states));
  if (server_knows_pids) window.pid = pid_by_server(c, q.pid);
  if (!geometry || !origin || !attributes) return std::nullopt;
  if (const size_t end = wm_class.find('\0'); end != std::string::npos)
    window.class_name = wm_class.substr(end + 1, wm_class.find('\0', end + 1) - end - 1);
  if (window.pid == 0 && !claimed_pid.empty()) window.pid = static_cast<pid_t>(claimed_pid[0]);
  window.process_name = name_of_process(window.pid);
  if (!type.empty()) window.type = last_words(atoms.name_of(type[0]), "_NET_WM_WINDOW_TYPE_");
  window.client = {origin->dst_x, origin->dst_y, geometry->width, geometry->height};
  window.frame = grown(grown(window.client, extents, +1), shadow, -1);
  if (!desktop.empty()) window.desktop = static_cast<int>(desktop[0]);
  if (!owner.empty()) window.parent = owner[0];
  window.states = state_names(states, atoms);
  window.is_managed = attributes->override_redirect == 0;
  window.is_mapped = attributes->map_state == XCB_MAP_STATE_VIEWABLE;
  return window;
}

}  // namespace

bool Window::has_state(std::string_view state) const {
  return std::find(states.begin(), states.end(), state) != states.end();
}

Windows::Windows(std::shared_ptr<capture::X11Connection> connection)
    : connection_(std::move(connection)), atoms_(std::make_shared<X11Atoms>(connection_)) {
  const uint32_t events = XCB_EVENT_MASK_PROPERTY_CHANGE | XCB_EVENT_MASK_SUBSTRUCTURE_NOTIFY;
  xcb_change_window_attributes(connection_->get(), connection_->root(), XCB_CW_EVENT_MASK, &events);
}

Windows Windows::open(const std::string& display) {
  return Windows(capture::X11Connection::open(display));
}

bool Windows::has_window_manager() const {
  xcb_connection_t* c = connection_->get();
  X11Atoms& atoms = *atoms_;
  const xcb_atom_t check = atoms["_NET_SUPPORTING_WM_CHECK"];
  const std::vector<uint32_t> window = property_numbers(answer(c, ask(c, connection_->root(), check)));
  // A window manager that died leaves the property behind; only its living window confirms it.
  return !window.empty() && property_numbers(answer(c, ask(c, window[0], check))) == window;
}

std::vector<WindowId> Windows::managed_ids() const {
  xcb_connection_t* c = connection_->get();
  X11Atoms& atoms = *atoms_;
  if (has_window_manager())
    return property_numbers(answer(c, ask(c, connection_->root(), atoms["_NET_CLIENT_LIST_STACKING"])));
  const XReply<xcb_query_tree_reply_t> tree(xcb_query_tree_reply(c, xcb_query_tree(c, connection_->root()), nullptr));
  if (!tree) return {};
  const xcb_window_t* children = xcb_query_tree_children(tree.get());
  std::vector<WindowId> ids;
  for (int i = 0; i < xcb_query_tree_children_length(tree.get()); ++i) {
    const XReply<xcb_get_window_attributes_reply_t> attributes(
        xcb_get_window_attributes_reply(c, xcb_get_window_attributes(c, children[i]), nullptr));
    if (attributes && attributes->map_state == XCB_MAP_STATE_VIEWABLE && attributes->override_redirect == 0 &&
        attributes->_class == XCB_WINDOW_CLASS_INPUT_OUTPUT)
      ids.push_back(children[i]);
  }
  return ids;
}

std::vector<Window> Windows::describe(const std::vector<WindowId>& ids) const {
  xcb_connection_t* c = connection_->get();
  const bool server_knows_pids = connection_->has(&xcb_res_id);
  std::vector<Questions> asked;
  for (const WindowId id : ids) asked.push_back(ask_about(c, *atoms_, id, connection_->root(), server_knows_pids));
  const xcb_atom_t active_property = (*atoms_)["_NET_ACTIVE_WINDOW"];
  const std::vector<uint32_t> active = property_numbers(answer(c, ask(c, connection_->root(), active_property)));
  std::vector<Window> windows;
  for (size_t i = 0; i < ids.size(); ++i) {
    std::optional<Window> window = answered(c, asked[i], *atoms_, server_knows_pids);
    if (!window) continue;
    window->id = ids[i];
    window->is_active = !active.empty() && active[0] == ids[i];
    windows.push_back(std::move(*window));
  }
  return windows;
}

std::vector<Window> Windows::list() const {
  std::vector<WindowId> ids = managed_ids();
  std::reverse(ids.begin(), ids.end());
  return describe(ids);
}

std::optional<Window> Windows::find(WindowId id) const {
  std::vector<Window> found = describe({id});
  if (found.empty()) return std::nullopt;
  return std::move(found[0]);
}

std::optional<Window> Windows::active() const {
  xcb_connection_t* c = connection_->get();
  const std::vector<uint32_t> id =
      property_numbers(answer(c, ask(c, connection_->root(), (*atoms_)["_NET_ACTIVE_WINDOW"])));
  return id.empty() || id[0] == 0 ? std::nullopt : find(id[0]);
}

std::optional<Window> Windows::at(int x_pt, int y_pt) const {
  xcb_connection_t* c = connection_->get();
  const std::vector<WindowId> managed = managed_ids();
  const std::set<WindowId> known(managed.begin(), managed.end());
  // Down from the root to the managed window, which lies inside its frame; a popup is a child of the root itself.
  WindowId outermost = XCB_WINDOW_NONE;
  for (WindowId window = connection_->root();;) {
    const XReply<xcb_translate_coordinates_reply_t> reply(xcb_translate_coordinates_reply(
        c,
        xcb_translate_coordinates(c, connection_->root(), window, static_cast<int16_t>(x_pt),
                                  static_cast<int16_t>(y_pt)),
        nullptr));
    if (!reply || reply->child == XCB_WINDOW_NONE) break;
    window = reply->child;
    if (outermost == XCB_WINDOW_NONE) outermost = window;
    if (known.contains(window)) return find(window);
  }
  if (outermost == XCB_WINDOW_NONE) return std::nullopt;
  // On the decoration, beside the client: the frame's child that is managed.
  const XReply<xcb_query_tree_reply_t> tree(xcb_query_tree_reply(c, xcb_query_tree(c, outermost), nullptr));
  for (int i = 0; tree && i < xcb_query_tree_children_length(tree.get()); ++i)
    if (known.contains(xcb_query_tree_children(tree.get())[i])) return find(xcb_query_tree_children(tree.get())[i]);
  return find(outermost);
}

bool Windows::wait_until(const std::function<bool()>& condition, std::chrono::milliseconds limit,
                         std::stop_token stop) const {
  const auto deadline = Clock::now() + limit;
  while (!condition()) {
    if (stop.stop_requested() || Clock::now() >= deadline || !connection_->is_alive()) return false;
    pollfd readable{xcb_get_file_descriptor(connection_->get()), POLLIN, 0};
    poll(&readable, 1, static_cast<int>(kRecheck.count()));
    while (const XReply<xcb_generic_event_t> event{xcb_poll_for_event(connection_->get())}) {
    }
  }
  return true;
}

std::optional<Window> Windows::wait_for(const std::function<bool(const Window&)>& fits, std::chrono::milliseconds limit,
                                        std::stop_token stop) const {
  std::optional<Window> last;
  auto at_rest_since = Clock::now();
  const auto is_at_rest = [&] {
    std::optional<Window> found;
    for (Window& window : describe(managed_ids()))
      if (window.is_mapped && fits(window)) found = std::move(window);  // the topmost wins: it comes last
    if (!found || !last || found->id != last->id || !same(found->frame, last->frame) ||
        !same(found->client, last->client))
      at_rest_since = Clock::now();
    last = std::move(found);
    return last.has_value() && Clock::now() - at_rest_since >= kRest;
  };
  if (!wait_until(is_at_rest, limit, std::move(stop))) return std::nullopt;
  return last;
}

bool belongs_to_session(const Window& window, pid_t session) {
  return window.pid > 0 && (window.pid == session || getsid(window.pid) == session);
}

std::optional<std::string> protection_of(const Window& window) {
  static constexpr std::string_view kProtected[] = {"xdg-desktop-portal", "polkit",       "lxpolkit", "gcr-prompter",
                                                    "gnome-keyring",      "kwallet",      "ksecretd", "pinentry",
                                                    "ssh-askpass",        "kscreenlocker"};
  const std::string class_name = ascii_lower(window.class_name);
  // The class too: some agents are scripts, and those of other machines have no process here.
  for (const std::string& name : {window.process_name, class_name})
    for (const std::string_view part : kProtected)
      if (name.find(part) != std::string::npos)
        return "\"" + window.title + "\" belongs to " + name + ", whose questions only the user may answer";
  if (window.pid == getpid()) return "\"" + window.title + "\" is Deskhand's own window, which only the user may work";
  return std::nullopt;
}

}  // namespace tools
