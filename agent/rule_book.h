#pragma once
// The user's lasting answers, kept in a file.

#include <filesystem>
#include <vector>

#include "agent/permission.h"

namespace agent {

class RuleBook {
 public:
  static std::filesystem::path default_path();  // ~/.config/deskhand/rules.json
  // Empty when there is no file. Throws Error when there is one that can't be understood: rules are never guessed.
  explicit RuleBook(std::filesystem::path path);

  const std::vector<Rule>& rules() const { return rules_; }
  // In the file when it returns. A rule of the same name and subject is replaced.
  void remember(const Rule& rule);
  bool forget(std::size_t index);  // false: there is none

 private:
  void save() const;

  std::filesystem::path path_;
  std::vector<Rule> rules_;
};

}  // namespace agent
