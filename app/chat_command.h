#pragma once
// `deskhand chat`: talk with the model, with pictures; without tools.

#include "app/command.h"

namespace app {

Command chat_command();

}  // namespace app
