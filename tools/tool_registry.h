#pragma once
// The tools that a session has: owns them, knows their names and refuses calls that don't fit their schemas.

#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "tools/tool.h"

namespace tools {

// Used from the agent thread only.
class ToolRegistry {
 public:
  // The name must be new, made of [a-z_], and the parameters an object schema that json_schema.h understands: else a
  // bug.
  void add(std::unique_ptr<Tool> tool);

  // In order of name, so that the same tools always make the same prompt.
  std::vector<ToolSpec> specs() const;

  // None when the tool exists and the arguments fit; else a message for the model that says what to change.
  [[nodiscard]] std::optional<std::string> problem_with(const ToolCall& call) const;

  // The effect that the call would have. The call must have no problem.
  Effect effect(const ToolCall& call) const;
  // What the call would hit right now. The call must have no problem.
  std::optional<CallTarget> target(const ToolCall& call) const;
  // What the call would do to files. The call must have no problem.
  std::vector<FileEdit> preview(const ToolCall& call) const;

  // Runs the tool; a call with a problem comes back as a failed result that carries the message.
  ToolResult run(const ToolCall& call, std::stop_token stop);

 private:
  struct Entry {
    std::unique_ptr<Tool> tool;
    ToolSpec spec;
  };
  std::map<std::string, Entry> tools_;
};

}  // namespace tools
