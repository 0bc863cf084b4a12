#include "agent/loop_guard.h"

#include <algorithm>

namespace agent {
namespace {

constexpr std::size_t kMemory = 24;  // steps looked back
constexpr int kSameActions = 3;      // the same action with the same screen after it
constexpr int kFruitlessSteps = 5;   // in a row
constexpr int kVisits = 4;           // to the same screen by the same action

bool is_fruitless(const LoopGuard::Step& step) {
  return !step.ok || step.verdict == tools::Verdict::NoOp || step.verdict == tools::Verdict::Refused;
}

}  // namespace

LoopGuard::Finding LoopGuard::observe(const Step& step) {
  recent_.push_back(step);
  if (recent_.size() > kMemory) recent_.pop_front();
  n_fruitless_ = is_fruitless(step) ? n_fruitless_ + 1 : 0;
  const auto same = [&](const Step& other) {
    return other.action == step.action && other.screen_hash == step.screen_hash;
  };
  const auto n_repeated = std::find_if_not(recent_.rbegin(), recent_.rend(), same) - recent_.rbegin();
  if (n_repeated >= kSameActions) {
    return escalate("the same action was done " + std::to_string(n_repeated) + " times and the screen is the same");
  }
  if (n_fruitless_ >= kFruitlessSteps) {
    return escalate("the last " + std::to_string(n_fruitless_) + " steps failed or changed nothing");
  }
  if (std::count_if(recent_.begin(), recent_.end(), same) >= kVisits) {
    return escalate("this action has led to this very screen several times");
  }
  if (!is_fruitless(step)) n_findings_ = 0;
  return {};
}

LoopGuard::Finding LoopGuard::escalate(const std::string& what) {
  ++n_findings_;
  if (n_findings_ == 1) return {Level::Hint, "Note: " + what + ". Try another way."};
  if (n_findings_ <= 3) return {Level::Replan, "You are going round in circles: " + what + ". Write a new plan."};
  return {Level::Stuck, what};
}

}  // namespace agent
