#pragma once
// Python's operators on template values.

#include "agent/jinja/ast.h"
#include "agent/jinja/value.h"

namespace agent::jinja {

// +, -, *, /, //, %, **. `and`, `or` and `~` are the interpreter's, which evaluates or prints their operands.
Value arithmetic(BinaryOp op, const Value& left, const Value& right);
Value negated(const Value& operand);
bool contains(const Value& container, const Value& element);
// How many bytes the result of `left * right` takes when one of them is a string or a list, else 0.
std::size_t repeated_size(const Value& left, const Value& right);
// object[begin:end:step], each part None when left out.
Value sliced(const Value& object, const Value& begin, const Value& end, const Value& step);
// The place of a Python index (negative: from the end) among n items; nothing when there is none.
std::optional<std::size_t> index_of(std::int64_t index, std::size_t n);

}  // namespace agent::jinja
