#include "app/desk_options.h"

#include <unistd.h>

#include <cstdio>
#include <sstream>

namespace app {
namespace {

using agent::Decision;
using Kind = agent::WorkbenchOptions::DesktopKind;

void set_rules(const std::string& list, Decision decision, agent::Policy& policy) {
  std::istringstream names(list);
  for (std::string name; std::getline(names, name, ',');) {
    name.erase(0, name.find_first_not_of(' '));
    name.erase(name.find_last_not_of(' ') + 1);
    if (name.empty() || agent::set_rule(policy, name, decision)) continue;
    std::string known;
    for (const std::string& known_name : agent::rule_names()) known += (known.empty() ? "" : ", ") + known_name;
    throw UsageError("there is no effect \"" + name + "\"; there are " + known);
  }
}

void read_size(const std::string& size, agent::WorkbenchOptions& options) {
  int width = 0, height = 0, used = 0;
  if (std::sscanf(size.c_str(), "%dx%d%n", &width, &height, &used) != 2 || used != static_cast<int>(size.size()) ||
      width < 320 || height < 240 || width > 7680 || height > 4320) {
    throw UsageError("--size is WIDTHxHEIGHT, from 320x240 to 7680x4320, not \"" + size + "\"");
  }
  options.width_px = width;
  options.height_px = height;
}

std::filesystem::path folder_of(const CommandLine& line, const std::string& option) {
  const std::filesystem::path folder = line.value(option);
  std::error_code ignored;
  const bool is_usable = std::filesystem::is_directory(folder, ignored) && ::access(folder.c_str(), R_OK | X_OK) == 0;
  // "." has no place when the folder was removed.
  const bool has_place = !std::filesystem::canonical(folder, ignored).empty();
  if (folder.empty() || (is_usable && has_place)) return folder;
  throw UsageError("--" + option + ": there is no folder " + folder.string() + ", or it may not be entered");
}

}  // namespace

std::vector<CommandOption> desk_options() {
  return {
      {"desktop", "private|mine|none", "Where: its own, yours ($DISPLAY), or files and shell only.", "private"},
      {"watch", "", "Show the private desktop in a window."},
      {"size", "WxH", "Size of the private desktop (default: what it was, or the model was trained on, or 1280x720)."},
      {"workspace", "folder", "Folder to work in (default: the private desktop's home)."},
      {"home", "folder", "What the private desktop's home holds at first: a folder to copy, settings included."},
      {"yes", "effects",
       "Effects and dangers that need no question, comma separated: shell, network, input_user, write_elsewhere, "
       "credentials, …"},
      {"no", "effects", "Effects that are refused."},
      {"network", "", "Let shell commands and the web tool use the network (asked about without --yes)."},
  };
}

agent::WorkbenchOptions workbench_of(const CommandLine& line) {
  agent::WorkbenchOptions options;
  options.desktop = desktop_named(line.value("desktop"));
  options.is_watched = line.has("watch");
  if (line.has("size")) read_size(line.value("size"), options);
  options.workspace = folder_of(line, "workspace");
  std::error_code ignored;
  if (std::filesystem::equivalent(options.workspace, "/", ignored)) {
    throw UsageError("--workspace: / is the whole system, and commands may write in a workspace; name a folder in it");
  }
  options.home_template = folder_of(line, "home");
  options.allow_network = line.has("network");
  return options;
}

agent::Policy policy_of(const CommandLine& line) {
  agent::Policy policy;
  set_rules(line.value("yes"), Decision::Allow, policy);
  set_rules(line.value("no"), Decision::Deny, policy);
  return policy;
}

std::string name_of(Kind kind) {
  return kind == Kind::Private ? "private" : kind == Kind::Mine ? "mine" : "none";
}

Kind desktop_named(const std::string& name) {
  return name == "mine" ? Kind::Mine : name == "none" ? Kind::None : Kind::Private;
}

}  // namespace app
