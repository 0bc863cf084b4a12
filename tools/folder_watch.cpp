#include "tools/folder_watch.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <optional>
#include <utility>

#include "tools/file_bytes.h"

namespace tools {
namespace {

namespace fs = std::filesystem;
using Kind = FileChange::Kind;

// Two changes within a tick of a file system's clock leave the same times: 10 ms before Linux 6.13, 2 s on FAT.
constexpr std::int64_t kTick_ns = 3'000'000'000;
constexpr std::size_t kMostFiles = 20'000;
constexpr std::uintmax_t kMostFile_bytes = 8 << 20, kMostAll_bytes = 128 << 20;
// Of one look, with both sides of each change: what is kept is written to the disk and waited for.
constexpr std::size_t kMostKept = 200;
constexpr std::uintmax_t kMostKept_bytes = 64 << 20;

std::int64_t nanoseconds(const timespec& time) {
  return static_cast<std::int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

}  // namespace

FolderWatch::Snapshot FolderWatch::read(const Snapshot& known) const {
  Snapshot now;
  const std::int64_t started_ns = std::chrono::nanoseconds(std::chrono::system_clock::now().time_since_epoch()).count();
  std::uintmax_t n_bytes = 0;
  std::error_code problem;  // what vanishes or can't be read meanwhile is left out
  const auto options = fs::directory_options::skip_permission_denied;
  for (fs::recursive_directory_iterator it(workspace_.root(), options, problem), end; it != end && !problem;
       it.increment(problem)) {
    struct stat about {};
    if (it->path().filename() == ".git") it.disable_recursion_pending();
    if (it->path().filename() == ".git" || lstat(it->path().c_str(), &about) != 0) continue;
    if (S_ISDIR(about.st_mode)) now.folders.insert(it->path());
    if (!S_ISREG(about.st_mode)) continue;
    if (now.files.size() >= kMostFiles) return {};
    File file{{static_cast<std::uintmax_t>(about.st_size), nanoseconds(about.st_mtim), nanoseconds(about.st_ctim),
               about.st_ino},
              about.st_mode & 07777,
              nullptr,
              nanoseconds(about.st_ctim) < started_ns - kTick_ns};
    const auto old = known.files.find(it->path());
    if (old != known.files.end() && old->second.mark == file.mark && old->second.is_settled) {
      file.bytes = old->second.bytes;
    } else if (file.mark.size <= kMostFile_bytes && n_bytes + file.mark.size <= kMostAll_bytes) {
      const FileDescriptor opened(workspace_.open(it->path(), O_RDONLY | O_NONBLOCK));
      std::optional<std::string> bytes = opened ? read_bytes(opened.get()) : std::nullopt;
      if (bytes) file.bytes = std::make_shared<const std::string>(std::move(*bytes));
    }
    n_bytes += file.bytes ? file.bytes->size() : 0;
    now.files.emplace(it->path(), std::move(file));
  }
  now.is_whole = !problem;
  return now;
}

bool FolderWatch::is_same(const File& before, const File& after) {
  if (before.bytes && after.bytes) return before.bytes == after.bytes || *before.bytes == *after.bytes;
  return before.mark == after.mark;
}

void FolderWatch::look() {
  last_ = read(last_);
}

FolderWatch::Changes FolderWatch::changes() {
  Snapshot now = read(last_);
  Changes found;
  if (!now.is_whole || !last_.is_whole) {  // a file that isn't seen would look as if it were gone
    last_ = std::move(now);
    return found;
  }
  std::uintmax_t n_kept_bytes = 0;
  const auto add = [&](Kind kind, const fs::path& path, const File* before, const File* after) {
    const bool is_known = (before == nullptr || before->bytes) && (after == nullptr || after->bytes);
    if (is_known) n_kept_bytes += (before ? before->bytes->size() : 0) + (after ? after->bytes->size() : 0);
    if (!is_known || found.files.size() >= kMostKept || n_kept_bytes > kMostKept_bytes) {
      found.not_kept.push_back(workspace_.name(path));
      return;
    }
    FileChange change;
    change.kind = kind;
    change.path = path;
    change.mode = (after != nullptr ? after : before)->mode;
    if (before != nullptr) change.before = *before->bytes;
    if (after != nullptr) change.after = *after->bytes;
    found.files.push_back(std::move(change));
  };
  // What was lost comes first: of too many it counts for more than what can be made again.
  for (const auto& [path, before] : last_.files) {
    const auto after = now.files.find(path);
    if (after == now.files.end()) {
      add(Kind::Delete, path, &before, nullptr);
    } else if (!is_same(before, after->second)) {
      add(Kind::Write, path, &before, &after->second);
    }
  }
  for (const auto& [path, after] : now.files) {
    if (!last_.files.contains(path)) add(Kind::Create, path, nullptr, &after);
  }
  std::set_difference(now.folders.begin(), now.folders.end(), last_.folders.begin(), last_.folders.end(),
                      std::back_inserter(found.new_folders));
  last_ = std::move(now);
  return found;
}

}  // namespace tools
