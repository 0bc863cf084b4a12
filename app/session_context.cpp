#include "app/session_context.h"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <vector>

namespace app {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostContexts = 3;  // they can be large

fs::path contexts_dir() {
  return agent::Recorder::default_path().parent_path() / "contexts";
}

void forget_old_contexts() {
  std::vector<std::pair<fs::file_time_type, fs::path>> kept;
  std::error_code problem;
  for (const auto& entry : fs::directory_iterator(contexts_dir(), problem)) {
    kept.emplace_back(entry.last_write_time(problem), entry.path());
  }
  std::sort(kept.rbegin(), kept.rend());
  for (std::size_t i = kMostContexts; i < kept.size(); ++i) fs::remove(kept[i].second, problem);
}

}  // namespace

void keep_context(const agent::Model& model, agent::SessionId session) {
  try {
    fs::create_directories(contexts_dir());
    model.save_context(contexts_dir() / std::to_string(session));
    forget_old_contexts();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "deskhand: what the model bears in mind could not be kept: %s\n", error.what());
  }
}

void take_up_context(agent::Model& model, agent::SessionId session) {
  const fs::path path = contexts_dir() / std::to_string(session);
  if (!fs::exists(path)) return;
  try {
    model.restore_context(path);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "deskhand: the model reads the conversation anew: %s\n", error.what());
  }
}

}  // namespace app
