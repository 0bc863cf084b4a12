#pragma once
// Questions to whoever sits at the terminal. Where nobody does, the answer is no.

#include <optional>
#include <stop_token>
#include <string>

#include "agent/events.h"

namespace app {

agent::Approval ask_on_terminal(const agent::ApprovalRequest& request, const std::stop_token& stop);
std::optional<std::string> answer_on_terminal(const std::string& question, const std::stop_token& stop);

}  // namespace app
