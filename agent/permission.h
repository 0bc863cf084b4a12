#pragma once
// Whether a call may be carried out: a pure function of what it would do and of what the user allowed. Consent comes
// before the act and is for this very call.

#include <map>
#include <string>
#include <vector>

#include "tools/tool.h"

namespace agent {

enum class Decision { Allow, Ask, Deny };

// The user's rules. An effect without a rule has its default.
struct Policy {
  std::map<tools::Effect, Decision> rules;
};

Decision default_decision(tools::Effect effect);
std::string_view name_of(tools::Effect effect);  // "shell", "input_user", …
std::string_view name_of(Decision decision);     // "allow", "ask", "deny"

struct Permission {
  Decision decision = Decision::Deny;
  std::string reason;  // for the user: why it is asked or denied
};

// A call that looks like it spends money, touches credentials or destroys is asked about even where its effect is
// allowed; a denied effect stays denied. Nothing that was read from screen, files or web takes part in this.
Permission permission_for(const tools::ToolCall& call, tools::Effect effect, const Policy& policy);

// Invisible, bidirectional and control characters as \u{…}: what the user sees is what would be done.
std::string visible(const std::string& utf8);

}  // namespace agent
