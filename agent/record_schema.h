#pragma once
// The record's file: its tables, how older ones are brought up to date, and what happens to a damaged one.

#include <filesystem>
#include <span>
#include <string>

#include "agent/database.h"

namespace agent {

// Step n brings a database from version n to version n + 1. A step that has been released never changes.
std::span<const char* const> schema_steps();

struct OpenedRecord {
  Database database;
  std::string notice;  // for the user, when a damaged file was moved aside; else empty
};

// Opens the file, or begins a new one, checks that it is whole and applies the steps it lacks. A damaged file is
// renamed, never deleted, and a new one begun. Throws Error when the file is in use for something else, comes from a
// newer program, or can't be opened. Processes that open the same file do this one after the other.
OpenedRecord open_record(const std::filesystem::path& path, std::span<const char* const> steps = schema_steps());

}  // namespace agent
