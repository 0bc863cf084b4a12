#pragma once
// Minds without thought for proving tasks: one plays a task's own solution, looking its targets up among the widgets;
// one ends at once.

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "agent/model.h"
#include "tests/desk/runner/desk_state.h"

namespace desk {

// The desktop that the tasks are made for, px; small models are trained on it.
constexpr int kTaskWidth_px = 896, kTaskHeight_px = 504;

// Plays the actions of Task::oracle, one a reply, then says "Done.". A target that doesn't come up within some seconds
// makes it give up, saying which.
class OracleModel : public agent::Model {
 public:
  OracleModel(std::vector<nlohmann::json> actions, DeskState& state);
  const agent::ModelInfo& info() const override { return info_; }
  agent::Reply reply(const agent::Transcript& transcript, const std::vector<tools::ToolSpec>& specs,
                     const agent::PieceSink& sink, std::stop_token stop) override;

 private:
  struct Point {
    double x_px = 0, y_px = 0;  // of the newest picture
  };
  // Or why there is none.
  std::variant<Point, std::string> point_of(const nlohmann::json& target, const agent::Transcript& transcript);
  std::optional<tools::UiPoint> place_of(const nlohmann::json& target, std::string& problem);
  agent::Reply pointer_call(const nlohmann::json& action, const agent::Transcript& transcript);

  agent::ModelInfo info_;
  std::vector<nlohmann::json> actions_;
  DeskState& state_;
  std::size_t n_played_ = 0;
};

class IdleModel : public agent::Model {
 public:
  IdleModel();
  const agent::ModelInfo& info() const override { return info_; }
  agent::Reply reply(const agent::Transcript& transcript, const std::vector<tools::ToolSpec>& specs,
                     const agent::PieceSink& sink, std::stop_token stop) override;

 private:
  agent::ModelInfo info_;
};

}  // namespace desk
