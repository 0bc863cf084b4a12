#pragma once
// `deskhand import`: sessions that other agents recorded.

#include "app/command.h"

namespace app {

Command import_command();

}  // namespace app
