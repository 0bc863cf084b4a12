#include "capture/row_bands.h"

#include <algorithm>

namespace capture {
namespace {

constexpr int kJoinGapRows = 16;
constexpr std::size_t kMaxBands = 8;

}  // namespace

void RowBands::add(RowBand band) {
  if (band.n_rows() <= 0) return;
  std::vector<RowBand> result;
  for (const RowBand& other : bands_) {
    if (other.end + kJoinGapRows < band.first || band.end + kJoinGapRows < other.first) {
      result.push_back(other);
    } else {
      band = {std::min(band.first, other.first), std::max(band.end, other.end)};
    }
  }
  const auto later = [&](const RowBand& other) { return other.first > band.first; };
  result.insert(std::find_if(result.begin(), result.end(), later), band);
  if (result.size() > kMaxBands) {  // join the two neighbours with the fewest rows between them
    std::size_t closest = 1;
    for (std::size_t i = 2; i < result.size(); ++i) {
      if (result[i].first - result[i - 1].end < result[closest].first - result[closest - 1].end) closest = i;
    }
    result[closest - 1].end = result[closest].end;
    result.erase(result.begin() + static_cast<std::ptrdiff_t>(closest));
  }
  bands_ = std::move(result);
}

int RowBands::n_rows() const {
  int n_rows = 0;
  for (const RowBand& band : bands_) n_rows += band.n_rows();
  return n_rows;
}

}  // namespace capture
