#pragma once
// Whether a call may be carried out: a pure function of what it would do and of what the user allowed. Consent comes
// before the act and is for this very call.

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tools/tool.h"

namespace agent {

enum class Decision { Allow, Ask, Deny };

// What a call looks like, whatever its effect.
enum class Danger {
  Destructive,
  Credentials,  // also: types one of the session's secrets
  Money,
  Rights,  // gains more of them
};

// A lasting answer of the user.
struct Rule {
  std::string name;     // of an effect or of a danger
  std::string subject;  // what exactly, see subject_of; empty: all of that name
  Decision decision = Decision::Ask;
  bool operator==(const Rule&) const = default;
};

// The user's rules. The session's own come first, then the remembered ones, then the defaults: a danger is asked about.
struct Policy {
  std::map<tools::Effect, Decision> rules = {};
  std::map<Danger, Decision> dangers = {};
  std::vector<Rule> remembered = {};
  std::set<std::string> secrets = {};  // names that typed text may hold as {{name}}
};

Decision default_decision(tools::Effect effect);
std::string_view name_of(tools::Effect effect);  // "shell", "input_user", …
std::optional<tools::Effect> effect_named(std::string_view name);
std::string_view name_of(Danger danger);      // "destructive", …
std::string_view name_of(Decision decision);  // "allow", "ask", "deny"
// Sets the session's rule for the effect or danger of that name. False: there is none.
bool set_rule(Policy& policy, const std::string& name, Decision decision);
std::vector<std::string> rule_names();

// What a lasting answer about this call is for: the program of a plain command, else the whole command; the host of an
// address; the path of a file. Empty where only the effect as a whole makes sense.
std::string subject_of(const tools::ToolCall& call, tools::Effect effect);

struct Permission {
  Decision decision = Decision::Deny;
  std::string reason;                 // for the user: why it is asked or denied
  Rule rule = {};                     // that a lasting answer would make; its decision is not set
  std::vector<Rule> allowed_by = {};  // when it is allowed: the rules that say so, with the subject that each is for
};

// A call that looks like it spends money, touches credentials or destroys is asked about even where its effect is
// allowed; a denied effect stays denied. Nothing that was read from screen, files or web takes part in this.
Permission permission_for(const tools::ToolCall& call, tools::Effect effect, const Policy& policy);

// Invisible, bidirectional and control characters as \u{…}: what the user sees is what would be done.
std::string visible(const std::string& utf8);

}  // namespace agent
