#pragma once
// Runs a program of the system for a tool and takes what it writes.

#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace tools {

struct SubprocessResult {
  int exit_code = -1;    // -1: ended by a signal, by us or somebody else
  std::string errors;    // the start of its standard error
  bool was_cut = false;  // we ended it: enough output, stop or time limit
};

// Called with each piece of the output; false ends the program.
using OutputSink = std::function<bool(std::string_view)>;

// The program is searched in /usr/bin and the like only. Of our environment it gets the variables that are named, no
// other. None when it isn't installed.
std::optional<SubprocessResult> run_program(const std::vector<std::string>& command,
                                            const std::filesystem::path& directory, const OutputSink& sink,
                                            std::chrono::milliseconds limit, std::stop_token stop,
                                            const std::vector<std::string>& variables = {});

}  // namespace tools
