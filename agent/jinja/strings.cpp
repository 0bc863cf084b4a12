// Strings of templates: their operations and their methods.
#include <algorithm>

#include "agent/jinja/builtins.h"
#include "agent/jinja/errors.h"
#include "agent/jinja/interpreter.h"
#include "agent/jinja/operators.h"
#include "tools/ascii.h"

namespace agent::jinja {
namespace {

char upper(char c) {
  return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
}
bool is_cased(char c) {
  return tools::ascii_lower(c) != upper(c);
}

// Where white space and words alternate: begin and end of every word.
std::vector<std::pair<std::size_t, std::size_t>> words(const Text& text) {
  const auto offsets = code_point_offsets(text.str());
  const std::string_view bytes = text.str();
  std::vector<std::pair<std::size_t, std::size_t>> words;
  bool in_word = false;
  for (std::size_t i = 0; i + 1 < offsets.size(); ++i) {
    const bool is_space = is_white_space(code_point(bytes.substr(offsets[i], offsets[i + 1] - offsets[i])));
    if (!is_space && !in_word) words.emplace_back(offsets[i], bytes.size());
    if (is_space && in_word) words.back().second = offsets[i];
    in_word = !is_space;
  }
  return words;
}

// Split at white space. What is left after `max_splits` keeps its inner and, from the left, its trailing white space.
std::vector<Value> split_words(const Text& text, std::int64_t max_splits, bool from_right) {
  auto places = words(text);
  std::vector<Value> parts;
  if (max_splits >= 0 && static_cast<std::size_t>(max_splits) < places.size()) {
    const auto n_kept = static_cast<std::size_t>(max_splits);
    if (from_right) {
      const std::size_t n_merged = places.size() - n_kept;
      places[n_merged - 1].first = 0;
      places.erase(places.begin(), places.begin() + n_merged - 1);
    } else {
      places[n_kept].second = text.size();
      places.resize(n_kept + 1);
    }
  }
  for (const auto& [begin, end] : places) parts.emplace_back(text.substr(begin, end - begin));
  return parts;
}

std::vector<Value> split_at(const Text& text, const Text& separator, std::int64_t max_splits, bool from_right) {
  if (separator.empty()) type_error("empty separator");
  std::vector<Value> parts;
  const std::string& bytes = text.str();
  const auto can_split = [&] { return max_splits < 0 || static_cast<std::int64_t>(parts.size()) < max_splits; };
  if (!from_right) {
    std::size_t begin = 0;
    for (std::size_t at; can_split() && (at = bytes.find(separator.str(), begin)) != std::string::npos;
         begin = at + separator.size())
      parts.emplace_back(text.substr(begin, at - begin));
    parts.emplace_back(text.substr(begin));
    return parts;
  }
  std::size_t end = bytes.size();
  while (can_split() && end >= separator.size()) {
    const std::size_t at = bytes.rfind(separator.str(), end - separator.size());
    if (at == std::string::npos) break;
    parts.emplace_back(text.substr(at + separator.size(), end - at - separator.size()));
    end = at;
  }
  parts.emplace_back(text.substr(0, end));
  std::reverse(parts.begin(), parts.end());
  return parts;
}

Value split(const Text& text, const Arguments& arguments, bool from_right) {
  const Value* separator = arguments.get(0, "sep");
  const Value* limit = arguments.get(1, "maxsplit");
  const std::int64_t max_splits = limit ? require_integer(*limit, "maxsplit") : -1;
  if (!separator || separator->is_none()) return Value::list(split_words(text, max_splits, from_right));
  return Value::list(split_at(text, require_text(*separator, "the separator"), max_splits, from_right));
}

Value split_lines(const Text& text) {
  std::vector<Value> lines;
  const std::string& bytes = text.str();
  for (std::size_t begin = 0; begin < bytes.size();) {
    const std::size_t end = std::min(bytes.find_first_of("\r\n\v\f", begin), bytes.size());
    lines.emplace_back(text.substr(begin, end - begin));
    begin = end + (bytes.compare(end, 2, "\r\n") == 0 ? 2 : 1);
  }
  return Value::list(std::move(lines));
}

// startswith and endswith take one string or a tuple of them.
bool has_affix(const Text& text, const Arguments& arguments, bool at_end) {
  const auto has = [&](const Value& affix) {
    const std::string& bytes = require_text(affix, "the prefix or suffix").str();
    return at_end ? text.str().ends_with(bytes) : text.str().starts_with(bytes);
  };
  if (arguments.positional.empty()) type_error("startswith and endswith take a string");
  const List* several = arguments.positional[0].list();
  if (!several) return has(arguments.positional[0]);
  return std::any_of(several->items.begin(), several->items.end(), has);
}

std::int64_t find(const Text& text, const Arguments& arguments, bool last) {
  if (arguments.positional.empty()) type_error("find takes a string");
  const std::string& wanted = require_text(arguments.positional[0], "what to find").str();
  const std::size_t at = last ? text.str().rfind(wanted) : text.str().find(wanted);
  if (at == std::string::npos) return -1;
  return static_cast<std::int64_t>(code_point_offsets(std::string_view(text.str()).substr(0, at)).size()) - 1;
}

std::int64_t count(const Text& text, const Text& wanted) {
  if (wanted.empty()) return static_cast<std::int64_t>(code_point_offsets(text.str()).size());
  std::int64_t n = 0;
  for (std::size_t at = text.str().find(wanted.str()); at != std::string::npos;
       at = text.str().find(wanted.str(), at + wanted.size()))
    ++n;
  return n;
}

template <typename Predicate>
bool all_characters(const Text& text, Predicate predicate) {
  return !text.empty() && std::all_of(text.str().begin(), text.str().end(), predicate);
}

Value strip_method(const Text& text, const Arguments& arguments, Sides sides) {
  const Value* characters = arguments.get(0, "chars");
  return strip(text, !characters || characters->is_none() ? nullptr : &require_text(*characters, "what to strip"),
               sides);
}

Value remove_affix(const Text& text, const Arguments& arguments, bool at_end) {
  if (!has_affix(text, arguments, at_end)) return text;
  const std::size_t n_bytes = require_text(arguments.positional[0], "the prefix or suffix").size();
  return at_end ? text.substr(0, text.size() - n_bytes) : text.substr(n_bytes);
}

Value replace_method(const Text& text, const Arguments& arguments) {
  const Value *from = arguments.get(0, "old"), *to = arguments.get(1, "new"), *limit = arguments.get(2, "count");
  if (!from || !to) type_error("replace takes what to replace and by what");
  return replace(text, require_text(*from, "what to replace"), require_text(*to, "the replacement"),
                 limit ? require_integer(*limit, "count") : -1);
}

Value join_method(Interpreter& self, const Text& text, const Arguments& arguments) {
  if (arguments.positional.size() != 1) type_error("join takes one list");
  const auto items = self.items_of(arguments.positional[0]);
  self.spend_bytes(items.size() * text.size());
  for (const Value& item : items) require_text(item, "an item of join");
  return joined(items, text);
}

using Method = Value (*)(Interpreter&, const Text&, const Arguments&);
const std::map<std::string_view, Method> kMethods = {
    {"split", [](Interpreter&, const Text& s, const Arguments& a) { return split(s, a, false); }},
    {"rsplit", [](Interpreter&, const Text& s, const Arguments& a) { return split(s, a, true); }},
    {"splitlines", [](Interpreter&, const Text& s, const Arguments&) { return split_lines(s); }},
    {"strip", [](Interpreter&, const Text& s, const Arguments& a) { return strip_method(s, a, Sides::Both); }},
    {"lstrip", [](Interpreter&, const Text& s, const Arguments& a) { return strip_method(s, a, Sides::Left); }},
    {"rstrip", [](Interpreter&, const Text& s, const Arguments& a) { return strip_method(s, a, Sides::Right); }},
    {"startswith", [](Interpreter&, const Text& s, const Arguments& a) { return Value(has_affix(s, a, false)); }},
    {"endswith", [](Interpreter&, const Text& s, const Arguments& a) { return Value(has_affix(s, a, true)); }},
    {"removeprefix", [](Interpreter&, const Text& s, const Arguments& a) { return remove_affix(s, a, false); }},
    {"removesuffix", [](Interpreter&, const Text& s, const Arguments& a) { return remove_affix(s, a, true); }},
    {"lower", [](Interpreter&, const Text& s, const Arguments&) { return Value(change_case(s, Case::Lower)); }},
    {"upper", [](Interpreter&, const Text& s, const Arguments&) { return Value(change_case(s, Case::Upper)); }},
    {"title", [](Interpreter&, const Text& s, const Arguments&) { return Value(change_case(s, Case::Title)); }},
    {"capitalize",
     [](Interpreter&, const Text& s, const Arguments&) { return Value(change_case(s, Case::Capitalized)); }},
    {"replace", [](Interpreter&, const Text& s, const Arguments& a) { return replace_method(s, a); }},
    {"find", [](Interpreter&, const Text& s, const Arguments& a) { return Value(find(s, a, false)); }},
    {"rfind", [](Interpreter&, const Text& s, const Arguments& a) { return Value(find(s, a, true)); }},
    {"count",
     [](Interpreter&, const Text& s, const Arguments& a) {
       if (a.positional.empty()) type_error("count takes a string");
       return Value(count(s, require_text(a.positional[0], "what to count")));
     }},
    {"join", join_method},
    {"isdigit", [](Interpreter&, const Text& s,
                   const Arguments&) { return Value(all_characters(s, [](char c) { return c >= '0' && c <= '9'; })); }},
    {"isalpha", [](Interpreter&, const Text& s, const Arguments&) { return Value(all_characters(s, is_cased)); }},
    {"isspace", [](Interpreter&, const Text& s, const Arguments&) { return Value(!s.empty() && words(s).empty()); }},
};

using DictMethod = Value (*)(const Dict&, const Arguments&);
const std::map<std::string_view, DictMethod> kDictMethods = {
    {"items",
     [](const Dict& dict, const Arguments&) {
       std::vector<Value> items;
       for (const auto& [key, value] : dict.items) items.push_back(Value::list({key, value}, true));
       return Value::list(std::move(items));
     }},
    {"keys",
     [](const Dict& dict, const Arguments&) {
       std::vector<Value> keys;
       for (const auto& [key, value] : dict.items) keys.emplace_back(key);
       return Value::list(std::move(keys));
     }},
    {"values",
     [](const Dict& dict, const Arguments&) {
       std::vector<Value> values;
       for (const auto& [key, value] : dict.items) values.push_back(value);
       return Value::list(std::move(values));
     }},
    {"get",
     [](const Dict& dict, const Arguments& arguments) {
       if (arguments.positional.empty()) type_error("get expected at least 1 argument, got 0");
       const Text* key = arguments.positional[0].text();
       const Value* found = key ? dict.find(key->str()) : nullptr;
       if (found) return *found;
       return arguments.positional.size() > 1 ? arguments.positional[1] : Value();
     }},
    {"copy", [](const Dict& dict, const Arguments&) { return Value::dict(dict.items); }},
};

}  // namespace

const Text& require_text(const Value& value, std::string_view what) {
  if (value.undefined()) undefined_error(value.undefined()->reason);
  if (!value.text()) type_error(std::string(what) + " must be a string, not " + value.type_name());
  return *value.text();
}

std::int64_t require_integer(const Value& value, std::string_view what) {
  if (value.undefined()) undefined_error(value.undefined()->reason);
  const auto integer = value.integer();
  if (!integer) type_error(std::string(what) + " must be an integer, not " + value.type_name());
  return *integer;
}

Text strip(const Text& text, const Text* characters, Sides sides) {
  const std::string_view bytes = text.str();
  const auto offsets = code_point_offsets(bytes);
  const auto goes = [&](std::size_t i) {
    const std::string_view sequence = bytes.substr(offsets[i], offsets[i + 1] - offsets[i]);
    return characters ? characters->str().find(sequence) != std::string::npos : is_white_space(code_point(sequence));
  };
  std::size_t begin = 0, end = offsets.size() - 1;
  while (sides != Sides::Right && begin < end && goes(begin)) ++begin;
  while (sides != Sides::Left && end > begin && goes(end - 1)) --end;
  return text.substr(offsets[begin], offsets[end] - offsets[begin]);
}

Text replace(const Text& text, const Text& from, const Text& to, std::int64_t max_count) {
  Text result;
  std::size_t begin = 0;
  const auto may = [&] { return max_count < 0 || max_count-- > 0; };
  if (from.empty()) {  // between all characters
    const auto offsets = code_point_offsets(text.str());
    for (std::size_t i = 0; i < offsets.size() && may(); ++i) {
      result.append(to);
      begin = i + 1 < offsets.size() ? offsets[i + 1] : offsets[i];
      result.append(text, offsets[i], begin - offsets[i]);
    }
  } else {
    for (std::size_t at; (at = text.str().find(from.str(), begin)) != std::string::npos && may();
         begin = at + from.size()) {
      result.append(text, begin, at - begin);
      result.append(to);
    }
  }
  result.append(text, begin, text.size() - begin);
  return result;
}

Text change_case(const Text& text, Case to) {
  std::string bytes = text.str();
  bool is_start = true;  // of the string, or for titles of a word
  for (char& c : bytes) {
    const bool is_start_only = to == Case::Title || to == Case::Words || to == Case::Capitalized;
    const bool is_cased_or_foreign = is_cased(c) || static_cast<unsigned char>(c) >= 0x80;
    const bool begins_word = to == Case::Title ? !is_cased_or_foreign
                             : to == Case::Words
                                 ? std::string_view(" \t\n\r\v\f-({[<").find(c) != std::string_view::npos
                                 : false;
    c = to == Case::Upper || (is_start_only && is_start) ? upper(c) : tools::ascii_lower(c);
    is_start = begins_word;
  }
  return text.with_bytes(std::move(bytes));
}

Text joined(const std::vector<Value>& items, const Text& separator) {
  Text result;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (i > 0) result.append(separator);
    result.append(items[i].to_text());
  }
  return result;
}

std::optional<Value> find_method(const Value& value, const std::string& name) {
  if (value.text()) {
    const auto found = kMethods.find(name);
    if (found == kMethods.end()) return std::nullopt;
    return Value::callable(
        name,
        [value, method = found->second](Interpreter& self, const Arguments& arguments) {
          self.spend_bytes(value.text()->size());
          return method(self, *value.text(), arguments);
        },
        &value);
  }
  if (value.dict()) {
    const auto found = kDictMethods.find(name);
    if (found == kDictMethods.end()) return std::nullopt;
    return Value::callable(
        name,
        [value, method = found->second](Interpreter& self, const Arguments& arguments) {
          self.spend_bytes(value.dict()->items.size() * sizeof(Value));
          return method(*value.dict(), arguments);
        },
        &value);
  }
  return std::nullopt;
}

}  // namespace agent::jinja
