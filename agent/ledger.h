#pragma once
// What was seen to work. Each result has a number that the final answer may cite; a sentence counts as proven when the
// results that it cites do prove something.

#include <map>
#include <string>
#include <vector>

#include "agent/events.h"
#include "tools/tool.h"

namespace agent {

class Ledger {
 public:
  // `number`: as the model was told it.
  void add(int number, tools::Effect effect, const tools::ToolResult& result);
  // A result of an earlier run, of which only this is known.
  void add_earlier(int number, bool ok) { entries_[number] = {ok, ok, false, 0}; }

  bool is_empty() const { return entries_.empty(); }

  // The sentences of the answer that cite results, as [3] or [3, 4].
  std::vector<Claim> claims_in(const std::string& answer) const;

 private:
  struct Entry {
    bool ok = false;
    bool is_proof = false;        // the effect was seen
    bool is_observation = false;  // a look, which may prove what was done before it
    int exit_code = 0;            // of a command
  };
  std::string problem_with(const std::vector<int>& cited) const;

  std::map<int, Entry> entries_;
};

// Whether a call with this effect changes anything.
bool changes_things(tools::Effect effect);
// Whether the result shows that it did.
bool is_confirmed(const tools::ToolResult& result);
// Of a command: 0 where it isn't one, or has not ended. One that failed has run as it was told to, but proves nothing.
int exit_code_of(const tools::ToolResult& result);

}  // namespace agent
