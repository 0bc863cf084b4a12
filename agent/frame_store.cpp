#include "agent/frame_store.h"

#include <xxhash.h>

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>
#include <span>
#include <vector>

#include "agent/compression.h"
#include "agent/error.h"

namespace agent {
namespace {

using nlohmann::ordered_json;

// Typing changes 1 to 11 tiles of 64 pixels. Smaller tiles save little there and cost more for a new screen, larger
// ones the reverse.
constexpr int kTilePx = 64;
constexpr std::size_t kChunkCacheBytes = 64 << 20;

// Where a tile is: its chunk and the first byte there.
struct Place {
  std::int64_t chunk_id = 0, offset = 0;
};
constexpr int kOffsetBits = 32;
std::int64_t packed(const Place& place) {
  return place.chunk_id << kOffsetBits | place.offset;
}
Place unpacked(std::int64_t place) {
  return {place >> kOffsetBits, place & ((std::int64_t{1} << kOffsetBits) - 1)};
}

// The tiles of a picture, row by row.
std::vector<capture::Rect> tiles_of(capture::Size size) {
  std::vector<capture::Rect> tiles;
  for (int y = 0; y < size.height; y += kTilePx) {
    for (int x = 0; x < size.width; x += kTilePx) {
      tiles.push_back({x, y, std::min(kTilePx, size.width - x), std::min(kTilePx, size.height - y)});
    }
  }
  return tiles;
}

// [height, width, 3] blue, green, red: the unused byte has no meaning and would keep equal tiles apart.
std::string cut(const capture::Frame& frame, const capture::Rect& tile) {
  std::string pixels(static_cast<std::size_t>(tile.area()) * 3, '\0');
  char* out = pixels.data();
  for (int y = tile.y; y < tile.bottom(); ++y) {
    const std::uint8_t* in = frame.pixels.ptr(y) + 4 * tile.x;
    for (int x = 0; x < tile.width; ++x, in += 4, out += 3) std::memcpy(out, in, 3);
  }
  return pixels;
}

void paste(std::string_view pixels, const capture::Rect& tile, cv::Mat& image) {
  const char* in = pixels.data();
  for (int y = tile.y; y < tile.bottom(); ++y) {
    std::uint8_t* out = image.ptr(y) + 4 * tile.x;
    for (int x = 0; x < tile.width; ++x, in += 3, out += 4) {
      std::memcpy(out, in, 3);
      out[3] = 255;
    }
  }
}

std::string hash_of(std::string_view bytes) {
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, XXH3_128bits(bytes.data(), bytes.size()));
  return {reinterpret_cast<const char*>(canonical.digest), sizeof canonical.digest};
}

// Neighbours lie side by side in a chunk, so differences repeat and compress well.
std::string pack_differences(std::vector<std::int64_t> places) {
  for (std::size_t i = places.size(); i-- > 1;) places[i] -= places[i - 1];
  return compress({reinterpret_cast<const char*>(places.data()), places.size() * sizeof(std::int64_t)});
}

std::vector<std::int64_t> unpack_differences(std::string_view packed_places) {
  const std::string bytes = decompress(packed_places);
  std::vector<std::int64_t> places(bytes.size() / sizeof(std::int64_t));
  std::memcpy(places.data(), bytes.data(), places.size() * sizeof(std::int64_t));
  for (std::size_t i = 1; i < places.size(); ++i) places[i] += places[i - 1];
  return places;
}

ordered_json json_of(const capture::Rect& area) {
  return {area.x, area.y, area.width, area.height};
}

capture::Rect rect_of(const ordered_json& json) {
  return {json.at(0), json.at(1), json.at(2), json.at(3)};
}

ordered_json json_of(const capture::ScreenMap& map) {
  ordered_json monitors = ordered_json::array();
  for (const capture::Monitor& monitor : map.monitors()) {
    monitors.push_back(
        {{"name", monitor.name}, {"area_pt", json_of(monitor.area_pt)}, {"is_primary", monitor.is_primary}});
  }
  return {{"area_pt", json_of(map.area_pt())}, {"monitors", std::move(monitors)}};
}

capture::ScreenMap map_of(const ordered_json& json, capture::Size image_px) {
  std::vector<capture::Monitor> monitors;
  for (const auto& monitor : json.at("monitors")) {
    monitors.push_back({monitor.at("name"), rect_of(monitor.at("area_pt")), monitor.at("is_primary")});
  }
  return {rect_of(json.at("area_pt")), image_px, std::move(monitors)};
}

std::int64_t nanoseconds(capture::Frame::Clock::time_point at) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(at.time_since_epoch()).count();
}

capture::Frame::Clock::time_point time_of(std::int64_t nanoseconds) {
  return capture::Frame::Clock::time_point(
      std::chrono::duration_cast<capture::Frame::Clock::duration>(std::chrono::nanoseconds(nanoseconds)));
}

}  // namespace

FrameRow FrameStore::store(std::int64_t session_id, const capture::Frame& frame) {
  const std::pair key{session_id, frame.id};
  if (const auto known = rows_.find(key); known != rows_.end()) return known->second;
  Statement insert = database_.prepare(
      "INSERT INTO frames(session_id, process_frame_id, width, height, captured_ns, screen_map, tiles) "
      "VALUES(?,?,?,?,?,?,?)");
  insert.bind(0, session_id)
      .bind(1, static_cast<std::int64_t>(frame.id))
      .bind(2, frame.pixels.cols)
      .bind(3, frame.pixels.rows)
      .bind(4, nanoseconds(frame.captured_at))
      .bind(5, json_of(frame.screen_map).dump())
      .bind_blob(6, pack_places(frame))
      .run();
  return rows_[key] = database_.last_insert_id();
}

// Stores the tiles that are new and says where all of them are.
std::string FrameStore::pack_places(const capture::Frame& frame) {
  Statement find = database_.prepare("SELECT place FROM tiles WHERE hash=?");
  Statement insert = database_.prepare("INSERT INTO tiles(hash, place) VALUES(?,?)");
  const std::int64_t chunk_id = database_.integer("SELECT coalesce(max(id), 0) + 1 FROM chunks");
  std::vector<std::int64_t> places;
  std::string fresh;  // pixels of the new tiles, one after the other
  for (const capture::Rect& tile : tiles_of(frame.screen_map.image_px())) {
    const std::string pixels = cut(frame, tile), hash = hash_of(pixels);
    find.reset();
    if (find.bind_blob(0, hash).step()) {
      places.push_back(find.integer(0));
      continue;
    }
    places.push_back(packed({chunk_id, static_cast<std::int64_t>(fresh.size())}));
    insert.bind_blob(0, hash).bind(1, places.back()).run();
    fresh += pixels;
  }
  if (!fresh.empty()) {
    database_.prepare("INSERT INTO chunks(id, pixels) VALUES(?,?)")
        .bind(0, chunk_id)
        .bind_blob(1, compress(fresh))
        .run();
  }
  return pack_differences(std::move(places));
}

StoredPicture FrameStore::load(FrameRow row) {
  Statement select = database_.prepare(
      "SELECT process_frame_id, width, height, captured_ns, screen_map, tiles FROM frames WHERE id=?");
  if (!select.bind(0, row).step()) {
    throw Error("picture " + std::to_string(row) + " isn't in the record " + database_.path().string());
  }
  const capture::Size size{static_cast<int>(select.integer(1)), static_cast<int>(select.integer(2))};
  const std::vector<capture::Rect> tiles = tiles_of(size);
  const std::vector<std::int64_t> places = unpack_differences(select.blob(5));
  cv::Mat image(size.height, size.width, CV_8UC4);
  for (std::size_t i = 0; i < tiles.size(); ++i) {
    const auto n_bytes = static_cast<std::size_t>(tiles[i].area()) * 3;
    const Place place = unpacked(i < places.size() ? places[i] : 0);
    const std::string_view pixels = chunk(place.chunk_id);
    const auto offset = static_cast<std::size_t>(place.offset);
    if (offset + n_bytes > pixels.size()) {
      throw Error("picture " + std::to_string(row) + " of the record is damaged; the rest can be read");
    }
    paste(pixels.substr(offset, n_bytes), tiles[i], image);
  }
  auto frame = std::make_shared<const capture::Frame>(
      std::move(image), map_of(ordered_json::parse(select.text(4)), size), time_of(select.integer(3)));
  return {std::move(frame), static_cast<std::uint64_t>(select.integer(0))};
}

const std::string& FrameStore::chunk(std::int64_t id) {
  if (const auto known = chunks_.find(id); known != chunks_.end()) return known->second;
  if (chunks_bytes_ > kChunkCacheBytes) {
    chunks_.clear();
    chunks_bytes_ = 0;
  }
  Statement select = database_.prepare("SELECT pixels FROM chunks WHERE id=?");
  std::string pixels;
  if (select.bind(0, id).step()) pixels = decompress(select.blob(0));
  chunks_bytes_ += pixels.size();
  return chunks_.emplace(id, std::move(pixels)).first->second;
}

}  // namespace agent
