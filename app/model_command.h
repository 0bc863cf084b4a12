#pragma once
// `deskhand model list` and `deskhand model info`: what models there are, and what is known of one.

#include "app/command.h"

namespace app {

Command model_command();

}  // namespace app
