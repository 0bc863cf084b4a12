#pragma once
// The parser's half for expressions, with Jinja's precedence: filters and tests bind tighter than arithmetic.

#include <initializer_list>

#include "agent/jinja/ast.h"
#include "agent/jinja/token_stream.h"

namespace agent::jinja {

class ExpressionParser {
 public:
  explicit ExpressionParser(TokenStream& tokens) : tokens_(tokens) {}

  ExpressionPtr expression();  // with inline if
  // What a for loop iterates over: its own `if` belongs to the loop.
  ExpressionPtr tuple_without_condition() { return tuple_or_single(Conditions::No, "recursive"); }
  ExpressionPtr tuple() { return tuple_or_single(Conditions::Yes, ""); }
  // `a|b(c)|d` after an opening that has no input of its own: `input` may be null.
  ExpressionPtr filter_chain(ExpressionPtr input);
  ExpressionPtr postfix_call();  // the call of a {% call %} block
  Target target(bool with_namespace);

 private:
  enum class Conditions { Yes, No };
  ExpressionPtr tuple_or_single(Conditions conditions, std::string_view end_name);
  ExpressionPtr or_expression();
  ExpressionPtr and_expression();
  ExpressionPtr not_expression();
  ExpressionPtr comparison();
  ExpressionPtr sum();
  ExpressionPtr concatenation();
  ExpressionPtr product();
  ExpressionPtr power();
  ExpressionPtr unary(bool with_filters);
  ExpressionPtr primary();
  ExpressionPtr parenthesized();
  ExpressionPtr list_literal();
  ExpressionPtr dict_literal();
  ExpressionPtr postfix(ExpressionPtr object);
  ExpressionPtr subscript(ExpressionPtr object);
  ExpressionPtr filters_and_tests(ExpressionPtr input);
  ExpressionPtr filter(ExpressionPtr input);
  ExpressionPtr test(ExpressionPtr input);
  ExpressionPtr call(ExpressionPtr callee);
  CallArguments arguments();
  bool at_tuple_end(std::string_view end_name) const;
  template <typename Node>
  ExpressionPtr make(Node node, int line);

  TokenStream& tokens_;
  int nesting_ = 0;
};

}  // namespace agent::jinja
