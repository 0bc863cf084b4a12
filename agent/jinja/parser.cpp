#include "agent/jinja/parser.h"

#include <algorithm>
#include <initializer_list>

#include "agent/jinja/expression_parser.h"

namespace agent::jinja {
namespace {

constexpr int kMaxStatementNesting = 50;

class StatementParser {
 public:
  explicit StatementParser(std::string_view source) : tokens_(tokenize(source)), expressions_(tokens_) {}

  Body run() {
    Body body = until({});
    if (!tokens_.is(Token::Kind::End)) tokens_.fail("unexpected {% " + tokens_.current().text + " %}");
    return body;
  }

 private:
  // Statements up to a tag whose word is one of `ends`; the word itself is not taken.
  Body until(std::initializer_list<std::string_view> ends) {
    if (++nesting_ > kMaxStatementNesting) tokens_.fail("blocks are nested too deep");
    Body body;
    while (!tokens_.is(Token::Kind::End)) {
      const Token token = tokens_.take();
      if (token.kind == Token::Kind::Data) {
        body.push_back({DataStatement{token.text}, token.line});
      } else if (token.kind == Token::Kind::OutputBegin) {
        body.push_back({OutputStatement{expressions_.tuple()}, token.line});
        tokens_.expect(Token::Kind::OutputEnd);
      } else {
        if (tokens_.is(Token::Kind::Name) && std::find(ends.begin(), ends.end(), tokens_.current().text) != ends.end())
          break;
        statement(body);
      }
    }
    if (ends.size() > 0 && tokens_.is(Token::Kind::End))
      tokens_.fail("the template ends before {% " + std::string(*(ends.end() - 1)) + " %}");
    --nesting_;
    return body;
  }

  // A body closed by {% end_word %}.
  Body block(std::string_view end_word) {
    end_of_tag();
    Body body = until({end_word});
    tokens_.take();
    end_of_tag();
    return body;
  }

  void end_of_tag() { tokens_.expect(Token::Kind::BlockEnd); }

  void statement(Body& body) {
    const int line = tokens_.line();
    const std::string word = tokens_.expect_any_name();
    const auto add = [&](auto node) { body.push_back({std::move(node), line}); };
    if (word == "if") return add(if_statement());
    if (word == "for") return add(for_statement());
    if (word == "set") return add(set_statement());
    if (word == "macro") return add(macro_statement());
    if (word == "call") return add(call_statement());
    if (word == "filter") return add(filter_statement());
    if (word == "with") return add(with_statement());
    if (word == "generation") return add(GenerationStatement{block("endgeneration")});
    if (word != "break" && word != "continue") throw SyntaxError(line, "unknown tag '" + word + "'");
    if (loop_nesting_ == 0) throw SyntaxError(line, "'" + word + "' outside of a loop");
    end_of_tag();
    if (word == "break")
      add(BreakStatement{});
    else
      add(ContinueStatement{});
  }

  IfStatement if_statement() {
    IfStatement node;
    for (bool more = true; more;) {
      ExpressionPtr condition = expressions_.tuple_without_condition();
      end_of_tag();
      Body branch = until({"elif", "else", "endif"});
      node.branches.emplace_back(std::move(condition), std::move(branch));
      const std::string word = tokens_.take().text;
      more = word == "elif";
      if (word == "else") {
        node.otherwise = block("endif");
      } else if (word == "endif") {
        end_of_tag();
      }
    }
    return node;
  }

  ForStatement for_statement() {
    ForStatement node;
    node.target = expressions_.target(false);
    tokens_.expect_name("in");
    node.iterable = expressions_.tuple_without_condition();
    if (tokens_.accept_name("if")) node.condition = expressions_.expression();
    node.is_recursive = tokens_.accept_name("recursive");
    end_of_tag();
    ++loop_nesting_;
    node.body = until({"else", "endfor"});
    --loop_nesting_;
    if (tokens_.accept_name("else")) {
      node.otherwise = block("endfor");
    } else {
      tokens_.expect_name("endfor");
      end_of_tag();
    }
    return node;
  }

  SetStatement set_statement() {
    SetStatement node;
    node.target = expressions_.target(true);
    if (tokens_.accept_op("=")) {
      node.value = expressions_.tuple();
      end_of_tag();
      return node;
    }
    if (tokens_.accept_op("|")) node.filter = expressions_.filter_chain(nullptr);
    node.body = block("endset");
    return node;
  }

  MacroStatement macro_statement() {
    std::string name = tokens_.expect_any_name();
    MacroStatement node = signature();
    node.name = std::move(name);
    finish_macro(node, "endmacro");
    return node;
  }

  MacroStatement signature() {
    MacroStatement node;
    tokens_.expect_op("(");
    while (!tokens_.is_op(")")) {
      if (!node.parameters.empty()) tokens_.expect_op(",");
      Parameter parameter{tokens_.expect_any_name(), nullptr};
      if (tokens_.accept_op("="))
        parameter.default_value = expressions_.expression();
      else if (!node.parameters.empty() && node.parameters.back().default_value)
        tokens_.fail("a parameter without a default follows one with a default");
      node.parameters.push_back(std::move(parameter));
    }
    tokens_.take();
    return node;
  }

  void finish_macro(MacroStatement& node, std::string_view end_word) {
    const int outer_loops = loop_nesting_;
    loop_nesting_ = 0;  // a break inside a macro can't reach the loop around it
    const std::size_t begin = tokens_.position();
    node.body = block(end_word);
    node.uses_varargs = tokens_.mentioned_since(begin, "varargs");
    node.uses_kwargs = tokens_.mentioned_since(begin, "kwargs");
    loop_nesting_ = outer_loops;
  }

  CallStatement call_statement() {
    CallStatement node;
    if (tokens_.is_op("(")) node.caller = signature();
    node.caller.name = "caller";
    node.call = expressions_.postfix_call();
    finish_macro(node.caller, "endcall");
    return node;
  }

  FilterStatement filter_statement() {
    FilterStatement node;
    node.filter = expressions_.filter_chain(nullptr);
    node.body = block("endfilter");
    return node;
  }

  WithStatement with_statement() {
    WithStatement node;
    while (!tokens_.is(Token::Kind::BlockEnd)) {
      if (!node.variables.empty()) tokens_.expect_op(",");
      Target target = expressions_.target(false);
      tokens_.expect_op("=");
      node.variables.emplace_back(std::move(target), expressions_.expression());
    }
    node.body = block("endwith");
    return node;
  }

  TokenStream tokens_;
  ExpressionParser expressions_;
  int nesting_ = 0;
  int loop_nesting_ = 0;
};

}  // namespace

Body parse(std::string_view source) {
  return StatementParser(source).run();
}

}  // namespace agent::jinja
