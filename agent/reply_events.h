#pragma once
// From what the parser reads to a reply: the same for every mind that says M3's markup.

#include <vector>

#include "agent/model.h"
#include "agent/output_parser.h"

namespace agent {

std::vector<ToolSchema> schemas_of(const std::vector<tools::ToolSpec>& specs);

// Adds to the reply and tells the sink, when there is one. Of several problems the first stands.
void take_events(const std::vector<OutputEvent>& events, Reply& reply, const PieceSink& sink);

}  // namespace agent
