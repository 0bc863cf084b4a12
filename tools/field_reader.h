#pragma once
// Reads back over AT-SPI what typing did to the field that has the focus.

#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "tools/ui_tree.h"

namespace tools {

// Used by one thread. The windows must outlive it.
class FieldReader {
 public:
  FieldReader(const Windows& windows, std::shared_ptr<UiTree> tree) : windows_(windows), tree_(std::move(tree)) {}

  // Looks at the focused field just before `utf8` is typed into it.
  void expect(const std::string& utf8, std::stop_token stop);
  // What that field holds now. None: there was no such field, it is gone, or its program does not tell.
  std::optional<FieldText> check(std::stop_token stop);

 private:
  struct Expected {
    UiNode field;
    std::string before, after;
    bool acts = false;  // holds a line end or a tab, which may do something else than insert itself
  };

  const Windows& windows_;
  std::shared_ptr<UiTree> tree_;
  std::optional<Expected> expected_;
};

}  // namespace tools
