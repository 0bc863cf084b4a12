#pragma once
// A mind whose every word is known beforehand.

#include <deque>
#include <string>
#include <vector>

#include "agent/model.h"

namespace agent {

// Says what it is told to say, turn by turn; then that it is done.
class ScriptedModel : public Model {
 public:
  explicit ScriptedModel(std::deque<Reply> script) : script_(std::move(script)) {}
  const ModelInfo& info() const override { return info_; }
  Reply reply(const Transcript& transcript, const std::vector<tools::ToolSpec>&, const PieceSink&,
              std::stop_token stop) override {
    if (transcript.messages().size() > most_messages) throw ContextFull("too long");
    seen.push_back(transcript);
    Reply next = {.message = {"", "Done.", {}}};
    if (!script_.empty()) {
      next = script_.front();
      script_.pop_front();
    }
    if (stop.stop_requested()) next.end = Reply::End::Stopped;
    return next;
  }

  std::size_t most_messages = 1000;
  std::vector<Transcript> seen;
  ModelInfo info_ = {.name = "scripted"};

 private:
  std::deque<Reply> script_;
};

inline Reply call(const std::string& name, const nlohmann::ordered_json& arguments = nlohmann::ordered_json::object()) {
  return {.message = {"", "", {{"", name, arguments}}}};
}

}  // namespace agent
