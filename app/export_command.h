#pragma once
// `deskhand export`: a session as files that stand alone.

#include "app/command.h"

namespace app {

Command export_command();

}  // namespace app
