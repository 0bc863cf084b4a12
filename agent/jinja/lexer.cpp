#include "agent/jinja/lexer.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

#include "agent/jinja/errors.h"
#include "tools/utf8.h"

namespace agent::jinja {
namespace {

bool is_space(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_name_start(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) || c == '_';
}
bool is_name(char c) {
  return is_name_start(c) || is_digit(c);
}

std::string with_unix_newlines(std::string_view source) {
  std::string result;
  result.reserve(source.size());
  for (std::size_t i = 0; i < source.size(); ++i) {
    if (source[i] == '\r') {
      result += '\n';
      if (i + 1 < source.size() && source[i + 1] == '\n') ++i;
    } else {
      result += source[i];
    }
  }
  if (!result.empty() && result.back() == '\n') result.pop_back();
  return result;
}

class Lexer {
 public:
  explicit Lexer(std::string_view source) : source_(with_unix_newlines(source)) {}

  std::vector<Token> run() {
    while (position_ < source_.size()) root();
    add(Token::Kind::End, "");
    return std::move(tokens_);
  }

 private:
  bool at(std::string_view what) const { return std::string_view(source_).substr(position_).starts_with(what); }
  void add(Token::Kind kind, std::string text) { tokens_.push_back({kind, std::move(text), line_}); }
  [[noreturn]] void fail(const std::string& what) const { throw SyntaxError(line_, what); }

  void advance(std::size_t n_bytes) {
    const std::size_t end = std::min(position_ + n_bytes, source_.size());
    line_ += static_cast<int>(std::count(source_.begin() + position_, source_.begin() + end, '\n'));
    if (end > position_) line_starting_ = source_[end - 1] == '\n';
    position_ = end;
  }

  void skip_space() {
    std::size_t end = position_;
    while (end < source_.size() && is_space(source_[end])) ++end;
    advance(end - position_);
  }

  // Text up to the next tag, then the tag.
  void root() {
    std::size_t tag = position_;
    while (tag < source_.size() && !is_tag_start(tag)) ++tag;
    std::string data = source_.substr(position_, tag - position_);
    if (tag == source_.size()) {
      add_data(std::move(data));
      advance(source_.size());
      return;
    }
    const char kind = source_[tag + 1];
    const char sign = tag + 2 < source_.size() ? source_[tag + 2] : ' ';
    strip_before(data, kind, sign);
    add_data(std::move(data));
    advance(tag - position_ + 2);
    if (sign == '-' || sign == '+') advance(1);
    if (kind == '#')
      comment();
    else if (kind == '%' && is_raw_begin())
      raw();
    else
      expression(kind == '%');
  }

  bool is_tag_start(std::size_t i) const {
    return source_[i] == '{' && i + 1 < source_.size() &&
           (source_[i + 1] == '{' || source_[i + 1] == '%' || source_[i + 1] == '#');
  }

  void add_data(std::string data) {
    if (!data.empty()) add(Token::Kind::Data, std::move(data));
  }

  // `-` strips all white space before the tag; lstrip_blocks strips an indent before blocks and comments.
  void strip_before(std::string& data, char kind, char sign) const {
    if (sign == '-') {
      while (!data.empty() && is_space(data.back())) data.pop_back();
    } else if (sign != '+' && kind != '{') {
      const std::size_t newline = data.rfind('\n');
      const std::size_t line_begin = newline == std::string::npos ? 0 : newline + 1;
      const bool is_line_begin = line_begin > 0 || line_starting_;
      if (is_line_begin && std::all_of(data.begin() + line_begin, data.end(), is_space)) data.resize(line_begin);
    }
  }

  // After `%}` and `#}` one newline goes (trim_blocks); after `-%}` all white space; after `+%}` nothing.
  void finish_tag(std::size_t n_bytes, bool strips_all, bool keeps_newline, bool is_block) {
    advance(n_bytes);
    if (strips_all)
      skip_space();
    else if (is_block && !keeps_newline && at("\n"))
      advance(1);
  }

  void comment() {
    const std::size_t end = source_.find("#}", position_);
    if (end == std::string::npos) fail("a comment is not closed by #}");
    const char sign = end > position_ ? source_[end - 1] : ' ';
    finish_tag(end - position_ + 2, sign == '-', sign == '+', true);
  }

  bool is_raw_begin() const { return raw_word_end("raw") != std::string::npos; }

  // Where the tag `word %}` ends that starts here, if it does.
  std::size_t raw_word_end(std::string_view word) const {
    std::size_t i = position_;
    while (i < source_.size() && is_space(source_[i])) ++i;
    if (!std::string_view(source_).substr(i).starts_with(word)) return std::string::npos;
    i += word.size();
    while (i < source_.size() && is_space(source_[i])) ++i;
    if (i < source_.size() && (source_[i] == '-' || source_[i] == '+')) ++i;
    return std::string_view(source_).substr(i).starts_with("%}") ? i + 2 : std::string::npos;
  }

  void raw() {
    const std::size_t begin_end = raw_word_end("raw");
    const bool strips = source_[begin_end - 3] == '-';
    finish_tag(begin_end - position_, strips, true, true);
    const std::size_t begin = position_;
    for (std::size_t tag = source_.find("{%", begin); tag != std::string::npos; tag = source_.find("{%", tag + 2)) {
      const char sign = tag + 2 < source_.size() ? source_[tag + 2] : ' ';
      std::string data = source_.substr(begin, tag - begin);
      advance(tag - position_ + 2 + (sign == '-' || sign == '+'));
      const std::size_t end = raw_word_end("endraw");
      if (end == std::string::npos) continue;
      line_starting_ = false;
      strip_before(data, '%', sign);
      add_data(std::move(data));
      finish_tag(end - position_, source_[end - 3] == '-', source_[end - 3] == '+', true);
      return;
    }
    fail("a raw block is not closed by {% endraw %}");
  }

  void expression(bool is_block) {
    add(is_block ? Token::Kind::BlockBegin : Token::Kind::OutputBegin, "");
    const std::string_view close = is_block ? "%}" : "}}";
    std::string brackets;  // the closing ones still to come
    for (;;) {
      skip_space();
      if (position_ >= source_.size()) fail(is_block ? "a block is not closed by %}" : "an output is not closed by }}");
      const char sign = source_[position_];
      const bool has_sign = (sign == '-' || (sign == '+' && is_block)) &&
                            std::string_view(source_).substr(position_ + 1).starts_with(close);
      if (has_sign || (brackets.empty() && at(close))) {
        add(is_block ? Token::Kind::BlockEnd : Token::Kind::OutputEnd, "");
        finish_tag(has_sign ? 3 : 2, has_sign && sign == '-', has_sign && sign == '+', is_block);
        return;
      }
      token(brackets);
    }
  }

  void token(std::string& brackets) {
    const char c = source_[position_];
    if (is_name_start(c)) {
      std::size_t end = position_;
      while (end < source_.size() && is_name(source_[end])) ++end;
      add(Token::Kind::Name, source_.substr(position_, end - position_));
      advance(end - position_);
    } else if (is_digit(c)) {
      number();
    } else if (c == '\'' || c == '"') {
      string(c);
    } else {
      punctuation(brackets);
    }
  }

  void punctuation(std::string& brackets) {
    static constexpr std::array<std::string_view, 24> kOperators = {"//", "**", "==", "!=", ">=", "<=", "+", "-",
                                                                    "/",  "*",  "%",  "~",  "[",  "]",  "(", ")",
                                                                    "{",  "}",  ">",  "<",  "=",  ".",  ":", "|"};
    for (const std::string_view op : kOperators)
      if (at(op)) return add_operator(op, brackets);
    if (at(",")) return add_operator(",", brackets);
    fail(std::string("unexpected character '") + source_[position_] + "'");
  }

  void add_operator(std::string_view op, std::string& brackets) {
    if (op == "(") brackets += ')';
    if (op == "[") brackets += ']';
    if (op == "{") brackets += '}';
    if (op == ")" || op == "]" || op == "}") {
      if (brackets.empty() || brackets.back() != op[0]) fail("unexpected '" + std::string(op) + "'");
      brackets.pop_back();
    }
    add(Token::Kind::Operator, std::string(op));
    advance(op.size());
  }

  void number() {
    std::string digits;
    std::size_t end = position_;
    const auto take_digits = [&] {
      while (end < source_.size() && (is_digit(source_[end]) || (source_[end] == '_' && end + 1 < source_.size() &&
                                                                 is_digit(source_[end + 1])))) {
        if (source_[end] != '_') digits += source_[end];
        ++end;
      }
    };
    take_digits();
    bool is_float = false;
    if (end + 1 < source_.size() && source_[end] == '.' && is_digit(source_[end + 1])) {
      is_float = true;
      digits += source_[end++];
      take_digits();
    }
    const std::size_t exponent =
        end + 1 < source_.size() && (source_[end + 1] == '+' || source_[end + 1] == '-') ? 2 : 1;
    if (end + exponent < source_.size() && (source_[end] == 'e' || source_[end] == 'E') &&
        is_digit(source_[end + exponent])) {
      is_float = true;
      digits += source_.substr(end, exponent);
      end += exponent;
      take_digits();
    }
    add_number(digits, is_float);
    advance(end - position_);
  }

  void add_number(std::string digits, bool is_float) {
    digits.erase(std::remove(digits.begin(), digits.end(), '+'), digits.end());
    const char *begin = digits.data(), *end = begin + digits.size();
    Token token{is_float ? Token::Kind::Float : Token::Kind::Integer, digits, line_};
    const auto result =
        is_float ? std::from_chars(begin, end, token.number) : std::from_chars(begin, end, token.integer);
    if (result.ec != std::errc()) fail("the number " + digits + " is out of range");
    tokens_.push_back(std::move(token));
  }

  void string(char quote) {
    std::size_t end = position_ + 1;
    std::string content;
    while (end < source_.size() && source_[end] != quote) {
      if (source_[end] == '\\' && end + 1 < source_.size())
        end = escape(end + 1, content);
      else
        content += source_[end++];
    }
    if (end >= source_.size()) fail("a string is not closed");
    add(Token::Kind::String, std::move(content));
    advance(end + 1 - position_);
  }

  // One escape sequence of Python's, at the byte after the backslash; returns where it ends.
  std::size_t escape(std::size_t i, std::string& content) const {
    const char c = source_[i];
    static constexpr std::string_view kNames = "nrtabfv0\\'\"", kBytes("\n\r\t\a\b\f\v\0\\'\"", 11);
    const std::size_t known = kNames.find(c);
    if (known != std::string_view::npos) {
      content += kBytes[known];
      return i + 1;
    }
    if (c == '\n') return i + 1;
    const std::size_t n_digits = c == 'x' ? 2 : c == 'u' ? 4 : c == 'U' ? 8 : 0;
    if (n_digits == 0) {
      content += '\\';
      content += c;
      return i + 1;
    }
    unsigned point = 0;
    const char *begin = source_.data() + i + 1, *end = source_.data() + std::min(i + 1 + n_digits, source_.size());
    const auto result = std::from_chars(begin, end, point, 16);
    if (result.ptr != begin + n_digits || point > 0x10FFFF) fail("a string has a broken escape sequence");
    content += tools::encode_utf8(point);
    return i + 1 + n_digits;
  }

  std::string source_;
  std::size_t position_ = 0;
  int line_ = 1;
  bool line_starting_ = true;  // the last consumed byte was a newline, or nothing was consumed
  std::vector<Token> tokens_;
};

}  // namespace

std::vector<Token> tokenize(std::string_view source) {
  return Lexer(source).run();
}

}  // namespace agent::jinja
