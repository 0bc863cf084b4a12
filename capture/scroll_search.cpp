#include "capture/scroll_search.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

namespace capture {
namespace {

constexpr int kStripPx = 32;           // columns are judged in strips of this width
constexpr int kContextRows = 8;        // a row is recognised by what follows it: a single one often repeats
constexpr int kMinVotes = 8;           // rows that agree on a distance
constexpr double kMinExplained = 0.9;  // share of a strip's changed rows that the move must explain

using Strip = std::vector<std::uint64_t>;  // [height] hashes of rows

std::uint64_t mix(std::uint64_t hash, std::uint64_t word) {
  hash = (hash ^ word) * 0x9e3779b97f4a7c15 + 1;
  return hash ^ (hash >> 29);
}

Strip rows_of(const cv::Mat& pixels, int first_column, int n_columns) {
  Strip rows(static_cast<std::size_t>(pixels.rows));
  for (int y = 0; y < pixels.rows; ++y) {
    const std::uint32_t* row = pixels.ptr<std::uint32_t>(y) + first_column;
    std::uint64_t& hash = rows[static_cast<std::size_t>(y)];
    for (int x = 0; x < n_columns; ++x) hash = mix(hash, row[x] & 0xffffff);
  }
  return rows;
}

// Where each run of rows that occurs once begins; those that occur more often are at -1.
std::unordered_map<std::uint64_t, int> places_of(const Strip& strip) {
  std::unordered_map<std::uint64_t, int> places;
  for (int y = 0; y + kContextRows <= static_cast<int>(strip.size()); ++y) {
    std::uint64_t hash = 0;
    for (int i = 0; i < kContextRows; ++i) hash = mix(hash, strip[static_cast<std::size_t>(y + i)]);
    const auto [found, is_new] = places.try_emplace(hash, y);
    if (!is_new) found->second = -1;
  }
  return places;
}

void vote(const Strip& before, const Strip& after, std::map<int, int>& votes) {
  const auto old_places = places_of(before), new_places = places_of(after);
  for (const auto& [hash, y] : new_places) {
    const auto old_place = old_places.find(hash);
    if (y >= 0 && old_place != old_places.end() && old_place->second >= 0) ++votes[y - old_place->second];
  }
}

enum class Verdict { Explained, Contradicted, NothingToSee };

Verdict judge(int distance, const Strip& before, const Strip& after) {
  int n_changed = 0, n_explained = 0;
  const int height = static_cast<int>(before.size());
  for (int y = std::max(0, distance); y < std::min(height, height + distance); ++y) {
    const std::uint64_t now = after[static_cast<std::size_t>(y)];
    if (now == before[static_cast<std::size_t>(y)]) continue;
    ++n_changed;
    n_explained += now == before[static_cast<std::size_t>(y - distance)];
  }
  if (n_changed == 0) return Verdict::NothingToSee;
  return n_explained >= kMinExplained * n_changed ? Verdict::Explained : Verdict::Contradicted;
}

}  // namespace

std::optional<VerticalMove> find_vertical_move(const cv::Mat& before, const cv::Mat& after) {
  const int n_strips = (before.cols + kStripPx - 1) / kStripPx;
  std::vector<Strip> old_strips, new_strips;
  std::map<int, int> votes;
  for (int strip = 0; strip < n_strips; ++strip) {
    const int first = strip * kStripPx, n_columns = std::min(kStripPx, before.cols - first);
    old_strips.push_back(rows_of(before, first, n_columns));
    new_strips.push_back(rows_of(after, first, n_columns));
    vote(old_strips.back(), new_strips.back(), votes);
  }
  votes.erase(0);
  if (votes.empty()) return std::nullopt;
  const auto fewer = [](const auto& a, const auto& b) { return a.second < b.second; };
  const auto [distance, n_votes] = *std::max_element(votes.begin(), votes.end(), fewer);
  if (n_votes < kMinVotes) return std::nullopt;

  int first = n_strips, last = -1, top = before.rows, bottom = 0, n_explained = 0, n_contradicted = 0;
  for (int strip = 0; strip < n_strips; ++strip) {
    const auto i = static_cast<std::size_t>(strip);
    const Verdict verdict = judge(distance, old_strips[i], new_strips[i]);
    n_contradicted += verdict == Verdict::Contradicted;
    if (verdict != Verdict::Explained) continue;
    first = std::min(first, strip);
    last = strip;
    ++n_explained;
    const auto differs = [&](int y) {
      return old_strips[i][static_cast<std::size_t>(y)] != new_strips[i][static_cast<std::size_t>(y)];
    };
    for (int y = 0; y < top; ++y) {
      if (differs(y)) top = y;
    }
    for (int y = before.rows; y > bottom; --y) {
      if (differs(y - 1)) bottom = y;
    }
  }
  if (n_explained < 2 * n_contradicted || n_explained == 0) return std::nullopt;
  const int left = first * kStripPx, right = std::min((last + 1) * kStripPx, before.cols);
  return VerticalMove{distance, left, right - left, top, bottom - top};
}

}  // namespace capture
