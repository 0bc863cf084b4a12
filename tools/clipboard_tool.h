#pragma once
// The clipboard as a tool: read its text, put text on it, empty it.

#include "tools/clipboard.h"
#include "tools/tool.h"

namespace tools {

class ClipboardTool : public Tool {
 public:
  // The clipboard must outlive the tool. `input_effect`: InputPrivate on a private desktop, else InputUser.
  ClipboardTool(Clipboard& clipboard, Effect input_effect) : clipboard_(clipboard), input_effect_(input_effect) {}
  ToolSpec spec() const override;
  // Reading too: what the user copied may be a secret.
  Effect effect(const ToolCall&) const override { return input_effect_; }
  ToolResult run(const ToolCall& call, std::stop_token stop) override;

 private:
  ToolResult read(Selection selection, std::stop_token stop);
  ToolResult write(Selection selection, const std::string& text, std::stop_token stop);

  Clipboard& clipboard_;
  Effect input_effect_;
};

}  // namespace tools
