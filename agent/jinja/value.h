#pragma once
// The values of a template's world, with Python's meaning: what is true, what is equal, how it prints.

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "agent/jinja/text.h"

namespace agent::jinja {

class Value;
class Interpreter;
struct LoopState;

// A name, key or attribute that isn't there. Printing it gives nothing; using it further fails with `reason`.
struct Undefined {
  std::string reason;  // "'x' is undefined"
};
struct None {};

struct List {
  std::vector<Value> items;
  bool is_tuple = false;
  int depth = 0;  // containers inside one another
};

// Keys are strings and keep their order.
struct Dict {
  std::vector<std::pair<Text, Value>> items;
  int depth = 0;
  const Value* find(std::string_view key) const;
};

// What `namespace()` makes: the one thing that an assignment inside a loop can change outside it.
// Owned by the render that made it.
struct Namespace {
  std::map<std::string, Value> attributes;
};

struct Arguments {
  std::vector<Value> positional;
  std::vector<std::pair<std::string, Value>> named;
  const Value* find(std::string_view name) const;
  // The argument at `position`, or the one called `name`.
  const Value* get(std::size_t position, std::string_view name) const;
};

struct Callable {
  std::string name;
  std::function<Value(Interpreter&, const Arguments&)> call;
  int depth = 0;
};

class Value {
 public:
  using Variant = std::variant<Undefined, None, bool, std::int64_t, double, std::shared_ptr<const Text>,
                               std::shared_ptr<const List>, std::shared_ptr<const Dict>, Namespace*,
                               std::shared_ptr<const Callable>, LoopState*>;

  Value() : data_(None{}) {}
  Value(Undefined value) : data_(std::move(value)) {}
  Value(bool value) : data_(value) {}
  Value(std::int64_t value) : data_(value) {}
  Value(double value) : data_(value) {}
  Value(Text text) : data_(std::make_shared<const Text>(std::move(text))) {}
  Value(Namespace* value) : data_(value) {}
  Value(LoopState* value) : data_(value) {}

  static Value undefined(std::string reason) { return Undefined{std::move(reason)}; }
  // These refuse to nest deeper than kMaxContainerDepth, so that no later walk overflows the stack.
  static Value list(std::vector<Value> items, bool is_tuple = false);
  static Value dict(std::vector<std::pair<Text, Value>> items);  // a repeated key keeps its place and its last value
  static Value callable(std::string name, std::function<Value(Interpreter&, const Arguments&)> call,
                        const Value* captured = nullptr);
  // Strings are data. Unsigned numbers beyond int64 become floating point.
  static Value from_json(const nlohmann::ordered_json& json, int depth = 0);

  template <typename T>
  bool is() const {
    return std::holds_alternative<T>(data_);
  }
  const Undefined* undefined() const { return std::get_if<Undefined>(&data_); }
  bool is_none() const { return is<None>(); }
  const bool* boolean() const { return std::get_if<bool>(&data_); }
  const double* floating() const { return std::get_if<double>(&data_); }
  const Text* text() const { return pointee<Text>(); }
  const List* list() const { return pointee<List>(); }
  const Dict* dict() const { return pointee<Dict>(); }
  const Callable* callable() const { return pointee<Callable>(); }
  Namespace* name_space() const { return value_or_null<Namespace>(); }
  LoopState* loop() const { return value_or_null<LoopState>(); }

  // An integer as Python counts it: booleans are 0 and 1.
  std::optional<std::int64_t> integer() const;
  std::optional<double> number() const;
  int depth() const;

  bool truthy() const;
  const std::string& type_name() const;  // Python's: "str", "dict", "NoneType"
  Text to_text() const;                  // str(value)
  std::string repr() const;              // repr(value)

 private:
  template <typename T>
  const T* pointee() const {
    const auto* pointer = std::get_if<std::shared_ptr<const T>>(&data_);
    return pointer ? pointer->get() : nullptr;
  }
  template <typename T>
  T* value_or_null() const {
    T* const* pointer = std::get_if<T*>(&data_);
    return pointer ? *pointer : nullptr;
  }

  Variant data_;
};

bool equal(const Value& a, const Value& b);
// Negative, zero or positive; nothing when Python has no order for the two types.
std::optional<int> compare(const Value& a, const Value& b);
std::string float_repr(double value);  // 1.0, 1e-05, 1e+16, as Python prints it

struct JsonStyle {
  bool ensure_ascii = false;
  int indent = -1;  // spaces; -1: on one line
  std::string item_separator = ", ", key_separator = ": ";
  bool sort_keys = false;
};
// Python's json.dumps. Throws RenderError for what JSON can't hold.
std::string to_json(const Value& value, const JsonStyle& style);

constexpr int kMaxContainerDepth = 200;

}  // namespace agent::jinja
