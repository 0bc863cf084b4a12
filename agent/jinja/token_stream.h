#pragma once
// The tokens of a template with one place to read from: what both halves of the parser share.

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agent/jinja/errors.h"
#include "agent/jinja/lexer.h"

namespace agent::jinja {

class TokenStream {
 public:
  explicit TokenStream(std::vector<Token> tokens) : tokens_(std::move(tokens)) {}

  const Token& current() const { return tokens_[position_]; }
  const Token& following() const { return tokens_[std::min(position_ + 1, tokens_.size() - 1)]; }
  int line() const { return current().line; }

  bool is(Token::Kind kind) const { return current().kind == kind; }
  bool is_op(std::string_view op) const { return is(Token::Kind::Operator) && current().text == op; }
  bool is_name(std::string_view name) const { return is(Token::Kind::Name) && current().text == name; }

  Token take() {
    Token token = current();
    if (position_ + 1 < tokens_.size()) ++position_;
    return token;
  }
  bool accept_op(std::string_view op) { return is_op(op) && (take(), true); }
  bool accept_name(std::string_view name) { return is_name(name) && (take(), true); }
  bool accept(Token::Kind kind) { return is(kind) && (take(), true); }

  void expect_op(std::string_view op) {
    if (!accept_op(op)) fail("expected '" + std::string(op) + "', found " + describe(current()));
  }
  void expect_name(std::string_view name) {
    if (!accept_name(name)) fail("expected '" + std::string(name) + "', found " + describe(current()));
  }
  std::string expect_any_name() {
    if (!is(Token::Kind::Name)) fail("expected a name, found " + describe(current()));
    return take().text;
  }
  void expect(Token::Kind kind) {
    if (!accept(kind)) fail("expected the end of the tag, found " + describe(current()));
  }
  std::size_t position() const { return position_; }
  // Whether this name occurs between `begin` and here.
  bool mentioned_since(std::size_t begin, std::string_view name) const {
    return std::any_of(tokens_.begin() + begin, tokens_.begin() + position_,
                       [&](const Token& token) { return token.kind == Token::Kind::Name && token.text == name; });
  }
  [[noreturn]] void fail(const std::string& what) const { throw SyntaxError(line(), what); }

  static std::string describe(const Token& token) {
    switch (token.kind) {
      case Token::Kind::BlockEnd:
      case Token::Kind::OutputEnd:
        return "the end of the tag";
      case Token::Kind::End:
        return "the end of the template";
      case Token::Kind::String:
        return "a string";
      default:
        return "'" + token.text + "'";
    }
  }

 private:
  std::vector<Token> tokens_;
  std::size_t position_ = 0;
};

}  // namespace agent::jinja
