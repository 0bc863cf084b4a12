#pragma once
// The score sheet of many task runs: how often it succeeds, says so wrongly, does harm, wastes steps, and how fast.

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/desk/runner/task.h"

namespace desk {

// Replies that the task's own solution takes, with the one that ends it.
int n_oracle_steps(const Task& task);

struct Interval {
  double low = 0, high = 0;
};
// Of a rate, 95 %, by Wilson's score.
Interval wilson_interval(int n_hits, int n_all);

// The `quantile` (0 … 1) of these, nearest rank; 0 for none.
double quantile_of(std::vector<double> values, double quantile);

// One run, as task_run.h writes it, with the task that it was of.
struct ScoredRun {
  nlohmann::json result;
  Task task;
};

// All figures, also by skill and by kind; and the same as Markdown tables.
nlohmann::json score(const std::vector<ScoredRun>& runs);
std::string sheet(const std::vector<ScoredRun>& runs);

}  // namespace desk
