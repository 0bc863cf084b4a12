// Jinja's filters.
#include <algorithm>
#include <charconv>
#include <cmath>

#include "agent/jinja/builtins.h"
#include "agent/jinja/errors.h"
#include "agent/jinja/interpreter.h"
#include "agent/jinja/operators.h"

namespace agent::jinja {
namespace {

using FilterFunction = Value (*)(Interpreter&, const Value&, const Arguments&);

bool flag(const Arguments& arguments, std::size_t position, std::string_view name) {
  const Value* value = arguments.get(position, name);
  return value && value->truthy();
}

Value length(Interpreter&, const Value& input, const Arguments&) {
  if (input.undefined()) return std::int64_t{0};
  if (const Text* text = input.text()) return static_cast<std::int64_t>(code_point_offsets(text->str()).size()) - 1;
  if (const List* list = input.list()) return static_cast<std::int64_t>(list->items.size());
  if (const Dict* dict = input.dict()) return static_cast<std::int64_t>(dict->items.size());
  type_error("object of type '" + input.type_name() + "' has no len()");
}

Value default_value(Interpreter&, const Value& input, const Arguments& arguments) {
  const bool replaces = input.undefined() || (flag(arguments, 1, "boolean") && !input.truthy());
  if (!replaces) return input;
  const Value* value = arguments.get(0, "default_value");
  return value ? *value : Value(Text());
}

// a.b.0: attributes and items one after the other.
Value attribute_path(Interpreter& self, Value value, const Value& path) {
  if (const auto index = path.integer()) return self.item(value, *index);
  const std::string& names = require_text(path, "an attribute").str();
  for (std::size_t begin = 0; begin <= names.size();) {
    const std::size_t end = std::min(names.find('.', begin), names.size());
    const std::string name = names.substr(begin, end - begin);
    std::int64_t index = 0;
    const auto number = std::from_chars(name.data(), name.data() + name.size(), index);
    const bool is_index = !name.empty() && number.ec == std::errc() && number.ptr == name.data() + name.size();
    value = self.item(value, is_index ? Value(index) : Value(Text(name, Origin::Template)));
    begin = end + 1;
  }
  return value;
}

Value map(Interpreter& self, const Value& input, const Arguments& arguments) {
  std::vector<Value> results;
  if (const Value* path = arguments.find("attribute")) {
    const Value* missing = arguments.find("default");
    for (const Value& item : self.items_of(input)) {
      Value value = attribute_path(self, item, *path);
      results.push_back(value.undefined() && missing ? *missing : value);
    }
    return Value::list(std::move(results));
  }
  if (arguments.positional.empty()) type_error("map takes the name of a filter or attribute=");
  const std::string& name = require_text(arguments.positional[0], "a filter's name").str();
  if (!is_filter(name)) type_error("there is no filter named '" + name + "'");
  const Arguments rest{{arguments.positional.begin() + 1, arguments.positional.end()}, arguments.named};
  for (const Value& item : self.items_of(input)) results.push_back(apply_filter(self, name, item, rest));
  return Value::list(std::move(results));
}

// select, reject, selectattr, rejectattr: `first_test` is where the test's name stands among the arguments.
Value chosen(Interpreter& self, const Value& input, const Arguments& arguments, bool wanted, std::size_t first_test) {
  const auto& positional = arguments.positional;
  if (positional.size() < first_test) type_error("selectattr and rejectattr take an attribute");
  const bool has_test = positional.size() > first_test;
  const std::string name = has_test ? require_text(positional[first_test], "a test's name").str() : "";
  if (has_test && !is_test(name)) type_error("there is no test named '" + name + "'");
  const Arguments rest{
      has_test ? std::vector<Value>(positional.begin() + first_test + 1, positional.end()) : std::vector<Value>(),
      arguments.named};
  std::vector<Value> kept;
  for (const Value& item : self.items_of(input)) {
    const Value subject = first_test == 1 ? attribute_path(self, item, positional[0]) : item;
    if ((has_test ? apply_test(name, subject, rest) : subject.truthy()) == wanted) kept.push_back(item);
  }
  return Value::list(std::move(kept));
}

Value join(Interpreter& self, const Value& input, const Arguments& arguments) {
  const Value *separator = arguments.get(0, "d"), *path = arguments.get(1, "attribute");
  std::vector<Value> items = self.items_of(input);
  if (path)
    for (Value& item : items) item = attribute_path(self, item, *path);
  const Text between = separator ? separator->to_text() : Text();
  self.spend_bytes(items.size() * between.size());
  const Text result = joined(items, between);
  self.spend_bytes(result.size());
  return result;
}

Value tojson(Interpreter& self, const Value& input, const Arguments& arguments) {
  JsonStyle style;
  style.ensure_ascii = flag(arguments, 0, "ensure_ascii");
  if (const Value* indent = arguments.get(1, "indent"); indent && !indent->is_none()) {
    style.indent = static_cast<int>(std::clamp<std::int64_t>(require_integer(*indent, "indent"), 0, 16));
    style.item_separator = std::string(",");
  }
  if (const Value* separators = arguments.get(2, "separators"); separators && !separators->is_none()) {
    const auto pair = self.items_of(*separators);
    if (pair.size() != 2) type_error("separators are two strings");
    style.item_separator = require_text(pair[0], "a separator").str();
    style.key_separator = require_text(pair[1], "a separator").str();
  }
  style.sort_keys = flag(arguments, 3, "sort_keys");
  Text result(to_json(input, style), Origin::Data);
  self.spend_bytes(result.size());
  return result;
}

int require_order(const Value& a, const Value& b) {
  const auto order = compare(a, b);
  if (!order) type_error("'<' not supported between instances of '" + a.type_name() + "' and '" + b.type_name() + "'");
  return *order;
}

// What sort, unique, min and max compare: an attribute, with case ignored unless asked for.
Value sort_key(Interpreter& self, const Value& item, const Value* path, bool case_sensitive) {
  const Value value = path && !path->is_none() ? attribute_path(self, item, *path) : item;
  return value.text() && !case_sensitive ? Value(change_case(*value.text(), Case::Lower)) : value;
}

Value sort(Interpreter& self, const Value& input, const Arguments& arguments) {
  const bool reverse = flag(arguments, 0, "reverse"), case_sensitive = flag(arguments, 1, "case_sensitive");
  const Value* path = arguments.get(2, "attribute");
  std::vector<std::pair<Value, Value>> keyed;
  for (const Value& item : self.items_of(input)) keyed.emplace_back(sort_key(self, item, path, case_sensitive), item);
  std::stable_sort(keyed.begin(), keyed.end(), [&](const auto& a, const auto& b) {
    return reverse ? require_order(b.first, a.first) < 0 : require_order(a.first, b.first) < 0;
  });
  std::vector<Value> items;
  for (auto& [key, item] : keyed) items.push_back(std::move(item));
  return Value::list(std::move(items));
}

Value dictsort(Interpreter& self, const Value& input, const Arguments& arguments) {
  if (!input.dict()) type_error("dictsort takes a dictionary");
  std::vector<Value> items;
  for (const auto& [key, value] : input.dict()->items) items.push_back(Value::list({key, value}, true));
  const Value* by = arguments.get(1, "by");
  const bool by_value = by && by->text() && by->text()->str() == "value";
  const Arguments how{{flag(arguments, 2, "reverse"), flag(arguments, 0, "case_sensitive"), std::int64_t{by_value}},
                      {}};
  return sort(self, Value::list(std::move(items)), how);
}

Value unique(Interpreter& self, const Value& input, const Arguments& arguments) {
  std::vector<Value> kept, keys;
  for (const Value& item : self.items_of(input)) {
    Value key = sort_key(self, item, arguments.get(1, "attribute"), flag(arguments, 0, "case_sensitive"));
    self.spend_bytes(keys.size());
    if (std::any_of(keys.begin(), keys.end(), [&](const Value& seen) { return equal(seen, key); })) continue;
    keys.push_back(std::move(key));
    kept.push_back(item);
  }
  return Value::list(std::move(kept));
}

Value extreme(Interpreter& self, const Value& input, const Arguments& arguments, int sign) {
  const std::vector<Value> items = self.items_of(input);
  if (items.empty()) return Value::undefined("No aggregated item, sequence was empty.");
  const auto key = [&](const Value& item) {
    return sort_key(self, item, arguments.get(1, "attribute"), flag(arguments, 0, "case_sensitive"));
  };
  const Value* best = &items[0];
  for (const Value& item : items)
    if (require_order(key(item), key(*best)) * sign > 0) best = &item;
  return *best;
}

Value sum(Interpreter& self, const Value& input, const Arguments& arguments) {
  const Value *path = arguments.get(0, "attribute"), *start = arguments.get(1, "start");
  Value total = start ? *start : Value(std::int64_t{0});
  for (const Value& item : self.items_of(input)) {
    if (total.text() || total.list()) type_error("sum adds numbers");
    total = arithmetic(BinaryOp::Add, total, path && !path->is_none() ? attribute_path(self, item, *path) : item);
  }
  return total;
}

Value end_item(Interpreter& self, const Value& input, bool last) {
  const std::vector<Value> items = self.items_of(input);
  if (items.empty())
    return Value::undefined(last ? "No last item, sequence was empty." : "No first item, sequence was empty.");
  return last ? items.back() : items.front();
}

Value reverse(Interpreter& self, const Value& input, const Arguments&) {
  if (input.text()) return sliced(input, Value(), Value(), std::int64_t{-1});
  std::vector<Value> items = self.items_of(input);
  std::reverse(items.begin(), items.end());
  return Value::list(std::move(items));
}

Value items(Interpreter& self, const Value& input, const Arguments&) {
  if (input.undefined()) return Value::list({});
  if (!input.dict()) type_error("Can only get item pairs from a mapping.");
  return self.call(*find_method(input, "items"), {});
}

// A number from the start of a trimmed string, all of it or nothing.
template <typename Number>
std::optional<Number> parsed(const Value& input) {
  const Text trimmed = strip(*input.text(), nullptr, Sides::Both);
  std::string_view digits = trimmed.str();
  if (digits.starts_with('+')) digits.remove_prefix(1);
  Number number{};
  const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (result.ec != std::errc() || result.ptr != digits.data() + digits.size()) return std::nullopt;
  return number;
}

Value to_integer(Interpreter&, const Value& input, const Arguments& arguments) {
  const Value* missing = arguments.get(0, "default");
  const Value otherwise = missing ? *missing : Value(std::int64_t{0});
  if (const auto integer = input.integer()) return *integer;
  std::optional<double> number = input.number();
  if (input.text()) {
    if (const auto integer = parsed<std::int64_t>(input)) return *integer;
    number = parsed<double>(input);
  }
  if (!number || !(std::abs(*number) < 9.2e18)) return otherwise;
  return static_cast<std::int64_t>(*number);
}

Value to_float(Interpreter&, const Value& input, const Arguments& arguments) {
  const Value* missing = arguments.get(0, "default");
  if (const auto number = input.number()) return *number;
  if (input.text())
    if (const auto number = parsed<double>(input)) return *number;
  return missing ? *missing : Value(0.0);
}

Value round(Interpreter&, const Value& input, const Arguments& arguments) {
  const auto number = input.number();
  if (!number) type_error("round takes a number");
  const Value *precision = arguments.get(0, "precision"), *method = arguments.get(1, "method");
  const double scale = std::pow(10.0, precision ? static_cast<double>(require_integer(*precision, "precision")) : 0.0);
  const std::string how = method ? require_text(*method, "the method").str() : "common";
  if (how == "ceil") return std::ceil(*number * scale) / scale;
  if (how == "floor") return std::floor(*number * scale) / scale;
  return std::nearbyint(*number * scale) / scale;  // halves to even, as Python
}

Value absolute(Interpreter&, const Value& input, const Arguments&) {
  if (const double* number = input.floating()) return std::abs(*number);
  const std::int64_t integer = require_integer(input, "the number");
  return integer < 0 ? negated(input) : Value(integer);
}

Value indent(Interpreter& self, const Value& input, const Arguments& arguments) {
  const Value* width = arguments.get(0, "width");
  Text by;
  if (width && width->text()) {
    by = *width->text();
  } else {
    const std::int64_t n_spaces = width ? require_integer(*width, "width") : 4;
    self.spend_bytes(static_cast<std::size_t>(std::max<std::int64_t>(n_spaces, 0)));
    by = Text(std::string(static_cast<std::size_t>(std::max<std::int64_t>(n_spaces, 0)), ' '), Origin::Template);
  }
  const bool indents_blank = flag(arguments, 2, "blank");
  const Text text = input.to_text();
  Text result;
  for (std::size_t begin = 0, n_line = 0; begin <= text.size(); ++n_line) {
    const std::size_t end = std::min(text.str().find('\n', begin), text.size());
    const bool indents = n_line == 0 ? flag(arguments, 1, "first") : end > begin || indents_blank;
    self.spend_bytes(by.size() + end - begin);
    if (indents) result.append(by);
    result.append(text, begin, end - begin + (end < text.size()));
    begin = end + 1;
  }
  return result;
}

Value replace_filter(Interpreter& self, const Value& input, const Arguments& arguments) {
  const Value *from = arguments.get(0, "old"), *to = arguments.get(1, "new"), *limit = arguments.get(2, "count");
  if (!from || !to) type_error("replace takes what to replace and by what");
  const Text text = input.to_text(), old_text = from->to_text(), new_text = to->to_text();
  self.spend_bytes((text.size() + 1) * (old_text.empty() ? new_text.size() + 1 : 1));
  const Text result =
      replace(text, old_text, new_text, limit && !limit->is_none() ? require_integer(*limit, "count") : -1);
  self.spend_bytes(result.size());
  return result;
}

Value trim(Interpreter&, const Value& input, const Arguments& arguments) {
  const Value* characters = arguments.get(0, "chars");
  return strip(input.to_text(), !characters || characters->is_none() ? nullptr : &require_text(*characters, "chars"),
               Sides::Both);
}

template <Case to>
Value cased(Interpreter&, const Value& input, const Arguments&) {
  return change_case(input.to_text(), to);
}

const std::map<std::string_view, FilterFunction> kFilters = {
    {"abs", absolute},
    {"attr",
     [](Interpreter& self, const Value& v, const Arguments& a) {
       if (a.positional.empty()) type_error("attr takes a name");
       return self.attribute(v, require_text(a.positional[0], "the name").str());
     }},
    {"capitalize", cased<Case::Capitalized>},
    {"count", length},
    {"d", default_value},
    {"default", default_value},
    {"dictsort", dictsort},
    {"first", [](Interpreter& self, const Value& v, const Arguments&) { return end_item(self, v, false); }},
    {"float", to_float},
    {"indent", indent},
    {"int", to_integer},
    {"items", items},
    {"join", join},
    {"last", [](Interpreter& self, const Value& v, const Arguments&) { return end_item(self, v, true); }},
    {"length", length},
    {"list", [](Interpreter& self, const Value& v, const Arguments&) { return Value::list(self.items_of(v)); }},
    {"lower", cased<Case::Lower>},
    {"map", map},
    {"max", [](Interpreter& self, const Value& v, const Arguments& a) { return extreme(self, v, a, 1); }},
    {"min", [](Interpreter& self, const Value& v, const Arguments& a) { return extreme(self, v, a, -1); }},
    {"reject", [](Interpreter& self, const Value& v, const Arguments& a) { return chosen(self, v, a, false, 0); }},
    {"rejectattr", [](Interpreter& self, const Value& v, const Arguments& a) { return chosen(self, v, a, false, 1); }},
    {"replace", replace_filter},
    {"reverse", reverse},
    {"round", round},
    {"safe", [](Interpreter&, const Value& v, const Arguments&) { return v; }},
    {"select", [](Interpreter& self, const Value& v, const Arguments& a) { return chosen(self, v, a, true, 0); }},
    {"selectattr", [](Interpreter& self, const Value& v, const Arguments& a) { return chosen(self, v, a, true, 1); }},
    {"sort", sort},
    {"string", [](Interpreter&, const Value& v, const Arguments&) { return Value(v.to_text()); }},
    {"sum", sum},
    {"title", cased<Case::Words>},
    {"tojson", tojson},
    {"trim", trim},
    {"unique", unique},
    {"upper", cased<Case::Upper>},
};

}  // namespace

bool is_filter(std::string_view name) {
  return kFilters.count(name) > 0;
}

Value apply_filter(Interpreter& interpreter, const std::string& name, const Value& input, const Arguments& arguments) {
  return kFilters.at(name)(interpreter, input, arguments);
}

}  // namespace agent::jinja
