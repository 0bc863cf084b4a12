#pragma once
// A mind: reads the transcript, says what to do next. Three kinds stand behind this: engine_model (in this process),
// remote_model (an OpenAI-compatible server), and the tests' scripted one.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "agent/error.h"
#include "agent/transcript.h"
#include "tools/tool.h"

namespace agent {

// The conversation is longer than the model can bear in mind.
class ContextFull : public Error {
 public:
  using Error::Error;
};

// How a model writes points.
enum class CoordinateSpace {
  Pixels,    // of the picture that it was shown
  Norm1000,  // 0 to 1000 across the picture, each axis
  Norm999,   // 0 to 999 across the picture, each axis
};

struct ModelInfo {
  std::string name = {};
  std::int64_t context_tokens = 0;  // 0: not known
  CoordinateSpace coordinates = CoordinateSpace::Pixels;
  bool points_are_yx = false;         // it writes the vertical coordinate first
  std::string pointing_problem = {};  // measured: its points can't be used, and why; empty: they can
  // Trained on short calls of its own (click, type, key …) and given no tool descriptions.
  bool speaks_short_calls = false;
  // The screen that it was trained on, px; zero: any.
  int screen_width_px = 0, screen_height_px = 0;
};

struct Usage {
  std::int64_t prompt_tokens = 0;
  std::int64_t reused_tokens = 0;  // of the prompt, already known to the model
  std::int64_t reply_tokens = 0;
  double prefill_seconds = 0, decode_seconds = 0;
};

struct Reply {
  enum class End {
    Turn,       // the model finished its turn
    Length,     // cut at the token limit
    Stopped,    // by the user; what was said so far is here
    Malformed,  // a tool call could not be read: `problem` says why, for the model
  };
  AssistantMessage message;  // calls without ids: the loop numbers them
  End end = End::Turn;
  std::string problem = {};
  Usage usage = {};
};

// Pieces of the reply as they come, for the view.
struct ReplyPiece {
  enum class Kind {
    Thought,
    Text,
    Notice,  // not the model's words: the request is made again, and what was said of this reply so far is void
  };
  Kind kind = Kind::Text;
  std::string text;
};
using PieceSink = std::function<void(const ReplyPiece&)>;

class Model {
 public:
  virtual ~Model() = default;
  virtual const ModelInfo& info() const = 0;
  // The next reply. Called from the agent thread only. Returns soon after `stop` is requested. Throws ContextFull, or
  // Error when the job can't go on (server gone); the transcript is then as before.
  virtual Reply reply(const Transcript& transcript, const std::vector<tools::ToolSpec>& specs, const PieceSink& sink,
                      std::stop_token stop) = 0;
  // What it bears in mind of the conversation, so that a resumed session needs no reading anew. A model that keeps
  // nothing here does nothing. Both throw Error; after a failed restore it is as new.
  virtual void save_context(const std::filesystem::path&) const {}
  virtual void restore_context(const std::filesystem::path&) {}
};

}  // namespace agent
