#pragma once
// The shell as the model calls it: `shell` runs a command, `shell_job` looks after one that still runs.

#include <memory>
#include <vector>

#include "tools/shell.h"
#include "tools/tool.h"

namespace tools {

// They share one session, which lives as long as either of them.
std::vector<std::unique_ptr<Tool>> make_shell_tools(std::shared_ptr<Shell> shell);

}  // namespace tools
