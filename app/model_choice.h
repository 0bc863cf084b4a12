#pragma once
// Which model `--model` means.

#include <filesystem>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "agent/model.h"
#include "agent/remote_model.h"
#include "app/command.h"

namespace app {

CommandOption model_option();
// The same choice. Throws UsageError when it means nothing.
std::string checked_model(const std::string& choice);

// Empty: the small model that comes with Deskhand. "http://HOST:PORT/v1#NAME": a server's. Else a checkpoint's folder,
// or the name of one below ~/.local/share/deskhand/models. Throws Error saying what is wrong.
std::unique_ptr<agent::Model> load_model(const std::string& choice, const std::stop_token& stop = {});

// The folder that the choice, which is no server, means. Throws Error.
std::filesystem::path model_folder(const std::string& choice);
// The server that the choice means, with its key.
agent::RemoteModelOptions remote_options(const std::string& choice);

struct LocalModel {
  std::string name;  // as `--model` takes it
  std::filesystem::path folder;
};
std::vector<LocalModel> local_models();

}  // namespace app
