#pragma once
// SQLite as this module uses it: one connection, prepared statements, transactions. Failures throw.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "agent/error.h"

struct sqlite3;
struct sqlite3_stmt;

namespace agent {

// What SQLite answered: `code` is its primary result code.
class DatabaseError : public Error {
 public:
  DatabaseError(const std::string& message, int code) : Error(message), code_(code) {}
  bool is_damage() const;
  bool is_disk_full() const;

 private:
  int code_;
};

class Database;

// One prepared statement. Columns and parameters count from 0.
class Statement {
 public:
  Statement(const Database& database, std::string_view sql);
  ~Statement();
  Statement(Statement&& other) noexcept : statement_(other.statement_) { other.statement_ = nullptr; }
  Statement& operator=(Statement&&) = delete;

  Statement& bind(int parameter, std::int64_t value);
  Statement& bind(int parameter, std::string_view text);
  Statement& bind_blob(int parameter, std::string_view bytes);
  Statement& bind_null(int parameter);

  bool step();  // true: there is a row
  void run();   // to the end, then ready for new parameters
  void reset();

  std::int64_t integer(int column) const;
  std::string text(int column) const;
  std::string blob(int column) const;
  bool is_null(int column) const;

 private:
  [[noreturn]] void fail() const;

  sqlite3_stmt* statement_ = nullptr;
};

// One connection, used from one thread.
class Database {
 public:
  // Creates the file when there is none. Waits up to five seconds for another process's write to end.
  explicit Database(const std::filesystem::path& path);
  ~Database();
  Database(Database&& other) noexcept;
  Database& operator=(Database&&) = delete;

  void execute(const std::string& sql) const;
  Statement prepare(std::string_view sql) const { return Statement(*this, sql); }
  std::int64_t integer(const std::string& sql) const;  // the first column of the only row
  std::string text(const std::string& sql) const;
  std::int64_t last_insert_id() const;
  const std::filesystem::path& path() const { return path_; }

 private:
  friend class Statement;

  std::filesystem::path path_;
  sqlite3* connection_ = nullptr;
};

// All or nothing: what isn't committed when this ends is undone.
class Transaction {
 public:
  explicit Transaction(const Database& database);  // takes the write lock now, so it can't fail for it later
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  void commit();

 private:
  const Database& database_;
  bool is_open_ = true;
};

}  // namespace agent
