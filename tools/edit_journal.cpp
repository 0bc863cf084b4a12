#include "tools/edit_journal.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "tools/file_bytes.h"

namespace tools {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using Kind = FileChange::Kind;

constexpr size_t kKeptEntries = 1000;
constexpr const char* kIntent = "intent.json";
constexpr const char* kCommitted = "committed";

std::string because(const std::string& what) {
  return what + ": " + std::strerror(errno);
}

// Where the changed bytes are after the change.
const fs::path& final_path(const FileChange& change) {
  return change.kind == Kind::Move ? change.new_path : change.path;
}

// Holds the journal against other programs that share it.
class Lock {
 public:
  explicit Lock(const fs::path& folder) : file_(open((folder / "lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)) {
    while (file_ && !(is_held_ = flock(file_.get(), LOCK_EX) == 0) && errno == EINTR) continue;
  }
  bool is_held() const { return is_held_; }

 private:
  FileDescriptor file_;
  bool is_held_ = false;
};

std::string load_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Writes only from the first byte that differs, and shortens last: at every moment each byte is the old or the new one.
bool write_in_place(int fd, std::string_view now, std::string_view wanted) {
  const auto first = std::mismatch(now.begin(), now.end(), wanted.begin(), wanted.end()).second;
  const size_t n_same = static_cast<size_t>(first - wanted.begin());
  return write_bytes(fd, wanted.substr(n_same), static_cast<off_t>(n_same)) &&
         (now.size() <= wanted.size() || ftruncate(fd, static_cast<off_t>(wanted.size())) == 0) && fdatasync(fd) == 0;
}

// Could an interrupted write have left these bytes?
bool is_torn_mix(std::string_view now, std::string_view before, std::string_view after) {
  if (now.size() < std::min(before.size(), after.size()) || now.size() > std::max(before.size(), after.size()))
    return false;
  for (size_t i = 0; i < now.size(); ++i)
    if (!(i < before.size() && now[i] == before[i]) && !(i < after.size() && now[i] == after[i])) return false;
  return true;
}

FileChange inverse(const FileChange& change) {
  FileChange back = change;
  std::swap(back.before, back.after);
  if (change.kind == Kind::Create) back.kind = Kind::Delete;
  if (change.kind == Kind::Delete) back.kind = Kind::Create;
  if (change.kind == Kind::Move) std::swap(back.path, back.new_path);
  return back;
}

}  // namespace

struct EditJournal::Entry {
  int64_t number = 0;
  int64_t undoes = 0;  // the entry that this one takes back
  std::string label;
  std::vector<FileChange> changes;
  std::vector<fs::path> new_folders;  // outermost first
  bool is_adopted = false;            // its changes were made before it was written: nothing of it is ever half done
  bool is_committed = false;
};

EditJournal::EditJournal(const Workspace& workspace, fs::path folder)
    : workspace_(workspace), folder_(std::move(folder)) {
  std::error_code error;
  fs::create_directories(folder_, error);
}

std::vector<int64_t> EditJournal::entry_numbers() const {
  std::vector<int64_t> numbers;
  std::error_code error;
  for (const fs::directory_entry& item : fs::directory_iterator(folder_, error)) {
    const std::string name = item.path().filename().string();
    if (!name.empty() && name.find_first_not_of("0123456789") == std::string::npos && name.size() < 18)
      numbers.push_back(std::stoll(name));
  }
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

int64_t EditJournal::next_number() const {
  const std::vector<int64_t> numbers = entry_numbers();
  return numbers.empty() ? 1 : numbers.back() + 1;
}

std::optional<std::string> EditJournal::write_entry(const Entry& entry) const {
  const fs::path folder = entry_folder(entry.number);
  if (mkdir(folder.c_str(), 0700) != 0) return because("the journal can't be written in " + folder_.string());
  json intent{{"root", workspace_.root().string()}, {"undoes", entry.undoes},   {"label", entry.label},
              {"adopted", entry.is_adopted},        {"changes", json::array()}, {"new_folders", json::array()}};
  bool is_stored = true;
  for (size_t i = 0; i < entry.changes.size(); ++i) {
    const FileChange& change = entry.changes[i];
    intent["changes"].push_back({{"kind", static_cast<int>(change.kind)},
                                 {"path", change.path.string()},
                                 {"new_path", change.new_path.string()},
                                 {"mode", change.mode}});
    is_stored = is_stored && store_file(folder / (std::to_string(i) + ".before"), change.before) &&
                store_file(folder / (std::to_string(i) + ".after"), change.after);
  }
  for (const fs::path& path : entry.new_folders) intent["new_folders"].push_back(path.string());
  // The intent appears at once and last: an entry without it never touched anything.
  is_stored = is_stored && store_file(folder / "intent.part", intent.dump()) &&
              rename((folder / "intent.part").c_str(), (folder / kIntent).c_str()) == 0 && sync_folder(folder) &&
              sync_folder(folder_);
  if (is_stored) return std::nullopt;
  const std::string reason = because("the journal can't be written in " + folder_.string());
  std::error_code error;
  fs::remove_all(folder, error);
  return reason;
}

std::optional<EditJournal::Entry> EditJournal::load(int64_t number) const {
  const fs::path folder = entry_folder(number);
  const json intent = json::parse(load_file(folder / kIntent), nullptr, false);
  if (!intent.is_object() || intent.value("root", "") != workspace_.root().string()) return std::nullopt;
  Entry entry;
  entry.number = number;
  entry.undoes = intent.value("undoes", int64_t{0});
  entry.label = intent.value("label", "");
  entry.is_adopted = intent.value("adopted", false);
  entry.is_committed = entry.is_adopted || fs::exists(folder / kCommitted);
  for (const json& item : intent.at("changes")) {
    FileChange change;
    change.kind = static_cast<Kind>(item.value("kind", 0));
    change.path = item.value("path", "");
    change.new_path = item.value("new_path", "");
    change.mode = item.value("mode", mode_t{0644});
    const std::string name = std::to_string(entry.changes.size());
    change.before = load_file(folder / (name + ".before"));
    change.after = load_file(folder / (name + ".after"));
    entry.changes.push_back(std::move(change));
  }
  for (const json& path : intent.at("new_folders")) entry.new_folders.emplace_back(path.get<std::string>());
  return entry;
}

std::optional<std::string> EditJournal::check_before(const Entry& entry) const {
  for (const FileChange& change : entry.changes)
    if (auto problem = check_before(change)) return problem;
  return std::nullopt;
}

std::optional<std::string> EditJournal::check_before(const FileChange& change) const {
  const std::string name = workspace_.name(change.path);
  if (change.kind != Kind::Create) {
    const FileDescriptor file(
        workspace_.open(change.path, (change.kind == Kind::Delete ? O_RDONLY : O_RDWR) | O_NONBLOCK));
    if (!file) return because(name + " can't be opened");
    const auto now = read_bytes(file.get());
    if (!now) return because(name + " can't be read");
    if (*now != change.before) return name + " has changed on disk meanwhile; read it again";
  }
  std::error_code error;
  if ((change.kind == Kind::Create || change.kind == Kind::Move) &&
      fs::exists(fs::symlink_status(final_path(change), error)))
    return workspace_.name(final_path(change)) + " exists already";
  return std::nullopt;
}

std::optional<std::string> EditJournal::perform(const FileChange& change) const {
  const std::string name = workspace_.name(change.path);
  const FileDescriptor parent(workspace_.open_parent(change.path));
  if (!parent) return because("the folder of " + name + " can't be opened");
  if (change.kind == Kind::Delete)
    return unlinkat(parent.get(), change.path.filename().c_str(), 0) == 0
               ? std::nullopt
               : std::optional(because(name + " can't be deleted"));
  if (change.kind == Kind::Create) {
    const FileDescriptor file(openat(parent.get(), change.path.filename().c_str(),
                                     O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, change.mode & 0777));
    if (!file || !write_bytes(file.get(), change.after, 0) || fdatasync(file.get()) != 0)
      return because(name + " can't be written");
    return std::nullopt;
  }
  if (change.kind == Kind::Move) {
    const FileDescriptor target(workspace_.open_parent(change.new_path));
    if (!target || renameat2(parent.get(), change.path.filename().c_str(), target.get(),
                             change.new_path.filename().c_str(), RENAME_NOREPLACE) != 0)
      return because(name + " can't be moved to " + workspace_.name(change.new_path));
  }
  const FileDescriptor file(workspace_.open(final_path(change), O_RDWR));
  if (!file || !write_in_place(file.get(), change.before, change.after)) return because(name + " can't be written");
  return std::nullopt;
}

std::optional<std::string> EditJournal::perform(const Entry& entry) const {
  for (const fs::path& folder : entry.new_folders) {
    const FileDescriptor parent(workspace_.open_parent(folder));
    if (!parent || mkdirat(parent.get(), folder.filename().c_str(), 0777) != 0)
      return because("the folder " + workspace_.name(folder) + " can't be made");
  }
  // The disk's space is claimed before the first old byte is overwritten.
  for (const FileChange& change : entry.changes) {
    if (change.kind != Kind::Write || change.after.size() <= change.before.size()) continue;
    const FileDescriptor file(workspace_.open(change.path, O_RDWR));
    if (file &&
        fallocate(file.get(), FALLOC_FL_KEEP_SIZE, static_cast<off_t>(change.before.size()),
                  static_cast<off_t>(change.after.size() - change.before.size())) != 0 &&
        errno != EOPNOTSUPP)
      return because(workspace_.name(change.path) + " can't grow");
  }
  // What can be taken back without loss comes first, deleting last.
  for (const Kind kind : {Kind::Create, Kind::Move, Kind::Write, Kind::Delete})
    for (const FileChange& change : entry.changes)
      if (change.kind == kind)
        if (auto problem = perform(change)) return problem;
  return std::nullopt;
}

void EditJournal::roll_back(const Entry& entry, Recovery& recovery) const {
  for (auto change = entry.changes.rbegin(); change != entry.changes.rend(); ++change) {
    const std::string name = workspace_.name(change->path);
    const bool is_rewritten = change->kind == Kind::Write || change->kind == Kind::Move;
    const FileDescriptor file(workspace_.open(final_path(*change), (is_rewritten ? O_RDWR : O_RDONLY) | O_NONBLOCK));
    const auto now = file ? read_bytes(file.get()) : std::nullopt;
    bool is_done = true;
    if (change->kind == Kind::Create) {
      if (!now) continue;
      if (!change->after.starts_with(*now)) {
        recovery.left.push_back(name + " was changed by somebody else after the interrupted edit made it");
        continue;
      }
      const FileDescriptor parent(workspace_.open_parent(change->path));
      is_done = unlinkat(parent.get(), change->path.filename().c_str(), 0) == 0;
    } else if (change->kind == Kind::Delete) {
      if (now) continue;
      FileChange back = inverse(*change);
      is_done = !perform(back);
    } else {
      if (!now) {
        if (change->kind == Kind::Write) recovery.left.push_back(name + " is gone");
        continue;  // a move that hadn't begun
      }
      if (!is_torn_mix(*now, change->before, change->after)) {
        recovery.left.push_back(name +
                                " was changed by somebody else after the interrupted edit; its old bytes are in " +
                                entry_folder(entry.number).string());
        continue;
      }
      if (change->kind == Kind::Write && *now == change->before) continue;
      is_done = *now == change->before || write_in_place(file.get(), *now, change->before);
      if (change->kind == Kind::Move) {
        const FileDescriptor from(workspace_.open_parent(change->path)), to(workspace_.open_parent(change->new_path));
        is_done = is_done && renameat2(to.get(), change->new_path.filename().c_str(), from.get(),
                                       change->path.filename().c_str(), RENAME_NOREPLACE) == 0;
      }
    }
    (is_done ? recovery.restored : recovery.left).push_back(is_done ? name : because(name + " can't be restored"));
  }
  for (auto folder = entry.new_folders.rbegin(); folder != entry.new_folders.rend(); ++folder) {
    const FileDescriptor parent(workspace_.open_parent(*folder));
    if (parent) unlinkat(parent.get(), folder->filename().c_str(), AT_REMOVEDIR);
  }
}

EditJournal::Recovery EditJournal::recover() {
  Recovery recovery;
  const Lock lock(folder_);
  if (!lock.is_held()) return recovery;  // what looks interrupted may be at work in another program
  for (const int64_t number : entry_numbers()) {
    std::error_code error;
    if (!fs::exists(entry_folder(number) / kIntent, error)) {
      fs::remove_all(entry_folder(number), error);
      continue;
    }
    const auto entry = load(number);
    if (!entry || entry->is_committed) continue;
    const size_t n_left = recovery.left.size();
    roll_back(*entry, recovery);
    // Where something is left, the old bytes stay for the user; the mark keeps us from trying again.
    if (recovery.left.size() == n_left) {
      fs::remove_all(entry_folder(number), error);
    } else {
      store_file(entry_folder(number) / kCommitted, "left");
    }
  }
  return recovery;
}

std::variant<int64_t, EditJournal::Failure> EditJournal::apply(const std::vector<FileChange>& changes) {
  Entry entry;
  entry.changes = changes;
  return apply_entry(std::move(entry));
}

std::variant<int64_t, EditJournal::Failure> EditJournal::adopt(const std::vector<FileChange>& changes,
                                                               const std::vector<fs::path>& new_folders) {
  const Lock lock(folder_);
  if (!lock.is_held()) return Failure{because("the journal " + folder_.string() + " can't be used")};
  Entry entry;
  entry.number = next_number();
  entry.label = label_;
  entry.changes = changes;
  entry.new_folders = new_folders;
  entry.is_adopted = true;
  if (const auto problem = write_entry(entry)) return Failure{*problem};
  forget_old();
  return entry.number;
}

std::variant<int64_t, EditJournal::Failure> EditJournal::apply_entry(Entry entry) {
  const Lock lock(folder_);
  if (!lock.is_held()) return Failure{because("the journal " + folder_.string() + " can't be used")};
  if (const auto problem = check_before(entry)) return Failure{*problem};
  for (FileChange& change : entry.changes) {
    struct stat file;
    if (change.kind == Kind::Delete && stat(change.path.c_str(), &file) == 0) change.mode = file.st_mode & 07777;
    std::vector<fs::path> missing;
    for (fs::path folder = final_path(change).parent_path(); !fs::exists(folder); folder = folder.parent_path())
      missing.push_back(folder);
    for (auto folder = missing.rbegin(); folder != missing.rend(); ++folder)
      if (std::find(entry.new_folders.begin(), entry.new_folders.end(), *folder) == entry.new_folders.end())
        entry.new_folders.push_back(*folder);
  }
  entry.number = next_number();
  entry.label = label_;
  if (const auto problem = write_entry(entry)) return Failure{*problem};
  auto problem = perform(entry);
  if (!problem &&
      (!store_file(entry_folder(entry.number) / kCommitted, "") || !sync_folder(entry_folder(entry.number))))
    problem = because("the journal can't be written in " + folder_.string());
  if (!problem) {
    forget_old();
    return entry.number;
  }
  Recovery recovery;
  roll_back(entry, recovery);
  std::error_code error;
  if (recovery.left.empty()) fs::remove_all(entry_folder(entry.number), error);
  for (const std::string& left : recovery.left) *problem += "; " + left;
  return Failure{*problem};
}

std::variant<EditJournal::Undone, EditJournal::Failure> EditJournal::undo(std::optional<int64_t> wanted) {
  std::vector<int64_t> numbers = entry_numbers(), undone;
  std::optional<Entry> target;
  for (auto number = numbers.rbegin(); number != numbers.rend() && !target; ++number) {
    auto entry = load(*number);
    if (!entry || !entry->is_committed) continue;
    if (entry->undoes != 0) {
      undone.push_back(entry->undoes);
    } else if (wanted ? *wanted == *number
                      : !entry->is_adopted && std::find(undone.begin(), undone.end(), *number) == undone.end()) {
      target = std::move(entry);
    }
  }
  if (!target) return Failure{"there is no edit to undo"};
  if (std::find(undone.begin(), undone.end(), target->number) != undone.end())
    return Failure{"that edit is undone already"};
  Entry back;
  back.undoes = target->number;
  for (auto change = target->changes.rbegin(); change != target->changes.rend(); ++change)
    back.changes.push_back(inverse(*change));
  // A command's file that is no longer as the command left it stays as it is; our own edits are undone whole.
  if (target->is_adopted)
    std::erase_if(back.changes, [&](const FileChange& change) { return check_before(change).has_value(); });
  Undone result{target->number, {}};
  for (const FileChange& change : target->changes) result.files.push_back(workspace_.name(change.path));
  const auto applied = apply_entry(std::move(back));
  if (const auto* failure = std::get_if<Failure>(&applied))
    return Failure{"the edit can't be undone: " + failure->reason};
  for (auto folder = target->new_folders.rbegin(); folder != target->new_folders.rend(); ++folder) {
    const FileDescriptor parent(workspace_.open_parent(*folder));
    if (parent) unlinkat(parent.get(), folder->filename().c_str(), AT_REMOVEDIR);  // stays when others use it
  }
  return result;
}

std::vector<EditJournal::Entry> EditJournal::entries_to_undo(const std::string& label) const {
  std::vector<Entry> entries;
  std::vector<int64_t> undone;
  const std::vector<int64_t> numbers = entry_numbers();
  for (auto number = numbers.rbegin(); number != numbers.rend(); ++number) {
    auto entry = load(*number);
    if (!entry || !entry->is_committed) continue;
    if (entry->undoes != 0) {
      undone.push_back(entry->undoes);
    } else if (entry->label == label && std::find(undone.begin(), undone.end(), *number) == undone.end()) {
      entries.push_back(std::move(*entry));
    }
  }
  return entries;
}

EditJournal::LabelUndo EditJournal::check_undo(const std::string& label) const {
  LabelUndo found;
  std::map<fs::path, std::optional<std::string>> after_undo;  // what each file would be by then; none: it is not there
  const auto now = [&](const fs::path& path) -> std::optional<std::string>& {
    const auto [at, is_new] = after_undo.try_emplace(path);
    if (is_new) {
      const FileDescriptor file(workspace_.open(path, O_RDONLY | O_NONBLOCK));
      if (file) at->second = read_bytes(file.get());
    }
    return at->second;
  };
  std::set<std::string> files, left, problems;
  for (const Entry& entry : entries_to_undo(label)) {
    for (auto change = entry.changes.rbegin(); change != entry.changes.rend(); ++change) {
      const FileChange back = inverse(*change);
      std::optional<std::string>& source = now(back.path);
      const bool is_as_left = back.kind == Kind::Create ? !source : source && *source == back.before;
      if (!is_as_left && entry.is_adopted) {
        left.insert(workspace_.name(back.path));
        continue;
      }
      files.insert(workspace_.name(change->path));
      if (!is_as_left) problems.insert(workspace_.name(back.path) + " has changed since");
      if (back.kind == Kind::Move) {
        if (now(back.new_path)) problems.insert(workspace_.name(back.new_path) + " is there again");
        now(back.new_path) = back.after;
      }
      source = back.kind == Kind::Write || back.kind == Kind::Create ? std::optional(back.after) : std::nullopt;
    }
  }
  found.files.assign(files.begin(), files.end());
  found.left.assign(left.begin(), left.end());
  found.problems.assign(problems.begin(), problems.end());
  return found;
}

EditJournal::LabelUndo EditJournal::undo_label(const std::string& label) {
  LabelUndo result = check_undo(label);
  if (!result.problems.empty()) return result;
  for (const Entry& entry : entries_to_undo(label)) {
    const auto undone = undo(entry.number);
    if (const auto* failure = std::get_if<Failure>(&undone)) {
      result.problems.push_back(failure->reason);
      break;
    }
  }
  return result;
}

void EditJournal::forget_old() const {
  const std::vector<int64_t> numbers = entry_numbers();
  for (size_t i = 0; i + kKeptEntries < numbers.size(); ++i) {
    std::error_code error;
    fs::remove_all(entry_folder(numbers[i]), error);
  }
}

}  // namespace tools
