#pragma once
// Which rows of a picture are out of date: a few disjoint bands, in order.

#include <vector>

namespace capture {

struct RowBand {  // half-open
  int first = 0, end = 0;
  bool operator==(const RowBand&) const = default;
  int n_rows() const { return end - first; }
};

// Bands that nearly touch are joined and their number is bounded: a request costs about as much as reading a dozen
// rows.
class RowBands {
 public:
  void add(RowBand band);
  void clear() { bands_.clear(); }
  bool is_empty() const { return bands_.empty(); }
  int n_rows() const;
  const std::vector<RowBand>& bands() const { return bands_; }

 private:
  std::vector<RowBand> bands_;
};

}  // namespace capture
