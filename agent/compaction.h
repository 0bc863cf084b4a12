#pragma once
// Keeps a long conversation within what the model can bear in mind. Nothing is dropped while there is room: only when
// the model says that it is full is the older half replaced by what counts of it, and later the older half of the rest.
// The transcript itself stays whole.

#include <cstddef>
#include <string>

#include "agent/plan.h"
#include "agent/transcript.h"

namespace agent {

class Compaction {
 public:
  // The transcript as the model is to get it. Valid until the next call.
  const Transcript& view(const Transcript& transcript);

  // It was too long. False: there is nothing left to drop.
  bool tighten(const Transcript& transcript, const Plan& plan);

 private:
  std::size_t first_kept_ = 0;  // message; 0: all are kept
  bool keeps_pictures_ = true;  // false: only the newest one
  std::string summary_;         // stands for the messages before it
  Transcript view_;
};

// What counts of the first `n` messages: all that the user said, the plan, what the model noted and said, one line for
// each thing done.
std::string summary_of(const Transcript& transcript, std::size_t n, const Plan& plan);

}  // namespace agent
