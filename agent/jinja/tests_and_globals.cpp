// Jinja's tests (`x is defined`) and the functions that a template can call by name.

#include "agent/jinja/builtins.h"
#include "agent/jinja/errors.h"
#include "agent/jinja/interpreter.h"
#include "agent/jinja/operators.h"

namespace agent::jinja {
namespace {

constexpr std::int64_t kMaxRange = 100'000;  // as Jinja's sandbox

const Value& operand(const Arguments& arguments) {
  if (arguments.positional.empty()) type_error("this test takes an argument");
  return arguments.positional[0];
}

bool is_integer(const Value& value) {
  return value.is<std::int64_t>();
}

bool is_divisible(const Value& value, const Value& by) {
  return arithmetic(BinaryOp::Modulo, value, by).number().value_or(1) == 0;
}

bool in_order(const Value& left, const Value& right, bool (*accepts)(int)) {
  const auto order = compare(left, right);
  if (!order) type_error("'" + left.type_name() + "' and '" + right.type_name() + "' have no order");
  return accepts(*order);
}

// Whether changing the case leaves the text alone, and there are letters at all.
bool has_case(const Value& value, Case to, Case other) {
  const Text text = value.to_text();
  return change_case(text, to) == text && !(change_case(text, other) == text);
}

bool is_same(const Value& a, const Value& b) {
  return a.type_name() == b.type_name() && equal(a, b);
}

using TestFunction = bool (*)(const Value&, const Arguments&);
const std::map<std::string_view, TestFunction> kTests = {
    {"defined", [](const Value& v, const Arguments&) { return !v.undefined(); }},
    {"undefined", [](const Value& v, const Arguments&) { return v.undefined() != nullptr; }},
    {"none", [](const Value& v, const Arguments&) { return v.is_none(); }},
    {"boolean", [](const Value& v, const Arguments&) { return v.boolean() != nullptr; }},
    {"true", [](const Value& v, const Arguments&) { return v.boolean() && *v.boolean(); }},
    {"false", [](const Value& v, const Arguments&) { return v.boolean() && !*v.boolean(); }},
    {"integer", [](const Value& v, const Arguments&) { return is_integer(v); }},
    {"float", [](const Value& v, const Arguments&) { return v.floating() != nullptr; }},
    {"number", [](const Value& v, const Arguments&) { return v.number().has_value(); }},
    {"string", [](const Value& v, const Arguments&) { return v.text() != nullptr; }},
    {"mapping", [](const Value& v, const Arguments&) { return v.dict() != nullptr; }},
    {"sequence", [](const Value& v, const Arguments&) { return v.text() || v.list() || v.dict() || v.undefined(); }},
    {"iterable", [](const Value& v, const Arguments&) { return v.text() || v.list() || v.dict() || v.undefined(); }},
    {"callable", [](const Value& v, const Arguments&) { return v.callable() || v.loop(); }},
    {"even", [](const Value& v, const Arguments&) { return is_divisible(v, std::int64_t{2}); }},
    {"odd", [](const Value& v, const Arguments&) { return !is_divisible(v, std::int64_t{2}); }},
    {"divisibleby", [](const Value& v, const Arguments& a) { return is_divisible(v, operand(a)); }},
    {"lower", [](const Value& v, const Arguments&) { return has_case(v, Case::Lower, Case::Upper); }},
    {"upper", [](const Value& v, const Arguments&) { return has_case(v, Case::Upper, Case::Lower); }},
    {"sameas", [](const Value& v, const Arguments& a) { return is_same(v, operand(a)); }},
    {"in", [](const Value& v, const Arguments& a) { return contains(operand(a), v); }},
    {"eq", [](const Value& v, const Arguments& a) { return equal(v, operand(a)); }},
    {"equalto", [](const Value& v, const Arguments& a) { return equal(v, operand(a)); }},
    {"ne", [](const Value& v, const Arguments& a) { return !equal(v, operand(a)); }},
    {"lt", [](const Value& v, const Arguments& a) { return in_order(v, operand(a), [](int o) { return o < 0; }); }},
    {"le", [](const Value& v, const Arguments& a) { return in_order(v, operand(a), [](int o) { return o <= 0; }); }},
    {"gt", [](const Value& v, const Arguments& a) { return in_order(v, operand(a), [](int o) { return o > 0; }); }},
    {"ge", [](const Value& v, const Arguments& a) { return in_order(v, operand(a), [](int o) { return o >= 0; }); }},
};

Value range(Interpreter& interpreter, const Arguments& arguments) {
  const std::size_t n = arguments.positional.size();
  if (n < 1 || n > 3) type_error("range takes one to three integers");
  const auto argument = [&](std::size_t i) { return require_integer(arguments.positional[i], "an argument of range"); };
  const std::int64_t begin = n > 1 ? argument(0) : 0, end = argument(n > 1 ? 1 : 0), step = n > 2 ? argument(2) : 1;
  if (step == 0) type_error("range() arg 3 must not be zero");
  std::vector<Value> items;
  for (std::int64_t i = begin; step > 0 ? i < end : i > end;) {
    if (static_cast<std::int64_t>(items.size()) >= kMaxRange) limit_error(sentence("range is longer than ", kMaxRange));
    items.emplace_back(i);
    if (__builtin_add_overflow(i, step, &i)) break;
  }
  interpreter.spend_bytes(items.size() * sizeof(Value));
  return Value::list(std::move(items));
}

Value make_namespace(Interpreter& interpreter, const Arguments& arguments) {
  interpreter.spend_bytes(sizeof(Namespace));
  Namespace* result = interpreter.make_namespace();
  for (const Value& value : arguments.positional) {
    if (!value.dict()) type_error("namespace takes a mapping and named values");
    for (const auto& [key, item] : value.dict()->items) result->attributes[key.str()] = item;
  }
  for (const auto& [name, value] : arguments.named) result->attributes[name] = value;
  return result;
}

Value make_dict(Interpreter&, const Arguments& arguments) {
  std::vector<std::pair<Text, Value>> items;
  for (const Value& value : arguments.positional) {
    if (!value.dict()) type_error("dict takes a mapping and named values");
    items.insert(items.end(), value.dict()->items.begin(), value.dict()->items.end());
  }
  for (const auto& [name, value] : arguments.named) items.emplace_back(Text(name, Origin::Template), value);
  return Value::dict(std::move(items));
}

Value raise_exception(Interpreter&, const Arguments& arguments) {
  const std::string message = arguments.positional.empty() ? "" : arguments.positional[0].to_text().str();
  throw RenderError(RenderError::Kind::Raised, message);
}

Value strftime_now(Interpreter& interpreter, const Arguments& arguments) {
  if (arguments.positional.size() != 1) type_error("strftime_now takes a format");
  const std::string format = require_text(arguments.positional[0], "the format").str();
  std::tm local{};
  localtime_r(&interpreter.options().now, &local);
  char buffer[512];
  const std::size_t n = std::strftime(buffer, sizeof buffer, format.c_str(), &local);
  if (n == 0 && !format.empty()) type_error("strftime_now: the format gives nothing, or more than 511 bytes");
  return Text(std::string_view(buffer, n), Origin::Template);
}

using GlobalFunction = Value (*)(Interpreter&, const Arguments&);
const std::map<std::string_view, GlobalFunction> kGlobals = {
    {"range", range},
    {"namespace", make_namespace},
    {"dict", make_dict},
    {"raise_exception", raise_exception},
    {"strftime_now", strftime_now},
};

}  // namespace

bool is_test(std::string_view name) {
  return kTests.count(name) > 0;
}

bool apply_test(const std::string& name, const Value& input, const Arguments& arguments) {
  return kTests.at(name)(input, arguments);
}

std::optional<Value> find_global(const std::string& name) {
  const auto found = kGlobals.find(name);
  if (found == kGlobals.end()) return std::nullopt;
  return Value::callable(name, found->second);
}

}  // namespace agent::jinja
