#pragma once
// Which model `--model` means, and how it wants to be worked with.

#include <filesystem>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "agent/model.h"
#include "agent/model_watch.h"
#include "agent/remote_model.h"
#include "app/command.h"

namespace app {

CommandOption model_option();
// The same choice. Throws UsageError when it means nothing.
std::string checked_model(const std::string& choice);

// Empty: the small model that comes with Deskhand. "http://HOST:PORT/v1#NAME": a server's. Else a checkpoint's folder,
// or the name of one below ~/.local/share/deskhand/models. Throws Error saying what is wrong.
// `watch`: of a model in this process.
std::unique_ptr<agent::Model> load_model(const std::string& choice, const std::stop_token& stop = {},
                                         const agent::ModelWatch& watch = {});

// The folder that the choice, which is no server, means. Throws Error.
std::filesystem::path model_folder(const std::string& choice);
// The server that the choice means, with its key.
agent::RemoteModelOptions remote_options(const std::string& choice, const std::stop_token& stop = {});

// What the model is told before everything else; small ones know their work and are told nothing. Throws Error.
std::string instructions_for(const agent::ModelInfo& model);
// The size of a closer look: of a model that was trained on one size of screen, that.
capture::Size closer_picture(const agent::ModelInfo& model);

struct LocalModel {
  std::string name;  // as `--model` takes it
  std::filesystem::path folder;
};
std::vector<LocalModel> local_models();

}  // namespace app
