#include "tools/indent_map.h"

namespace tools {
namespace {

bool is_all(std::string_view text, char c) {
  return text.find_first_not_of(c) == std::string_view::npos;
}

}  // namespace

std::optional<IndentMap> IndentMap::make(const std::vector<TextLine>& file, size_t first,
                                         const std::vector<std::string_view>& wanted) {
  IndentMap map;
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (trim(file[first + i].text).empty()) continue;
    const auto [pair, is_new] = map.pairs_.emplace(indentation(wanted[i]), indentation(file[first + i].text));
    if (!is_new && pair->second != indentation(file[first + i].text)) return std::nullopt;
  }
  if (map.pairs_.empty()) return std::nullopt;
  return map;
}

std::optional<std::string> IndentMap::translate(std::string_view line) const {
  if (trim(line).empty()) return std::string(line);
  const std::string_view indent = indentation(line);
  auto translated = translate_indent(indent);
  if (translated) translated->append(line.substr(indent.size()));
  return translated;
}

std::optional<std::string> IndentMap::translate_indent(std::string_view indent) const {
  if (const auto known = pairs_.find(indent); known != pairs_.end()) return std::string(known->second);
  if (auto translated = by_prefix(indent)) return translated;
  return by_unit(indent);
}

// Every line moved right, or left, by the same blanks.
std::optional<std::string> IndentMap::by_prefix(std::string_view indent) const {
  const auto& [patch, file] = *pairs_.begin();
  if (file.ends_with(patch)) {
    const std::string prefix(file.substr(0, file.size() - patch.size()));
    for (const auto& [from, to] : pairs_)
      if (to != prefix + std::string(from)) return std::nullopt;
    // A shift of tabs says nothing about a line indented by spaces.
    if (!prefix.empty() && !indent.empty() && prefix.find(indent.front()) == std::string::npos) return std::nullopt;
    return prefix + std::string(indent);
  }
  if (!patch.ends_with(file)) return std::nullopt;
  const std::string prefix(patch.substr(0, patch.size() - file.size()));
  for (const auto& [from, to] : pairs_)
    if (from != prefix + std::string(to)) return std::nullopt;
  if (!indent.starts_with(prefix)) return std::nullopt;
  return std::string(indent.substr(prefix.size()));
}

// A tab in the one for the same number of spaces in the other.
std::optional<std::string> IndentMap::by_unit(std::string_view indent) const {
  size_t unit = 0;
  bool is_tabs_in_file = false;
  for (const auto& [from, to] : pairs_) {
    if (from.empty() && to.empty()) continue;
    const bool tabs_in_file = is_all(from, ' ') && is_all(to, '\t');
    if (!tabs_in_file && !(is_all(from, '\t') && is_all(to, ' '))) return std::nullopt;
    const size_t n_spaces = tabs_in_file ? from.size() : to.size(), n_tabs = tabs_in_file ? to.size() : from.size();
    if (n_tabs == 0 || n_spaces % n_tabs != 0) return std::nullopt;
    if (unit != 0 && (unit != n_spaces / n_tabs || is_tabs_in_file != tabs_in_file)) return std::nullopt;
    unit = n_spaces / n_tabs;
    is_tabs_in_file = tabs_in_file;
  }
  if (unit == 0 || !is_all(indent, is_tabs_in_file ? ' ' : '\t')) return std::nullopt;
  if (!is_tabs_in_file) return std::string(indent.size() * unit, ' ');
  if (indent.size() % unit != 0) return std::nullopt;
  return std::string(indent.size() / unit, '\t');
}

}  // namespace tools
