#include "agent/database.h"

#include <sqlite3.h>

#include <utility>

namespace agent {
namespace {

constexpr int kBusyTimeoutMs = 5000;

[[noreturn]] void fail(sqlite3* connection, const std::filesystem::path& path) {
  const int code = connection == nullptr ? SQLITE_NOMEM : sqlite3_extended_errcode(connection);
  const std::string reason = connection == nullptr ? "out of memory" : sqlite3_errmsg(connection);
  std::string advice;
  switch (code & 0xff) {
    case SQLITE_FULL:
    case SQLITE_IOERR:
      advice = "; make room on its disk and check the disk's health";
      break;
    case SQLITE_BUSY:
      advice = "; another program holds it: close that one and try again";
      break;
    case SQLITE_CANTOPEN:
    case SQLITE_READONLY:
    case SQLITE_PERM:
      advice = "; check that the folder exists and may be written to";
      break;
    default:
      break;
  }
  throw DatabaseError("the record " + path.string() + " can't be used: " + reason + advice, code);
}

}  // namespace

bool DatabaseError::is_damage() const {
  return (code_ & 0xff) == SQLITE_CORRUPT || (code_ & 0xff) == SQLITE_NOTADB;
}

// A full disk shows as SQLITE_FULL, a limit on the file's size as an input/output error.
bool DatabaseError::is_disk_full() const {
  return (code_ & 0xff) == SQLITE_FULL || code_ == SQLITE_IOERR_WRITE || code_ == SQLITE_IOERR_SHMSIZE;
}

Statement::Statement(const Database& database, std::string_view sql) {
  const int code =
      sqlite3_prepare_v2(database.connection_, sql.data(), static_cast<int>(sql.size()), &statement_, nullptr);
  if (code != SQLITE_OK) agent::fail(database.connection_, database.path());
}

Statement::~Statement() {
  sqlite3_finalize(statement_);
}

void Statement::fail() const {
  sqlite3* connection = sqlite3_db_handle(statement_);
  const char* path = sqlite3_db_filename(connection, "main");
  agent::fail(connection, path == nullptr ? "" : path);
}

Statement& Statement::bind(int parameter, std::int64_t value) {
  if (sqlite3_bind_int64(statement_, parameter + 1, value) != SQLITE_OK) fail();
  return *this;
}

Statement& Statement::bind(int parameter, std::string_view text) {
  if (sqlite3_bind_text64(statement_, parameter + 1, text.data(), text.size(), SQLITE_TRANSIENT, SQLITE_UTF8) !=
      SQLITE_OK)
    fail();
  return *this;
}

Statement& Statement::bind_blob(int parameter, std::string_view bytes) {
  // A null pointer would bind NULL in place of no bytes.
  const char* data = bytes.data() == nullptr ? "" : bytes.data();
  if (sqlite3_bind_blob64(statement_, parameter + 1, data, bytes.size(), SQLITE_TRANSIENT) != SQLITE_OK) fail();
  return *this;
}

Statement& Statement::bind_null(int parameter) {
  if (sqlite3_bind_null(statement_, parameter + 1) != SQLITE_OK) fail();
  return *this;
}

bool Statement::step() {
  const int code = sqlite3_step(statement_);
  if (code != SQLITE_ROW && code != SQLITE_DONE) fail();
  return code == SQLITE_ROW;
}

void Statement::run() {
  while (step()) {
  }
  reset();
}

void Statement::reset() {
  sqlite3_reset(statement_);
}

std::int64_t Statement::integer(int column) const {
  return sqlite3_column_int64(statement_, column);
}

std::string Statement::text(int column) const {
  const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
  return text == nullptr ? "" : std::string(text, static_cast<std::size_t>(sqlite3_column_bytes(statement_, column)));
}

std::string Statement::blob(int column) const {
  const auto* bytes = static_cast<const char*>(sqlite3_column_blob(statement_, column));
  return bytes == nullptr ? "" : std::string(bytes, static_cast<std::size_t>(sqlite3_column_bytes(statement_, column)));
}

bool Statement::is_null(int column) const {
  return sqlite3_column_type(statement_, column) == SQLITE_NULL;
}

Database::Database(const std::filesystem::path& path) : path_(path) {
  const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
  if (sqlite3_open_v2(path.c_str(), &connection_, flags, nullptr) != SQLITE_OK) {
    sqlite3* failed = std::exchange(connection_, nullptr);
    try {
      fail(failed, path_);
    } catch (...) {
      sqlite3_close(failed);
      throw;
    }
  }
  sqlite3_busy_timeout(connection_, kBusyTimeoutMs);
}

Database::~Database() {
  sqlite3_close(connection_);
}

Database::Database(Database&& other) noexcept
    : path_(std::move(other.path_)), connection_(std::exchange(other.connection_, nullptr)) {}

void Database::execute(const std::string& sql) const {
  if (sqlite3_exec(connection_, sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) fail(connection_, path_);
}

std::int64_t Database::integer(const std::string& sql) const {
  Statement statement = prepare(sql);
  statement.step();
  return statement.integer(0);
}

std::string Database::text(const std::string& sql) const {
  Statement statement = prepare(sql);
  statement.step();
  return statement.text(0);
}

std::int64_t Database::last_insert_id() const {
  return sqlite3_last_insert_rowid(connection_);
}

Transaction::Transaction(const Database& database) : database_(database) {
  database_.execute("BEGIN IMMEDIATE");
}

Transaction::~Transaction() {
  if (!is_open_) return;
  try {
    database_.execute("ROLLBACK");
  } catch (const DatabaseError&) {  // SQLite has already undone it, which is what we want
  }
}

void Transaction::commit() {
  database_.execute("COMMIT");
  is_open_ = false;
}

}  // namespace agent
