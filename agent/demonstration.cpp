#include "agent/demonstration.h"

#include "agent/action_call.h"
#include "agent/error.h"
#include "tools/anchor_reader.h"
#include "tools/desktop.h"

namespace agent {
namespace {

using tools::HandEvent;
using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kWait{30};
constexpr std::chrono::milliseconds kBetweenPictures{80};  // the newest one was taken before the hand's next act

// What an action began on.
struct Beginning {
  std::vector<tools::Anchor> anchors;
  Picture screen;
  Clock::time_point at;
};

class Demonstration {
 public:
  Demonstration(const DemonstrationParts& parts, const std::stop_token& stop) : parts_(parts), stop_(stop) {}

  int run();

 private:
  bool take(const HandEvent& event);  // false: the stop key
  Beginning look(const HandEvent& event) const;
  void record(const tools::Action& action);
  void refresh();

  const DemonstrationParts& parts_;
  std::stop_token stop_;
  tools::HandActions actions_;
  Beginning beginning_;  // of the open action
  Picture screen_;       // newest
  Clock::time_point screen_at_{};
  int n_actions_ = 0;
};

void Demonstration::refresh() {
  if (Clock::now() - screen_at_ < kBetweenPictures) return;
  if (capture::Grab grab = parts_.desktop.grab()) screen_ = grab.frame;
  screen_at_ = Clock::now();
}

Beginning Demonstration::look(const HandEvent& event) const {
  Beginning beginning{{}, screen_, Clock::now()};
  if (event.kind == HandEvent::Kind::KeyPress) {
    beginning.anchors = tools::focus_anchor(parts_.desktop, stop_);
  } else {
    beginning.anchors = {tools::anchor_at(parts_.desktop, event.point, stop_)};
  }
  for (tools::Anchor& anchor : beginning.anchors) anchor.picture = tools::picture_around(screen_, anchor.point);
  return beginning;
}

void Demonstration::record(const tools::Action& action) {
  if (screen_ == nullptr) return;
  const ActionCall made = call_of(action, screen_->screen_map.image_px());
  if (const auto* error = std::get_if<tools::ActionError>(&made))
    throw Error("what was done can't be recorded: " + error->message);
  std::optional<tools::ToolCall> call = std::get<std::optional<tools::ToolCall>>(made);
  if (!call) return;
  call->id = "call_" + std::to_string(++n_actions_);
  tools::ToolResult result{.ok = true, .text = "Done by the user."};
  result.anchors = std::move(beginning_.anchors);
  const bool is_secret =
      !result.anchors.empty() && result.anchors[0].widget && result.anchors[0].widget->role == "password text";
  if (is_secret && action.op == tools::Action::Op::Type) call->arguments["text"] = "{{password}}";
  for (const tools::Target& point : action.path) result.details["path_pt"].push_back({point.x, point.y});
  const ActionId id = parts_.recorder.intent(parts_.session, {.call = *call,
                                                              .effect = parts_.desktop.input_effect(),
                                                              .decision = "done by the user",
                                                              .screen = beginning_.screen});
  const double seconds = std::chrono::duration<double>(Clock::now() - beginning_.at).count();
  parts_.recorder.outcome(id, result, seconds);
  if (parts_.recorded) parts_.recorded(*call);
}

bool Demonstration::take(const HandEvent& event) {
  if (event.kind == HandEvent::Kind::KeyPress && event.keysym == parts_.stop_keysym && parts_.stop_keysym != 0) {
    return false;
  }
  std::optional<Beginning> next;
  if (actions_.begins_action(event)) next = look(event);
  if (const std::optional<tools::Action> complete = actions_.push(event)) record(*complete);
  if (next) beginning_ = std::move(*next);
  if (actions_.is_drag() && event.kind == HandEvent::Kind::ButtonRelease) {
    beginning_.anchors.resize(1);
    beginning_.anchors.push_back(tools::anchor_at(parts_.desktop, event.point, stop_));
  }
  return true;
}

int Demonstration::run() {
  tools::InputListener listener(parts_.display);
  refresh();
  if (parts_.ready) parts_.ready();
  bool goes_on = true;
  while (goes_on && !stop_.stop_requested()) {
    for (const HandEvent& event : listener.read(kWait)) goes_on = goes_on && take(event);
    refresh();
  }
  if (const std::optional<tools::Action> last = actions_.finish()) record(*last);
  return n_actions_;
}

}  // namespace

int record_demonstration(const DemonstrationParts& parts, const std::stop_token& stop) {
  return Demonstration(parts, stop).run();
}

}  // namespace agent
