#include "agent/grounding.h"

#include <algorithm>
#include <array>
#include <set>

#include "tools/ascii.h"
#include "tools/output_excerpt.h"

namespace agent {
namespace {

constexpr std::size_t kMostQuoted_bytes = 80;
constexpr std::size_t kAlikeBytes = 3;  // "sin" is written "Sine" elsewhere

// Letters and digits in a row, lower case; what is beyond ASCII is a letter.
std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  std::string word;
  for (const char c : tools::ascii_lower(text) + " ") {
    const bool is_part = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || static_cast<unsigned char>(c) >= 0x80;
    if (is_part) {
      word += c;
    } else if (!word.empty()) {
      words.push_back(std::move(word));
      word.clear();
    }
  }
  return words;
}

bool is_number(const std::string& word) {
  return word.find_first_not_of("0123456789") == std::string::npos;
}

bool is_denial(const std::vector<std::string>& words) {
  static const std::vector<std::vector<std::string>> kBeginnings = {
      {"no"}, {"there", "is", "no"}, {"there", "are", "no"}};
  return std::any_of(kBeginnings.begin(), kBeginnings.end(), [&](const std::vector<std::string>& beginning) {
    return words.size() >= beginning.size() && std::equal(beginning.begin(), beginning.end(), words.begin());
  });
}

bool asks_how_many(const std::string& question) {
  const std::vector<std::string> words = words_of(question);
  return words.size() > 1 && words[0] == "how" && words[1] == "many";
}

bool says_no(const Reading& reading) {
  const std::vector<std::string> words = words_of(reading.text);
  return reading.has_failed || words.empty() || std::find(words.begin(), words.end(), "0") != words.end();
}

std::string quoted(const std::string& text) {
  const std::string first = text.substr(0, text.find('\n'));
  const std::string shown(tools::utf8_prefix(first, kMostQuoted_bytes));
  return "\"" + shown + (shown.size() < text.size() ? "…\"" : "\"");
}

}  // namespace

std::string problem_with_answer(const std::string& answer, const std::string& question,
                                const std::vector<Reading>& readings) {
  if (answer.empty() || answer == "Done.") return "it gave no answer";
  if (readings.empty()) return "";
  const std::string what = "its answer " + quoted(answer);
  const std::string newest = "; the last one printed " + quoted(readings.back().text);
  const std::vector<std::string> words = words_of(answer);
  if (is_denial(words)) {
    if (std::any_of(readings.begin(), readings.end(), says_no)) return "";
    return what + " denies what its commands say" + newest;
  }
  if (asks_how_many(question) && std::none_of(words.begin(), words.end(), is_number))
    return what + " names no number" + newest;
  std::set<std::string> read;
  for (const Reading& reading : readings) {
    for (std::string& word : words_of(reading.text)) read.insert(std::move(word));
  }
  if (std::none_of(words.begin(), words.end(), [&](const std::string& word) { return read.contains(word); })) {
    return "nothing of " + what + " is in what its commands printed" + newest;
  }
  for (const std::string& word : words_of(question)) read.insert(word);
  const auto made_up = std::find_if(words.begin(), words.end(),
                                    [&](const std::string& word) { return is_number(word) && !read.contains(word); });
  if (made_up == words.end()) return "";
  return what + " says " + *made_up + ", which none of its commands printed" + newest;
}

bool may_mean(const std::string& step, const std::string& label) {
  static constexpr std::array kVerbs = {"click",   "double", "right",  "choose", "select",  "turn",   "check",
                                        "uncheck", "tick",   "untick", "enable", "disable", "switch", "go"};
  static constexpr std::array kLittle = {"click", "on",   "off", "the", "to",  "in",
                                         "of",    "from", "a",   "an",  "and", "for"};
  const std::vector<std::string> said = words_of(step), written = words_of(label);
  const auto is_among = [](const auto& list, const std::string& word) {
    return std::find(list.begin(), list.end(), word) != list.end();
  };
  if (said.empty() || written.empty() || !is_among(kVerbs, said[0])) return true;
  const auto is_alike = [&](const std::string& a, const std::string& b) {
    if (is_among(kLittle, a)) return false;
    return a == b || (std::min(a.size(), b.size()) >= kAlikeBytes && (a.starts_with(b) || b.starts_with(a)));
  };
  return std::any_of(said.begin() + 1, said.end(), [&](const std::string& a) {
    return std::any_of(written.begin(), written.end(), [&](const std::string& b) { return is_alike(a, b); });
  });
}

}  // namespace agent
