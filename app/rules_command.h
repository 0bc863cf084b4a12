#pragma once
// `deskhand rules`: the lasting answers that were given to "may it?", to look at and to forget.

#include "app/command.h"

namespace app {

Command rules_command();

}  // namespace app
