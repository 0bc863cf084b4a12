#include "tools/html_text.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <optional>

#include "tools/ascii.h"
#include "tools/utf8.h"

namespace tools {
namespace {

template <size_t n>
bool is_one_of(std::string_view name, const std::array<std::string_view, n>& names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// Their content is no text for readers.
constexpr std::array<std::string_view, 7> kUnread = {"script", "style",  "noscript", "template",
                                                     "svg",    "iframe", "textarea"};
constexpr std::array<std::string_view, 26> kBlocks = {
    "p",  "div", "section", "article", "header",  "footer",   "main",    "nav",        "aside",
    "ul", "ol",  "table",   "tr",      "form",    "fieldset", "figure",  "blockquote", "dl",
    "dt", "dd",  "hr",      "pre",     "address", "details",  "summary", "body"};

bool is_space(char c) {
  return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f';
}

std::string utf8(uint32_t point) {
  if (point == 0 || point > 0x10FFFF || (point >= 0xD800 && point < 0xE000)) point = 0xFFFD;
  return encode_utf8(point);
}

// The character that starts at an "&", and how many bytes of the source it takes; none when it is a bare "&".
std::optional<std::pair<std::string, size_t>> entity(std::string_view text) {
  static const std::map<std::string_view, const char*> names = {
      {"amp", "&"},    {"lt", "<"},     {"gt", ">"},     {"quot", "\""},  {"apos", "'"},  {"nbsp", " "},
      {"copy", "©"},   {"reg", "®"},    {"trade", "™"},  {"hellip", "…"}, {"mdash", "—"}, {"ndash", "–"},
      {"lsquo", "‘"},  {"rsquo", "’"},  {"ldquo", "“"},  {"rdquo", "”"},  {"laquo", "«"}, {"raquo", "»"},
      {"bull", "•"},   {"middot", "·"}, {"times", "×"},  {"deg", "°"},    {"euro", "€"},  {"pound", "£"},
      {"larr", "←"},   {"rarr", "→"},   {"uarr", "↑"},   {"darr", "↓"},   {"auml", "ä"},  {"ouml", "ö"},
      {"uuml", "ü"},   {"Auml", "Ä"},   {"Ouml", "Ö"},   {"Uuml", "Ü"},   {"szlig", "ß"}, {"eacute", "é"},
      {"egrave", "è"}, {"agrave", "à"}, {"ccedil", "ç"}, {"ntilde", "ñ"}, {"sect", "§"},  {"para", "¶"}};
  const size_t end = text.substr(0, 34).find(';');
  if (end == std::string_view::npos || end < 2) return std::nullopt;
  const std::string name(text.substr(1, end - 1));
  if (name.front() == '#') {
    const bool is_hex = name.size() > 1 && (name[1] == 'x' || name[1] == 'X');
    char* rest = nullptr;
    const std::string digits = name.substr(is_hex ? 2 : 1);
    const unsigned long point = std::strtoul(digits.c_str(), &rest, is_hex ? 16 : 10);
    if (digits.empty() || *rest != '\0' || !std::isxdigit(static_cast<unsigned char>(digits.front())))
      return std::nullopt;
    return std::pair{utf8(static_cast<uint32_t>(std::min(point, 0x110000UL))), end + 1};
  }
  const auto found = names.find(name);
  if (found == names.end()) return std::nullopt;
  return std::pair{std::string(found->second), end + 1};
}

std::string decode(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const auto character = text.front() == '&' ? entity(text) : std::nullopt;
    result += character ? character->first : std::string(1, text.front());
    text.remove_prefix(character ? character->second : 1);
  }
  return result;
}

struct Tag {
  std::string name;
  bool is_end = false;
  std::string href;
  size_t n_bytes = 0;
};

// The tag at a "<"; none when it is text.
std::optional<Tag> read_tag(std::string_view html) {
  Tag tag;
  size_t at = 1;
  if (at < html.size() && html[at] == '/') tag.is_end = true, ++at;
  if (at >= html.size() || !std::isalpha(static_cast<unsigned char>(html[at]))) return std::nullopt;
  const size_t name_start = at;
  while (at < html.size() && !is_space(html[at]) && html[at] != '>' && html[at] != '/') ++at;
  tag.name = ascii_lower(html.substr(name_start, at - name_start));
  while (at < html.size() && html[at] != '>') {
    while (at < html.size() && (is_space(html[at]) || html[at] == '/')) ++at;
    const size_t key_start = at;
    while (at < html.size() && !is_space(html[at]) && html[at] != '=' && html[at] != '>' && html[at] != '/') ++at;
    const std::string key = ascii_lower(html.substr(key_start, at - key_start));
    while (at < html.size() && is_space(html[at])) ++at;
    if (at >= html.size() || html[at] != '=') {
      if (key.empty() && at < html.size() && html[at] != '>') ++at;
      continue;
    }
    ++at;
    while (at < html.size() && is_space(html[at])) ++at;
    std::string_view value;
    if (at < html.size() && (html[at] == '"' || html[at] == '\'')) {
      const size_t end = std::min(html.find(html[at], at + 1), html.size());
      value = html.substr(at + 1, end - at - 1);
      at = std::min(end + 1, html.size());
    } else {
      const size_t start = at;
      while (at < html.size() && !is_space(html[at]) && html[at] != '>') ++at;
      value = html.substr(start, at - start);
    }
    if (key == "href") tag.href = decode(value);
  }
  tag.n_bytes = std::min(at + 1, html.size());
  return tag;
}

class PageReader {
 public:
  explicit PageReader(std::string_view html) : html_(html) {}

  PageText read() {
    while (!html_.empty()) step();
    while (page_.text.ends_with('\n') || page_.text.ends_with(' ')) page_.text.pop_back();
    if (!page_.text.empty()) page_.text += '\n';
    return std::move(page_);
  }

 private:
  void step() {
    if (html_.front() == '<') {
      if (html_.starts_with("<!--")) return skip_past("-->");
      if (html_.starts_with("<!") || html_.starts_with("<?")) return skip_past(">");
      if (const auto tag = read_tag(html_)) {
        html_.remove_prefix(tag->n_bytes);
        return apply(*tag);
      }
    }
    const auto character = html_.front() == '&' ? entity(html_) : std::nullopt;
    if (character) {
      append(character->first);
      html_.remove_prefix(character->second);
    } else {
      append(html_.substr(0, 1));
      html_.remove_prefix(1);
    }
  }

  void skip_past(std::string_view end) {
    const size_t at = html_.find(end);
    html_.remove_prefix(at == std::string_view::npos ? html_.size() : at + end.size());
  }

  // Jumps over the content of an element whose tags mean nothing inside.
  void skip_content(const std::string& name) {
    for (size_t at = html_.find("</"); at != std::string_view::npos; at = html_.find("</", at + 2)) {
      if (ascii_lower(html_.substr(at + 2, name.size())) != name) continue;
      html_.remove_prefix(at);
      return skip_past(">");
    }
    html_ = {};
  }

  void apply(const Tag& tag) {
    if (tag.name == "title") {
      if (tag.is_end || !page_.title.empty()) return;
      const std::string_view rest = html_;
      skip_content("title");
      const std::string_view inner = rest.substr(0, rest.size() - html_.size());
      page_.title = decode(inner.substr(0, inner.rfind("</")));
      return;
    }
    if (!tag.is_end && is_one_of(tag.name, kUnread)) return skip_content(tag.name);
    if (tag.name == "br") return line();
    if (tag.name == "pre") n_pre_ = std::max(0, n_pre_ + (tag.is_end ? -1 : 1));
    if (tag.name.size() == 2 && tag.name[0] == 'h' && tag.name[1] >= '1' && tag.name[1] <= '6') {
      paragraph();
      if (!tag.is_end) page_.text += std::string(static_cast<size_t>(tag.name[1] - '0'), '#') + " ";
    } else if (tag.name == "li") {
      line();
      if (!tag.is_end) page_.text += "- ";
    } else if (tag.name == "td" || tag.name == "th") {
      if (!tag.is_end && !page_.text.empty() && page_.text.back() != '\n') page_.text += " | ";
    } else if (tag.name == "tr" || tag.name == "dt" || tag.name == "dd") {
      line();
    } else if (is_one_of(tag.name, kBlocks)) {
      paragraph();
    } else if (tag.name == "a") {
      if (tag.is_end && (link_.starts_with("http:") || link_.starts_with("https:") || link_.starts_with("/")))
        page_.text += " (" + link_ + ")";
      link_ = tag.is_end ? std::string() : tag.href;
    }
  }

  void append(std::string_view text) {
    if (n_pre_ > 0) {
      page_.text += text;
      return;
    }
    for (const char c : text) {
      const bool is_at_space = page_.text.empty() || page_.text.back() == ' ' || page_.text.back() == '\n';
      if (!is_space(c)) {
        page_.text += c;
      } else if (!is_at_space) {
        page_.text += ' ';
      }
    }
  }

  void line() {
    while (page_.text.ends_with(' ')) page_.text.pop_back();
    if (!page_.text.empty() && page_.text.back() != '\n') page_.text += '\n';
  }

  void paragraph() {
    line();
    if (!page_.text.empty() && !page_.text.ends_with("\n\n")) page_.text += '\n';
  }

  std::string_view html_;
  PageText page_;
  std::string link_;
  int n_pre_ = 0;
};

}  // namespace

PageText html_text(std::string_view html) {
  return PageReader(html).read();
}

}  // namespace tools
