#include "agent/jinja/expression_parser.h"

#include <optional>

#include "agent/jinja/builtins.h"

namespace agent::jinja {
namespace {

constexpr int kMaxTreeDepth = 150;  // of one expression

struct Nesting {
  explicit Nesting(int& level) : level_(level) { ++level_; }
  ~Nesting() { --level_; }
  int& level_;
};

}  // namespace

template <typename Node>
ExpressionPtr ExpressionParser::make(Node node, int line) {
  auto expression = std::make_unique<Expression>(Expression{std::move(node), line, 1});
  expression->depth += depth_of_children(*expression);
  if (expression->depth > kMaxTreeDepth) tokens_.fail("the expression is nested too deep");
  return expression;
}

ExpressionPtr ExpressionParser::expression() {
  const Nesting nesting(nesting_);
  if (nesting_ > kMaxTreeDepth) tokens_.fail("the expression is nested too deep");
  ExpressionPtr value = or_expression();
  while (tokens_.is_name("if")) {
    const int line = tokens_.take().line;
    ExpressionPtr condition = or_expression();
    ExpressionPtr otherwise = tokens_.accept_name("else") ? expression() : nullptr;
    value = make(Conditional{std::move(value), std::move(condition), std::move(otherwise)}, line);
  }
  return value;
}

bool ExpressionParser::at_tuple_end(std::string_view end_name) const {
  return tokens_.is(Token::Kind::BlockEnd) || tokens_.is(Token::Kind::OutputEnd) || tokens_.is_op(")") ||
         tokens_.is_op("=") || (!end_name.empty() && tokens_.is_name(end_name));
}

ExpressionPtr ExpressionParser::tuple_or_single(Conditions conditions, std::string_view end_name) {
  const int line = tokens_.line();
  const auto item = [&] { return conditions == Conditions::Yes ? expression() : or_expression(); };
  ExpressionPtr first = item();
  if (!tokens_.is_op(",")) return first;
  std::vector<ExpressionPtr> items;
  items.push_back(std::move(first));
  while (tokens_.accept_op(",") && !at_tuple_end(end_name)) items.push_back(item());
  return make(Sequence{std::move(items), true}, line);
}

ExpressionPtr ExpressionParser::or_expression() {
  ExpressionPtr left = and_expression();
  while (tokens_.is_name("or")) {
    const int line = tokens_.take().line;
    ExpressionPtr right = and_expression();
    left = make(Binary{BinaryOp::Or, std::move(left), std::move(right)}, line);
  }
  return left;
}

ExpressionPtr ExpressionParser::and_expression() {
  ExpressionPtr left = not_expression();
  while (tokens_.is_name("and")) {
    const int line = tokens_.take().line;
    ExpressionPtr right = not_expression();
    left = make(Binary{BinaryOp::And, std::move(left), std::move(right)}, line);
  }
  return left;
}

ExpressionPtr ExpressionParser::not_expression() {
  if (!tokens_.is_name("not")) return comparison();
  const Nesting nesting(nesting_);
  if (nesting_ > kMaxTreeDepth) tokens_.fail("the expression is nested too deep");
  const int line = tokens_.take().line;
  return make(Unary{UnaryOp::Not, not_expression()}, line);
}

ExpressionPtr ExpressionParser::comparison() {
  static const std::pair<std::string_view, CompareOp> kOperators[] = {
      {"==", CompareOp::Equal},     {"!=", CompareOp::NotEqual}, {"<", CompareOp::Less},
      {"<=", CompareOp::LessEqual}, {">", CompareOp::Greater},   {">=", CompareOp::GreaterEqual}};
  const int line = tokens_.line();
  Comparison node{sum(), {}};
  const auto next_operator = [&]() -> std::optional<CompareOp> {
    for (const auto& [text, op] : kOperators)
      if (tokens_.accept_op(text)) return op;
    if (tokens_.accept_name("in")) return CompareOp::In;
    if (!tokens_.is_name("not") || tokens_.following().kind != Token::Kind::Name || tokens_.following().text != "in")
      return std::nullopt;
    tokens_.take();
    tokens_.take();
    return CompareOp::NotIn;
  };
  while (const auto op = next_operator()) node.rest.emplace_back(*op, sum());
  if (node.rest.empty()) return std::move(node.first);
  return make(std::move(node), line);
}

ExpressionPtr ExpressionParser::sum() {
  ExpressionPtr left = concatenation();
  while (tokens_.is_op("+") || tokens_.is_op("-")) {
    const Token op = tokens_.take();
    ExpressionPtr right = concatenation();
    left =
        make(Binary{op.text == "+" ? BinaryOp::Add : BinaryOp::Subtract, std::move(left), std::move(right)}, op.line);
  }
  return left;
}

ExpressionPtr ExpressionParser::concatenation() {
  ExpressionPtr left = product();
  while (tokens_.is_op("~")) {
    const int line = tokens_.take().line;
    ExpressionPtr right = product();
    left = make(Binary{BinaryOp::Concatenate, std::move(left), std::move(right)}, line);
  }
  return left;
}

ExpressionPtr ExpressionParser::product() {
  ExpressionPtr left = power();
  while (tokens_.is_op("*") || tokens_.is_op("/") || tokens_.is_op("//") || tokens_.is_op("%")) {
    const Token token = tokens_.take();
    const BinaryOp op = token.text == "*"    ? BinaryOp::Multiply
                        : token.text == "/"  ? BinaryOp::Divide
                        : token.text == "//" ? BinaryOp::FloorDivide
                                             : BinaryOp::Modulo;
    ExpressionPtr right = power();
    left = make(Binary{op, std::move(left), std::move(right)}, token.line);
  }
  return left;
}

ExpressionPtr ExpressionParser::power() {
  ExpressionPtr left = unary(true);
  while (tokens_.is_op("**")) {
    const int line = tokens_.take().line;
    ExpressionPtr right = unary(true);
    left = make(Binary{BinaryOp::Power, std::move(left), std::move(right)}, line);
  }
  return left;
}

ExpressionPtr ExpressionParser::unary(bool with_filters) {
  const Nesting nesting(nesting_);
  if (nesting_ > kMaxTreeDepth) tokens_.fail("the expression is nested too deep");
  ExpressionPtr node;
  if (tokens_.is_op("-") || tokens_.is_op("+")) {
    const Token op = tokens_.take();
    node = make(Unary{op.text == "-" ? UnaryOp::Minus : UnaryOp::Plus, unary(false)}, op.line);
  } else {
    node = primary();
  }
  node = postfix(std::move(node));
  return with_filters ? filters_and_tests(std::move(node)) : std::move(node);
}

ExpressionPtr ExpressionParser::primary() {
  const Token token = tokens_.current();
  const auto literal = [&](Value value) {
    tokens_.take();
    return make(Literal{std::move(value)}, token.line);
  };
  switch (token.kind) {
    case Token::Kind::Name:
      if (token.text == "true" || token.text == "True") return literal(true);
      if (token.text == "false" || token.text == "False") return literal(false);
      if (token.text == "none" || token.text == "None") return literal(Value());
      tokens_.take();
      return make(Name{token.text}, token.line);
    case Token::Kind::String: {
      std::string text;
      while (tokens_.is(Token::Kind::String)) text += tokens_.take().text;  // "a" "b" is "ab"
      return make(Literal{Text(text, Origin::Template)}, token.line);
    }
    case Token::Kind::Integer:
      return literal(token.integer);
    case Token::Kind::Float:
      return literal(token.number);
    default:
      break;
  }
  if (tokens_.is_op("(")) return parenthesized();
  if (tokens_.is_op("[")) return list_literal();
  if (tokens_.is_op("{")) return dict_literal();
  tokens_.fail("expected an expression, found " + TokenStream::describe(token));
}

ExpressionPtr ExpressionParser::parenthesized() {
  const int line = tokens_.take().line;
  if (tokens_.accept_op(")")) return make(Sequence{{}, true}, line);
  ExpressionPtr inside = tuple();
  tokens_.expect_op(")");
  return inside;
}

ExpressionPtr ExpressionParser::list_literal() {
  const int line = tokens_.take().line;
  std::vector<ExpressionPtr> items;
  while (!tokens_.is_op("]")) {
    if (!items.empty()) tokens_.expect_op(",");
    if (tokens_.is_op("]")) break;
    items.push_back(expression());
  }
  tokens_.expect_op("]");
  return make(Sequence{std::move(items), false}, line);
}

ExpressionPtr ExpressionParser::dict_literal() {
  const int line = tokens_.take().line;
  std::vector<std::pair<ExpressionPtr, ExpressionPtr>> items;
  while (!tokens_.is_op("}")) {
    if (!items.empty()) tokens_.expect_op(",");
    if (tokens_.is_op("}")) break;
    ExpressionPtr key = expression();
    tokens_.expect_op(":");
    items.emplace_back(std::move(key), expression());
  }
  tokens_.expect_op("}");
  return make(Mapping{std::move(items)}, line);
}

ExpressionPtr ExpressionParser::postfix(ExpressionPtr object) {
  for (;;) {
    const int line = tokens_.line();
    if (tokens_.accept_op(".")) {
      if (tokens_.is(Token::Kind::Integer)) {
        ExpressionPtr index = make(Literal{tokens_.take().integer}, line);
        object = make(Subscript{std::move(object), std::move(index)}, line);
      } else {
        object = make(Attribute{std::move(object), tokens_.expect_any_name()}, line);
      }
    } else if (tokens_.is_op("[")) {
      object = subscript(std::move(object));
    } else if (tokens_.is_op("(")) {
      object = call(std::move(object));
    } else {
      return object;
    }
  }
}

ExpressionPtr ExpressionParser::subscript(ExpressionPtr object) {
  const int line = tokens_.take().line;
  ExpressionPtr parts[3];
  int n_colons = 0;
  while (!tokens_.is_op("]")) {
    if (tokens_.accept_op(":")) {
      if (++n_colons > 2) tokens_.fail("a slice has at most three parts");
    } else if (parts[n_colons]) {
      tokens_.fail("expected ']', found " + TokenStream::describe(tokens_.current()));
    } else {
      parts[n_colons] = expression();
    }
  }
  tokens_.expect_op("]");
  if (n_colons > 0)
    return make(Slice{std::move(object), std::move(parts[0]), std::move(parts[1]), std::move(parts[2])}, line);
  if (!parts[0]) tokens_.fail("expected an index");
  return make(Subscript{std::move(object), std::move(parts[0])}, line);
}

ExpressionPtr ExpressionParser::call(ExpressionPtr callee) {
  const int line = tokens_.line();
  return make(Call{std::move(callee), arguments()}, line);
}

CallArguments ExpressionParser::arguments() {
  CallArguments arguments;
  tokens_.expect_op("(");
  for (bool is_first = true; !tokens_.is_op(")"); is_first = false) {
    if (!is_first) tokens_.expect_op(",");
    if (tokens_.is_op(")")) break;
    if (tokens_.is(Token::Kind::Name) && tokens_.following().kind == Token::Kind::Operator &&
        tokens_.following().text == "=") {
      std::string name = tokens_.take().text;
      tokens_.take();
      arguments.named.emplace_back(std::move(name), expression());
    } else {
      if (!arguments.named.empty()) tokens_.fail("a positional argument follows a named one");
      arguments.positional.push_back(expression());
    }
  }
  tokens_.expect_op(")");
  return arguments;
}

ExpressionPtr ExpressionParser::filters_and_tests(ExpressionPtr input) {
  for (;;) {
    if (tokens_.accept_op("|"))
      input = filter(std::move(input));
    else if (tokens_.accept_name("is"))
      input = test(std::move(input));
    else if (tokens_.is_op("("))
      input = call(std::move(input));
    else
      return input;
  }
}

ExpressionPtr ExpressionParser::filter_chain(ExpressionPtr input) {
  input = filter(std::move(input));
  while (tokens_.accept_op("|")) input = filter(std::move(input));
  return input;
}

ExpressionPtr ExpressionParser::filter(ExpressionPtr input) {
  const int line = tokens_.line();
  const std::string name = tokens_.expect_any_name();
  if (!is_filter(name)) throw SyntaxError(line, "there is no filter named '" + name + "'");
  CallArguments given = tokens_.is_op("(") ? arguments() : CallArguments{};
  return make(Filter{std::move(input), name, std::move(given)}, line);
}

ExpressionPtr ExpressionParser::test(ExpressionPtr input) {
  const int line = tokens_.line();
  const bool negated = tokens_.accept_name("not");
  const std::string name = tokens_.expect_any_name();
  if (!is_test(name)) throw SyntaxError(line, "there is no test named '" + name + "'");
  CallArguments given;
  const auto is_keyword = [&] {
    for (const std::string_view word : {"else", "or", "and", "if", "is", "in", "not", "recursive"})
      if (tokens_.is_name(word)) return true;
    return false;
  };
  const bool starts_operand = tokens_.is(Token::Kind::String) || tokens_.is(Token::Kind::Integer) ||
                              tokens_.is(Token::Kind::Float) || tokens_.is_op("[") || tokens_.is_op("{") ||
                              (tokens_.is(Token::Kind::Name) && !is_keyword());
  if (tokens_.is_op("("))
    given = arguments();
  else if (starts_operand)  // `x is divisibleby 3`
    given.positional.push_back(postfix(primary()));
  return make(Test{std::move(input), name, std::move(given), negated}, line);
}

ExpressionPtr ExpressionParser::postfix_call() {
  ExpressionPtr expression = unary(true);
  if (!std::holds_alternative<Call>(expression->node)) tokens_.fail("expected a call");
  return expression;
}

Target ExpressionParser::target(bool with_namespace) {
  Target target;
  const bool has_bracket = tokens_.accept_op("(");
  target.names.push_back(tokens_.expect_any_name());
  if (with_namespace && !has_bracket && tokens_.accept_op(".")) {
    target.attribute = tokens_.expect_any_name();
    return target;
  }
  while (tokens_.accept_op(",")) {
    target.unpacks = true;
    if (!tokens_.is(Token::Kind::Name) || tokens_.is_name("in")) break;
    target.names.push_back(tokens_.take().text);
  }
  if (has_bracket) tokens_.expect_op(")");
  for (const std::string& name : target.names)
    if (name == "true" || name == "false" || name == "none" || name == "True" || name == "False" || name == "None")
      tokens_.fail("can't assign to '" + name + "'");
  return target;
}

}  // namespace agent::jinja
