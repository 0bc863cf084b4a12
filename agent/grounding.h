#pragma once
// Whether an answer stands on what was read for it, and an act on what it was to be done to. Large models cite results
// (ledger.h); small ones can't, so the words themselves are compared.

#include <string>
#include <vector>

namespace agent {

struct Reading {
  std::string text;         // that a command printed
  bool has_failed = false;  // it said no: couldn't run, or ended with an exit code
};

// Why the answer to the question doesn't stand on the readings; empty: it does. Each number has to be in one of them or
// in the question, and some word in one of them; "How many …?" needs a number; "No, …" needs a reading that is empty,
// zero or failed. "Done." is no answer. Without readings nothing can be said against other words.
std::string problem_with_answer(const std::string& answer, const std::string& question,
                                const std::vector<Reading>& readings);

// Whether a step that says what to click, choose or set can mean the widget of this label: they share a word, or words
// that begin alike. Steps of other kinds, and labels without words, may mean anything.
bool may_mean(const std::string& step, const std::string& label);

}  // namespace agent
