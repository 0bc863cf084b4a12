#include "agent/rule_book.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "agent/credentials.h"
#include "agent/error.h"
#include "agent/whole_file.h"

namespace agent {
namespace {

using nlohmann::json;

std::optional<Rule> read_rule(const json& entry) {
  if (!entry.is_object()) return std::nullopt;
  for (const char* key : {"name", "subject", "decision"}) {
    if (!entry.contains(key) || !entry[key].is_string()) return std::nullopt;
  }
  const std::vector<std::string> names = rule_names();
  if (std::find(names.begin(), names.end(), entry["name"]) == names.end()) return std::nullopt;
  for (const Decision decision : {Decision::Allow, Decision::Ask, Decision::Deny}) {
    if (name_of(decision) == entry["decision"].get<std::string>())
      return Rule{entry["name"], entry["subject"], decision};
  }
  return std::nullopt;
}

}  // namespace

std::filesystem::path RuleBook::default_path() {
  return config_dir() / "rules.json";
}

RuleBook::RuleBook(std::filesystem::path path) : path_(std::move(path)) {
  std::error_code ignored;
  if (!std::filesystem::exists(path_, ignored)) return;
  const json list = json::parse(read_file(path_), nullptr, false);
  bool is_good = list.is_array();
  for (std::size_t i = 0; is_good && i < list.size(); ++i) {
    const std::optional<Rule> rule = read_rule(list[i]);
    is_good = rule.has_value();
    if (is_good) rules_.push_back(*rule);
  }
  if (!is_good) throw Error(path_.string() + ": is no list of rules; correct or remove it");
}

void RuleBook::remember(const Rule& rule) {
  std::erase_if(rules_, [&](const Rule& old) { return old.name == rule.name && old.subject == rule.subject; });
  rules_.push_back(rule);
  save();
}

bool RuleBook::forget(std::size_t index) {
  if (index >= rules_.size()) return false;
  rules_.erase(rules_.begin() + static_cast<std::ptrdiff_t>(index));
  save();
  return true;
}

void RuleBook::save() const {
  json list = json::array();
  for (const Rule& rule : rules_) {
    list.push_back({{"name", rule.name}, {"subject", rule.subject}, {"decision", name_of(rule.decision)}});
  }
  std::error_code ignored;
  std::filesystem::create_directories(path_.parent_path(), ignored);
  write_file(path_, list.dump(1, ' ', false, json::error_handler_t::replace) + "\n");
}

}  // namespace agent
