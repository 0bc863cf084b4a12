#include "agent/events.h"

#include <algorithm>

namespace agent {

std::string_view name_of(Ending ending) {
  switch (ending) {
    case Ending::Done:
      return "done";
    case Ending::GaveUp:
      return "gave up";
    case Ending::Stuck:
      return "stuck";
    case Ending::Refused:
      return "refused";
    case Ending::Stopped:
      return "stopped";
    case Ending::Failed:
      return "failed";
  }
  return "failed";
}

bool Outcome::has_unverified_claims() const {
  return std::any_of(claims.begin(), claims.end(), [](const Claim& claim) { return !claim.problem.empty(); });
}

}  // namespace agent
