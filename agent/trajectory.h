#pragma once
// Sessions that other agents recorded, brought into our record: their actions as calls of our tools, their pictures as
// frames. What can be found again by its picture can be replayed.

#include <filesystem>
#include <string>
#include <vector>

#include "agent/recorder.h"

namespace agent {

// "osworld", "anthropic", "openai", "ui-tars", "ui-tars-1.5", "ui-tars-seed", "qwen2.5", "qwen3".
std::vector<std::string> trajectory_dialects();

struct ImportedTrajectory {
  SessionId session = 0;
  std::string dialect;
  int n_actions = 0, n_pictures = 0;
  std::vector<std::string> notes;  // what could not be read and was left out
};

// Reads a JSON or JSONL file; pictures are in it as base64 or lie beside it. An empty dialect is told from the content.
// Throws Error when the file has no action that can be read.
ImportedTrajectory import_trajectory(Recorder& recorder, const std::filesystem::path& file, std::string dialect);

}  // namespace agent
