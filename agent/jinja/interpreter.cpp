#include "agent/jinja/interpreter.h"

#include <algorithm>

#include "agent/jinja/builtins.h"
#include "agent/jinja/operators.h"

namespace agent::jinja {

void Interpreter::spend_step() {
  if (++steps_ > options_.max_steps) limit_error(sentence("rendering takes more than ", options_.max_steps, " steps"));
}

void Interpreter::spend_bytes(std::size_t n_bytes) {
  if (n_bytes > options_.max_bytes - bytes_)
    limit_error(sentence("rendering makes more than ", options_.max_bytes, " bytes"));
  bytes_ += n_bytes;
}

Text Interpreter::render(const Body& body, const nlohmann::ordered_json& context) {
  auto root = std::make_shared<Scope>();
  for (const auto& [name, value] : context.items()) root->variables[name] = Value::from_json(value);
  return capture(body, root);
}

Text Interpreter::capture(const Body& body, const ScopePtr& scope) {
  Text out;
  execute(body, scope, out);
  return out;
}

void Interpreter::write(const Text& text, Text& out) {
  spend_bytes(text.size());
  out.append(text);
}

Interpreter::Flow Interpreter::execute(const Body& body, const ScopePtr& scope, Text& out) {
  for (const Statement& statement : body) {
    const Flow flow = execute(statement, scope, out);
    if (flow != Flow::Next) return flow;
  }
  return Flow::Next;
}

Interpreter::Flow Interpreter::execute(const Statement& statement, const ScopePtr& scope, Text& out) {
  const Depth depth(depth_);
  spend_step();
  const auto inner_scope = [&] { return std::make_shared<Scope>(Scope{scope, {}}); };
  if (const auto* data = std::get_if<DataStatement>(&statement.node)) {
    spend_bytes(data->text.size());
    out.append(data->text, Origin::Template);
  } else if (const auto* output = std::get_if<OutputStatement>(&statement.node)) {
    write(evaluate(*output->value, scope).to_text(), out);
  } else if (const auto* branch = std::get_if<IfStatement>(&statement.node)) {
    return execute_if(*branch, scope, out);
  } else if (const auto* loop = std::get_if<ForStatement>(&statement.node)) {
    run_loop(*loop, evaluate(*loop->iterable, scope), scope, 0, out);
  } else if (const auto* set = std::get_if<SetStatement>(&statement.node)) {
    execute_set(*set, scope);
  } else if (const auto* macro = std::get_if<MacroStatement>(&statement.node)) {
    scope->variables[macro->name] = make_macro(*macro, scope);
  } else if (const auto* call = std::get_if<CallStatement>(&statement.node)) {
    execute_call(*call, scope, out);
  } else if (const auto* filter = std::get_if<FilterStatement>(&statement.node)) {
    write(filtered(*filter->filter, capture(filter->body, inner_scope()), scope).to_text(), out);
  } else if (const auto* with = std::get_if<WithStatement>(&statement.node)) {
    execute_with(*with, scope, out);
  } else if (const auto* generation = std::get_if<GenerationStatement>(&statement.node)) {
    return execute(generation->body, inner_scope(), out);
  } else {
    return std::holds_alternative<BreakStatement>(statement.node) ? Flow::Break : Flow::Continue;
  }
  return Flow::Next;
}

Interpreter::Flow Interpreter::execute_if(const IfStatement& node, const ScopePtr& scope, Text& out) {
  for (const auto& [condition, body] : node.branches)
    if (evaluate(*condition, scope).truthy()) return execute(body, scope, out);
  return execute(node.otherwise, scope, out);
}

void Interpreter::execute_set(const SetStatement& node, const ScopePtr& scope) {
  if (node.value) return assign(node.target, evaluate(*node.value, scope), *scope, scope);
  Value value = capture(node.body, std::make_shared<Scope>(Scope{scope, {}}));
  if (node.filter) value = filtered(*node.filter, value, scope);
  assign(node.target, value, *scope, scope);
}

void Interpreter::execute_call(const CallStatement& node, const ScopePtr& scope, Text& out) {
  const Call& call_node = std::get<Call>(node.call->node);
  const Value callee = evaluate(*call_node.callee, scope);
  Arguments arguments = evaluate(call_node.arguments, scope);
  arguments.named.emplace_back("caller", make_macro(node.caller, scope));
  write(call(callee, arguments).to_text(), out);
}

void Interpreter::execute_with(const WithStatement& node, const ScopePtr& scope, Text& out) {
  const auto inner = std::make_shared<Scope>(Scope{scope, {}});
  // Every value is evaluated outside: one variable doesn't see the others.
  for (const auto& [target, value] : node.variables) assign(target, evaluate(*value, scope), *inner, scope);
  execute(node.body, inner, out);
}

void Interpreter::assign(const Target& target, const Value& value, Scope& scope, const ScopePtr& lookup_scope) {
  if (!target.attribute.empty()) {
    const Value object = evaluate(Name{target.names[0]}, lookup_scope);
    if (!object.name_space()) type_error("cannot assign attribute on non-namespace object");
    object.name_space()->attributes[target.attribute] = value;
    return;
  }
  if (!target.unpacks) {
    scope.variables[target.names[0]] = value;
    return;
  }
  const std::vector<Value> items = items_of(value);
  if (items.size() != target.names.size())
    type_error(sentence("expected ", target.names.size(), " values to unpack, got ", items.size()));
  for (std::size_t i = 0; i < items.size(); ++i) scope.variables[target.names[i]] = items[i];
}

void Interpreter::run_loop(const ForStatement& node, const Value& iterable, const ScopePtr& scope, int depth,
                           Text& out) {
  std::vector<Value> items = items_of(iterable);
  if (node.condition) {
    std::vector<Value> kept;
    for (const Value& item : items) {
      const auto inner = std::make_shared<Scope>(Scope{scope, {}});
      assign(node.target, item, *inner, scope);
      if (evaluate(*node.condition, inner).truthy()) kept.push_back(item);
    }
    items = std::move(kept);
  }
  if (items.empty()) {
    execute(node.otherwise, std::make_shared<Scope>(Scope{scope, {}}), out);
    return;
  }
  spend_bytes(sizeof(LoopState));
  LoopState& loop = loops_.emplace_back(LoopState{&node, scope, std::move(items), 0, depth, {}});
  for (; loop.index < loop.items.size(); ++loop.index) {
    spend_step();
    const auto inner = std::make_shared<Scope>(Scope{scope, {}});
    assign(node.target, loop.items[loop.index], *inner, scope);
    inner->variables["loop"] = &loop;
    if (execute(node.body, inner, out) == Flow::Break) break;
  }
}

Value Interpreter::make_macro(const MacroStatement& node, const ScopePtr& scope) {
  macro_scopes_.push_back(scope);
  // The macro must not own its scope, which owns the macro.
  return Value::callable(node.name,
                         [&node, scope = std::weak_ptr<Scope>(scope)](Interpreter& self, const Arguments& arguments) {
                           return self.run_macro(node, scope.lock(), arguments);
                         });
}

Value Interpreter::run_macro(const MacroStatement& node, const ScopePtr& scope, const Arguments& arguments) {
  const auto inner = std::make_shared<Scope>(Scope{scope, {}});
  bind(node, arguments, inner);
  return capture(node.body, inner);
}

void Interpreter::bind(const MacroStatement& node, const Arguments& arguments, const ScopePtr& scope) {
  std::vector<std::pair<Text, Value>> extra_named;
  for (const auto& [name, value] : arguments.named) {
    const auto position = std::find_if(node.parameters.begin(), node.parameters.end(),
                                       [&name = name](const Parameter& parameter) { return parameter.name == name; });
    if (position != node.parameters.end()) {
      if (position - node.parameters.begin() < static_cast<std::ptrdiff_t>(arguments.positional.size()))
        type_error("macro '" + node.name + "' got multiple values for argument '" + name + "'");
      scope->variables[name] = value;
    } else if (name == "caller") {
      scope->variables[name] = value;
    } else if (node.uses_kwargs) {
      extra_named.emplace_back(Text(name, Origin::Template), value);
    } else {
      type_error("macro '" + node.name + "' takes no keyword argument '" + name + "'");
    }
  }
  for (std::size_t i = 0; i < node.parameters.size(); ++i) {
    const Parameter& parameter = node.parameters[i];
    if (i < arguments.positional.size())
      scope->variables[parameter.name] = arguments.positional[i];
    else if (!arguments.find(parameter.name))
      scope->variables[parameter.name] = parameter.default_value
                                             ? evaluate(*parameter.default_value, scope)
                                             : Value::undefined("parameter '" + parameter.name + "' was not provided");
  }
  const std::size_t n_taken = std::min(node.parameters.size(), arguments.positional.size());
  if (n_taken < arguments.positional.size() && !node.uses_varargs)
    type_error(sentence("macro '", node.name, "' takes not more than ", node.parameters.size(), " argument(s)"));
  if (node.uses_varargs)
    scope->variables["varargs"] =
        Value::list({arguments.positional.begin() + n_taken, arguments.positional.end()}, true);
  if (node.uses_kwargs) scope->variables["kwargs"] = Value::dict(std::move(extra_named));
}

Value Interpreter::call(const Value& callee, const Arguments& arguments) {
  const Depth depth(depth_);
  spend_step();
  if (callee.undefined()) undefined_error(callee.undefined()->reason);
  if (const Callable* function = callee.callable()) return function->call(*this, arguments);
  if (LoopState* loop = callee.loop()) {
    if (!loop->statement->is_recursive)
      type_error("the loop must have the 'recursive' marker to be called recursively");
    if (arguments.positional.size() != 1) type_error("loop() takes one argument");
    Text out;
    run_loop(*loop->statement, arguments.positional[0], loop->scope, loop->depth + 1, out);
    return out;
  }
  type_error("'" + callee.type_name() + "' object is not callable");
}

std::vector<Value> Interpreter::items_of(const Value& iterable) {
  std::vector<Value> items;
  if (const List* list = iterable.list()) {
    items = list->items;
  } else if (const Dict* dict = iterable.dict()) {
    for (const auto& [key, value] : dict->items) items.emplace_back(key);
  } else if (const Text* text = iterable.text()) {
    spend_bytes(text->size() * sizeof(Value));
    const auto offsets = code_point_offsets(text->str());
    for (std::size_t i = 0; i + 1 < offsets.size(); ++i)
      items.emplace_back(text->substr(offsets[i], offsets[i + 1] - offsets[i]));
  } else if (!iterable.undefined()) {
    type_error("'" + iterable.type_name() + "' object is not iterable");
  }
  spend_bytes(items.size() * sizeof(Value));
  return items;
}

Value Interpreter::attribute(const Value& object, const std::string& name) {
  if (object.undefined()) undefined_error(object.undefined()->reason);
  if (const auto method = find_method(object, name)) return *method;
  if (const Dict* dict = object.dict())
    if (const Value* value = dict->find(name)) return *value;
  if (const Namespace* space = object.name_space()) {
    const auto found = space->attributes.find(name);
    if (found != space->attributes.end()) return found->second;
  }
  if (object.loop()) return loop_attribute(*object.loop(), name);
  const std::string type = object.is_none() ? "None" : object.type_name() + " object";
  return Value::undefined("'" + type + "' has no attribute '" + name + "'");
}

Value Interpreter::item(const Value& object, const Value& index) {
  if (object.undefined()) undefined_error(object.undefined()->reason);
  if (const Text* key = index.text()) {
    if (const Dict* dict = object.dict())
      if (const Value* value = dict->find(key->str())) return *value;
    return attribute(object, key->str());
  }
  if (const auto integer = index.integer()) {
    if (const List* list = object.list()) {
      if (const auto place = index_of(*integer, list->items.size())) return list->items[*place];
    } else if (const Text* text = object.text()) {
      const auto offsets = code_point_offsets(text->str());
      if (const auto place = index_of(*integer, offsets.size() - 1))
        return text->substr(offsets[*place], offsets[*place + 1] - offsets[*place]);
    }
  }
  const std::string type = object.is_none() ? "None" : object.type_name() + " object";
  return Value::undefined(sentence(type, " has no element ", index.repr()));
}

Value Interpreter::loop_attribute(LoopState& loop, const std::string& name) {
  const auto index = static_cast<std::int64_t>(loop.index), n = static_cast<std::int64_t>(loop.items.size());
  if (name == "index") return index + 1;
  if (name == "index0") return index;
  if (name == "revindex") return n - index;
  if (name == "revindex0") return n - index - 1;
  if (name == "first") return index == 0;
  if (name == "last") return index + 1 == n;
  if (name == "length") return n;
  if (name == "depth") return std::int64_t{loop.depth + 1};
  if (name == "depth0") return std::int64_t{loop.depth};
  if (name == "previtem") return index > 0 ? loop.items[index - 1] : Value::undefined("there is no previous item");
  if (name == "nextitem") return index + 1 < n ? loop.items[index + 1] : Value::undefined("there is no next item");
  if (name == "cycle")
    return Value::callable("cycle", [&loop](Interpreter&, const Arguments& arguments) {
      if (arguments.positional.empty()) type_error("no items for cycling given");
      return arguments.positional[loop.index % arguments.positional.size()];
    });
  if (name == "changed")
    return Value::callable("changed", [&loop](Interpreter&, const Arguments& arguments) {
      const bool is_same =
          !loop.changed_values.empty() && equal(Value::list(loop.changed_values), Value::list(arguments.positional));
      loop.changed_values = arguments.positional;
      return Value(!is_same);
    });
  return Value::undefined("'LoopContext object' has no attribute '" + name + "'");
}

}  // namespace agent::jinja
