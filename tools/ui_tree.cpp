#include "tools/ui_tree.h"

#include <poll.h>

#include <algorithm>
#include <cmath>

#include "tools/accessibility_bus.h"
#include "tools/ui_names.h"
#include "tools/ui_reading.h"

namespace tools {
namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr char kText[] = "org.a11y.atspi.Text";
constexpr char kEditableText[] = "org.a11y.atspi.EditableText";
constexpr auto kRegistrationLimit = 600ms;  // a program that just opened its window may not be on the bus yet
constexpr auto kStableGap = 60ms;           // between two readings of a cold tree

// GTK 3 puts cells that are scrolled away at the smallest number that there is.
bool is_somewhere(const Extents& box) {
  constexpr int kFar = 1'000'000;
  return box.width > 0 && box.height > 0 && box.x > -kFar && box.y > -kFar && box.x < kFar && box.y < kFar;
}

bool is_near(int a, int b) {
  return std::abs(a - b) <= 3;
}

Rect intersection(const Rect& a, const Rect& b) {
  const int left = std::max(a.x, b.x), top = std::max(a.y, b.y);
  const int right = std::min(a.x + a.width, b.x + b.width), bottom = std::min(a.y + a.height, b.y + b.height);
  return {left, top, right > left ? right - left : 0, bottom > top ? bottom - top : 0};
}

// How a program's boxes become desktop points. GTK 3 leaves out the scale of the screen, GTK 4 the place of its window.
struct BoxCorrection {
  int scale = 1;
  int dx = 0, dy = 0;

  Rect apply(const Extents& box) const {
    return {box.x * scale + dx, box.y * scale + dy, box.width * scale, box.height * scale};
  }
};

BoxCorrection correction_for(const Extents& top, const Window& window) {
  BoxCorrection correction;
  for (const Rect& real : {window.client, window.frame})
    if (is_near(top.width, real.width) && is_near(top.x, real.x) && is_near(top.y, real.y)) return correction;
  for (const int scale : {2, 3})
    if (top.width > 0 && std::abs(top.width * scale - window.client.width) <= scale) correction.scale = scale;
  const auto origin_fits = [&](const Rect& real) {
    return std::abs(top.x * correction.scale - real.x) <= 3 * correction.scale &&
           std::abs(top.y * correction.scale - real.y) <= 3 * correction.scale;
  };
  if (origin_fits(window.client) || origin_fits(window.frame)) return correction;
  correction.dx = window.client.x - top.x * correction.scale;
  correction.dy = window.client.y - top.y * correction.scale;
  return correction;
}

// Indices of the nodes, each before its children and these in their order.
std::vector<size_t> reading_order(const std::vector<RawUiNode>& nodes) {
  std::vector<std::vector<size_t>> children(nodes.size());
  std::vector<size_t> order, open_nodes;
  for (size_t i = nodes.size(); i-- > 0;) {
    const int parent = nodes[i].parent;
    (parent < 0 ? open_nodes : children[static_cast<size_t>(parent)]).push_back(i);
  }
  while (!open_nodes.empty()) {
    const size_t node = open_nodes.back();
    open_nodes.pop_back();
    order.push_back(node);
    open_nodes.insert(open_nodes.end(), children[node].begin(), children[node].end());
  }
  return order;
}

UiNode described(const RawUiNode& raw) {
  UiNode node;
  node.role = role_name(raw.role);
  node.name = raw.name.toStdString();
  node.text = raw.text.toStdString();
  node.states = telling_states(raw.states);
  node.has_text = raw.implements(kText) && raw.role != kPasswordRole;
  node.is_editable = raw.implements(kEditableText) && has(raw.states, UiState::Editable);
  node.is_single_line = has(raw.states, UiState::SingleLine);
  node.bus = raw.id.bus.toStdString();
  node.path = raw.id.path.toStdString();
  return node;
}

// The part of a node's box that its parent lets show: the rest is scrolled away. Menus and popups lie where they like.
std::optional<Rect> visible_box(const RawUiNode& raw, const Rect& box, const UiNode* parent) {
  const bool is_free = parent == nullptr || !parent->box || parent->role == "menu" || raw.role == kMenuRole ||
                       raw.role == kPopupMenuRole || raw.role == kWindowRole;
  const Rect visible = is_free ? box : intersection(box, *parent->box);
  if (visible.width == 0 || visible.height == 0) return std::nullopt;
  return visible;
}

UiSnapshot assembled(const UiReading& reading, const std::string& toolkit) {
  const std::vector<RawUiNode>& nodes = reading.nodes;
  UiSnapshot result;
  result.n_omitted = reading.n_omitted;
  result.toolkit = toolkit;
  result.has_boxes = std::any_of(nodes.begin(), nodes.end(), [](const RawUiNode& raw) {
    return raw.parent >= 0 && raw.extents && (raw.extents->x != 0 || raw.extents->y != 0) && raw.extents->width > 0;
  });
  const bool has_top = !nodes.empty() && nodes[0].extents;
  const BoxCorrection correction = has_top ? correction_for(*nodes[0].extents, reading.window) : BoxCorrection();
  std::vector<int> place(nodes.size(), -1);  // of each node in the result
  for (const size_t index : reading_order(nodes)) {
    const RawUiNode& raw = nodes[index];
    UiNode node = described(raw);
    node.parent = raw.parent < 0 ? -1 : place[static_cast<size_t>(raw.parent)];
    const UiNode* parent = node.parent < 0 ? nullptr : &result.nodes[static_cast<size_t>(node.parent)];
    node.depth = parent == nullptr ? 0 : parent->depth + 1;
    if (result.has_boxes && raw.extents && is_somewhere(*raw.extents))
      node.box = visible_box(raw, correction.apply(*raw.extents), parent);
    place[index] = static_cast<int>(result.nodes.size());
    result.nodes.push_back(std::move(node));
  }
  if (!result.has_boxes && !result.nodes.empty())
    result.notes.emplace_back(
        "the program gives no usable places of its widgets: point at them in the picture instead");
  if (reading.patience.stop.stop_requested()) {
    result.notes.emplace_back("reading was stopped before the end");
  } else if (reading.patience.is_over()) {
    result.notes.emplace_back("the time ran out, so widgets may be missing");
  }
  return result;
}

}  // namespace

UiTree::UiTree(const std::string& display) : bus_(AccessibilityBus::open(display)) {}
UiTree::~UiTree() = default;

bool UiNode::has_state(std::string_view state) const {
  return std::find(states.begin(), states.end(), state) != states.end();
}

UiSnapshot UiTree::read(const Window& window, const UiReadOptions& options, std::stop_token stop) {
  UiReading reading{.bus = *bus_,
                    .window = window,
                    .options = options,
                    .patience = {.deadline = Clock::now() + options.limit, .stop = std::move(stop)}};
  reading.program = reading.find_program(silent_programs_.contains(window.pid) ? 0ms : kRegistrationLimit);
  if (reading.program.isEmpty()) {
    silent_programs_.insert(window.pid);
    UiSnapshot nothing;
    nothing.notes.push_back("\"" + window.title + "\" (" + window.process_name +
                            ") shows no widgets to assistive programs: work from the picture instead");
    return nothing;
  }
  const std::string program = reading.program.toStdString();
  reading.walk();
  // A program builds its tree when first asked; it is whole when a second look finds no more.
  for (size_t n_before = 0; !known_programs_.contains(program) && !reading.patience.is_over();) {
    n_before = reading.nodes.size();
    poll(nullptr, 0, static_cast<int>(kStableGap.count()));
    reading.walk();
    if (reading.nodes.size() == n_before && n_before > 1) known_programs_.insert(program);
  }
  reading.read_boxes();
  reading.read_texts();
  const QString toolkit = string_in(bus_->ask(
      AccessibilityBus::property({reading.program, kAtspiRootPath}, "org.a11y.atspi.Application", "ToolkitName"),
      reading.patience));
  UiSnapshot snapshot = assembled(reading, toolkit.toStdString());
  // Browsers show a frame with nothing in it until they are started with accessibility forced on.
  if (snapshot.nodes.size() <= 4)
    snapshot.notes.emplace_back("the program shows next to nothing of its widgets: work from the picture instead");
  return snapshot;
}

std::variant<UiPoint, std::string> UiTree::click_point(const UiNode& node, const Window& window,
                                                       const Windows& windows) {
  const std::string what = node.role + " \"" + node.name + "\"";
  if (!node.box) return what + " has no known place on the screen (scrolled away, or its program does not tell)";
  const UiPoint point{node.box->x + node.box->width / 2, node.box->y + node.box->height / 2};
  const std::optional<Window> shown = windows.at(point.x_pt, point.y_pt);
  // Menus and popups are windows of their own, of the same program.
  if (shown && (shown->id == window.id || (!shown->is_managed && shown->pid == window.pid))) return point;
  return what + " is not visible at its place: " +
         (shown ? "the window \"" + shown->title + "\" covers it; activate its window first" : "no window is there");
}

std::vector<size_t> find_nodes(const UiSnapshot& snapshot, std::string_view role, std::string_view name) {
  const auto lower = [](std::string_view text) {
    std::string lowered(text);
    std::transform(lowered.begin(), lowered.end(), lowered.begin(), [](unsigned char c) {
      return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : static_cast<char>(c);
    });
    return lowered;
  };
  const std::string wanted_role = lower(role), wanted_name = lower(name);
  std::vector<size_t> equal, containing;
  for (size_t i = 0; i < snapshot.nodes.size(); ++i) {
    const std::string& have_role = snapshot.nodes[i].role;
    if (!wanted_role.empty() && have_role != wanted_role && !have_role.ends_with(" " + wanted_role)) continue;
    // Icons and cells of older toolkits have their label only as their text.
    const UiNode& node = snapshot.nodes[i];
    const std::string have = lower(node.name.empty() ? node.text : node.name);
    if (have == wanted_name || wanted_name.empty()) equal.push_back(i);
    if (have.find(wanted_name) != std::string::npos) containing.push_back(i);
  }
  return equal.empty() ? containing : equal;
}

}  // namespace tools
