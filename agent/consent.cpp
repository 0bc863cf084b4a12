#include "agent/consent.h"

#include <algorithm>

#include "tools/desktop_action.h"

namespace agent {

Consent::Answer Consent::ask(const tools::ToolCall& call, tools::Effect effect, const std::vector<Origin>& origins,
                             const std::stop_token& stop) {
  Permission permission = permission_for(call, effect, parts_.policy);
  const auto command = std::find_if(origins.begin(), origins.end(), [](const Origin& part) { return part.is_active; });
  if (permission.decision == Decision::Allow && command != origins.end()) {
    permission.decision = Decision::Ask;
    permission.reason = "a part of it was read by " + command->source;
    permission.rule = {};  // what came from elsewhere is asked about each time
  }
  if (permission.decision == Decision::Allow) {
    return {.is_allowed = true, .reason = permission.reason, .allowed_by = permission.allowed_by};
  }
  if (permission.decision == Decision::Deny) return {false, permission.reason};

  const std::optional<tools::CallTarget> before = parts_.tools.target(call);
  ApprovalRequest request = {call,    effect,          permission.reason,         before ? before->what : "",
                             origins, permission.rule, parts_.tools.preview(call)};
  const Approval approval = parts_.approver(request, stop);
  if (!permission.rule.name.empty()) keep(permission.rule, approval);
  if (!approval.is_allowed) return {false, approval.reason.empty() ? "the user said no" : approval.reason};
  const std::optional<tools::CallTarget> now = parts_.tools.target(call);
  if (before.has_value() != now.has_value()) return {false, "the target is gone", true};
  const std::optional<std::string> change = before ? tools::target_change(*before, *now) : std::nullopt;
  if (change) return {false, "the user agreed, but meanwhile the target changed: " + *change, true};
  if (!approval.instead) return {true, "the user agreed"};
  if (const auto problem = parts_.tools.problem_with(*approval.instead)) return {false, *problem, true};
  return {true, "the user agreed to a part of it", false, approval.instead, approval.note};
}

void Consent::keep(const Rule& rule, const Approval& approval) {
  if (approval.memory == Approval::Memory::Once) return;
  Rule kept = rule;
  kept.decision = approval.is_allowed ? Decision::Allow : Decision::Deny;
  std::erase_if(parts_.policy.remembered,
                [&](const Rule& old) { return old.name == kept.name && old.subject == kept.subject; });
  parts_.policy.remembered.push_back(kept);
  if (approval.memory == Approval::Memory::Always && parts_.remember) parts_.remember(kept);
}

}  // namespace agent
