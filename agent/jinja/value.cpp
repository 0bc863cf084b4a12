#include "agent/jinja/value.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "agent/jinja/errors.h"

namespace agent::jinja {
namespace {

int checked_depth(int depth) {
  if (depth > kMaxContainerDepth) limit_error(sentence("containers are nested deeper than ", kMaxContainerDepth));
  return depth;
}

std::string quoted(const std::string& bytes) {
  const bool has_single = bytes.find('\'') != std::string::npos;
  const char quote = has_single && bytes.find('"') == std::string::npos ? '"' : '\'';
  std::string result(1, quote);
  for (const char c : bytes) {
    if (c == quote || c == '\\') {
      result += '\\';
      result += c;
    } else if (c == '\n') {
      result += "\\n";
    } else if (c == '\r') {
      result += "\\r";
    } else if (c == '\t') {
      result += "\\t";
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
      constexpr char kHex[] = "0123456789abcdef";
      result += "\\x";
      result += kHex[(c >> 4) & 15];
      result += kHex[c & 15];
    } else {
      result += c;
    }
  }
  return result + quote;
}

template <typename T>
int order(const T& a, const T& b) {
  return a < b ? -1 : b < a ? 1 : 0;
}

}  // namespace

const Value* Dict::find(std::string_view key) const {
  for (const auto& [name, value] : items)
    if (name.str() == key) return &value;
  return nullptr;
}

const Value* Arguments::find(std::string_view name) const {
  for (const auto& [key, value] : named)
    if (key == name) return &value;
  return nullptr;
}

const Value* Arguments::get(std::size_t position, std::string_view name) const {
  return position < positional.size() ? &positional[position] : find(name);
}

Value Value::list(std::vector<Value> items, bool is_tuple) {
  int depth = 0;
  for (const Value& item : items) depth = std::max(depth, item.depth());
  checked_depth(depth + 1);
  Value value;
  value.data_ = std::make_shared<const List>(List{std::move(items), is_tuple, depth + 1});
  return value;
}

Value Value::dict(std::vector<std::pair<Text, Value>> items) {
  Dict dict;
  std::map<std::string, std::size_t> places;
  for (auto& [key, value] : items) {
    const auto [place, is_new] = places.emplace(key.str(), dict.items.size());
    dict.depth = std::max(dict.depth, value.depth());
    if (is_new)
      dict.items.emplace_back(std::move(key), std::move(value));
    else
      dict.items[place->second].second = std::move(value);
  }
  dict.depth = checked_depth(dict.depth + 1);
  Value value;
  value.data_ = std::make_shared<const Dict>(std::move(dict));
  return value;
}

Value Value::callable(std::string name, std::function<Value(Interpreter&, const Arguments&)> call,
                      const Value* captured) {
  const int depth = checked_depth(captured ? captured->depth() + 1 : 0);
  Value value;
  value.data_ = std::make_shared<const Callable>(Callable{std::move(name), std::move(call), depth});
  return value;
}

Value Value::from_json(const nlohmann::ordered_json& json, int depth) {
  checked_depth(depth);
  if (json.is_boolean()) return json.get<bool>();
  if (json.is_number_unsigned()) {
    const auto number = json.get<std::uint64_t>();
    if (number > static_cast<std::uint64_t>(INT64_MAX)) return static_cast<double>(number);
    return static_cast<std::int64_t>(number);
  }
  if (json.is_number_integer()) return json.get<std::int64_t>();
  if (json.is_number_float()) return json.get<double>();
  if (json.is_string()) return Text(json.get_ref<const std::string&>(), Origin::Data);
  if (json.is_array()) {
    std::vector<Value> items;
    items.reserve(json.size());
    for (const auto& item : json) items.push_back(from_json(item, depth + 1));
    return list(std::move(items));
  }
  if (json.is_object()) {
    std::vector<std::pair<Text, Value>> items;
    items.reserve(json.size());
    for (const auto& [key, item] : json.items())
      items.emplace_back(Text(key, Origin::Data), from_json(item, depth + 1));
    return dict(std::move(items));
  }
  return {};
}

std::optional<std::int64_t> Value::integer() const {
  if (const bool* value = boolean()) return *value;
  if (const auto* value = std::get_if<std::int64_t>(&data_)) return *value;
  return std::nullopt;
}

std::optional<double> Value::number() const {
  if (const double* value = floating()) return *value;
  if (const auto value = integer()) return static_cast<double>(*value);
  return std::nullopt;
}

int Value::depth() const {
  if (const List* value = list()) return value->depth;
  if (const Dict* value = dict()) return value->depth;
  if (const Callable* value = callable()) return value->depth;
  return 0;
}

bool Value::truthy() const {
  if (undefined() || is_none()) return false;
  if (const auto value = number()) return *value != 0;
  if (const Text* value = text()) return !value->empty();
  if (const List* value = list()) return !value->items.empty();
  if (const Dict* value = dict()) return !value->items.empty();
  return true;
}

const std::string& Value::type_name() const {
  // In the order of the variant.
  static const std::string kNames[] = {"Undefined", "NoneType", "bool",      "int",      "float",      "str",
                                       "list",      "dict",     "Namespace", "function", "LoopContext"};
  static const std::string kTuple = "tuple";
  return list() && list()->is_tuple ? kTuple : kNames[data_.index()];
}

Text Value::to_text() const {
  if (const Text* value = text()) return *value;
  if (undefined()) return {};
  return Text(repr(), Origin::Data);
}

std::string Value::repr() const {
  if (undefined()) return "Undefined";
  if (is_none()) return "None";
  if (const bool* value = boolean()) return *value ? "True" : "False";
  if (const auto value = integer()) return std::to_string(*value);
  if (const double* value = floating()) return float_repr(*value);
  if (const Text* value = text()) return quoted(value->str());
  std::string result;
  if (const List* value = list()) {
    for (const Value& item : value->items) result += (result.empty() ? "" : ", ") + item.repr();
    if (!value->is_tuple) return "[" + result + "]";
    return "(" + result + (value->items.size() == 1 ? ",)" : ")");
  }
  if (const Dict* value = dict()) {
    for (const auto& [key, item] : value->items)
      result += (result.empty() ? "" : ", ") + quoted(key.str()) + ": " + item.repr();
    return "{" + result + "}";
  }
  type_error("a " + type_name() + " has no text to print");
}

bool equal(const Value& a, const Value& b) {
  if (a.undefined() || b.undefined()) return a.undefined() && b.undefined();
  if (a.integer() && b.integer()) return *a.integer() == *b.integer();
  if (a.number() && b.number()) return *a.number() == *b.number();
  if (a.text() && b.text()) return *a.text() == *b.text();
  if (a.list() && b.list()) {
    return a.list()->is_tuple == b.list()->is_tuple &&
           std::equal(a.list()->items.begin(), a.list()->items.end(), b.list()->items.begin(), b.list()->items.end(),
                      [](const Value& x, const Value& y) { return equal(x, y); });
  }
  if (a.dict() && b.dict()) {
    if (a.dict()->items.size() != b.dict()->items.size()) return false;
    return std::all_of(a.dict()->items.begin(), a.dict()->items.end(), [&](const auto& item) {
      const Value* other = b.dict()->find(item.first.str());
      return other && equal(item.second, *other);
    });
  }
  if (a.is_none() || b.is_none()) return a.is_none() && b.is_none();
  if (a.name_space() || b.name_space()) return a.name_space() == b.name_space();
  if (a.loop() || b.loop()) return a.loop() == b.loop();
  return a.callable() && a.callable() == b.callable();
}

std::optional<int> compare(const Value& a, const Value& b) {
  if (a.integer() && b.integer()) return order(*a.integer(), *b.integer());
  if (a.number() && b.number()) return order(*a.number(), *b.number());
  // Bytes of UTF-8 sort as their code points do.
  if (a.text() && b.text()) return order(a.text()->str(), b.text()->str());
  if (!a.list() || !b.list() || a.list()->is_tuple != b.list()->is_tuple) return std::nullopt;
  const auto &left = a.list()->items, &right = b.list()->items;
  for (std::size_t i = 0; i < std::min(left.size(), right.size()); ++i)
    if (!equal(left[i], right[i])) return compare(left[i], right[i]);
  return order(left.size(), right.size());
}

std::string float_repr(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  char buffer[32];
  const auto scientific = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::scientific);
  const std::string text(buffer, scientific.ptr);
  const int exponent = std::stoi(text.substr(text.find('e') + 1));
  // Python prints with an exponent below 1e-4 and from 1e16 on; two digits at least, as to_chars does.
  if (exponent < -4 || exponent >= 16) return text;
  char fixed[64];
  const auto end = std::to_chars(fixed, fixed + sizeof fixed, value, std::chars_format::fixed).ptr;
  const std::string plain(fixed, end);
  return plain.find('.') == std::string::npos ? plain + ".0" : plain;
}

}  // namespace agent::jinja
