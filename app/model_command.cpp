#include "app/model_command.h"

#include <cstdio>
#include <nlohmann/json.hpp>

#include "agent/calibration.h"
#include "agent/error.h"
#include "app/model_choice.h"

namespace app {
namespace {

using nlohmann::ordered_json;

std::int64_t bytes_in(const std::filesystem::path& folder) {
  std::int64_t n_bytes = 0;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
    if (entry.is_regular_file(ignored)) n_bytes += static_cast<std::int64_t>(entry.file_size(ignored));
  }
  return n_bytes;
}

ordered_json listed(const std::string& server) {
  ordered_json list = ordered_json::array();
  for (const LocalModel& model : local_models()) {
    list.push_back({{"name", model.name},
                    {"where", model.folder.string()},
                    {"megabytes", static_cast<double>(bytes_in(model.folder) / 100'000) / 10}});
  }
  if (server.empty()) return list;
  const agent::RemoteModelOptions options = remote_options(server);
  for (const agent::ServedModel& model : agent::list_served_models(options)) {
    ordered_json entry = {{"name", options.endpoint.base_url + "#" + model.name}, {"where", "server"}};
    if (model.context_tokens > 0) entry["context_tokens"] = model.context_tokens;
    list.push_back(entry);
  }
  return list;
}

ordered_json described(const std::string& choice) {
  const std::unique_ptr<agent::Model> model = load_model(choice);
  const agent::ModelInfo& info = model->info();
  ordered_json object = {
      {"name", info.name},
      {"where", agent::is_endpoint(choice) ? choice : model_folder(choice).string()},
      {"context_tokens", info.context_tokens},
      {"points", std::string(name_of(info.coordinates)) + (info.points_are_yx ? ", vertical first" : "")}};
  if (info.screen_width_px > 0) {
    object["screen"] = std::to_string(info.screen_width_px) + "x" + std::to_string(info.screen_height_px);
  }
  const std::optional<agent::PointFit> fit = agent::load_fit(info.name);
  object["measured"] = fit ? agent::describe(*fit) : "never; run `deskhand calibrate`";
  if (!info.pointing_problem.empty()) object["problem"] = info.pointing_problem;
  return object;
}

void print(const ordered_json& object) {
  for (const auto& [key, value] : object.items()) {
    std::printf("%-15s %s\n", key.c_str(), value.is_string() ? value.get<std::string>().c_str() : value.dump().c_str());
  }
}

int model(const CommandLine& line) {
  const bool is_list = line.argument(0) == "list";
  const std::string choice = line.argument(1);
  if (is_list && !choice.empty() && !agent::is_endpoint(choice)) {
    throw UsageError("\"" + choice + "\" is no server's address, http://HOST:PORT/v1");
  }
  const ordered_json result = is_list ? listed(choice) : described(checked_model(choice));
  if (line.has("json")) {
    std::printf("%s\n", result.dump(1, ' ', false, ordered_json::error_handler_t::replace).c_str());
  } else if (!is_list) {
    print(result);
  } else {
    for (const ordered_json& entry : result) {
      std::printf("%-40s %s\n", entry["name"].get<std::string>().c_str(), entry["where"].get<std::string>().c_str());
    }
  }
  return kExitDone;
}

}  // namespace

Command model_command() {
  return {
      .name = "model",
      .summary = "Lists the models, or tells what is known of one.",
      .arguments = {{.name = "list|info", .help = "all that there are, or one in detail"},
                    {.name = "model",
                     .help = "as --model of other commands takes it; with list: a server whose models to list too",
                     .is_optional = true}},
      .options = {json_option()},
      .run = model,
  };
}

}  // namespace app
