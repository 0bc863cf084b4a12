#include "agent/events.h"

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

}  // namespace agent
