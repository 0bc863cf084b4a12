#pragma once
// `deskhand record`: the user shows how something is done.

#include "app/command.h"

namespace app {

Command record_command();

}  // namespace app
