#pragma once
// What the commands that look into the record share.

#include <memory>
#include <string>

#include "agent/recorder.h"

namespace app {

// The user's record; tells on stderr when something was wrong with it.
std::unique_ptr<agent::Recorder> open_record();

// An event as lines of plain text, without its time; empty: it says nothing to people.
std::string text_of(const agent::Event& event);
// "done, 12 actions, 2026-03-01 12:00, open the letter": a session in one line without its number.
std::string line_of(const agent::SessionSummary& session);

}  // namespace app
