#pragma once
// The shell as the model calls it: `shell` runs a command, `shell_job` looks after one that still runs.

#include <memory>
#include <vector>

#include "tools/files.h"
#include "tools/shell.h"
#include "tools/tool.h"

namespace tools {

// They share one session, which lives as long as either of them. With `files` what commands do to the workspace while
// they are waited for can be undone, and is told in the result.
std::vector<std::unique_ptr<Tool>> make_shell_tools(std::shared_ptr<Shell> shell, std::shared_ptr<Files> files = {});

}  // namespace tools
