#include "agent/jinja/operators.h"

#include <algorithm>
#include <cmath>

#include "agent/jinja/errors.h"

namespace agent::jinja {
namespace {

[[noreturn]] void overflow() {
  limit_error("an integer is beyond 64 bits");
}

std::int64_t floor_divide(std::int64_t left, std::int64_t right) {
  if (right == 0) type_error("integer division or modulo by zero");
  if (left == INT64_MIN && right == -1) overflow();
  const std::int64_t quotient = left / right;
  return left % right != 0 && (left < 0) != (right < 0) ? quotient - 1 : quotient;
}

Value power(std::int64_t base, std::int64_t exponent) {
  if (exponent < 0) {
    if (base == 0) type_error("0.0 cannot be raised to a negative power");
    return std::pow(static_cast<double>(base), static_cast<double>(exponent));
  }
  std::int64_t result = 1;
  if (base == 0 || base == 1) return exponent == 0 ? std::int64_t{1} : base;
  if (base == -1) return exponent % 2 == 0 ? std::int64_t{1} : std::int64_t{-1};
  for (; exponent > 0; --exponent)
    if (__builtin_mul_overflow(result, base, &result)) overflow();
  return result;
}

Value integer_arithmetic(BinaryOp op, std::int64_t left, std::int64_t right) {
  std::int64_t result = 0;
  bool overflows = false;
  switch (op) {
    case BinaryOp::Add:
      overflows = __builtin_add_overflow(left, right, &result);
      break;
    case BinaryOp::Subtract:
      overflows = __builtin_sub_overflow(left, right, &result);
      break;
    case BinaryOp::Multiply:
      overflows = __builtin_mul_overflow(left, right, &result);
      break;
    case BinaryOp::Divide:
      if (right == 0) type_error("division by zero");
      return static_cast<double>(left) / static_cast<double>(right);
    case BinaryOp::FloorDivide:
      return floor_divide(left, right);
    case BinaryOp::Modulo:
      // A remainder of 1 or -1 is 0; INT64_MIN % -1 must not be computed.
      return right == 1 || right == -1 ? std::int64_t{0} : left - floor_divide(left, right) * right;
    default:
      return power(left, right);
  }
  if (overflows) overflow();
  return result;
}

Value float_arithmetic(BinaryOp op, double left, double right) {
  const bool divides = op == BinaryOp::Divide || op == BinaryOp::FloorDivide || op == BinaryOp::Modulo;
  if (divides && right == 0) type_error("float division by zero");
  switch (op) {
    case BinaryOp::Add:
      return left + right;
    case BinaryOp::Subtract:
      return left - right;
    case BinaryOp::Multiply:
      return left * right;
    case BinaryOp::Divide:
      return left / right;
    case BinaryOp::FloorDivide:
      return std::floor(left / right);
    case BinaryOp::Modulo: {
      const double remainder = std::fmod(left, right);
      return remainder != 0 && (remainder < 0) != (right < 0) ? remainder + right : remainder;
    }
    default:
      return std::pow(left, right);
  }
}

const char* symbol(BinaryOp op) {
  switch (op) {
    case BinaryOp::Add:
      return "+";
    case BinaryOp::Subtract:
      return "-";
    case BinaryOp::Multiply:
      return "*";
    case BinaryOp::Divide:
      return "/";
    case BinaryOp::FloorDivide:
      return "//";
    case BinaryOp::Modulo:
      return "%";
    default:
      return "**";
  }
}

Value repeated(const Value& sequence, std::int64_t count) {
  if (const Text* text = sequence.text()) {
    Text result;
    for (; count > 0 && !text->empty(); --count) result.append(*text);
    return result;
  }
  std::vector<Value> items;
  for (; count > 0 && !sequence.list()->items.empty(); --count)
    items.insert(items.end(), sequence.list()->items.begin(), sequence.list()->items.end());
  return Value::list(std::move(items), sequence.list()->is_tuple);
}

Value added(const Value& left, const Value& right) {
  if (left.text() && right.text()) {
    Text result = *left.text();
    result.append(*right.text());
    return result;
  }
  if (left.list() && right.list() && left.list()->is_tuple == right.list()->is_tuple) {
    std::vector<Value> items = left.list()->items;
    items.insert(items.end(), right.list()->items.begin(), right.list()->items.end());
    return Value::list(std::move(items), left.list()->is_tuple);
  }
  if (left.list() && !left.list()->is_tuple)
    type_error("can only concatenate list (not \"" + right.type_name() + "\") to list");
  if (left.text()) type_error("can only concatenate str (not \"" + right.type_name() + "\") to str");
  type_error("unsupported operand type(s) for +: '" + left.type_name() + "' and '" + right.type_name() + "'");
}

bool is_sequence(const Value& value) {
  return value.text() || value.list();
}

// The places that a slice of n items takes, in order: Python's slice.indices().
std::vector<std::size_t> slice_places(std::size_t n_items, const Value& begin, const Value& end, const Value& step) {
  const auto part = [](const Value& value, std::int64_t missing) -> std::int64_t {
    if (value.is_none()) return missing;
    if (value.undefined()) undefined_error(value.undefined()->reason);
    if (const auto integer = value.integer()) return *integer;
    type_error("slice indices must be integers or None or have an __index__ method");
  };
  const auto n = static_cast<std::int64_t>(n_items);
  const std::int64_t stride = part(step, 1);
  if (stride == 0) type_error("slice step cannot be zero");
  const std::int64_t low = stride > 0 ? 0 : -1, high = stride > 0 ? n : n - 1;
  const auto place = [&](const Value& value, std::int64_t missing) {
    std::int64_t index = part(value, missing);
    if (value.is_none()) return index;
    if (index < 0) index = index < -n ? low : index + n;
    return std::clamp(index, low, high);
  };
  const std::int64_t first = place(begin, stride > 0 ? 0 : n - 1), last = place(end, stride > 0 ? n : -1);
  std::vector<std::size_t> places;
  for (std::int64_t i = first; stride > 0 ? i < last : i > last;) {
    places.push_back(static_cast<std::size_t>(i));
    if (__builtin_add_overflow(i, stride, &i)) break;
  }
  return places;
}

}  // namespace

Value arithmetic(BinaryOp op, const Value& left, const Value& right) {
  if (left.undefined()) undefined_error(left.undefined()->reason);
  if (right.undefined()) undefined_error(right.undefined()->reason);
  if (left.integer() && right.integer()) return integer_arithmetic(op, *left.integer(), *right.integer());
  if (left.number() && right.number()) return float_arithmetic(op, *left.number(), *right.number());
  if (op == BinaryOp::Add) return added(left, right);
  if (op == BinaryOp::Multiply && is_sequence(left) && right.integer()) return repeated(left, *right.integer());
  if (op == BinaryOp::Multiply && is_sequence(right) && left.integer()) return repeated(right, *left.integer());
  type_error(std::string("unsupported operand type(s) for ") + symbol(op) + ": '" + left.type_name() + "' and '" +
             right.type_name() + "'");
}

std::size_t repeated_size(const Value& left, const Value& right) {
  const Value& sequence = is_sequence(left) ? left : right;
  const auto count = (is_sequence(left) ? right : left).integer();
  if (!is_sequence(sequence) || !count || *count <= 0) return 0;
  const std::size_t size = sequence.text() ? sequence.text()->size() : sequence.list()->items.size() * sizeof(Value);
  std::size_t total = 0;
  return __builtin_mul_overflow(size, static_cast<std::size_t>(*count), &total) ? SIZE_MAX : total;
}

Value negated(const Value& operand) {
  if (operand.undefined()) undefined_error(operand.undefined()->reason);
  if (const double* number = operand.floating()) return -*number;
  if (operand.integer()) return integer_arithmetic(BinaryOp::Subtract, 0, *operand.integer());
  type_error("bad operand type for unary -: '" + operand.type_name() + "'");
}

bool contains(const Value& container, const Value& element) {
  if (const Text* text = container.text()) {
    if (element.undefined()) undefined_error(element.undefined()->reason);
    if (!element.text()) type_error("'in <string>' requires string as left operand, not " + element.type_name());
    return text->str().find(element.text()->str()) != std::string::npos;
  }
  if (const List* list = container.list())
    return std::any_of(list->items.begin(), list->items.end(), [&](const Value& item) { return equal(item, element); });
  if (const Dict* dict = container.dict()) return element.text() && dict->find(element.text()->str());
  if (container.undefined()) return false;
  type_error("argument of type '" + container.type_name() + "' is not iterable");
}

std::optional<std::size_t> index_of(std::int64_t index, std::size_t n) {
  const auto size = static_cast<std::int64_t>(n);
  if (index < -size || index >= size) return std::nullopt;
  return static_cast<std::size_t>(index < 0 ? index + size : index);
}

Value sliced(const Value& object, const Value& begin, const Value& end, const Value& step) {
  if (const Text* text = object.text()) {
    const auto offsets = code_point_offsets(text->str());
    Text result;
    for (const std::size_t place : slice_places(offsets.size() - 1, begin, end, step))
      result.append(*text, offsets[place], offsets[place + 1] - offsets[place]);
    return result;
  }
  if (const List* list = object.list()) {
    std::vector<Value> items;
    for (const std::size_t place : slice_places(list->items.size(), begin, end, step))
      items.push_back(list->items[place]);
    return Value::list(std::move(items), list->is_tuple);
  }
  if (object.undefined()) undefined_error(object.undefined()->reason);
  type_error("'" + object.type_name() + "' object is not subscriptable");
}

}  // namespace agent::jinja
