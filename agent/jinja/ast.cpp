#include "agent/jinja/ast.h"

#include <algorithm>

namespace agent::jinja {
namespace {

int depth_of(const ExpressionPtr& expression) {
  return expression ? expression->depth : 0;
}
int depth_of(const std::vector<ExpressionPtr>& items) {
  int depth = 0;
  for (const auto& item : items) depth = std::max(depth, depth_of(item));
  return depth;
}
int depth_of(const CallArguments& arguments) {
  int depth = depth_of(arguments.positional);
  for (const auto& [name, value] : arguments.named) depth = std::max(depth, depth_of(value));
  return depth;
}
int depth_of(const Literal&) {
  return 0;
}
int depth_of(const Name&) {
  return 0;
}
int depth_of(const Sequence& node) {
  return depth_of(node.items);
}
int depth_of(const Mapping& node) {
  int depth = 0;
  for (const auto& [key, value] : node.items) depth = std::max({depth, depth_of(key), depth_of(value)});
  return depth;
}
int depth_of(const Attribute& node) {
  return depth_of(node.object);
}
int depth_of(const Subscript& node) {
  return std::max(depth_of(node.object), depth_of(node.index));
}
int depth_of(const Slice& node) {
  return std::max({depth_of(node.object), depth_of(node.begin), depth_of(node.end), depth_of(node.step)});
}
int depth_of(const Call& node) {
  return std::max(depth_of(node.callee), depth_of(node.arguments));
}
int depth_of(const Filter& node) {
  return std::max(depth_of(node.input), depth_of(node.arguments));
}
int depth_of(const Test& node) {
  return std::max(depth_of(node.input), depth_of(node.arguments));
}
int depth_of(const Unary& node) {
  return depth_of(node.operand);
}
int depth_of(const Binary& node) {
  return std::max(depth_of(node.left), depth_of(node.right));
}
int depth_of(const Comparison& node) {
  int depth = depth_of(node.first);
  for (const auto& [op, value] : node.rest) depth = std::max(depth, depth_of(value));
  return depth;
}
int depth_of(const Conditional& node) {
  return std::max({depth_of(node.value), depth_of(node.condition), depth_of(node.otherwise)});
}

}  // namespace

int depth_of_children(const Expression& expression) {
  return std::visit([](const auto& node) { return depth_of(node); }, expression.node);
}

}  // namespace agent::jinja
