#pragma once
// What the state of a private desktop is: looked up from outside of the agent, by connections of its own.

#include <chrono>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tests/desk/runner/task.h"
#include "tools/clipboard.h"
#include "tools/private_desktop.h"
#include "tools/ui_tree.h"
#include "tools/windows.h"

namespace desk {

struct Ran {
  int status = -1;  // −1: killed, or not ended in time
  std::string output;
};

struct RunningProgram {
  pid_t pid = 0;
  std::string name;
};

// A widget asked for by words, as checks and oracles name it: {"window": part of a title, "role", "name", "nth"}. All
// may be left out; without "window" the active one is meant.
struct FoundWidget {
  tools::UiNode node;
  tools::Window window;
};

class DeskState {
 public:
  explicit DeskState(tools::PrivateDesktop& desktop);

  // What is looked up, none when there is no such thing. `answer`: the agent's last words.
  std::optional<std::string> look_up(const Check& check, const std::string& answer);
  // Why the check does not hold, none when it does. Programs get `patience` to come to rest.
  std::optional<std::string> problem_with(const Check& check, const std::string& answer,
                                          std::chrono::milliseconds patience = {});

  std::optional<FoundWidget> find_widget(const nlohmann::json& words);
  std::optional<tools::Window> find_window(const std::string& title_part) const;
  const tools::Windows& windows() const { return windows_; }
  Ran run(const std::vector<std::string>& argv);
  std::vector<RunningProgram> programs() const;
  // Programs of the desktop that hold a socket to another machine.
  std::vector<std::string> network_users() const;
  // The bytes of all files in the home that are no settings or caches, by path.
  std::map<std::filesystem::path, std::string> files() const;
  void put_clipboard(const std::string& text);

 private:
  std::string cell(const nlohmann::json& of);

  tools::PrivateDesktop& desktop_;
  tools::Windows windows_;
  tools::UiTree tree_;
  tools::SelectionReader selections_;
  std::optional<tools::SelectionOwner> owner_;
};

}  // namespace desk
