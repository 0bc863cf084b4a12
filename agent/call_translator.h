#pragma once
// From a call in the model's own words to the tools' call: short names become tools, points become pixels of the
// picture that the model was shown. The result is data only; nothing in it is evaluated.

#include <string>
#include <variant>

#include "agent/model.h"
#include "agent/transcript.h"

namespace agent {

// Or what is wrong with it, for the model. `shown` is the newest picture, null when there is none yet.
std::variant<tools::ToolCall, std::string> translate(const ModelCall& call, const ModelInfo& model,
                                                     const capture::Frame* shown);

// Where in `closer` the point of a call is that meant `shown`, in the model's own words; empty when it isn't seen
// there.
std::string point_in_closer_look(const ModelCall& call, const ModelInfo& model, const capture::Frame& shown,
                                 const capture::Frame& closer);

// A coordinate in the model's space as a pixel of a side of `length_px`. Out of range stays out of range: the picture's
// map refuses it then.
double to_pixel(double value, CoordinateSpace space, int length_px);

}  // namespace agent
