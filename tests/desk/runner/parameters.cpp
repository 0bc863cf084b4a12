#include "tests/desk/runner/parameters.h"

#include <array>
#include <random>
#include <stdexcept>

namespace desk {
namespace {

using nlohmann::ordered_json;
using Values = std::map<std::string, std::string>;

constexpr std::array kWords = {"apple",  "river",  "paper",  "window", "garden", "silver", "market", "pencil",
                               "ticket", "bridge", "summer", "yellow", "kitten", "basket", "corner", "letter",
                               "mirror", "orange", "pocket", "rabbit", "school", "street", "valley", "winter",
                               "bottle", "candle", "dinner", "engine", "flower", "guitar", "hammer", "island",
                               "jacket", "ladder", "museum", "number"};

class Chooser {
 public:
  explicit Chooser(std::uint64_t seed) : random_(seed) {}

  std::int64_t integer(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(high - low + 1));
  }
  std::string words(std::int64_t n) {
    std::string text;
    for (std::int64_t i = 0; i < n; ++i) text += (i > 0 ? " " : "") + std::string(kWords[random_() % kWords.size()]);
    return text;
  }
  std::string lines(std::int64_t n) {
    std::string text;
    for (std::int64_t i = 0; i < n; ++i) text += words(3) + "\n";
    return text;
  }

 private:
  std::mt19937_64 random_;
};

std::string text_of(const ordered_json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

// A number as the record writes it: itself, or the name of a parameter before it.
std::int64_t number_of(const ordered_json& value, const Values& values) {
  return value.is_number() ? value.get<std::int64_t>() : std::stoll(values.at(value.get<std::string>()));
}

void choose(const std::string& name, const ordered_json& rule, Chooser& chooser, Values& values) {
  const std::string kind = rule.begin().key();
  const ordered_json& of = rule.begin().value();
  if (kind == "integer") {
    values[name] = std::to_string(chooser.integer(of.at(0), of.at(1)));
  } else if (kind == "choice") {
    const ordered_json& chosen = of.at(static_cast<std::size_t>(chooser.integer(0, std::ssize(of) - 1)));
    if (!chosen.is_object()) {
      values[name] = text_of(chosen);
    } else {
      for (const auto& [key, value] : chosen.items()) values[name + "." + key] = text_of(value);
    }
  } else if (kind == "words") {
    values[name] = chooser.words(number_of(of, values));
  } else if (kind == "lines") {
    values[name] = chooser.lines(number_of(of, values));
  } else if (kind == "sum") {
    values[name] = std::to_string(number_of(of.at(0), values) + number_of(of.at(1), values));
  } else if (kind == "difference") {
    values[name] = std::to_string(number_of(of.at(0), values) - number_of(of.at(1), values));
  } else if (kind == "product") {
    values[name] = std::to_string(number_of(of.at(0), values) * number_of(of.at(1), values));
  } else {
    throw std::runtime_error("parameter " + name + " is of an unknown kind: " + kind);
  }
}

std::string replaced(std::string text, const Values& values) {
  for (const auto& [name, value] : values) {
    const std::string mark = "{" + name + "}";
    for (std::size_t at = 0; (at = text.find(mark, at)) != std::string::npos; at += value.size()) {
      text.replace(at, mark.size(), value);
    }
  }
  return text;
}

}  // namespace

Values choose_parameters(const ordered_json& parameters, std::uint64_t seed) {
  Values values;
  Chooser chooser(seed);
  for (const auto& [name, rule] : parameters.items()) {
    if (!rule.is_object() || rule.size() != 1) throw std::runtime_error("parameter " + name + " needs one rule");
    choose(name, rule, chooser, values);
  }
  return values;
}

ordered_json with_parameters(const ordered_json& record, const Values& values) {
  if (record.is_string()) {
    const std::string text = record;
    const bool is_whole_value = text.starts_with("{=") && text.ends_with("}");
    if (is_whole_value) return ordered_json::parse(values.at(text.substr(2, text.size() - 3)));
    return replaced(text, values);
  }
  ordered_json result = record;
  if (record.is_array()) {
    for (ordered_json& element : result) element = with_parameters(element, values);
  } else if (record.is_object()) {
    result = ordered_json::object();
    for (const auto& [key, value] : record.items()) result[replaced(key, values)] = with_parameters(value, values);
  }
  return result;
}

}  // namespace desk
