#pragma once
// `deskhand completion`: the shells' completion scripts and the manual page.

#include "app/command.h"

namespace app {

Command completion_command();

}  // namespace app
