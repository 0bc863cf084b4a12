// The interpreter's half for expressions.
#include "agent/jinja/builtins.h"
#include "agent/jinja/interpreter.h"
#include "agent/jinja/operators.h"

namespace agent::jinja {
namespace {

bool ordered(CompareOp op, int order) {
  switch (op) {
    case CompareOp::Less:
      return order < 0;
    case CompareOp::LessEqual:
      return order <= 0;
    case CompareOp::Greater:
      return order > 0;
    default:
      return order >= 0;
  }
}

const char* symbol(CompareOp op) {
  switch (op) {
    case CompareOp::Less:
      return "<";
    case CompareOp::LessEqual:
      return "<=";
    case CompareOp::Greater:
      return ">";
    default:
      return ">=";
  }
}

}  // namespace

Value Interpreter::evaluate(const Expression& expression, const ScopePtr& scope) {
  const Depth depth(depth_);
  spend_step();
  return std::visit([&](const auto& node) { return evaluate(node, scope); }, expression.node);
}

Value Interpreter::evaluate(const Literal& node, const ScopePtr&) {
  return node.value;
}

Value Interpreter::evaluate(const Name& node, const ScopePtr& scope) {
  for (const Scope* candidate = scope.get(); candidate; candidate = candidate->parent.get()) {
    const auto found = candidate->variables.find(node.name);
    if (found != candidate->variables.end()) return found->second;
  }
  if (const auto function = find_global(node.name)) return *function;
  return Value::undefined("'" + node.name + "' is undefined");
}

Value Interpreter::evaluate(const Sequence& node, const ScopePtr& scope) {
  std::vector<Value> items;
  for (const auto& item : node.items) items.push_back(evaluate(*item, scope));
  return Value::list(std::move(items), node.is_tuple);
}

Value Interpreter::evaluate(const Mapping& node, const ScopePtr& scope) {
  std::vector<std::pair<Text, Value>> items;
  for (const auto& [key, value] : node.items) {
    const Value name = evaluate(*key, scope);
    items.emplace_back(require_text(name, "a dictionary's key"), evaluate(*value, scope));
  }
  return Value::dict(std::move(items));
}

Value Interpreter::evaluate(const Attribute& node, const ScopePtr& scope) {
  return attribute(evaluate(*node.object, scope), node.name);
}

Value Interpreter::evaluate(const Subscript& node, const ScopePtr& scope) {
  const Value object = evaluate(*node.object, scope);
  return item(object, evaluate(*node.index, scope));
}

Value Interpreter::evaluate(const Slice& node, const ScopePtr& scope) {
  const Value object = evaluate(*node.object, scope);
  const auto part = [&](const ExpressionPtr& expression) {
    return expression ? evaluate(*expression, scope) : Value();
  };
  const Value begin = part(node.begin), end = part(node.end), step = part(node.step);
  if (object.text()) spend_bytes(object.text()->size());
  if (object.list()) spend_bytes(object.list()->items.size() * sizeof(Value));
  return sliced(object, begin, end, step);
}

Value Interpreter::evaluate(const Call& node, const ScopePtr& scope) {
  const Value callee = evaluate(*node.callee, scope);
  return call(callee, evaluate(node.arguments, scope));
}

Arguments Interpreter::evaluate(const CallArguments& node, const ScopePtr& scope) {
  Arguments arguments;
  for (const auto& value : node.positional) arguments.positional.push_back(evaluate(*value, scope));
  for (const auto& [name, value] : node.named) arguments.named.emplace_back(name, evaluate(*value, scope));
  return arguments;
}

Value Interpreter::evaluate(const Filter& node, const ScopePtr& scope) {
  const Value input = evaluate(*node.input, scope);
  return apply_filter(*this, node.name, input, evaluate(node.arguments, scope));
}

// A chain of filters whose innermost one takes the output of a block.
Value Interpreter::filtered(const Expression& filter, const Value& block_output, const ScopePtr& scope) {
  const Filter& node = std::get<Filter>(filter.node);
  const Value input = node.input ? filtered(*node.input, block_output, scope) : block_output;
  return apply_filter(*this, node.name, input, evaluate(node.arguments, scope));
}

Value Interpreter::evaluate(const Test& node, const ScopePtr& scope) {
  const Value input = evaluate(*node.input, scope);
  return apply_test(node.name, input, evaluate(node.arguments, scope)) != node.negated;
}

Value Interpreter::evaluate(const Unary& node, const ScopePtr& scope) {
  const Value operand = evaluate(*node.operand, scope);
  if (node.op == UnaryOp::Not) return !operand.truthy();
  if (node.op == UnaryOp::Minus) return negated(operand);
  return arithmetic(BinaryOp::Add, std::int64_t{0}, operand);
}

Value Interpreter::evaluate(const Binary& node, const ScopePtr& scope) {
  const Value left = evaluate(*node.left, scope);
  if (node.op == BinaryOp::And) return left.truthy() ? evaluate(*node.right, scope) : left;
  if (node.op == BinaryOp::Or) return left.truthy() ? left : evaluate(*node.right, scope);
  const Value right = evaluate(*node.right, scope);
  if (node.op == BinaryOp::Concatenate) {
    Text result = left.to_text();
    result.append(right.to_text());
    spend_bytes(result.size());
    return result;
  }
  if (node.op == BinaryOp::Add && left.text() && right.text()) spend_bytes(left.text()->size() + right.text()->size());
  if (node.op == BinaryOp::Add && left.list() && right.list())
    spend_bytes((left.list()->items.size() + right.list()->items.size()) * sizeof(Value));
  if (node.op == BinaryOp::Multiply) spend_bytes(repeated_size(left, right));
  return arithmetic(node.op, left, right);
}

Value Interpreter::evaluate(const Comparison& node, const ScopePtr& scope) {
  Value left = evaluate(*node.first, scope);
  for (const auto& [op, operand] : node.rest) {
    Value right = evaluate(*operand, scope);
    if (!compared(op, left, right)) return false;
    left = std::move(right);
  }
  return true;
}

bool Interpreter::compared(CompareOp op, const Value& left, const Value& right) {
  // A comparison may walk all of its right side.
  if (right.text()) spend_bytes(right.text()->size());
  if (right.list()) spend_bytes(right.list()->items.size());
  if (op == CompareOp::Equal) return equal(left, right);
  if (op == CompareOp::NotEqual) return !equal(left, right);
  if (op == CompareOp::In) return contains(right, left);
  if (op == CompareOp::NotIn) return !contains(right, left);
  if (left.undefined()) undefined_error(left.undefined()->reason);
  if (right.undefined()) undefined_error(right.undefined()->reason);
  const auto order = compare(left, right);
  if (!order)
    type_error(std::string("'") + symbol(op) + "' not supported between instances of '" + left.type_name() + "' and '" +
               right.type_name() + "'");
  return ordered(op, *order);
}

Value Interpreter::evaluate(const Conditional& node, const ScopePtr& scope) {
  if (evaluate(*node.condition, scope).truthy()) return evaluate(*node.value, scope);
  if (node.otherwise) return evaluate(*node.otherwise, scope);
  return Value::undefined("the inline if-expression evaluated to false and no else section was defined");
}

}  // namespace agent::jinja
