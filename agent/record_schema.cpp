#include "agent/record_schema.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <optional>

namespace agent {
namespace {

namespace fs = std::filesystem;

constexpr int kApplicationId = 0x44736b68;  // "Dskh", in the file's header

// An event is one thing that happened, in the order of `id`; `body` is JSON whose form belongs to `kind`. Pictures are
// lists of tiles, and equal tiles are stored once: a screen that changed little costs little.
constexpr const char* kConversation = R"sql(
CREATE TABLE sessions(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  task TEXT NOT NULL, model TEXT NOT NULL, desktop TEXT NOT NULL, workspace TEXT NOT NULL, instructions TEXT NOT NULL,
  status TEXT NOT NULL, summary TEXT NOT NULL DEFAULT '',
  owner TEXT NOT NULL,           -- the process that runs it
  began_us INTEGER NOT NULL,     -- since 1970
  ended_us INTEGER);
CREATE TABLE events(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  session_id INTEGER NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
  kind TEXT NOT NULL,
  at_us INTEGER NOT NULL,        -- since 1970; the clock may be set while a session runs
  elapsed_us INTEGER NOT NULL,   -- running time of the session; never decreases
  action_id INTEGER REFERENCES events(id),  -- of an outcome: its intent
  body TEXT NOT NULL);
CREATE INDEX events_of_session ON events(session_id, id);
CREATE INDEX outcome_of_action ON events(action_id) WHERE action_id IS NOT NULL;
CREATE TABLE frames(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  session_id INTEGER NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
  process_frame_id INTEGER NOT NULL,  -- capture::Frame::id when it was recorded
  width INTEGER NOT NULL, height INTEGER NOT NULL,
  captured_ns INTEGER NOT NULL,  -- since 1970
  screen_map TEXT NOT NULL,
  tiles BLOB NOT NULL);          -- their places, row by row, packed
CREATE INDEX frames_of_session ON frames(session_id);
CREATE TABLE tiles(
  hash BLOB PRIMARY KEY,         -- of the pixels
  place INTEGER NOT NULL) WITHOUT ROWID;  -- chunk and first byte there
CREATE TABLE chunks(
  id INTEGER PRIMARY KEY,
  pixels BLOB NOT NULL);         -- of the tiles that were new in one frame, compressed together
)sql";

// Undo needs the bytes that a file had, each content stored once.
constexpr const char* kFiles = R"sql(
CREATE TABLE contents(
  id INTEGER PRIMARY KEY,
  hash BLOB NOT NULL UNIQUE,     -- of `bytes` and `secrets`
  bytes BLOB NOT NULL,           -- compressed
  secrets TEXT NOT NULL);        -- where secrets were cut out
CREATE TABLE files(
  event_id INTEGER PRIMARY KEY REFERENCES events(id) ON DELETE CASCADE,
  session_id INTEGER NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
  path_id INTEGER NOT NULL REFERENCES contents(id),
  before_id INTEGER REFERENCES contents(id),  -- NULL: there was no file
  mode INTEGER NOT NULL,         -- permission bits before
  after_hash TEXT NOT NULL);     -- what we left there; empty: no file
CREATE INDEX files_of_session ON files(session_id);
)sql";

// The edit journal keeps these bytes, and must keep them exactly: with secrets cut out they couldn't be put back.
constexpr const char* kNoFiles = "DROP TABLE files; DROP TABLE contents";

constexpr std::array kSteps = {kConversation, kFiles, kNoFiles};

// Held while a file is checked and brought up to date.
class OpeningLock {
 public:
  explicit OpeningLock(const fs::path& path) : fd_(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)) {
    if (fd_ < 0 || flock(fd_, LOCK_EX) != 0) {
      const std::string reason = std::strerror(errno);
      if (fd_ >= 0) close(fd_);
      throw Error("can't lock the record with " + path.string() + ": " + reason +
                  "; check that the folder exists, has "
                  "room and may be written to");
    }
  }
  ~OpeningLock() { close(fd_); }
  OpeningLock(const OpeningLock&) = delete;
  OpeningLock& operator=(const OpeningLock&) = delete;

 private:
  int fd_;
};

fs::path beside(const fs::path& path, const std::string& suffix) {
  return fs::path(path) += suffix;
}

// SQLite would create the file for everybody to read, and its log as readable as the file.
void create_private(const fs::path& path) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd >= 0) close(fd);  // else it is there already, or SQLite says why not
}

void check_owner(const Database& database) {
  const std::int64_t application = database.integer("PRAGMA application_id");
  if (application == kApplicationId) return;
  if (application != 0 || database.integer("SELECT count(*) FROM sqlite_schema") != 0) {
    throw Error(database.path().string() + " belongs to another program; give another path for the record");
  }
}

void migrate(const Database& database, std::span<const char* const> steps) {
  const auto newest = static_cast<std::int64_t>(steps.size());
  const std::int64_t found = database.integer("PRAGMA user_version");
  if (found > newest) {
    throw Error("the record " + database.path().string() + " has version " + std::to_string(found) +
                ", made by a newer Deskhand; this one reads up to version " + std::to_string(newest) + ": update it");
  }
  if (found == newest) return;
  Transaction transaction(database);
  for (std::int64_t step = found; step < newest; ++step) database.execute(steps[static_cast<std::size_t>(step)]);
  database.execute("PRAGMA user_version=" + std::to_string(newest));
  database.execute("PRAGMA application_id=" + std::to_string(kApplicationId));
  transaction.commit();
}

// What is wrong with the file; nothing when it is whole.
std::optional<std::string> find_damage(const fs::path& path) {
  if (!fs::exists(path)) return std::nullopt;
  if (!fs::is_regular_file(path)) throw Error("the record " + path.string() + " is no file; move it away");
  if (fs::file_size(path) == 0) return std::nullopt;
  try {
    const Database database(path);
    check_owner(database);
    const std::string answer = database.text("PRAGMA quick_check(1)");
    if (answer != "ok") return answer;
    return std::nullopt;
  } catch (const DatabaseError& error) {
    if (!error.is_damage()) throw;
    return error.what();
  }
}

std::string move_aside(const fs::path& path, const std::string& damage) {
  char stamp[32];
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  std::strftime(stamp, sizeof stamp, ".damaged-%Y%m%dT%H%M%SZ", gmtime_r(&now, &utc));
  fs::path aside = beside(path, stamp);
  for (int n = 2; fs::exists(aside); ++n) aside = beside(path, std::string(stamp) + "-" + std::to_string(n));
  for (const char* suffix :
       {"-wal", "-shm", ""}) {  // the log first: without it the file would read as older, not newer
    if (fs::exists(beside(path, suffix))) fs::rename(beside(path, suffix), beside(aside, suffix));
  }
  return "The record of past sessions, " + path.string() + ", is damaged (" + damage + "). It was moved to " +
         aside.string() + " and a new one was begun; \"sqlite3 '" + aside.string() +
         "' .recover\" saves what can be read.";
}

}  // namespace

std::span<const char* const> schema_steps() {
  return kSteps;
}

OpenedRecord open_record(const fs::path& path, std::span<const char* const> steps) {
  const OpeningLock lock(beside(path, "-lock"));
  std::string notice;
  if (const auto damage = find_damage(path)) notice = move_aside(path, *damage);
  create_private(path);
  Database database(path);
  chmod(path.c_str(), 0600);  // of an older file: a record holds what was on the screen
  check_owner(database);
  database.execute(
      "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA foreign_keys=ON;"
      "PRAGMA journal_size_limit=16777216");
  migrate(database, steps);
  return {std::move(database), std::move(notice)};
}

}  // namespace agent
