#pragma once
// Cuts a template's source into tokens, with the whitespace rules that chat templates are written for:
// trim_blocks and lstrip_blocks on, one trailing newline dropped.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace agent::jinja {

struct Token {
  enum class Kind { Data, OutputBegin, OutputEnd, BlockBegin, BlockEnd, Name, String, Integer, Float, Operator, End };
  Kind kind;
  std::string text;  // Data and String: the content; Operator and Name: as written
  int line;
  std::int64_t integer = 0;
  double number = 0;
};

// Throws SyntaxError. The last token is End.
std::vector<Token> tokenize(std::string_view source);

}  // namespace agent::jinja
