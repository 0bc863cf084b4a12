#pragma once
// The one source of chance: everything in a scene follows from its seed, so a scene can be made again from its number.

#include <cstdint>
#include <initializer_list>
#include <vector>

namespace screens {

class Random {
 public:
  // The seed is mixed first: neighbouring seeds must not be shifted copies of one stream.
  explicit Random(std::uint64_t seed) : state_(seed) { state_ = next() ^ (seed << 32); }

  std::uint64_t next() {  // splitmix64
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15ull);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
  }
  int between(int low, int high) {  // both included
    return high <= low ? low : low + static_cast<int>(next() % static_cast<std::uint64_t>(high - low + 1));
  }
  double unit() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }
  bool chance(double probability) { return unit() < probability; }
  template <class Container>
  const auto& pick(const Container& from) {
    return from[static_cast<std::size_t>(between(0, static_cast<int>(from.size()) - 1))];
  }
  template <class T>
  T pick(std::initializer_list<T> from) {
    return *(from.begin() + between(0, static_cast<int>(from.size()) - 1));
  }
  // An index, drawn in proportion to its weight.
  int weighted(std::initializer_list<double> weights) {
    double sum = 0;
    for (double weight : weights) sum += weight;
    double at = unit() * sum;
    int index = 0;
    for (double weight : weights) {
      at -= weight;
      if (at < 0) return index;
      ++index;
    }
    return index - 1;
  }

 private:
  std::uint64_t state_;
};

}  // namespace screens
