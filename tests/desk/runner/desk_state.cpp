#include "tests/desk/runner/desk_state.h"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

namespace desk {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using nlohmann::json;

constexpr auto kCommandLimit = 20s;
constexpr auto kLookAgain = 50ms;

std::optional<std::string> bytes_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file || fs::is_directory(path)) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(file), {});
}

std::string joined(std::vector<std::string> lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

std::string entries_of(const fs::path& folder) {
  std::vector<std::string> names;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) names.push_back(entry.path().filename());
  std::sort(names.begin(), names.end());
  return joined(names);
}

// The fields of one line of comma-separated values.
std::vector<std::string> csv_fields(const std::string& line) {
  std::vector<std::string> fields(1);
  bool is_quoted = false;
  for (const char c : line) {
    if (c == '"') {
      is_quoted = !is_quoted;
    } else if (c == ',' && !is_quoted) {
      fields.emplace_back();
    } else {
      fields.back() += c;
    }
  }
  return fields;
}

// Of an address in a table of the kernel's, in its own byte order: 127.0.0.0/8, ::1, and the former within IPv6.
bool is_loopback(const std::string& address_and_port) {
  const std::string address = address_and_port.substr(0, address_and_port.find(':'));
  const bool is_v4 = address.size() == 8 || address.starts_with("0000000000000000FFFF0000");
  return is_v4 ? address.ends_with("7F") : address == std::string(24, '0') + "01000000";
}

// Inodes of all internet sockets of the machine that name a partner outside of it.
std::set<std::string> outward_sockets() {
  std::set<std::string> inodes;
  for (const char* table : {"/proc/net/tcp", "/proc/net/tcp6", "/proc/net/udp", "/proc/net/udp6"}) {
    std::ifstream file(table);
    std::string line;
    std::getline(file, line);
    while (std::getline(file, line)) {
      std::istringstream fields(line);
      std::string slot, local, remote, state, queues, timer, retransmits, uid, timeout, inode;
      fields >> slot >> local >> remote >> state >> queues >> timer >> retransmits >> uid >> timeout >> inode;
      const bool has_partner = remote.find_first_not_of("0:") != std::string::npos;
      if (has_partner && !is_loopback(remote)) inodes.insert(inode);
    }
  }
  return inodes;
}

}  // namespace

DeskState::DeskState(tools::PrivateDesktop& desktop)
    : desktop_(desktop),
      windows_(tools::Windows::open(desktop.display())),
      tree_(desktop.display()),
      selections_(desktop.display()) {}

std::optional<tools::Window> DeskState::find_window(const std::string& title_part) const {
  for (const tools::Window& window : windows_.list()) {
    if (window.title.find(title_part) != std::string::npos) return window;
  }
  return std::nullopt;
}

std::optional<FoundWidget> DeskState::find_widget(const json& words) {
  const std::optional<tools::Window> window =
      words.contains("window") ? find_window(words["window"]) : windows_.active();
  if (!window) return std::nullopt;
  const tools::UiSnapshot snapshot = tree_.read(*window, {.max_nodes = 1500, .limit = 10s});
  const std::vector<size_t> found =
      tools::find_nodes(snapshot, words.value("role", std::string()), words.value("name", std::string()));
  const auto nth = words.value("nth", size_t{0});
  if (nth >= found.size()) return std::nullopt;
  return FoundWidget{snapshot.nodes[found[nth]], *window};
}

Ran DeskState::run(const std::vector<std::string>& argv) {
  const tools::DesktopProcess process = desktop_.launch(argv);
  const std::optional<tools::ExitStatus> status = process.wait(kCommandLimit);
  if (!status) process.kill();
  return {.status = status ? status->exit_code.value_or(-1) : -1, .output = process.output(1 << 20)};
}

std::vector<RunningProgram> DeskState::programs() const {
  // Not its display: a program of another desktop that just ends may have had that number before.
  const std::string mark = "XAUTHORITY=" + desktop_.environment().at("XAUTHORITY");
  std::vector<RunningProgram> found;
  for (const fs::directory_entry& entry : fs::directory_iterator("/proc")) {
    const std::string number = entry.path().filename();
    if (number.find_first_not_of("0123456789") != std::string::npos) continue;
    const std::string environment = std::string(1, '\0') + bytes_of(entry.path() / "environ").value_or("") + '\0';
    if (environment.find('\0' + mark + '\0') == std::string::npos) continue;
    std::string name = bytes_of(entry.path() / "comm").value_or("");
    while (!name.empty() && name.back() == '\n') name.pop_back();
    if (!name.empty()) found.push_back({static_cast<pid_t>(std::stol(number)), name});
  }
  return found;
}

std::vector<std::string> DeskState::network_users() const {
  const std::set<std::string> sockets = outward_sockets();
  std::vector<std::string> users;
  for (const RunningProgram& program : programs()) {
    std::error_code gone;
    const fs::path open_files = fs::path("/proc") / std::to_string(program.pid) / "fd";
    for (const fs::directory_entry& entry : fs::directory_iterator(open_files, gone)) {
      const std::string target = fs::read_symlink(entry.path(), gone);
      if (target.starts_with("socket:[") && sockets.contains(target.substr(8, target.size() - 9))) {
        users.push_back(program.name);
        break;
      }
    }
  }
  return users;
}

std::map<fs::path, std::string> DeskState::files() const {
  std::map<fs::path, std::string> found;
  auto entry = fs::recursive_directory_iterator(desktop_.home(), fs::directory_options::skip_permission_denied);
  for (; entry != fs::recursive_directory_iterator(); ++entry) {
    const bool is_hidden = entry->path().filename().string().starts_with(".");
    if (is_hidden && entry->is_directory()) entry.disable_recursion_pending();
    if (is_hidden || !entry->is_regular_file()) continue;
    found[fs::relative(entry->path(), desktop_.home())] = bytes_of(entry->path()).value_or("");
  }
  return found;
}

void DeskState::put_clipboard(const std::string& text) {
  if (!owner_) owner_.emplace(desktop_.display());
  owner_->own(tools::Selection::Clipboard, {{"text/plain", text}});
}

// The text of a cell ("B3") of a spreadsheet, as gnumeric shows it.
std::string DeskState::cell(const json& of) {
  const std::string path = desktop_.home() / of.at("path").get<std::string>();
  const Ran converted = run({"ssconvert", "-T", "Gnumeric_stf:stf_csv", path, "fd://1"});
  const std::string at = of.at("at");
  const auto column = static_cast<size_t>(at[0] - 'A');
  std::istringstream lines(converted.output);
  std::string line;
  for (int row = 0; row < std::stoi(at.substr(1)); ++row) {
    if (!std::getline(lines, line)) return "";
  }
  const std::vector<std::string> fields = csv_fields(line);
  return column < fields.size() ? fields[column] : "";
}

std::optional<std::string> DeskState::look_up(const Check& check, const std::string& answer) {
  const json& of = check.of;
  if (check.get == "answer") return answer;
  if (check.get == "file") return bytes_of(desktop_.home() / of.at("path").get<std::string>());
  if (check.get == "folder") {
    const fs::path path = desktop_.home() / of.at("path").get<std::string>();
    return fs::is_directory(path) ? std::optional(entries_of(path)) : std::nullopt;
  }
  if (check.get == "cell") return cell(of);
  if (check.get == "clipboard") {
    const tools::ClipboardRead read = selections_.read_first(
        tools::Selection::Clipboard, {"UTF8_STRING", "text/plain;charset=utf-8", "text/plain", "STRING"});
    return read.content.empty() ? std::nullopt : std::optional(read.content.begin()->second);
  }
  if (check.get == "widget" || check.get == "widget_states") {
    const std::optional<FoundWidget> found = find_widget(of);
    if (!found) return std::nullopt;
    if (check.get == "widget_states") return joined(found->node.states);
    if (found->node.has_text) return tree_.read_text(found->node);
    return found->node.text.empty() ? found->node.name : found->node.text;
  }
  if (check.get == "visible") {
    const std::optional<FoundWidget> found = find_widget(of);
    return found && found->node.box ? std::optional<std::string>("yes") : std::nullopt;
  }
  if (check.get == "windows") {
    std::vector<std::string> titles;
    for (const tools::Window& window : windows_.list()) titles.push_back(window.title);
    return joined(titles);
  }
  if (check.get == "window_states") {
    const std::optional<tools::Window> window = find_window(of.at("window"));
    return window ? std::optional(joined(window->states)) : std::nullopt;
  }
  if (check.get == "active_window") {
    const std::optional<tools::Window> window = windows_.active();
    return window ? std::optional(window->title) : std::nullopt;
  }
  if (check.get == "programs") {
    std::vector<std::string> names;
    for (const RunningProgram& program : programs()) names.push_back(program.name);
    return joined(names);
  }
  if (check.get == "command") return run(of.at("argv").get<std::vector<std::string>>()).output;
  if (check.get == "setting") return run({"gsettings", "get", of.at("schema"), of.at("key")}).output;
  throw std::runtime_error("there is no \"" + check.get + "\" to look up");
}

std::optional<std::string> DeskState::problem_with(const Check& check, const std::string& answer,
                                                   std::chrono::milliseconds patience) {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  std::optional<std::string> value;
  const auto holds = [&] {
    value = look_up(check, answer);
    if (check.exists && *check.exists != value.has_value()) return false;
    if (!value) return check.exists.has_value();
    if (check.equals && *value != *check.equals) return false;
    if (check.lacks && value->find(*check.lacks) != std::string::npos) return false;
    if (check.matches && !std::regex_search(*value, std::regex(*check.matches))) return false;
    return std::all_of(check.contains.begin(), check.contains.end(),
                       [&](const std::string& part) { return value->find(part) != std::string::npos; });
  };
  while (!holds()) {
    if (std::chrono::steady_clock::now() >= deadline) {
      return check.describe() + " is " +
             (value ? json(value->substr(0, 300)).dump(-1, ' ', false, json::error_handler_t::replace) : "absent");
    }
    usleep(static_cast<useconds_t>(kLookAgain / 1us));
  }
  return std::nullopt;
}

}  // namespace desk
