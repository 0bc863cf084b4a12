#pragma once
// The keyboard as a tool: text, chords by name, keys held.

#include <map>
#include <memory>
#include <string>

#include "tools/desktop.h"
#include "tools/evidence.h"
#include "tools/field_reader.h"
#include "tools/tool.h"

namespace tools {

// Another way than keys to get a text into the focused field.
class TextRoute {
 public:
  virtual ~TextRoute() = default;
  // Nothing: the text is in. Else why this route can't do it; nothing was changed then.
  virtual std::optional<std::string> insert(const std::string& utf8, std::stop_token stop) = 0;
};

// Through the clipboard with Ctrl+V; what was on it is put back.
class ClipboardRoute : public TextRoute {
 public:
  explicit ClipboardRoute(Desktop& desktop) : desktop_(desktop) {}
  std::optional<std::string> insert(const std::string& utf8, std::stop_token stop) override;

 private:
  Desktop& desktop_;
};

class KeyboardTool : public Tool {
 public:
  // `routes` by the name that the model uses ("clipboard", "accessibility"); "keys" is always there. Without a reader
  // typed text stays unverified.
  KeyboardTool(Desktop& desktop, std::map<std::string, std::unique_ptr<TextRoute>> routes,
               std::unique_ptr<FieldReader> reader = nullptr);
  ToolSpec spec() const override;
  Effect effect(const ToolCall&) const override { return desktop_.input_effect(); }
  std::optional<CallTarget> target(const ToolCall&) override;
  ToolResult run(const ToolCall& call, std::stop_token stop) override;

 private:
  ToolResult type(const nlohmann::json& arguments, Aim aim, std::stop_token stop);
  ToolResult type_by(const std::string& route, const std::string& text, const Aim& aim, const std::string& what,
                     std::stop_token stop);
  ToolResult press(const nlohmann::json& arguments, Aim aim, std::stop_token stop);

  Desktop& desktop_;
  std::map<std::string, std::unique_ptr<TextRoute>> routes_;
  std::unique_ptr<FieldReader> reader_;
};

}  // namespace tools
