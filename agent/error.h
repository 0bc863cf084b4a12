#pragma once
// How this module gives up: the job can't go on. Outcomes that a caller decides on are values.

#include <stdexcept>

namespace agent {

// What failed, on what, and what to do about it: a sentence for the user.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace agent
