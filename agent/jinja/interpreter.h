#pragma once
// Walks a template's tree once. Scopes follow Jinja: loops, macros and `with` make one, `if` doesn't.

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "agent/jinja/ast.h"
#include "agent/jinja/jinja.h"

namespace agent::jinja {

struct Scope {
  std::shared_ptr<Scope> parent;
  std::map<std::string, Value> variables;
};
using ScopePtr = std::shared_ptr<Scope>;

// What `loop` is inside a for loop.
struct LoopState {
  const ForStatement* statement;
  ScopePtr scope;  // around the loop, for loop(…) in recursive ones
  std::vector<Value> items;
  std::size_t index = 0;
  int depth = 0;
  std::vector<Value> changed_values;  // the arguments of the last loop.changed(…)
};

class Interpreter {
 public:
  explicit Interpreter(const RenderOptions& options) : options_(options) {}

  Text render(const Body& body, const nlohmann::ordered_json& context);

  // For the built-in functions.
  Value call(const Value& callee, const Arguments& arguments);
  Value attribute(const Value& object, const std::string& name);
  Value item(const Value& object, const Value& index);
  std::vector<Value> items_of(const Value& iterable);
  Namespace* make_namespace() { return &namespaces_.emplace_back(); }
  const RenderOptions& options() const { return options_; }
  void spend_bytes(std::size_t n_bytes);

 private:
  enum class Flow { Next, Break, Continue };

  // One level of the walk. The limit keeps endless recursion of macros from overflowing the stack.
  class Depth {
   public:
    explicit Depth(int& depth) : depth_(depth) {
      if (depth_ >= kMaxDepth) limit_error(sentence("recursion is deeper than ", kMaxDepth, " levels"));
      ++depth_;
    }
    ~Depth() { --depth_; }

   private:
    static constexpr int kMaxDepth = 800;
    int& depth_;
  };

  void spend_step();
  Flow execute(const Body& body, const ScopePtr& scope, Text& out);
  Flow execute(const Statement& statement, const ScopePtr& scope, Text& out);
  Flow execute_if(const IfStatement& node, const ScopePtr& scope, Text& out);
  void execute_set(const SetStatement& node, const ScopePtr& scope);
  void execute_call(const CallStatement& node, const ScopePtr& scope, Text& out);
  void execute_with(const WithStatement& node, const ScopePtr& scope, Text& out);
  void run_loop(const ForStatement& node, const Value& iterable, const ScopePtr& scope, int depth, Text& out);
  Text capture(const Body& body, const ScopePtr& scope);
  void assign(const Target& target, const Value& value, Scope& scope, const ScopePtr& lookup_scope);
  Value make_macro(const MacroStatement& node, const ScopePtr& scope);
  Value run_macro(const MacroStatement& node, const ScopePtr& scope, const Arguments& arguments);
  void bind(const MacroStatement& node, const Arguments& arguments, const ScopePtr& scope);
  Value loop_attribute(LoopState& loop, const std::string& name);
  void write(const Text& text, Text& out);

  Value evaluate(const Expression& expression, const ScopePtr& scope);
  Value evaluate(const Literal& node, const ScopePtr& scope);
  Value evaluate(const Name& node, const ScopePtr& scope);
  Value evaluate(const Sequence& node, const ScopePtr& scope);
  Value evaluate(const Mapping& node, const ScopePtr& scope);
  Value evaluate(const Attribute& node, const ScopePtr& scope);
  Value evaluate(const Subscript& node, const ScopePtr& scope);
  Value evaluate(const Slice& node, const ScopePtr& scope);
  Value evaluate(const Call& node, const ScopePtr& scope);
  Value evaluate(const Filter& node, const ScopePtr& scope);
  Value evaluate(const Test& node, const ScopePtr& scope);
  Value evaluate(const Unary& node, const ScopePtr& scope);
  Value evaluate(const Binary& node, const ScopePtr& scope);
  Value evaluate(const Comparison& node, const ScopePtr& scope);
  Value evaluate(const Conditional& node, const ScopePtr& scope);
  Arguments evaluate(const CallArguments& node, const ScopePtr& scope);
  Value filtered(const Expression& filter, const Value& block_output, const ScopePtr& scope);
  bool compared(CompareOp op, const Value& left, const Value& right);

  const RenderOptions options_;
  std::size_t steps_ = 0, bytes_ = 0;
  int depth_ = 0;
  // Values point into these without owning, so that no value can keep itself alive.
  std::deque<Namespace> namespaces_;
  std::deque<LoopState> loops_;
  std::vector<ScopePtr> macro_scopes_;
};

}  // namespace agent::jinja
