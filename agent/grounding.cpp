#include "agent/grounding.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <sstream>
#include <string_view>

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

bool denies(const std::vector<std::string>& words) {
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

// A word that a command was run on and the question doesn't have; programs, options and numbers are the command's own.
std::string word_beyond(const std::string& question, const std::string& command) {
  const std::vector<std::string> asked = words_of(question);
  bool is_program = true;
  std::istringstream tokens(command);
  for (std::string token; tokens >> token; is_program = token == "|" || token == ";" || token == "&&") {
    if (is_program || token[0] == '-' || token[0] == '%') continue;
    for (const std::string& word : words_of(token)) {
      if (!is_number(word) && std::find(asked.begin(), asked.end(), word) == asked.end()) return word;
    }
  }
  return "";
}

std::string quoted(const std::string& text) {
  const std::string first = text.substr(0, text.find('\n'));
  const std::string shown(tools::utf8_prefix(first, kMostQuoted_bytes));
  return "\"" + shown + (shown.size() < text.size() ? "…\"" : "\"");
}

// --- deeds

using Words = std::vector<std::string>;

template <typename List>
bool is_among(const List& list, const std::string& word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

// Words that say how, not what; and what nearly everything on a desktop is.
constexpr std::array kLittle = {"click", "on", "off", "the", "to", "in", "of", "from", "a", "an", "and", "for"};
constexpr std::array kGeneric = {"it",   "its",  "is",     "are",    "as",   "by",   "at",  "that",
                                 "this", "what", "with",   "into",   "all",  "be",   "so",  "then",
                                 "file", "text", "folder", "window", "open", "only", "out", "up"};

bool are_alike(const std::string& a, const std::string& b) {
  if (a == b) return true;
  if (is_number(a) || is_number(b)) return false;
  return std::min(a.size(), b.size()) >= kAlikeBytes && (a.starts_with(b) || b.starts_with(a));
}

// But for an ending of one letter ("saves"): an editor isn't the menu Edit.
bool are_same(const std::string& a, const std::string& b) {
  return are_alike(a, b) && std::max(a.size(), b.size()) - std::min(a.size(), b.size()) <= 1;
}

bool has_alike(const Words& words, const std::string& word) {
  return std::any_of(words.begin(), words.end(), [&](const std::string& other) { return are_alike(word, other); });
}

// What keys and the words on buttons usually stand for.
Words meaning_of(const std::string& said) {
  static const std::map<std::string, Words> kMeanings = {
      {"ctrl+s", {"save"}},
      {"ctrl+shift+s", {"save"}},
      {"ctrl+c", {"copy"}},
      {"ctrl+insert", {"copy"}},
      {"ctrl+x", {"cut"}},
      {"ctrl+v", {"paste"}},
      {"ctrl+z", {"undo"}},
      {"ctrl+a", {"select"}},
      {"ctrl+f", {"find", "search"}},
      {"ctrl+h", {"replace"}},
      {"ctrl+p", {"print"}},
      {"ctrl+w", {"close"}},
      {"ctrl+q", {"close", "quit"}},
      {"alt+f4", {"close", "quit"}},
      {"alt+left", {"back"}},
      {"f2", {"rename"}},
      {"f5", {"reload", "refresh"}},
      {"delete", {"remove", "move", "trash"}},
      {"backspace", {"delete", "remove"}},
      {"return", {"enter", "confirm", "submit", "send"}},
      {"enter", {"return", "confirm", "submit", "send"}},
      {"ok", {"confirm"}},
      {"yes", {"confirm"}},
      {"apply", {"confirm"}},
  };
  const auto found = kMeanings.find(tools::ascii_lower(said));
  return found == kMeanings.end() ? Words() : found->second;
}

void append(Words& words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
}

// What the deeds amount to.
struct Done {
  explicit Done(const std::vector<Deed>& deeds) {
    for (const Deed& deed : deeds) {
      if (!deed.is_typing) append(acts, meaning_of(deed.said));
      for (const std::string* text : {&deed.said, &deed.label}) {
        for (const std::string& word : words_of(*text)) {
          names.push_back(word);
          in_a_row += word;
          if (deed.is_typing && text == &deed.said) continue;  // "save" in a text saves nothing
          acts.push_back(word);
          append(acts, meaning_of(word));
        }
      }
      if (deed.has_closed) acts.emplace_back("close");
      append(names, words_of(deed.around));
      n_nameless += deed.is_nameless;
      if (deed.is_typing) typed.push_back(tools::ascii_lower(deed.said));
    }
    append(names, acts);
  }

  Words acts, names;
  std::vector<std::string> typed;
  std::string in_a_row;  // a number that was entered key by key stands here
  int n_nameless = 0;    // pointed at what doesn't tell its name
};

// One order of a task.
struct Clause {
  std::string text;
  Words words;
};

constexpr std::array kPointing = {"click",  "press",  "push",    "tap",  "hit",    "double",  "right",
                                  "open",   "start",  "launch",  "go",   "switch", "select",  "choose",
                                  "pick",   "drag",   "scroll",  "turn", "check",  "uncheck", "tick",
                                  "untick", "enable", "disable", "use",  "wait",   "follow"};
constexpr std::array kTyping = {"type", "write", "enter", "put", "set"};
// Orders that a click or a key may carry out, but whose words say what is to come of it.
constexpr std::array kOutcomes = {"save",   "confirm", "close",    "quit",     "copy",  "paste",  "cut",
                                  "delete", "remove",  "rename",   "move",     "print", "undo",   "replace",
                                  "find",   "add",     "maximize", "minimize", "make",  "submit", "send"};
// What is to stay as it is.
constexpr std::array kKeeping = {"leave", "keep", "don", "do", "without"};

// Cut where a new order begins, outside quotes: "Click A, then type "b and c" and save it".
std::vector<Clause> clauses_of(const std::string& task) {
  static const std::vector<std::string> kJoints = {". ", "; ", ", ", " and ", " then ", "\n"};
  static constexpr std::array kConnecting = {"then", "and", "first", "finally"};
  std::vector<std::string> parts(1);
  bool is_quoted = false;
  for (std::size_t at = 0; at < task.size();) {
    if (task[at] == '"') is_quoted = !is_quoted;
    const auto joint = std::find_if(kJoints.begin(), kJoints.end(), [&](const std::string& text) {
      return !is_quoted && task.compare(at, text.size(), text) == 0;
    });
    if (joint == kJoints.end()) {
      parts.back() += task[at++];
      continue;
    }
    at += joint->size() - (joint->ends_with(' ') ? 1 : 0);  // ", then " has two joints that share a blank
    parts.emplace_back();
  }
  std::vector<Clause> clauses;
  for (const std::string& part : parts) {
    Words words = words_of(part);
    while (!words.empty() && is_among(kConnecting, words[0])) words.erase(words.begin());
    if (words.empty()) continue;
    const bool is_order = is_among(kPointing, words[0]) || is_among(kTyping, words[0]) ||
                          is_among(kOutcomes, words[0]) || is_among(kKeeping, words[0]);
    if (clauses.empty() || is_order || is_among(kKeeping, clauses.back().words[0])) {
      clauses.push_back({part.substr(part.find_first_not_of(' ')), std::move(words)});
    } else {
      clauses.back().text += "," + part;
      append(clauses.back().words, words);
    }
  }
  return clauses;
}

// What stands in quotes.
Words quotes_in(const std::string& text) {
  Words quotes;
  for (std::size_t from = text.find('"'); from != std::string::npos;) {
    const std::size_t to = text.find('"', from + 1);
    if (to == std::string::npos) break;
    quotes.push_back(tools::ascii_lower(text.substr(from + 1, to - from - 1)));
    from = text.find('"', to + 1);
  }
  return quotes;
}

bool has_digit_or_dot(const std::string& token) {
  return token.find_first_of("0123456789.") != std::string::npos;
}

// What is called by its name in a clause: what is in quotes or has a capital letter, a digit or a dot. Where something
// is to be typed only the last two: the field may be called anything, and the text is looked at by itself.
Words names_in(const std::string& clause, bool wants_typing) {
  Words names;
  bool is_quoted = false, is_first = true;
  std::string token;
  for (const char c : clause + " ") {
    if (c != ' ' && c != '"') {
      token += c;
      continue;
    }
    while (!token.empty() && std::string_view(".,;:!?").find(token.back()) != std::string_view::npos) token.pop_back();
    const bool has_capital = !token.empty() && token[0] >= 'A' && token[0] <= 'Z' && !is_first;
    const bool is_name =
        wants_typing ? !is_quoted && has_digit_or_dot(token) : is_quoted || has_capital || has_digit_or_dot(token);
    if (is_name) append(names, words_of(token));
    is_first = is_first && token.empty();
    token.clear();
    if (c == '"') is_quoted = !is_quoted;
  }
  std::erase_if(names, [](const std::string& name) { return is_among(kLittle, name) || is_among(kGeneric, name); });
  return names;
}

// One of the clause's quotes was typed; where it has none, words of it.
bool is_typed(const std::string& clause, const Words& typed) {
  const Words quotes = quotes_in(clause);
  const std::string wanted = tools::ascii_lower(clause);
  return std::any_of(typed.begin(), typed.end(), [&](const std::string& text) {
    if (quotes.empty()) return !text.empty() && wanted.find(text) != std::string::npos;
    return std::any_of(quotes.begin(), quotes.end(),
                       [&](const std::string& quote) { return text.find(quote) != std::string::npos; });
  });
}

std::string problem_with_clause(const Clause& clause, Done& done) {
  const std::string& verb = clause.words[0];
  if (is_among(kKeeping, verb)) return "";
  const bool wants_typing = is_among(kTyping, verb);
  const Words names = names_in(clause.text, wants_typing);
  const auto missing = std::find_if(names.begin(), names.end(), [&](const std::string& name) {
    return !has_alike(done.names, name) && (!is_number(name) || done.in_a_row.find(name) == std::string::npos);
  });
  const std::string what = " of \"" + clause.text + "\"";
  const bool is_pointing = is_among(kPointing, verb) && (verb != "turn" || clause.words.size() < 2 ||
                                                         clause.words[1] == "on" || clause.words[1] == "off");
  if (missing != names.end()) {
    // What is opened shows its name in a title; all else may have been what was pointed at.
    const bool is_file = (verb == "open" || verb == "go") && clause.text.find('.') < clause.text.size() - 1;
    if (is_pointing && !is_file && done.n_nameless-- > 0) return "";
    return "nothing that it did has to do with \"" + *missing + "\"" + what;
  }
  if (is_pointing) return "";
  if (wants_typing) return is_typed(clause.text, done.typed) ? "" : "nothing" + what + " was typed";
  const bool is_acted_on = std::any_of(clause.words.begin(), clause.words.end(), [&](const std::string& word) {
    return !is_among(kLittle, word) && !is_among(kGeneric, word) && !is_among(names, word) &&
           std::any_of(done.acts.begin(), done.acts.end(), [&](const std::string& act) { return are_same(word, act); });
  });
  return is_acted_on ? "" : "nothing that it pressed, chose or ran shows that it did that part" + what;
}

// What the question wants to be contained in something, and the command doesn't name: "How many lines contain zebra?"
std::string not_searched(const std::string& question, const std::string& command) {
  static constexpr std::array kContaining = {"contain", "contains", "containing"};
  static constexpr std::array kNothing = {"word", "words", "string"};
  const Words asked = words_of(question);
  auto word = std::find_first_of(asked.begin(), asked.end(), kContaining.begin(), kContaining.end());
  if (word == asked.end()) return "";
  word = std::find_if(word + 1, asked.end(), [&](const std::string& next) {
    return !is_among(kLittle, next) && !is_among(kGeneric, next) && !is_among(kNothing, next);
  });
  return word == asked.end() || is_among(words_of(command), *word) ? "" : *word;
}

}  // namespace

std::string problem_with_deeds(const std::string& task, const std::vector<Deed>& deeds) {
  if (deeds.empty()) return "";
  Done done(deeds);
  for (const Clause& clause : clauses_of(task)) {
    if (std::string problem = problem_with_clause(clause, done); !problem.empty()) return problem;
  }
  return "";
}

std::string problem_with_split(const std::string& task, const std::vector<std::string>& steps) {
  static const Words kJoining = {"then", "and", "first", "finally"};
  const Words asked = words_of(task);
  Words planned;
  for (const std::string& step : steps) append(planned, words_of(step));
  const auto word_without = [](const Words& words, const Words& others) {
    const auto found = std::find_if(words.begin(), words.end(), [&](const std::string& word) {
      return !is_among(kJoining, word) && !is_among(others, word);
    });
    return found == words.end() ? std::string() : *found;
  };
  if (const std::string word = word_without(planned, asked); !word.empty()) {
    return "its plan says \"" + word + "\", which the task doesn't";
  }
  if (const std::string word = word_without(asked, planned); !word.empty()) {
    return "its plan leaves out \"" + word + "\"";
  }
  return "";
}

bool is_denial(const std::string& answer) {
  return denies(words_of(answer));
}

std::string problem_with_answer(const std::string& answer, const std::string& question,
                                const std::vector<Reading>& readings) {
  if (answer.empty() || answer == "Done.") return "it gave no answer";
  if (readings.empty()) return "";
  std::string foreign, missing;
  for (const Reading& reading : readings) {
    foreign = word_beyond(question, reading.command);
    missing = not_searched(question, reading.command);
    if (foreign.empty() && missing.empty()) break;  // this one was about it
  }
  if (!foreign.empty()) return "its command was about \"" + foreign + "\", which the question doesn't name";
  if (!missing.empty()) return "its command didn't look for \"" + missing + "\"";
  const std::string what = "its answer " + quoted(answer);
  const std::string newest = "; the last one printed " + quoted(readings.back().text);
  const std::vector<std::string> words = words_of(answer);
  if (denies(words)) {
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
  const std::vector<std::string> said = words_of(step), written = words_of(label);
  if (said.empty() || written.empty() || !is_among(kVerbs, said[0])) return true;
  const auto is_alike = [&](const std::string& a, const std::string& b) {
    return !is_among(kLittle, a) && are_alike(a, b);
  };
  return std::any_of(said.begin() + 1, said.end(), [&](const std::string& a) {
    return std::any_of(written.begin(), written.end(), [&](const std::string& b) { return is_alike(a, b); });
  });
}

}  // namespace agent
