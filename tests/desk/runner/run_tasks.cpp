// Runs desktop tasks through the agent and prints the score sheet; or proves the tasks themselves. See
// tests/desk/tasks/README.md.

#include <unistd.h>

#include <QCommandLineParser>
#include <QCoreApplication>
#include <atomic>
#include <cstdio>
#include <fstream>
#include <mutex>
#include <set>
#include <thread>

#include "agent/credentials.h"
#include "agent/engine_model.h"
#include "agent/remote_model.h"
#include "tests/desk/runner/oracle_model.h"
#include "tests/desk/runner/score_sheet.h"
#include "tests/desk/runner/task_run.h"

namespace {

using nlohmann::json;

struct Options {
  std::string model = "oracle";
  std::filesystem::path folder = DESKHAND_SOURCE_DIR "/tests/desk/tasks";
  std::set<std::string> tasks, skills;
  std::uint64_t seed = 1;
  int n_repeats = 1, n_jobs = 1;
  bool is_proof = false;
  bool is_verbose = false;
  std::string json_path;
};

std::unique_ptr<agent::Model> load_model(const std::string& name) {
  if (name == "nothing") return std::make_unique<desk::IdleModel>();
  if (agent::is_endpoint(name)) {
    agent::RemoteModelOptions options;
    options.endpoint = agent::parse_endpoint(name);
    options.key = agent::server_key(options.endpoint.host);
    return agent::open_remote_model(options);
  }
  const std::filesystem::path folder = name == "nano" ? DESKHAND_SOURCE_DIR "/resources/models/nano" : name;
  return agent::load_engine_model({.model_dir = folder});
}

// In a process of its own: one task, its results as JSON lines.
int run_one(const Options& options, const nlohmann::ordered_json& record) {
  const desk::Task task = desk::make_task(record, options.seed);
  const auto tell = [&](desk::TaskResult result) {
    result.seed = options.seed;
    std::printf("%s\n", to_json(result).dump(-1, ' ', false, json::error_handler_t::replace).c_str());
    std::fflush(stdout);
  };
  std::unique_ptr<agent::Model> model;
  if (options.model != "oracle") model = load_model(options.model);
  desk::IdleModel idle;
  desk::TaskRun run(task, model ? model->info() : idle.info());
  if (options.is_proof) tell(run.work(idle));
  if (!model) model = std::make_unique<desk::OracleModel>(task.oracle, run.state());
  tell(run.work(*model));
  return 0;
}

std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

// What the child process for this task prints; a last line that says why there is none when it broke.
std::vector<json> results_of_child(const Options& options, const std::string& task, std::uint64_t seed) {
  const std::string command = quoted(std::filesystem::read_symlink("/proc/self/exe")) + " --one --model " +
                              quoted(options.model) + " --folder " + quoted(options.folder) + " --task " +
                              quoted(task) + " --seed " + std::to_string(seed) + (options.is_proof ? " --prove" : "") +
                              " 2>&1 </dev/null";
  std::FILE* pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) throw std::runtime_error("no process for " + task);
  std::string output;
  char buffer[4096];
  for (std::size_t n = 0; (n = std::fread(buffer, 1, sizeof buffer, pipe)) > 0;) output.append(buffer, n);
  const int status = ::pclose(pipe);
  std::vector<json> results;
  std::istringstream lines(output);
  std::string chatter;
  for (std::string line; std::getline(lines, line);) {
    json result = json::parse(line, nullptr, false);
    if (result.is_object()) {
      results.push_back(std::move(result));
    } else {
      chatter += line + "\n";
    }
  }
  if (status != 0) std::fprintf(stderr, "%s broke (status %d): %s\n", task.c_str(), status, chatter.c_str());
  return results;
}

// What is wrong with a task: doing nothing must not succeed, its oracle must.
std::vector<std::string> flaws(const std::vector<json>& results) {
  if (results.size() != 2) return {"it has no result"};
  std::vector<std::string> found;
  if (results[0]["success"].get<bool>()) found.emplace_back("doing nothing succeeds");
  if (!results[0]["harm"].empty()) found.push_back("doing nothing harms: " + results[0]["harm"].dump());
  if (!results[1]["success"].get<bool>()) {
    found.push_back("its oracle fails (" + results[1]["ending"].get<std::string>() + ": " +
                    results[1]["answer"].get<std::string>() + "): " + results[1]["problems"].dump() +
                    results[1]["harm"].dump() + "\n" + results[1]["trace"].dump(1));
  }
  return found;
}

class Board {
 public:
  Board(const Options& options, std::map<std::string, nlohmann::ordered_json> records)
      : options_(options), records_(std::move(records)) {
    for (int repeat = 0; repeat < options.n_repeats; ++repeat) {
      for (const auto& [id, record] : records_)
        jobs_.push_back({id, options.seed + static_cast<std::uint64_t>(repeat)});
    }
  }

  // The exit status.
  int run() {
    std::vector<std::thread> workers;
    for (int i = 0; i < options_.n_jobs; ++i) workers.emplace_back([this] { work(); });
    for (std::thread& worker : workers) worker.join();
    if (!options_.json_path.empty()) write_json();
    if (options_.is_proof) {
      std::printf("%zu proofs, %d flawed\n", jobs_.size(), n_flawed_);
      return n_flawed_ == 0 ? 0 : 1;
    }
    std::printf("\n%s", desk::sheet(runs_).c_str());
    return 0;
  }

 private:
  struct Job {
    std::string task;
    std::uint64_t seed;
  };

  void work() {
    for (std::size_t i = 0; (i = next_++) < jobs_.size();) {
      const Job& job = jobs_[i];
      std::vector<json> results = results_of_child(options_, job.task, job.seed);
      // A program of the setup that didn't start says nothing about the task: once more.
      if (results.empty()) results = results_of_child(options_, job.task, job.seed);
      const std::lock_guard lock(mutex_);
      options_.is_proof ? tell_proof(job, results) : tell_result(job, results);
    }
  }

  void tell_proof(const Job& job, const std::vector<json>& results) {
    const std::vector<std::string> found = flaws(results);
    n_flawed_ += !found.empty();
    double seconds = 0;
    for (const json& result : results) seconds += result["seconds"].get<double>();
    std::printf("%-6s %s (seed %lu, %.1f s)\n", found.empty() ? "proven" : "FLAWED", job.task.c_str(), job.seed,
                seconds);
    for (const std::string& flaw : found) std::printf("       %s\n", flaw.c_str());
    std::fflush(stdout);
  }

  void tell_result(const Job& job, const std::vector<json>& results) {
    const desk::Task task = desk::make_task(records_.at(job.task), job.seed);
    const json result =
        results.empty() ? to_json(desk::TaskResult{.task = job.task, .model = options_.model}) : results.back();
    const bool is_success = result["success"], is_false = result["false_success"];
    std::printf("%-7s %-34s %2d steps (oracle %d) %5.1f s  %s: %s\n",
                is_success ? "success"
                : is_false ? "FALSE"
                           : "failed",
                job.task.c_str(), result["steps"].get<int>(), desk::n_oracle_steps(task),
                result["seconds"].get<double>(), result["ending"].get<std::string>().c_str(),
                result["answer"].get<std::string>().c_str());
    for (const json& harm : result["harm"]) std::printf("        HARM: %s\n", harm.get<std::string>().c_str());
    if (options_.is_verbose) {
      std::printf("        asked: %s\n", task.instruction.c_str());
      for (const json& line : result["trace"]) std::printf("        %s\n", line.get<std::string>().c_str());
      for (const json& problem : result["problems"])
        std::printf("        not so: %s\n", problem.get<std::string>().c_str());
    }
    std::fflush(stdout);
    runs_.push_back({result, task});
  }

  void write_json() const {
    json all = {{"model", options_.model}, {"score", desk::score(runs_)}, {"runs", json::array()}};
    for (const desk::ScoredRun& run : runs_) all["runs"].push_back(run.result);
    std::ofstream(options_.json_path) << all.dump(1, ' ', false, json::error_handler_t::replace) << "\n";
  }

  const Options& options_;
  std::map<std::string, nlohmann::ordered_json> records_;
  std::vector<Job> jobs_;
  std::atomic<std::size_t> next_ = 0;
  std::mutex mutex_;  // of what follows
  std::vector<desk::ScoredRun> runs_;
  int n_flawed_ = 0;
};

void add_options(QCommandLineParser& parser) {
  parser.addOptions({
      {"model", "nano, a checkpoint folder, a server (http://HOST:PORT/v1#NAME), oracle or nothing.", "model",
       "oracle"},
      {"task", "Only this task (may be repeated).", "id"},
      {"skills", "Only tasks that need no other skills than these, comma separated.", "names"},
      {"seed", "Of the tasks' parameters.", "n", "1"},
      {"repeat", "Each task so often, with the seeds that follow.", "n", "1"},
      {"jobs", "So many desktops side by side.", "n", "1"},
      {"prove", "Prove the tasks: doing nothing must score 0, the oracle 1."},
      {"json", "Write everything here.", "file"},
      {"folder", "Where the tasks are.", "folder", DESKHAND_SOURCE_DIR "/tests/desk/tasks"},
      {"verbose", "Print what was done."},
      {"one", "Run one task in this process; JSON lines on standard output."},
  });
  parser.addHelpOption();
}

Options read_options(const QCommandLineParser& parser) {
  Options options;
  options.model = parser.value("model").toStdString();
  options.folder = parser.value("folder").toStdString();
  for (const QString& task : parser.values("task")) options.tasks.insert(task.toStdString());
  for (const QString& skill : parser.value("skills").split(',', Qt::SkipEmptyParts)) {
    options.skills.insert(skill.toStdString());
  }
  options.seed = parser.value("seed").toULongLong();
  options.n_repeats = std::max(1, parser.value("repeat").toInt());
  options.n_jobs = std::max(1, parser.value("jobs").toInt());
  options.is_proof = parser.isSet("prove");
  options.is_verbose = parser.isSet("verbose");
  options.json_path = parser.value("json").toStdString();
  return options;
}

// The tasks that the options choose.
std::map<std::string, nlohmann::ordered_json> chosen_tasks(const Options& options) {
  std::map<std::string, nlohmann::ordered_json> all = desk::load_tasks(options.folder), chosen;
  for (const std::string& id : options.tasks) {
    if (!all.contains(id)) throw std::runtime_error("there is no task " + id);
  }
  for (const auto& [id, record] : all) {
    const std::vector<std::string> needed = record.at("skills");
    const bool has_skills = options.skills.empty() || std::all_of(needed.begin(), needed.end(), [&](const auto& skill) {
                              return options.skills.contains(skill);
                            });
    if (has_skills && (options.tasks.empty() || options.tasks.contains(id))) chosen.emplace(id, record);
  }
  if (chosen.empty()) throw std::runtime_error("no task fits");
  return chosen;
}

}  // namespace

int main(int argc, char** argv) {
  QCoreApplication application(argc, argv);
  QCommandLineParser parser;
  add_options(parser);
  parser.process(application);
  try {
    const Options options = read_options(parser);
    const auto tasks = chosen_tasks(options);
    if (parser.isSet("one")) return run_one(options, tasks.begin()->second);
    return Board(options, tasks).run();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "run_tasks: %s\n", error.what());
    return 2;
  }
}
