// Python's json.dumps over template values.
#include <algorithm>
#include <cmath>

#include "agent/jinja/errors.h"
#include "agent/jinja/value.h"

namespace agent::jinja {
namespace {

void append_escape(std::string& out, unsigned unit) {
  constexpr char kHex[] = "0123456789abcdef";
  out += "\\u";
  for (const int shift : {12, 8, 4, 0}) out += kHex[(unit >> shift) & 15];
}

void append_string(std::string& out, const std::string& bytes, bool ensure_ascii) {
  out += '"';
  const auto offsets = code_point_offsets(bytes);
  for (std::size_t i = 0; i + 1 < offsets.size(); ++i) {
    const std::string_view sequence = std::string_view(bytes).substr(offsets[i], offsets[i + 1] - offsets[i]);
    const unsigned point = code_point(sequence);
    static constexpr std::string_view kShort = "\"\\\n\r\t\f\b", kNames = "\"\\nrtfb";
    const std::size_t known = point < 0x80 ? kShort.find(static_cast<char>(point)) : std::string_view::npos;
    if (known != std::string_view::npos) {
      out += '\\';
      out += kNames[known];
    } else if (point < 0x20 || (ensure_ascii && point >= 0x7F && point < 0x10000 && point != 0x7F)) {
      append_escape(out, point);
    } else if (ensure_ascii && point >= 0x10000) {
      append_escape(out, 0xD800 + ((point - 0x10000) >> 10));
      append_escape(out, 0xDC00 + ((point - 0x10000) & 0x3FF));
    } else {
      out += sequence;
    }
  }
  out += '"';
}

class Dumper {
 public:
  explicit Dumper(const JsonStyle& style) : style_(style) {}

  std::string dump(const Value& value) {
    append(value, 0);
    return std::move(out_);
  }

 private:
  void append(const Value& value, int level) {
    if (value.is_none()) {
      out_ += "null";
    } else if (const bool* boolean = value.boolean()) {
      out_ += *boolean ? "true" : "false";
    } else if (const double* number = value.floating()) {
      out_ += std::isnan(*number)   ? "NaN"
              : std::isinf(*number) ? (*number < 0 ? "-Infinity" : "Infinity")
                                    : float_repr(*number);
    } else if (const auto integer = value.integer()) {
      out_ += std::to_string(*integer);
    } else if (const Text* text = value.text()) {
      append_string(out_, text->str(), style_.ensure_ascii);
    } else if (const List* list = value.list()) {
      append_sequence('[', ']', list->items.size(), level, [&](std::size_t i) { append(list->items[i], level + 1); });
    } else if (const Dict* dict = value.dict()) {
      append_dict(*dict, level);
    } else {
      type_error("Object of type " + value.type_name() + " is not JSON serializable");
    }
  }

  void append_dict(const Dict& dict, int level) {
    std::vector<const std::pair<Text, Value>*> items;
    for (const auto& item : dict.items) items.push_back(&item);
    if (style_.sort_keys)
      std::sort(items.begin(), items.end(), [](auto* a, auto* b) { return a->first.str() < b->first.str(); });
    append_sequence('{', '}', items.size(), level, [&](std::size_t i) {
      append_string(out_, items[i]->first.str(), style_.ensure_ascii);
      out_ += style_.key_separator;
      append(items[i]->second, level + 1);
    });
  }

  template <typename AppendItem>
  void append_sequence(char open, char close, std::size_t n_items, int level, AppendItem append_item) {
    out_ += open;
    for (std::size_t i = 0; i < n_items; ++i) {
      if (i > 0) out_ += style_.item_separator;
      new_line(level + 1);
      append_item(i);
    }
    if (n_items > 0) new_line(level);
    out_ += close;
  }

  void new_line(int level) {
    if (style_.indent < 0) return;
    out_ += '\n';
    out_.append(static_cast<std::size_t>(style_.indent) * level, ' ');
  }

  const JsonStyle& style_;
  std::string out_;
};

}  // namespace

std::string to_json(const Value& value, const JsonStyle& style) {
  return Dumper(style).dump(value);
}

}  // namespace agent::jinja
