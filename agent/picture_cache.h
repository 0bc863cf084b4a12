#pragma once
// Pictures as data URLs, each encoded once, within a budget of bytes for one request.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "agent/transcript.h"

namespace agent {

class PictureCache {
 public:
  explicit PictureCache(std::int64_t budget_bytes) : budget_bytes_(budget_bytes) {}

  // Decides which of the pictures, the oldest first, can be sent. When they outgrow the budget the oldest are left out
  // until half of it is free, so that the conversation's beginning stays the same for many requests; the newest is
  // always sent.
  void plan(const std::vector<Picture>& pictures);

  // "data:image/png;base64,…"; empty when the picture is left out.
  std::string data_url(const Picture& picture);

 private:
  const std::string& encoded(const Picture& picture);

  std::int64_t budget_bytes_;
  std::uint64_t newest_left_out_ = 0;          // frame id: it and older ones aren't sent
  std::map<std::uint64_t, std::string> urls_;  // by frame id
};

}  // namespace agent
