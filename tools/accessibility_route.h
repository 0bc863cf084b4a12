#pragma once
// Text into the focused widget as one request over AT-SPI: no keys, no layout, no clipboard, and read back.

#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "tools/keyboard.h"
#include "tools/ui_tree.h"

namespace tools {

class AccessibilityRoute : public TextRoute {
 public:
  // The windows must outlive the route.
  AccessibilityRoute(const Windows& windows, std::shared_ptr<UiTree> tree)
      : windows_(windows), tree_(std::move(tree)) {}
  std::optional<std::string> insert(const std::string& utf8, std::stop_token stop) override;

 private:
  const Windows& windows_;
  std::shared_ptr<UiTree> tree_;
};

}  // namespace tools
