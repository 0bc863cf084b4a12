#pragma once
// How Hopper's copy engine finds the blocks of a cache's pages, and queries.

#include <cuda.h>

#include <cstdint>

namespace inference::ops::cuda {

constexpr int kMapRowBytes = 256;  // 128 values in bf16, at a multiple of their size
constexpr int kMapUpperBits = 39;  // an address's bits from here on are a coordinate of their own
constexpr int kMapUppers = 256;    // its values: 2^47 bytes in all

// A tensor map of the whole address space, so that one map serves all pages of all caches. Coordinates: a value of half
// a row, row, half of the row, upper bits of the address. A box is half of box_rows rows, a power of two of at most
// 128, swizzled as wgmma reads it.
const CUtensorMap& address_space(int box_rows = 128);

inline bool begins_a_map_row(const void* address) {
  const auto value = reinterpret_cast<std::uintptr_t>(address);
  return value % kMapRowBytes == 0 && value >> kMapUpperBits < kMapUppers;
}

}  // namespace inference::ops::cuda
