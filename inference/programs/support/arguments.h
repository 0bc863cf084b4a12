#pragma once
// Command lines of the engine's programs: positional words, and options `--name value` or `--name=value`.

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "inference/engine.h"

namespace inference::programs {

class Arguments {
 public:
  // `valued` and `flags` name the options that exist, without dashes. Throws Error for any other.
  Arguments(int argc, char** argv, const std::vector<std::string>& valued, const std::vector<std::string>& flags = {});

  const std::vector<std::string>& positional() const { return positional_; }
  bool has(const std::string& name) const { return options_.count(name) > 0; }
  std::vector<std::string> all(const std::string& name) const;  // in order; empty when absent
  std::string text(const std::string& name, const std::string& otherwise) const;
  double number(const std::string& name, double otherwise) const;
  std::int64_t integer(const std::string& name, std::int64_t otherwise) const;

 private:
  std::vector<std::string> positional_;
  std::multimap<std::string, std::string> options_;
};

// Option --device auto|cpu|cuda.
DeviceChoice device_choice(const Arguments& arguments);

// Runs a program's body. --help prints the usage; an Error is printed as "name: error: …" and gives exit status 2.
int run_program(int argc, char** argv, const std::string& usage, const std::function<int()>& body);

}  // namespace inference::programs
