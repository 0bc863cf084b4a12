#include "app/model_choice.h"

#include <QStandardPaths>
#include <algorithm>

#include "agent/credentials.h"
#include "agent/engine_model.h"
#include "agent/error.h"
#include "agent/whole_file.h"
#include "app/resources.h"

namespace app {
namespace {

namespace fs = std::filesystem;

fs::path models_dir() {
  const QString data = QStandardPaths::writableLocation(QStandardPaths::GenericDataLocation);
  return fs::path(data.toStdString()) / "deskhand" / "models";
}

bool is_checkpoint(const fs::path& folder) {
  std::error_code ignored;
  return fs::exists(folder / "config.json", ignored);
}

}  // namespace

CommandOption model_option() {
  return {"model", "which",
          "A checkpoint's folder, the name of one in ~/.local/share/deskhand/models, or a server's model, "
          "http://HOST:PORT/v1#NAME (default: the small model that comes with Deskhand)."};
}

std::string checked_model(const std::string& choice) {
  try {
    if (agent::is_endpoint(choice)) {
      agent::parse_endpoint(choice);
    } else {
      model_folder(choice);
    }
  } catch (const agent::Error& error) {
    throw UsageError(std::string("--model: ") + error.what());
  }
  return choice;
}

fs::path model_folder(const std::string& choice) {
  if (choice.empty() || choice == "nano") return resource_path("models/nano");
  if (is_checkpoint(choice)) return choice;
  if (choice.find('/') == std::string::npos && is_checkpoint(models_dir() / choice)) return models_dir() / choice;
  throw agent::Error("there is no model \"" + choice +
                     "\": neither a folder with a config.json, nor one of that name in " + models_dir().string() +
                     "; see `deskhand model list`");
}

agent::RemoteModelOptions remote_options(const std::string& choice, const std::stop_token& stop) {
  agent::RemoteModelOptions options;
  options.endpoint = agent::parse_endpoint(choice);
  options.key = agent::server_key(options.endpoint.host, stop);
  return options;
}

std::unique_ptr<agent::Model> load_model(const std::string& choice, const std::stop_token& stop,
                                         const agent::ModelWatch& watch) {
  if (agent::is_endpoint(choice)) return agent::open_remote_model(remote_options(choice, stop), stop);
  return agent::load_engine_model({.model_dir = model_folder(choice), .watch = watch});
}

std::string instructions_for(const agent::ModelInfo& model) {
  if (model.speaks_short_calls) return "";
  return agent::read_file(resource_path("prompts/instructions.md"));
}

capture::Size closer_picture(const agent::ModelInfo& model) {
  if (model.screen_width_px > 0) return {model.screen_width_px, model.screen_height_px};
  return {480, 270};
}

std::vector<LocalModel> local_models() {
  std::vector<LocalModel> models = {{"nano", resource_path("models/nano")}};
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(models_dir(), ignored)) {
    if (is_checkpoint(entry.path())) models.push_back({entry.path().filename().string(), entry.path()});
  }
  std::sort(models.begin() + 1, models.end(), [](const LocalModel& a, const LocalModel& b) { return a.name < b.name; });
  return models;
}

}  // namespace app
