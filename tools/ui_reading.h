#pragma once
// The asking half of ui_tree.h: one look at the widgets of one window, as its program answers, nothing decided yet.

#include <QString>
#include <QStringList>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "tools/accessibility_bus.h"
#include "tools/ui_tree.h"

namespace tools {

inline constexpr char kAtspiRootPath[] = "/org/a11y/atspi/accessible/root";

// AtspiRole numbers that are treated in their own way.
inline constexpr unsigned kMenuRole = 33, kPasswordRole = 40, kPopupMenuRole = 41, kToolTipRole = 64, kWindowRole = 69;

// What one object says about itself, before anything is decided.
struct RawUiNode {
  AccessibleId id;
  int parent = -1;
  QString name;
  unsigned role = 0;
  std::uint64_t states = 0;
  QStringList interfaces;
  std::vector<AccessibleId> children;
  std::optional<Extents> extents;
  QString text;

  bool implements(const char* interface) const { return interfaces.contains(QString(interface)); }
};

// One look at one window.
struct UiReading {
  AccessibilityBus& bus;
  const Window& window;
  const UiReadOptions& options;
  Patience patience;
  QString program = {};  // its bus name
  std::map<AccessibleId, CacheItem> cached = {};
  std::map<AccessibleId, std::vector<AccessibleId>> cached_children = {};
  std::vector<RawUiNode> nodes = {};  // breadth first
  int n_omitted = 0;

  QString find_program(std::chrono::milliseconds limit);
  std::vector<AccessibleId> find_roots();
  void fill_cache();
  std::vector<RawUiNode> fetch(const std::vector<std::pair<AccessibleId, int>>& wanted);
  void fetch_children(std::vector<RawUiNode>& fetched);
  void walk();
  void read_boxes();
  void read_texts();
};

}  // namespace tools
