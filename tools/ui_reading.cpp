#include "tools/ui_reading.h"

#include <poll.h>

#include <algorithm>
#include <set>

#include "tools/ui_names.h"

namespace tools {
namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr char kAccessible[] = "org.a11y.atspi.Accessible";
constexpr char kComponent[] = "org.a11y.atspi.Component";
constexpr char kText[] = "org.a11y.atspi.Text";
constexpr char kEditableText[] = "org.a11y.atspi.EditableText";

constexpr int kMaxRows = 200;          // of a table or list that makes its children only when asked
constexpr size_t kFetchedPerNode = 4;  // nodes looked at for each node wanted: the others are not showing
constexpr int kShownTextChars = 200;

bool is_near(int a, int b) {
  return std::abs(a - b) <= 3;
}

}  // namespace

QString UiReading::find_program(std::chrono::milliseconds limit) {
  const AccessibleId registry{"org.a11y.atspi.Registry", kAtspiRootPath};
  const auto deadline = Clock::now() + limit;
  for (;;) {
    const std::vector<AccessibleId> programs =
        ids_in(bus.ask(AccessibilityBus::method(registry, kAccessible, "GetChildren"), patience));
    for (const AccessibleId& candidate : programs)
      if (bus.pid_of(candidate.bus, patience) == window.pid) return candidate.bus;
    if (patience.is_over() || Clock::now() > deadline) return "";
    poll(nullptr, 0, 20);
  }
}

// The object of our window, then what the program shows beside its windows: open menus, popups, tooltips.
std::vector<AccessibleId> UiReading::find_roots() {
  const AccessibleId root{program, kAtspiRootPath};
  std::vector<std::pair<AccessibleId, int>> wanted;
  for (const AccessibleId& id : ids_in(bus.ask(AccessibilityBus::method(root, kAccessible, "GetChildren"), patience)))
    wanted.emplace_back(id, -1);
  std::vector<RawUiNode> tops = fetch(wanted);
  std::erase_if(tops, [](const RawUiNode& top) { return !has(top.states, UiState::Showing); });
  std::vector<QDBusMessage> questions;
  for (const RawUiNode& top : tops)
    questions.push_back(AccessibilityBus::method(top.id, kComponent, "GetExtents", {0U}));
  const std::vector<QDBusMessage> answers = bus.ask(questions, patience);
  const RawUiNode* ours = nullptr;
  int best = 0;
  for (size_t i = 0; i < tops.size(); ++i) {
    const std::optional<Extents> extents = extents_in(answers[i]);
    int likeness = 1;
    if (tops[i].name.toStdString() == window.title) likeness += 4;
    if (extents && is_near(extents->width, window.client.width) && is_near(extents->height, window.client.height))
      likeness += 2;
    if (extents && is_near(extents->x, window.client.x) && is_near(extents->y, window.client.y)) likeness += 1;
    if (likeness > best) {
      best = likeness;
      ours = &tops[i];
    }
  }
  std::vector<AccessibleId> roots;
  if (ours == nullptr) return roots;
  roots.push_back(ours->id);
  for (const RawUiNode& top : tops)
    if (&top != ours &&
        (top.role == kToolTipRole || top.role == kPopupMenuRole || top.role == kMenuRole || top.role == kWindowRole))
      roots.push_back(top.id);
  return roots;
}

// GTK hands over its whole tree in one answer; Qt's is empty, and its objects are asked one by one.
void UiReading::fill_cache() {
  cached.clear();
  cached_children.clear();
  const AccessibleId cache{program, "/org/a11y/atspi/cache"};
  std::vector<CacheItem> items =
      cache_items_in(bus.ask(AccessibilityBus::method(cache, "org.a11y.atspi.Cache", "GetItems"), patience));
  std::stable_sort(items.begin(), items.end(),
                   [](const CacheItem& a, const CacheItem& b) { return a.index < b.index; });
  for (CacheItem& item : items) {
    cached_children[item.parent].push_back(item.id);
    cached[item.id] = std::move(item);
  }
}

std::vector<RawUiNode> UiReading::fetch(const std::vector<std::pair<AccessibleId, int>>& wanted) {
  std::vector<RawUiNode> fetched;
  std::vector<QDBusMessage> questions;
  std::vector<size_t> asked;
  for (const auto& [id, parent] : wanted) {
    RawUiNode raw;
    raw.id = id;
    raw.parent = parent;
    if (const auto item = cached.find(id); item != cached.end()) {
      raw.name = item->second.name;
      raw.role = item->second.role;
      raw.states = item->second.states;
      raw.interfaces = item->second.interfaces;
    } else {
      asked.push_back(fetched.size());
      questions.push_back(AccessibilityBus::property(id, kAccessible, "Name"));
      questions.push_back(AccessibilityBus::method(id, kAccessible, "GetRole"));
      questions.push_back(AccessibilityBus::method(id, kAccessible, "GetState"));
      questions.push_back(AccessibilityBus::method(id, kAccessible, "GetInterfaces"));
    }
    fetched.push_back(std::move(raw));
  }
  const std::vector<QDBusMessage> answers = bus.ask(questions, patience);
  for (size_t i = 0; i < asked.size(); ++i) {
    RawUiNode& raw = fetched[asked[i]];
    raw.name = string_in(answers[4 * i]);
    raw.role = static_cast<unsigned>(number_in(answers[4 * i + 1]).value_or(0));
    raw.states = states_in(answers[4 * i + 2]).value_or(0);
    if (!answers[4 * i + 3].arguments().isEmpty()) raw.interfaces = answers[4 * i + 3].arguments()[0].toStringList();
  }
  return fetched;
}

void UiReading::fetch_children(std::vector<RawUiNode>& fetched) {
  std::vector<QDBusMessage> questions;
  std::vector<RawUiNode*> asked;
  for (RawUiNode& raw : fetched) {
    const auto item = cached.find(raw.id);
    const int n_children = item == cached.end() ? -1 : item->second.n_children;
    if (const auto known = cached_children.find(raw.id); known != cached_children.end()) raw.children = known->second;
    if (n_children >= 0 && static_cast<int>(raw.children.size()) >= n_children) continue;
    if (n_children <= kMaxRows) {
      questions.push_back(AccessibilityBus::method(raw.id, kAccessible, "GetChildren"));
      asked.push_back(&raw);
      continue;
    }
    raw.children.clear();
    n_omitted += n_children - kMaxRows;
    for (int i = 0; i < kMaxRows; ++i) {
      questions.push_back(AccessibilityBus::method(raw.id, kAccessible, "GetChildAtIndex", {i}));
      asked.push_back(&raw);
    }
  }
  const std::vector<QDBusMessage> answers = bus.ask(questions, patience);
  for (size_t i = 0; i < answers.size(); ++i) {
    if (answers[i].signature() == "(so)") {
      asked[i]->children.push_back(id_in(answers[i]));
    } else if (std::vector<AccessibleId> children = ids_in(answers[i]); !children.empty()) {
      asked[i]->children = std::move(children);
    }
  }
}

// Level by level, so that a level's questions are on the way together and a budget cuts the deepest first.
void UiReading::walk() {
  nodes.clear();
  n_omitted = 0;
  fill_cache();
  std::vector<std::pair<AccessibleId, int>> level;
  for (const AccessibleId& root : find_roots()) level.emplace_back(root, -1);
  size_t n_fetched = 0;
  std::set<AccessibleId> seen;
  while (!level.empty()) {
    std::erase_if(level, [&](const auto& wanted) { return !seen.insert(wanted.first).second; });
    const size_t n_allowed =
        options.max_nodes * kFetchedPerNode - std::min(n_fetched, options.max_nodes * kFetchedPerNode);
    if (level.size() > n_allowed || patience.is_over()) {
      const size_t n_kept = patience.is_over() ? 0 : n_allowed;
      n_omitted += static_cast<int>(level.size() - n_kept);
      level.resize(n_kept);
    }
    n_fetched += level.size();
    std::vector<RawUiNode> fetched = fetch(level);
    std::erase_if(fetched, [](const RawUiNode& raw) { return raw.parent >= 0 && !has(raw.states, UiState::Showing); });
    if (nodes.size() + fetched.size() > options.max_nodes) {
      n_omitted += static_cast<int>(nodes.size() + fetched.size() - options.max_nodes);
      fetched.resize(options.max_nodes - nodes.size());
    }
    fetch_children(fetched);
    level.clear();
    for (RawUiNode& raw : fetched) {
      const int index = static_cast<int>(nodes.size());
      for (const AccessibleId& child : raw.children) level.emplace_back(child, index);
      nodes.push_back(std::move(raw));
    }
  }
}

void UiReading::read_boxes() {
  std::vector<QDBusMessage> questions;
  std::vector<size_t> asked;
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (!nodes[i].implements(kComponent)) continue;  // GTK complains in its log when asked for what is not there
    asked.push_back(i);
    questions.push_back(AccessibilityBus::method(nodes[i].id, kComponent, "GetExtents", {0U}));
  }
  const std::vector<QDBusMessage> answers = bus.ask(questions, patience);
  for (size_t i = 0; i < asked.size(); ++i) nodes[asked[i]].extents = extents_in(answers[i]);
}

// Of fields, documents and displays. A label's text is its name already, and what a password field holds is nobody's
// business.
void UiReading::read_texts() {
  std::vector<QDBusMessage> questions;
  std::vector<size_t> asked;
  for (size_t i = 0; i < nodes.size(); ++i) {
    const bool is_telling = has(nodes[i].states, UiState::Editable) || nodes[i].name.isEmpty();
    if (!nodes[i].implements(kText) || !is_telling || nodes[i].role == kPasswordRole) continue;
    asked.push_back(i);
    questions.push_back(AccessibilityBus::property(nodes[i].id, kText, "CharacterCount"));
  }
  const std::vector<QDBusMessage> counts = bus.ask(questions, patience);
  questions.clear();
  for (size_t i = 0; i < asked.size(); ++i) {
    // Qt gives nothing at all when asked for more than there is.
    const int n_shown = std::min(number_in(counts[i]).value_or(0), kShownTextChars);
    questions.push_back(AccessibilityBus::method(nodes[asked[i]].id, kText, "GetText", {0, n_shown}));
  }
  const std::vector<QDBusMessage> answers = bus.ask(questions, patience);
  for (size_t i = 0; i < asked.size(); ++i) nodes[asked[i]].text = string_in(answers[i]);
}

}  // namespace tools
