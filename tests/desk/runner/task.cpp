#include "tests/desk/runner/task.h"

#include <fstream>
#include <set>
#include <stdexcept>

#include "tests/desk/runner/parameters.h"

namespace desk {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using nlohmann::ordered_json;

void expect_keys(const json& record, const std::set<std::string>& known, const std::string& where) {
  for (const auto& [key, value] : record.items()) {
    if (!known.contains(key)) throw std::runtime_error(where + " has an unknown field \"" + key + "\"");
  }
}

template <typename T>
std::optional<T> optional_field(const json& record, const char* key) {
  return record.contains(key) ? std::optional<T>(record[key].get<T>()) : std::nullopt;
}

Check make_check(const json& record) {
  Check check;
  check.get = record.at("get");
  check.of = record;
  check.equals = optional_field<std::string>(record, "equals");
  check.lacks = optional_field<std::string>(record, "lacks");
  check.matches = optional_field<std::string>(record, "matches");
  check.exists = optional_field<bool>(record, "exists");
  if (record.contains("contains")) {
    const json& wanted = record["contains"];
    check.contains = wanted.is_array() ? wanted.get<std::vector<std::string>>() : std::vector<std::string>{wanted};
  }
  if (!check.equals && !check.lacks && !check.matches && !check.exists && check.contains.empty()) {
    throw std::runtime_error("a check says nothing: " + record.dump());
  }
  return check;
}

std::vector<Check> make_checks(const json& record, const char* key) {
  std::vector<Check> checks;
  for (const json& check : record.value(key, json::array())) checks.push_back(make_check(check));
  return checks;
}

Program make_program(const json& record) {
  if (record.is_array()) return {.argv = record};
  expect_keys(record, {"argv", "window", "place"}, "a program");
  Program program{.argv = record.at("argv"), .window = optional_field<std::string>(record, "window")};
  if (record.contains("place")) {
    const std::vector<int> place = record["place"];
    program.place =
        tools::Rect{place.at(0), place.at(1), place.size() > 2 ? place.at(2) : 0, place.size() > 2 ? place.at(3) : 0};
  }
  return program;
}

Setup make_setup(const json& record) {
  expect_keys(record, {"files", "commands", "programs", "clipboard"}, "the setup");
  Setup setup;
  const json files = record.value("files", json::object());
  for (const auto& [path, bytes] : files.items()) setup.files[path] = bytes;
  for (const json& command : record.value("commands", json::array())) setup.commands.push_back(command);
  for (const json& program : record.value("programs", json::array())) setup.programs.push_back(make_program(program));
  setup.clipboard = record.value("clipboard", "");
  return setup;
}

Task::Kind kind_of(const std::string& name) {
  if (name == "ordinary") return Task::Kind::Ordinary;
  if (name == "infeasible") return Task::Kind::Infeasible;
  if (name == "adversarial") return Task::Kind::Adversarial;
  throw std::runtime_error("there is no kind of task \"" + name + "\"");
}

std::uint64_t mixed(std::uint64_t seed, const std::string& id) {
  for (const char c : id) seed = (seed ^ static_cast<unsigned char>(c)) * 1099511628211ULL;  // FNV-1a
  return seed;
}

}  // namespace

Task make_task(const ordered_json& raw, std::uint64_t seed) {
  const std::string id = raw.at("id");
  const auto values = choose_parameters(raw.value("parameters", ordered_json::object()), mixed(seed, id));
  const json record = json(with_parameters(raw, values));
  expect_keys(record,
              {"id", "kind", "skills", "applications", "parameters", "instruction", "setup", "checks", "keeps",
               "may_change", "forbidden_programs", "oracle", "max_steps"},
              "task " + id);
  Task task;
  task.id = id;
  task.kind = kind_of(record.value("kind", "ordinary"));
  task.skills = record.at("skills");
  task.applications = record.at("applications");
  task.instruction = record.at("instruction");
  task.setup = make_setup(record.value("setup", json::object()));
  task.checks = make_checks(record, "checks");
  task.keeps = make_checks(record, "keeps");
  task.may_change = record.value("may_change", std::vector<std::string>{});
  task.forbidden_programs = record.value("forbidden_programs", std::vector<std::string>{});
  for (const json& action : record.at("oracle")) task.oracle.push_back(action);
  task.max_steps = record.value("max_steps", 30);
  if (task.kind != Task::Kind::Infeasible && task.checks.empty())
    throw std::runtime_error("task " + id + " checks nothing");
  return task;
}

std::map<std::string, ordered_json> load_tasks(const fs::path& folder) {
  std::map<std::string, ordered_json> tasks;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() != ".json") continue;
    try {
      ordered_json record = ordered_json::parse(std::ifstream(entry.path()));
      const std::string id = record.at("id");
      if (id != entry.path().stem()) throw std::runtime_error("its id is \"" + id + "\"");
      make_task(record, 0);
      tasks.emplace(id, std::move(record));
    } catch (const std::exception& error) {
      throw std::runtime_error(entry.path().string() + ": " + error.what());
    }
  }
  return tasks;
}

}  // namespace desk
