#pragma once
// What works on this machine: each check tries the real thing.

#include <string>
#include <vector>

namespace app {

struct Finding {
  enum class State { Works, Limited, Broken };
  std::string name = {};  // "private desktop"
  State state = State::Works;
  std::string what = {};    // what was found
  std::string remedy = {};  // what to do; empty only where it works
  bool is_essential = false;
};

std::vector<Finding> examine_machine();

}  // namespace app
