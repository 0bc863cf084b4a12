#include "agent/ledger.h"

#include <QRegularExpression>
#include <algorithm>

namespace agent {
namespace {

// The sentences and lines of a text, each with its full stop and the citations that follow it.
std::vector<QString> sentences_of(const QString& text) {
  static const QRegularExpression end(R"((?<![.!?])[.!?]++(\s*+\[[\d,\s]++\])*(?=\s|$)|\n)");
  std::vector<QString> sentences;
  qsizetype from = 0;
  for (const QRegularExpressionMatch& match : end.globalMatch(text)) {
    sentences.push_back(text.mid(from, match.capturedEnd() - from).trimmed());
    from = match.capturedEnd();
  }
  sentences.push_back(text.mid(from).trimmed());
  return sentences;
}

std::vector<int> citations_in(const QString& sentence) {
  static const QRegularExpression bracket(R"(\[(\d{1,6}(?:\s*,\s*\d{1,6})*+)\])");
  std::vector<int> cited;
  for (const QRegularExpressionMatch& match : bracket.globalMatch(sentence)) {
    for (const QString& number : match.captured(1).split(',')) cited.push_back(number.trimmed().toInt());
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

int exit_code_of(const tools::ToolResult& result) {
  return result.details.is_object() ? result.details.value("exit_code", 0) : 0;
}

void Ledger::add(int number, tools::Effect effect, const tools::ToolResult& result) {
  Entry entry = {result.ok, is_confirmed(result), !changes_things(effect)};
  entry.exit_code = exit_code_of(result);
  entries_[number] = entry;
}

std::vector<Claim> Ledger::claims_in(const std::string& answer) const {
  std::vector<Claim> claims;
  for (const QString& sentence : sentences_of(QString::fromStdString(answer))) {
    const std::vector<int> cited = citations_in(sentence);
    if (!cited.empty()) claims.push_back({sentence.toStdString(), cited, problem_with(cited)});
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
