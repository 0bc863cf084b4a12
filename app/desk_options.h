#pragma once
// The options that say where work is done and what it may do, the same for every command that works a desktop.

#include <vector>

#include "agent/permission.h"
#include "agent/workbench.h"
#include "app/command.h"

namespace app {

std::vector<CommandOption> desk_options();
// What these options say. Throws UsageError.
agent::WorkbenchOptions workbench_of(const CommandLine& line);
agent::Policy policy_of(const CommandLine& line);

// "private", "mine", "none": as --desktop and the record call it.
std::string name_of(agent::WorkbenchOptions::DesktopKind kind);
agent::WorkbenchOptions::DesktopKind desktop_named(const std::string& name);

}  // namespace app
