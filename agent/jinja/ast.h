#pragma once
// A parsed template: statements that write output, expressions that have values.

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "agent/jinja/value.h"

namespace agent::jinja {

struct Expression;
using ExpressionPtr = std::unique_ptr<Expression>;
struct Statement;
using Body = std::vector<Statement>;

struct CallArguments {
  std::vector<ExpressionPtr> positional;
  std::vector<std::pair<std::string, ExpressionPtr>> named;
};

struct Literal {
  Value value;
};
struct Name {
  std::string name;
};
struct Sequence {
  std::vector<ExpressionPtr> items;
  bool is_tuple;
};
struct Mapping {
  std::vector<std::pair<ExpressionPtr, ExpressionPtr>> items;
};
struct Attribute {
  ExpressionPtr object;
  std::string name;
};
struct Subscript {
  ExpressionPtr object, index;
};
struct Slice {
  ExpressionPtr object, begin, end, step;  // the last three may be null
};
struct Call {
  ExpressionPtr callee;
  CallArguments arguments;
};
struct Filter {
  ExpressionPtr input;  // null in a filter block: the block's output
  std::string name;
  CallArguments arguments;
};
struct Test {
  ExpressionPtr input;
  std::string name;
  CallArguments arguments;
  bool negated;
};
enum class UnaryOp { Not, Minus, Plus };
struct Unary {
  UnaryOp op;
  ExpressionPtr operand;
};
enum class BinaryOp { And, Or, Add, Subtract, Multiply, Divide, FloorDivide, Modulo, Power, Concatenate };
struct Binary {
  BinaryOp op;
  ExpressionPtr left, right;
};
enum class CompareOp { Equal, NotEqual, Less, LessEqual, Greater, GreaterEqual, In, NotIn };
// a < b <= c: each operand is compared with the one before.
struct Comparison {
  ExpressionPtr first;
  std::vector<std::pair<CompareOp, ExpressionPtr>> rest;
};
struct Conditional {
  ExpressionPtr value, condition, otherwise;  // `otherwise` may be null
};

struct Expression {
  std::variant<Literal, Name, Sequence, Mapping, Attribute, Subscript, Slice, Call, Filter, Test, Unary, Binary,
               Comparison, Conditional>
      node;
  int line;
  int depth;  // of the tree below, itself included
};
int depth_of_children(const Expression& expression);

// What an assignment or a loop fills: one name, several, or an attribute of a namespace.
struct Target {
  std::vector<std::string> names;
  bool unpacks = false;   // (a, b): also for a tuple of one
  std::string attribute;  // of the namespace names[0]; empty for a plain name
};

struct Parameter {
  std::string name;
  ExpressionPtr default_value;  // null when there is none
};

struct DataStatement {
  std::string text;
};
struct OutputStatement {
  ExpressionPtr value;
};
struct IfStatement {
  std::vector<std::pair<ExpressionPtr, Body>> branches;
  Body otherwise;
};
struct ForStatement {
  Target target;
  ExpressionPtr iterable, condition;  // `condition` may be null
  Body body, otherwise;
  bool is_recursive;
};
struct SetStatement {
  Target target;
  ExpressionPtr value;  // null: `body` is rendered, through `filter` when there is one
  Body body;
  ExpressionPtr filter;
};
struct MacroStatement {
  std::string name;
  std::vector<Parameter> parameters;
  Body body;
  bool uses_varargs = false, uses_kwargs = false;
};
struct CallStatement {
  MacroStatement caller;
  ExpressionPtr call;
};
struct FilterStatement {
  ExpressionPtr filter;  // a chain whose innermost input is null
  Body body;
};
struct WithStatement {
  std::vector<std::pair<Target, ExpressionPtr>> variables;
  Body body;
};
// {% generation %}: marks what the assistant said, for training. It renders as its body.
struct GenerationStatement {
  Body body;
};
struct BreakStatement {};
struct ContinueStatement {};

struct Statement {
  std::variant<DataStatement, OutputStatement, IfStatement, ForStatement, SetStatement, MacroStatement, CallStatement,
               FilterStatement, WithStatement, GenerationStatement, BreakStatement, ContinueStatement>
      node;
  int line;
};

}  // namespace agent::jinja
