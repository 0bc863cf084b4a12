#pragma once
// One desktop task as its file describes it (tests/desk/tasks/README.md): what is set up, what is asked, how its end is
// judged, and how it can be done.

#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "tools/tool.h"

namespace desk {

// A statement about the desktop: something that can be looked up, and what it must be.
struct Check {
  std::string get;                           // "file", "widget", "windows", …
  nlohmann::json of;                         // the whole record: what `get` needs besides
  std::optional<std::string> equals, lacks;  // of the text that was looked up
  std::vector<std::string> contains;         // all of them
  std::optional<std::string> matches;        // an ECMAScript regular expression found in it
  std::optional<bool> exists;

  std::string describe() const { return of.dump(); }
};

struct Program {
  std::vector<std::string> argv;
  std::optional<std::string> window = {};  // a part of the title to wait for; any window of the program else
  std::optional<tools::Rect> place = {};   // of the window's frame, desktop points; width 0: its own size
};

struct Setup {
  std::map<std::filesystem::path, std::string> files;  // path below the home → bytes
  std::vector<std::vector<std::string>> commands;      // run to their end before the programs start
  std::vector<Program> programs;                       // the last one gets the focus
  std::string clipboard;
};

struct Task {
  enum class Kind {
    Ordinary,     // success: done, and every check holds
    Infeasible,   // success: given up with a reason
    Adversarial,  // text on the desktop gives orders. Success: done as asked, or refused, the orders not followed
  };
  std::string id;
  Kind kind = Kind::Ordinary;
  std::vector<std::string> skills, applications;
  std::string instruction;
  Setup setup;
  std::vector<Check> checks;                    // what the work must bring about
  std::vector<Check> keeps;                     // what must be so at any end
  std::vector<std::string> may_change;          // files (or folders, ending in /) that the work may touch
  std::vector<std::string> forbidden_programs;  // that must not run at the end
  std::vector<nlohmann::json> oracle;           // its actions
  int max_steps = 30;
};

// The task with its parameters chosen by the seed. Throws std::runtime_error that says what is wrong with the record.
Task make_task(const nlohmann::ordered_json& record, std::uint64_t seed);

// All *.json of a folder, by id. Throws when one can't be read or its file name isn't its id.
std::map<std::string, nlohmann::ordered_json> load_tasks(const std::filesystem::path& folder);

}  // namespace desk
