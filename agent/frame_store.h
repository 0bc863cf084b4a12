#pragma once
// Pictures in the record. A frame is cut into tiles; tiles that the record has already aren't stored again, and those
// that are new are compressed together. What is read back has the same colours, map and time.

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>

#include "agent/database.h"
#include "agent/transcript.h"

namespace agent {

using FrameRow = std::int64_t;  // names a frame in the record

struct StoredPicture {
  Picture picture;                // with an id of this process
  std::uint64_t recorded_id = 0;  // the id it had when it was recorded, unique in that process only
};

class FrameStore {
 public:
  explicit FrameStore(const Database& database) : database_(database) {}

  // Inside the caller's transaction. A frame that this object has stored in the session before is only named.
  FrameRow store(std::int64_t session_id, const capture::Frame& frame);
  // The transaction was undone: forgets what it stored.
  void forget() { rows_.clear(); }

  StoredPicture load(FrameRow row);  // throws Error when it isn't there or is damaged

 private:
  std::string pack_places(const capture::Frame& frame);
  const std::string& chunk(std::int64_t id);

  const Database& database_;
  std::map<std::pair<std::int64_t, std::uint64_t>, FrameRow> rows_;  // (session, Frame::id) → row
  std::unordered_map<std::int64_t, std::string> chunks_;             // lately read ones, unpacked
  std::size_t chunks_bytes_ = 0;
};

}  // namespace agent
