#include "tools/applications.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>

#include "tools/ascii.h"

namespace tools {
namespace {

std::string variable_or(const char* name, const std::string& otherwise) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0' ? value : otherwise;
}

// Exec's value as arguments: quotes and backslashes undone, field codes (%f, %U …) dropped. Empty when malformed.
std::vector<std::string> split_exec(const std::string& exec) {
  std::vector<std::string> argv;
  std::string word;
  bool in_quotes = false, has_word = false;
  for (std::size_t i = 0; i < exec.size(); ++i) {
    const char c = exec[i];
    if (c == '"') {
      in_quotes = !in_quotes;
      has_word = true;
    } else if (c == '\\' && in_quotes && i + 1 < exec.size()) {
      word += exec[++i];
    } else if (c == '%' && i + 1 < exec.size()) {
      if (exec[++i] == '%') word += '%';
    } else if (c == ' ' && !in_quotes) {
      if (has_word || !word.empty()) argv.push_back(word);
      word.clear();
      has_word = false;
    } else {
      word += c;
    }
  }
  if (in_quotes) return {};
  if (has_word || !word.empty()) argv.push_back(word);
  return argv;
}

// "TextEditor" is one of ";Utility;TextEditor;" for "text editor".
bool has_category(const Application& application, const std::string& name) {
  std::string wanted = ascii_lower(name);
  std::erase(wanted, ' ');
  std::istringstream categories(ascii_lower(application.categories));
  for (std::string category; std::getline(categories, category, ';');) {
    if (category == wanted) return true;
  }
  return false;
}

std::map<std::string, std::string> main_group(const std::string& text) {
  std::map<std::string, std::string> keys;
  std::istringstream lines(text);
  bool in_group = false;
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty() && line.front() == '[') {
      in_group = line == "[Desktop Entry]";
      continue;
    }
    const std::size_t equals = line.find('=');
    if (!in_group || line.empty() || line.front() == '#' || equals == std::string::npos) continue;
    std::string key = line.substr(0, equals), value = line.substr(equals + 1);
    key.erase(key.find_last_not_of(' ') + 1);
    value.erase(0, value.find_first_not_of(' '));
    keys.emplace(key, value);
  }
  return keys;
}

std::vector<Application> applications_in(const std::vector<std::filesystem::path>& folders) {
  std::map<std::string, Application> by_id;  // the first folder that has an id decides
  for (const std::filesystem::path& folder : folders) {
    std::error_code error;
    for (const auto& file : std::filesystem::directory_iterator(folder, error)) {
      const std::string id = file.path().stem();
      if (file.path().extension() != ".desktop" || by_id.count(id) > 0 || !file.is_regular_file(error)) continue;
      std::ifstream stream(file.path());
      const std::string text{std::istreambuf_iterator<char>(stream), {}};
      if (const auto application = parse_desktop_entry(id, text)) by_id.emplace(id, *application);
    }
  }
  std::vector<Application> all;
  for (auto& [id, application] : by_id) all.push_back(std::move(application));
  return all;
}

}  // namespace

std::vector<std::filesystem::path> application_folders() {
  std::string folders = variable_or("XDG_DATA_HOME", variable_or("HOME", "/").append("/.local/share"));
  folders.append(":").append(variable_or("XDG_DATA_DIRS", "/usr/local/share:/usr/share"));
  std::vector<std::filesystem::path> paths;
  std::istringstream parts(folders);
  for (std::string part; std::getline(parts, part, ':');) {
    if (!part.empty()) paths.push_back(std::filesystem::path(part) / "applications");
  }
  return paths;
}

std::optional<Application> parse_desktop_entry(const std::string& id, const std::string& text) {
  const std::map<std::string, std::string> keys = main_group(text);
  const auto value = [&](const char* key) {
    const auto found = keys.find(key);
    return found == keys.end() ? std::string() : found->second;
  };
  if (value("Type") != "Application" || value("Hidden") == "true" || value("Terminal") == "true") return std::nullopt;
  Application application = {id, value("Name"), value("GenericName"), value("Categories"), split_exec(value("Exec"))};
  if (application.name.empty() || application.argv.empty()) return std::nullopt;
  return application;
}

std::optional<std::vector<std::string>> find_application(const std::string& name,
                                                         const std::vector<std::filesystem::path>& folders) {
  const std::vector<Application> all = applications_in(folders);
  using Key = std::string (*)(const Application&);
  constexpr std::array<Key, 4> kKeys = {
      [](const Application& a) { return a.id; }, [](const Application& a) { return a.name; },
      [](const Application& a) { return std::filesystem::path(a.argv.front()).filename().string(); },
      [](const Application& a) { return a.generic_name; }};
  for (const Key key : kKeys) {
    for (const Application& application : all) {
      if (ascii_lower(key(application)) == ascii_lower(name)) return application.argv;
    }
  }
  for (const Application& application : all) {
    if (has_category(application, name)) return application.argv;
  }
  return std::nullopt;
}

}  // namespace tools
