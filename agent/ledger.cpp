#include "agent/ledger.h"

#include <algorithm>
#include <regex>

namespace agent {
namespace {

// Where the sentence that goes on at `from` ends: behind its full stop and the citations that follow it.
std::size_t sentence_end(const std::string& text, std::size_t from) {
  static const std::regex end(R"([.!?]+(\s*\[[\d,\s]+\])*(?=\s|$)|\n)");
  std::smatch found;
  const auto start = text.cbegin() + static_cast<std::ptrdiff_t>(from);
  if (!std::regex_search(start, text.cend(), found, end)) return text.size();
  return from + static_cast<std::size_t>(found.position() + found.length());
}

std::vector<int> citations_in(const std::string& sentence) {
  static const std::regex bracket(R"(\[(\d{1,6}(?:\s*,\s*\d{1,6})*)\])"), number(R"(\d+)");
  std::vector<int> cited;
  for (std::sregex_iterator it(sentence.begin(), sentence.end(), bracket), none; it != none; ++it) {
    const std::string inside = (*it)[1];
    for (std::sregex_iterator digits(inside.begin(), inside.end(), number); digits != none; ++digits) {
      cited.push_back(std::stoi(digits->str()));
    }
  }
  return cited;
}

}  // namespace

bool changes_things(tools::Effect effect) {
  return effect != tools::Effect::Observe && effect != tools::Effect::Read && effect != tools::Effect::ReadElsewhere;
}

bool is_confirmed(const tools::ToolResult& result) {
  return result.ok && (!result.evidence || result.evidence->verdict == tools::Verdict::Confirmed);
}

void Ledger::add(int number, tools::Effect effect, const tools::ToolResult& result) {
  Entry entry = {result.ok, is_confirmed(result), !changes_things(effect)};
  // A command that failed has run as it was told to, but proves nothing.
  if (result.details.is_object()) entry.exit_code = result.details.value("exit_code", 0);
  entries_[number] = entry;
}

std::vector<Claim> Ledger::claims_in(const std::string& answer) const {
  std::vector<Claim> claims;
  for (std::size_t at = 0; at < answer.size();) {
    const std::size_t end = sentence_end(answer, at);
    std::string sentence = answer.substr(at, end - at);
    at = end;
    sentence.erase(0, std::min(sentence.find_first_not_of(" \n\t"), sentence.size()));
    while (!sentence.empty() && sentence.back() == '\n') sentence.pop_back();
    const std::vector<int> cited = citations_in(sentence);
    if (!cited.empty()) claims.push_back({sentence, cited, problem_with(cited)});
  }
  return claims;
}

std::string Ledger::problem_with(const std::vector<int>& cited) const {
  const int last_cited = *std::max_element(cited.begin(), cited.end());
  const auto last = entries_.find(last_cited);
  const bool ends_with_a_look = last != entries_.end() && last->second.ok && last->second.is_observation;
  for (const int number : cited) {
    const std::string name = "[" + std::to_string(number) + "]";
    const auto entry = entries_.find(number);
    if (entry == entries_.end()) return "there is no result " + name;
    if (!entry->second.ok) return name + " failed";
    if (entry->second.exit_code != 0) return name + " ended with exit code " + std::to_string(entry->second.exit_code);
    if (!entry->second.is_proof && !ends_with_a_look) return name + " showed no clear effect";
  }
  return "";
}

}  // namespace agent
