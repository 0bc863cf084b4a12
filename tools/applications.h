#pragma once
// Which program a person means by "Text Editor": applications by the names in their desktop entries
// (freedesktop.org Desktop Entry Specification 1.5).

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace tools {

struct Application {
  std::string id;            // file name without .desktop
  std::string name;          // "Mousepad"
  std::string generic_name;  // "Text Editor"; may be empty
  std::string categories;    // "GTK;Utility;TextEditor;"
  std::vector<std::string> argv;
};

// The folders of desktop entries, the user's own first ($XDG_DATA_HOME, $XDG_DATA_DIRS).
std::vector<std::filesystem::path> application_folders();

// One entry; nothing when it is hidden, no application, needs a terminal, or is not to be understood.
std::optional<Application> parse_desktop_entry(const std::string& id, const std::string& text);

// The command line for a name: an application whose id, name, program or generic name (in this order) equals it,
// whatever the case, or else the first of that category. Nothing when there is none.
std::optional<std::vector<std::string>> find_application(const std::string& name,
                                                         const std::vector<std::filesystem::path>& folders);

}  // namespace tools
