#pragma once
// Turns a template's source into its tree.

#include <string_view>

#include "agent/jinja/ast.h"

namespace agent::jinja {

// Throws SyntaxError with the line. Unknown filters and tests are errors here, as in Jinja, not when they run.
Body parse(std::string_view source);

}  // namespace agent::jinja
