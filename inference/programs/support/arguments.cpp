#include "inference/programs/support/arguments.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "inference/check.h"

namespace inference::programs {
namespace {

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

Arguments::Arguments(int argc, char** argv, const std::vector<std::string>& valued,
                     const std::vector<std::string>& flags) {
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (!word.starts_with("--") || word.size() == 2) {
      positional_.push_back(word);
      continue;
    }
    const std::size_t equals = word.find('=');
    const std::string name = word.substr(2, equals == std::string::npos ? equals : equals - 2);
    if (contains(flags, name) && equals == std::string::npos) {
      options_.emplace(name, "");
    } else if (!contains(valued, name)) {
      throw Error(message("unknown option --", name, "; --help lists the options"));
    } else if (equals != std::string::npos) {
      options_.emplace(name, word.substr(equals + 1));
    } else if (i + 1 < argc) {
      options_.emplace(name, argv[++i]);
    } else {
      throw Error(message("option --", name, " needs a value"));
    }
  }
}

std::vector<std::string> Arguments::all(const std::string& name) const {
  std::vector<std::string> values;
  const auto [begin, end] = options_.equal_range(name);
  for (auto it = begin; it != end; ++it) values.push_back(it->second);
  return values;
}

std::string Arguments::text(const std::string& name, const std::string& otherwise) const {
  const std::vector<std::string> values = all(name);
  return values.empty() ? otherwise : values.back();
}

double Arguments::number(const std::string& name, double otherwise) const {
  if (!has(name)) return otherwise;
  const std::string value = text(name, "");
  std::size_t used = 0;
  double parsed = 0;
  try {
    parsed = std::stod(value, &used);
  } catch (const std::exception&) {
    used = 0;
  }
  if (used == 0 || used != value.size())
    throw Error(message("option --", name, " needs a number, found \"", value, '"'));
  return parsed;
}

std::int64_t Arguments::integer(const std::string& name, std::int64_t otherwise) const {
  const double value = number(name, static_cast<double>(otherwise));
  if (value != static_cast<double>(static_cast<std::int64_t>(value))) {
    throw Error(message("option --", name, " needs a whole number, found ", value));
  }
  return static_cast<std::int64_t>(value);
}

DeviceChoice device_choice(const Arguments& arguments) {
  const std::string name = arguments.text("device", "auto");
  if (name == "auto") return DeviceChoice::Auto;
  if (name == "cpu") return DeviceChoice::Cpu;
  if (name == "cuda") return DeviceChoice::Cuda;
  throw Error(message("--device ", name, ": expected auto, cpu or cuda"));
}

int run_program(int argc, char** argv, const std::string& usage, const std::function<int()>& body) {
  for (int i = 1; i < argc; ++i) {
    if (std::string(argv[i]) == "--help") {
      std::fputs(usage.c_str(), stdout);
      return 0;
    }
  }
  try {
    return body();
  } catch (const Error& error) {
    std::fprintf(stderr, "%s: error: %s\n", std::filesystem::path(argv[0]).filename().c_str(), error.what());
    return 2;
  }
}

}  // namespace inference::programs
