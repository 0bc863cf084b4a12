#pragma once
// Finds where hunks belong in a file and makes the file's new bytes. Only the lines marked as removed go and only the
// lines marked as added come; every other byte is the file's own. A place is taken only if it is the only one: of the
// rungs below, the first at which a hunk matches anywhere must match once, or be decided by the hunk's anchors or line
// number. Otherwise the answer is a refusal that shows the candidates.

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tools/patch.h"

namespace tools {

enum class Rung {
  Exact,          // every byte of the old lines
  LineEnds,       // but for how lines end
  TrailingSpace,  // but for blanks at line ends
  Indentation,    // but for blanks at line starts, changed in one consistent way; added lines are indented likewise
};

const char* rung_name(Rung rung);

struct PlacedHunk {
  size_t first_line = 0;  // in the old file, from 1
  size_t n_old_lines = 0;
  Rung rung = Rung::Exact;
  bool is_already_applied = false;  // its result stands there already; nothing was done
};

struct AppliedText {
  std::string bytes;
  std::vector<PlacedHunk> hunks;  // one for each given
};

struct MatchRefusal {
  std::string reason;  // for the model: what is wrong, where, what to do
};

using MatchOutcome = std::variant<AppliedText, MatchRefusal>;

MatchOutcome apply_hunks(std::string_view bytes, const std::vector<Hunk>& hunks);

// Replaces `old_text` by `new_text`. A text that isn't found as it is, is sought as whole lines by the rungs above.
enum class Occurrences { One, All };
MatchOutcome replace_text(std::string_view bytes, std::string_view old_text, std::string_view new_text,
                          Occurrences occurrences);

}  // namespace tools
