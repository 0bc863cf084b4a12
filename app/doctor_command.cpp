#include "app/doctor_command.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "agent/error.h"
#include "app/doctor_checks.h"

namespace app {
namespace {

using State = Finding::State;

const char* name_of(State state) {
  return state == State::Works ? "works" : state == State::Limited ? "limited" : "broken";
}

void print(const Finding& finding) {
  constexpr const char* kColours[] = {"\x1b[32m", "\x1b[33m", "\x1b[31m"};
  const bool is_coloured = isatty(STDOUT_FILENO) != 0;
  std::printf("%s%-8s%s %-17s %s\n", is_coloured ? kColours[static_cast<int>(finding.state)] : "",
              name_of(finding.state), is_coloured ? "\x1b[0m" : "", finding.name.c_str(), finding.what.c_str());
  if (!finding.remedy.empty()) std::printf("%-26s → %s\n", "", finding.remedy.c_str());
}

int doctor(const CommandLine& line) {
  const std::vector<Finding> findings = examine_machine();
  const bool is_usable = std::none_of(findings.begin(), findings.end(), [](const Finding& finding) {
    return finding.is_essential && finding.state == State::Broken;
  });
  if (line.has("json")) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const Finding& finding : findings) {
      list.push_back({{"name", finding.name},
                      {"state", name_of(finding.state)},
                      {"what", finding.what},
                      {"remedy", finding.remedy},
                      {"essential", finding.is_essential}});
    }
    const nlohmann::ordered_json report = {{"usable", is_usable}, {"findings", list}};
    std::printf("%s\n", report.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace).c_str());
  } else {
    for (const Finding& finding : findings) print(finding);
  }
  return is_usable ? kExitDone : kExitFailed;
}

}  // namespace

Command doctor_command() {
  return {
      .name = "doctor",
      .summary = "Tries what Deskhand needs on this machine; says what to do where it fails.",
      .arguments = {},
      .options = {json_option()},
      .run = doctor,
      .notes = "The exit status is 0 when all that is essential works.\n",
  };
}

}  // namespace app
