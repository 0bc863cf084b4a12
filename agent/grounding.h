#pragma once
// Whether an answer stands on what was read for it, and an act on what it was to be done to. Large models cite results
// (ledger.h); small ones can't, so the words themselves are compared.

#include <string>
#include <vector>

namespace agent {

struct Reading {
  std::string text;         // that a command printed
  bool has_failed = false;  // it said no: couldn't run, or ended with an exit code
  std::string command = {};
};

// "No, there is no notes.txt." An answer to a question; to an order it says that it wasn't done.
bool is_denial(const std::string& answer);

// Why the answer to the question doesn't stand on the readings; empty: it does. Each number has to be in one of them or
// in the question, and some word in one of them; "How many …?" needs a number; "No, …" needs a reading that is empty,
// zero or failed. A command has to be about words of the question, and look for what something is asked to contain.
// "Done." is no answer. Without readings nothing can be said against other words.
std::string problem_with_answer(const std::string& answer, const std::string& question,
                                const std::vector<Reading>& readings);

// Whether a step that says what to click, choose or set can mean the widget of this label: they share a word, or words
// that begin alike. Steps of other kinds, and labels without words, may mean anything.
bool may_mean(const std::string& step, const std::string& label);

// Why the steps aren't the task split up; empty: they are. Small models only split: what they add is made up, and what
// they leave out isn't done.
std::string problem_with_split(const std::string& task, const std::vector<std::string>& steps);

// What was done and seen to work.
struct Deed {
  std::string said = {};     // what was typed, pressed, started or run
  std::string label = {};    // of what it was done to; empty: not known
  std::string around = {};   // titles of the windows that it was done in, or that it opened or closed
  bool is_nameless = false;  // done with the pointer, to what may show another name than the label
  bool is_typing = false;    // of text
  bool has_closed = false;   // a window went
};

// Why these deeds can't be all that the task asks for; empty: nothing speaks against it. What the task names (in
// quotes, with a digit, a dot or a capital letter) has to be among what was said and acted on; what it wants typed, in
// what was typed; and each part that asks for more than a click or a key ("save it", "rename …") has to be among the
// words that were pressed, chosen or run.
std::string problem_with_deeds(const std::string& task, const std::vector<Deed>& deeds);

}  // namespace agent
