#pragma once
// `deskhand doctor`: what works on this machine, with the remedy for what doesn't.

#include "app/command.h"

namespace app {

Command doctor_command();

}  // namespace app
