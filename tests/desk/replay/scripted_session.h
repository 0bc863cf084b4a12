#pragma once
// A session of ten and more steps on real programs, worked by a script in the model's place: a product is computed in
// the calculator, a line is written in the editor and saved.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "agent/model.h"
#include "agent/recorder.h"
#include "agent/workbench.h"
#include "tools/ui_tree.h"

namespace desk {

// Says one call a turn. A call is made when it is its turn: it may look at the desktop.
class ScriptedModel : public agent::Model {
 public:
  using MakeCall = std::function<agent::ModelCall(const agent::Transcript& transcript)>;
  explicit ScriptedModel(std::vector<MakeCall> calls) : calls_(std::move(calls)) {}

  const agent::ModelInfo& info() const override { return info_; }
  agent::Reply reply(const agent::Transcript& transcript, const std::vector<tools::ToolSpec>& specs,
                     const agent::PieceSink& sink, std::stop_token stop) override;

 private:
  std::vector<MakeCall> calls_;
  std::size_t n_said_ = 0;
  agent::ModelInfo info_ = {.name = "scripted"};
};

ScriptedModel::MakeCall say(const std::string& name, const nlohmann::ordered_json& arguments);
// Where the widget with this role and label lies, as soon as its program shows it; none: it doesn't.
std::optional<tools::Rect> place_of(tools::UiTree& tree, const tools::Window& window, const std::string& role,
                                    const std::string& label);
// A click on the widget with this role and label in the window whose title has these words.
ScriptedModel::MakeCall click(agent::Workbench& workbench, const std::string& title, const std::string& role,
                              const std::string& label);

// Eleven steps. The file is saved as product.txt in the workspace.
std::vector<ScriptedModel::MakeCall> product_script(agent::Workbench& workbench);

// What is left when the session is over.
struct FinalState {
  std::string file;     // of product.txt
  std::string display;  // of the calculator
  bool operator==(const FinalState&) const = default;
};
FinalState final_state(agent::Workbench& workbench);

// Records the session; its number.
agent::SessionId record_session(agent::Recorder& recorder, agent::Workbench& workbench,
                                std::vector<ScriptedModel::MakeCall> script);

}  // namespace desk
