// Dot products of fp32 rows with rows in their stored type: the one inner loop of linear layers, attention scores and
// block selection. Compiled once per instruction set (included again by foreach_target.h).
//
// The order of additions is part of the contract: a dot product depends on its two rows alone, never on how many rows
// are computed together or on which path unpacked them. So a prompt in one piece, in chunks and token by token gives
// the same bits, and block selection sees no near-ties that rounding could turn.

#if defined(INFERENCE_OPS_CPU_DOT_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef INFERENCE_OPS_CPU_DOT_INL_H
#undef INFERENCE_OPS_CPU_DOT_INL_H
#else
#define INFERENCE_OPS_CPU_DOT_INL_H
#endif

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "inference/ops/cpu/dot.h"

HWY_BEFORE_NAMESPACE();
namespace inference::ops::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using D = hn::ScalableTag<float>;
using V = hn::Vec<D>;
using Quad = hn::Vec<hn::Full128<float>>;  // four sums

inline constexpr std::size_t kLanes = HWY_MAX_BYTES / sizeof(float);

// --- stored types ---
// A row of stored values. A chunk is kVectors vectors of consecutive elements, unpacked in the order that costs least:
// the elements of a 32-bit word go to the same lane of different vectors. Rows of x are packed into the same order.

struct F32Row {
  using Element = float;
  static constexpr std::size_t kVectors = 1;
  const float* data;
  F32Row() = default;
  F32Row(const Matrix& w, std::int64_t row) : data(static_cast<const float*>(w.data) + row * w.cols) {}
  template <std::size_t kVector>
  HWY_INLINE V vector(std::size_t chunk) const {
    return hn::LoadU(D(), data + chunk * kLanes);
  }
};

struct Bf16Row {
  using Element = std::uint16_t;
  static constexpr std::size_t kVectors = 2;
  const std::uint16_t* data;
  Bf16Row() = default;
  Bf16Row(const Matrix& w, std::int64_t row) : data(static_cast<const std::uint16_t*>(w.data) + row * w.cols) {}
  template <std::size_t kVector>
  HWY_INLINE V vector(std::size_t chunk) const {
    const hn::RebindToUnsigned<D> du;
    const auto words = hn::BitCast(du, hn::LoadU(hn::Repartition<std::uint16_t, D>(), data + chunk * 2 * kLanes));
    if constexpr (kVector == 0) return hn::BitCast(D(), hn::ShiftLeft<16>(words));
    return hn::BitCast(D(), hn::And(words, hn::Set(du, 0xFFFF0000U)));
  }
};

struct F16Row {
  using Element = hwy::float16_t;
  static constexpr std::size_t kVectors = 1;
  const hwy::float16_t* data;
  F16Row() = default;
  F16Row(const Matrix& w, std::int64_t row) : data(static_cast<const hwy::float16_t*>(w.data) + row * w.cols) {}
  template <std::size_t kVector>
  HWY_INLINE V vector(std::size_t chunk) const {
    return hn::PromoteTo(D(), hn::LoadU(hn::Rebind<hwy::float16_t, D>(), data + chunk * kLanes));
  }
};

// e4m3 codes with one E8M0 scale per 32. Sign, exponent and mantissa of a code, shifted to where fp32 has them, are the
// value times 2^-120 (subnormal codes too); the scale's factor, a power of two, makes that exact. The NaN codes come
// out as ±480 and are looked for beside it: doubled() tells of a whole chunk whether it may hold one.
struct MxFp8Row {
  using Element = std::uint8_t;
  using Codes = hn::Repartition<std::uint8_t, D>;
  static constexpr std::size_t kVectors = 4;
  static constexpr std::uint8_t kDoubledNan = 0xFE;
  const std::uint8_t* data;  // codes
  const std::uint8_t* scales;
  MxFp8Row() = default;
  MxFp8Row(const Matrix& w, std::int64_t row)
      : data(static_cast<const std::uint8_t*>(w.data) + row * w.cols), scales(w.scales + row * (w.cols / kMxGroup)) {}
  HWY_INLINE V factor(std::size_t chunk) const {
#if HWY_MAX_BYTES == 64
    const hn::Half<D> half;
    return hn::Combine(D(), hn::Set(half, kMxFactors[scales[2 * chunk + 1]]),
                       hn::Set(half, kMxFactors[scales[2 * chunk]]));
#else
    return hn::Set(D(), kMxFactors[scales[chunk * 4 * kLanes / kMxGroup]]);
#endif
  }
  HWY_INLINE void unpack(std::size_t chunk, V* HWY_RESTRICT out) const {
    // Two codes of a 32-bit word become bf16 at a time: bytes 0 and 2, then 1 and 3.
    const hn::Repartition<std::int16_t, D> d16;
    const hn::RebindToUnsigned<D> du;
    const auto codes = hn::BitCast(d16, hn::LoadU(Codes(), data + chunk * 4 * kLanes));
    const auto mask = hn::Set(d16, static_cast<std::int16_t>(0x87F0));
    const auto even = hn::BitCast(du, hn::And(mask, hn::ShiftRight<4>(hn::ShiftLeft<8>(codes))));
    const auto odd = hn::BitCast(du, hn::And(mask, hn::ShiftRight<4>(codes)));
    const auto upper = hn::Set(du, 0xFFFF0000U);
    const V scale = factor(chunk);
    out[0] = hn::Mul(scale, hn::BitCast(D(), hn::ShiftLeft<16>(even)));
    out[1] = hn::Mul(scale, hn::BitCast(D(), hn::ShiftLeft<16>(odd)));
    out[2] = hn::Mul(scale, hn::BitCast(D(), hn::And(upper, even)));
    out[3] = hn::Mul(scale, hn::BitCast(D(), hn::And(upper, odd)));
  }
  // Each code plus itself, modulo 256: kDoubledNan for the two NaN codes, less for all others.
  HWY_INLINE hn::Vec<Codes> doubled(std::size_t chunk) const {
    const auto codes = hn::LoadU(Codes(), data + chunk * 4 * kLanes);
    return hn::Add(codes, codes);
  }
  static HWY_INLINE bool has_nan(hn::Vec<Codes> doubled_codes) {
    return !hn::AllFalse(Codes(), hn::Eq(doubled_codes, hn::Set(Codes(), kDoubledNan)));
  }
  static bool is_nan(std::uint8_t code) {
    return (code & 0x7F) == 0x7F;
  }
};

// Rows that lie at a fixed distance: the keys or values of a head in a block.
template <class Row>
struct BlockRows {
  const typename Row::Element* data;
  std::int64_t stride;  // elements
  HWY_INLINE Row operator[](std::int64_t row_idx) const {
    Row row;
    row.data = data + row_idx * stride;
    return row;
  }
};

// All vectors of a chunk.
template <class Row>
HWY_INLINE void unpack(const Row& row, std::size_t chunk, V* HWY_RESTRICT out) {
  if constexpr (std::is_same_v<Row, MxFp8Row>) {
    row.unpack(chunk, out);
  } else {
    out[0] = row.template vector<0>(chunk);
    if constexpr (Row::kVectors == 2) out[1] = row.template vector<1>(chunk);
  }
}

template <class Row>
inline constexpr std::size_t kChunk = Row::kVectors* kLanes;  // elements

// A tile of products holds kTileRows × 4 accumulators in registers, beside kTileRows inputs and a weight; of 16
// registers unpacking takes another.
template <class Row>
inline constexpr int kTileRows = HWY_MAX_BYTES == 64  ? 6
                                 : Row::kVectors == 1 ? 3
                                                      : 2;

// More rows than this are worth a block of keys or values unpacked once for all.
inline constexpr int kMaxDirectRows = 8;

// What a sum over a row must be multiplied by.
template <class Row>
inline constexpr float kSumFactor = std::is_same_v<Row, MxFp8Row> ? kMxSumFactor : 1.0F;

// Calls f(Row()) with the row type of a stored type.
template <class F>
HWY_INLINE void with_weight_type(DType dtype, const F& f) {
  if (dtype == DType::F32) return f(F32Row());
  if (dtype == DType::BF16) return f(Bf16Row());
  if (dtype == DType::F16) return f(F16Row());
  INFERENCE_CHECK(dtype == DType::F8E4M3, "no dot product with ", dtype_name(dtype));
  f(MxFp8Row());
}

// The same for what a cache may hold.
template <class F>
HWY_INLINE void with_cache_type(DType dtype, const F& f) {
  if (dtype == DType::F32) return f(F32Row());
  INFERENCE_CHECK(dtype == DType::BF16, "no cache of ", dtype_name(dtype));
  f(Bf16Row());
}

// --- order of elements ---

// to[0 … n) = x in the chunk order of Row, times factor; zeros up to the next multiple of kPadding.
template <class Row>
HWY_INLINE void pack_row(float* HWY_RESTRICT to, const float* HWY_RESTRICT x, std::size_t n, float factor) {
  const D d;
  const V f = hn::Set(d, factor);
  const auto pack_chunk = [&](const float* from, float* out) HWY_ATTR {
    if constexpr (Row::kVectors == 1) {
      for (std::size_t i = 0; i < kChunk<Row>; i += kLanes) hn::StoreU(hn::Mul(f, hn::LoadU(d, from + i)), d, out + i);
    } else if constexpr (Row::kVectors == 2) {
      V a, b;
      hn::LoadInterleaved2(d, from, a, b);
      hn::StoreU(hn::Mul(f, a), d, out);
      hn::StoreU(hn::Mul(f, b), d, out + kLanes);
    } else {
      V a, b, c, e;
      hn::LoadInterleaved4(d, from, a, b, c, e);
      hn::StoreU(hn::Mul(f, a), d, out);
      hn::StoreU(hn::Mul(f, b), d, out + kLanes);
      hn::StoreU(hn::Mul(f, c), d, out + 2 * kLanes);
      hn::StoreU(hn::Mul(f, e), d, out + 3 * kLanes);
    }
  };
  std::size_t i = 0;
  for (; i + kChunk<Row> <= n; i += kChunk<Row>) pack_chunk(x + i, to + i);
  for (; i < padded(n); i += kChunk<Row>) {
    float tail[kChunk<Row>] = {};
    if (i < n) std::copy(x + i, x + n, tail);
    pack_chunk(tail, to + i);
  }
}

// to[0 … n) = the packed row in its natural order, times factor; the inverse of pack_row. Reads whole chunks.
template <class Row>
HWY_INLINE void unpack_order(float* HWY_RESTRICT to, const float* HWY_RESTRICT packed, std::size_t n, float factor) {
  constexpr std::size_t kStride = Row::kVectors;
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t chunk = i / kChunk<Row> * kChunk<Row>, in_chunk = i - chunk;
    to[i] = factor * packed[chunk + in_chunk % kStride * kLanes + in_chunk / kStride];
  }
}

// NaN for each NaN code of a chunk, in chunk order. Only damaged checkpoints come here.
HWY_INLINE void mark_nans(float* to, const std::uint8_t* codes) {
  for (std::size_t i = 0; i < kChunk<MxFp8Row>; ++i) {
    if (MxFp8Row::is_nan(codes[i])) to[i % 4 * kLanes + i / 4] = std::numeric_limits<float>::quiet_NaN();
  }
}

// to[0 … padded(n)) = elements first … first + n of a stored row as fp32 in chunk order (without kSumFactor), zero
// padded. `first` is a multiple of kPadding.
template <class Row>
HWY_INLINE void unpack_row(float* HWY_RESTRICT to, const Row& row, std::size_t first, std::size_t n) {
  const D d;
  std::size_t i = 0;
  const auto unpack_chunk = [&](const Row& from, std::size_t chunk) HWY_ATTR {
    V values[Row::kVectors];
    unpack(from, chunk, values);
    for (std::size_t v = 0; v < Row::kVectors; ++v) hn::StoreU(values[v], d, to + i + v * kLanes);
    if constexpr (std::is_same_v<Row, MxFp8Row>) {
      if (MxFp8Row::has_nan(from.doubled(chunk))) mark_nans(to + i, from.data + chunk * kChunk<Row>);
    }
  };
  for (; i + kChunk<Row> <= n; i += kChunk<Row>) unpack_chunk(row, (first + i) / kChunk<Row>);
  if (i < n) {  // a part of a chunk, read from a copy so that nothing beyond the row is touched
    typename Row::Element values[kChunk<Row>] = {};
    std::copy(row.data + first + i, row.data + first + n, values);
    Row tail;
    tail.data = values;
    [[maybe_unused]] std::uint8_t scales[2] = {};
    if constexpr (std::is_same_v<Row, MxFp8Row>) {
      scales[0] = row.scales[(first + i) / kMxGroup];
      tail.scales = scales;
    }
    unpack_chunk(tail, 0);
    i += kChunk<Row>;
  }
  for (; i < padded(n); i += kLanes) hn::StoreU(hn::Zero(d), d, to + i);
}

// --- sums ---

// Fetches the cache lines of n bytes.
HWY_INLINE void prefetch(const void* from, std::size_t n) {
  const auto* lines = static_cast<const std::uint8_t*>(from);
  for (std::size_t i = 0; i < n; i += 64) hwy::Prefetch(lines + i);
}

// The four sums over lanes: pairs at distance 2, then 1, inside each 128 bits, then the 128-bit parts.
HWY_INLINE Quad quad_sum(V a, V b, V c, V e) {
  const D d;
  const hn::RepartitionToWide<hn::RebindToUnsigned<D>> dw;
  const V ab = hn::Add(hn::InterleaveLower(d, a, b), hn::InterleaveUpper(d, a, b));  // a02 b02 a13 b13
  const V ce = hn::Add(hn::InterleaveLower(d, c, e), hn::InterleaveUpper(d, c, e));
  const auto ab2 = hn::BitCast(dw, ab), ce2 = hn::BitCast(dw, ce);
  const V sum = hn::Add(hn::BitCast(d, hn::InterleaveLower(dw, ab2, ce2)),
                        hn::BitCast(d, hn::InterleaveUpper(dw, ab2, ce2)));  // a b c e in each 128 bits
#if HWY_MAX_BYTES == 16
  return sum;
#elif HWY_MAX_BYTES == 32
  return hn::Add(hn::LowerHalf(sum), hn::UpperHalf(hn::Half<D>(), sum));
#else
  const hn::Half<D> dh;
  const auto half = hn::Add(hn::LowerHalf(dh, sum), hn::UpperHalf(dh, sum));
  return hn::Add(hn::LowerHalf(half), hn::UpperHalf(hn::Half<decltype(dh)>(), half));
#endif
}

// Keeps a loaded value in a register. Without it GCC reads it from memory again for each use, which makes a tile bound
// by loads: 52 instead of 80 GFLOPS on one core.
HWY_INLINE V in_register(V v) {
#if HWY_ARCH_X86
  asm volatile("" : "+x"(v.raw));
#endif
  return v;
}

// acc[r][c] += x[r] · rows[c] over n_chunks chunks, lane by lane. With kPrefetch, as many bytes as are read here are
// fetched from `next` on.
template <int kRows, int kCols, bool kPrefetch, class Row>
HWY_INLINE void accumulate(V (&acc)[kRows][kCols], const float* const* x, const Row* rows, std::size_t first_chunk,
                           std::size_t n_chunks, const typename Row::Element* next) {
  const D d;
  Row row[kCols];
  for (int c = 0; c < kCols; ++c) row[c] = rows[c];
  const float* xs[kRows];
  for (int r = 0; r < kRows; ++r) xs[r] = x[r] + first_chunk * kChunk<Row>;
  [[maybe_unused]] auto largest = hn::Zero(MxFp8Row::Codes());  // of all doubled codes
  for (std::size_t chunk = first_chunk; chunk < first_chunk + n_chunks; ++chunk) {
    if constexpr (kPrefetch) prefetch(next + chunk * 4 * kChunk<Row>, 4 * kChunk<Row> * sizeof(typename Row::Element));
    if constexpr (Row::kVectors == 4) {  // a weight is dearer than x: unpack each once
      const auto column = [&](auto c) HWY_ATTR {
        V values[4];
        row[c].unpack(chunk, values);
        largest = hn::Max(largest, row[c].doubled(chunk));
        for (int r = 0; r < kRows; ++r) {
          acc[r][c] = hn::MulAdd(hn::LoadU(d, xs[r]), values[0], acc[r][c]);
          acc[r][c] = hn::MulAdd(hn::LoadU(d, xs[r] + kLanes), values[1], acc[r][c]);
          acc[r][c] = hn::MulAdd(hn::LoadU(d, xs[r] + 2 * kLanes), values[2], acc[r][c]);
          acc[r][c] = hn::MulAdd(hn::LoadU(d, xs[r] + 3 * kLanes), values[3], acc[r][c]);
        }
      };
      column(std::integral_constant<int, 0>());
      column(std::integral_constant<int, 1>());
      column(std::integral_constant<int, 2>());
      column(std::integral_constant<int, 3>());
    } else {  // kRows inputs stay in registers while four weights pass
      const auto step = [&](auto vector) HWY_ATTR {
        V in[kRows];
        for (int r = 0; r < kRows; ++r) in[r] = in_register(hn::LoadU(d, xs[r] + vector * kLanes));
        for (int c = 0; c < kCols; ++c) {
          const V weight = in_register(row[c].template vector<vector>(chunk));
          for (int r = 0; r < kRows; ++r) acc[r][c] = hn::MulAdd(in[r], weight, acc[r][c]);
        }
      };
      step(std::integral_constant<std::size_t, 0>());
      if constexpr (Row::kVectors == 2) step(std::integral_constant<std::size_t, 1>());
    }
    for (int r = 0; r < kRows; ++r) xs[r] += kChunk<Row>;
  }
  if constexpr (std::is_same_v<Row, MxFp8Row>) {
    if (!MxFp8Row::has_nan(largest)) return;
    for (int c = 0; c < kCols; ++c) {
      const std::uint8_t* codes = rows[c].data + first_chunk * kChunk<Row>;
      if (std::none_of(codes, codes + n_chunks * kChunk<Row>, MxFp8Row::is_nan)) continue;
      for (int r = 0; r < kRows; ++r) acc[r][c] = hn::Set(d, std::numeric_limits<float>::quiet_NaN());
    }
  }
}

// sums[r] = x[r] · rows[0 … 3], without kSumFactor, over n elements, a multiple of kChunk<Row>. Sums of kSumBlock
// elements are formed lane by lane and then added up one after another.
template <int kRows, bool kPrefetch = false, class Row>
HWY_INLINE void dot_tile(Quad (&sums)[kRows], const float* const* x, const Row* rows, std::size_t n,
                         const typename Row::Element* next = nullptr) {
  for (int r = 0; r < kRows; ++r) sums[r] = hn::Zero(hn::Full128<float>());
  for (std::size_t first = 0; first < n; first += kSumBlock) {
    V acc[kRows][4];
    for (auto& row : acc) {
      for (V& a : row) a = hn::Zero(D());
    }
    accumulate<kRows, 4, kPrefetch>(acc, x, rows, first / kChunk<Row>, std::min(kSumBlock, n - first) / kChunk<Row>,
                                    next);
    for (int r = 0; r < kRows; ++r) {
      sums[r] = hn::Add(sums[r], quad_sum(acc[r][0], acc[r][1], acc[r][2], acc[r][3]));
    }
  }
}

// Calls f(std::integral_constant<int, n>()) for n in 1 … kMax.
template <int kMax, class F>
HWY_INLINE void with_count(int n, const F& f) {
  if constexpr (kMax > 1) {
    if (n < kMax) return with_count<kMax - 1>(n, f);
  }
  f(std::integral_constant<int, kMax>());
}

// Calls f(first, std::integral_constant<int, n>()) for consecutive parts of at most kMax rows, as even as possible.
template <int kMax, class F>
HWY_INLINE void for_row_tiles(int n_rows, const F& f) {
  const int n_tiles = (n_rows + kMax - 1) / kMax;
  for (int tile = 0, first = 0; tile < n_tiles; ++tile) {
    const int n = (n_rows - first + n_tiles - tile - 1) / (n_tiles - tile);
    with_count<kMax>(n, [&](auto count) HWY_ATTR { f(first, count); });
    first += n;
  }
}

// Calls emit(r, x[r] · rows[0 … 3]) for n_rows rows of x over n elements.
template <class Row, class Emit>
HWY_INLINE void dot_rows(const float* const* x, int n_rows, const Row* rows, std::size_t n, const Emit& emit) {
  int first_row = 0;
#if HWY_MAX_BYTES == 32
  // With 16 registers, unpacking is shared by twice as many rows in tiles of 4 × 2. The additions are those of
  // dot_tile.
  if constexpr (Row::kVectors == 2) {
    for (; n_rows - first_row >= 4 && n <= kSumBlock; first_row += 4) {
      Quad halves[2][2];  // [columns 0 1 | 2 3][rows 0 1 | 2 3]
      for (int half = 0; half < 2; ++half) {
        V acc[4][2];
        for (auto& row : acc) row[0] = row[1] = hn::Zero(D());
        accumulate<4, 2, false>(acc, x + first_row, rows + 2 * half, 0, n / kChunk<Row>, nullptr);
        halves[half][0] = quad_sum(acc[0][0], acc[0][1], acc[1][0], acc[1][1]);
        halves[half][1] = quad_sum(acc[2][0], acc[2][1], acc[3][0], acc[3][1]);
      }
      const hn::Full128<float> d4;
      for (int pair = 0; pair < 2; ++pair) {
        emit(first_row + 2 * pair, hn::ConcatLowerLower(d4, halves[1][pair], halves[0][pair]));
        emit(first_row + 2 * pair + 1, hn::ConcatUpperUpper(d4, halves[1][pair], halves[0][pair]));
      }
    }
  }
#endif
  for_row_tiles<kTileRows<Row>>(n_rows - first_row, [&](int first, auto count) HWY_ATTR {
    Quad sums[count];
    dot_tile<count>(sums, x + first_row + first, rows, n);
    for (int r = 0; r < count; ++r) emit(first_row + first + r, sums[r]);
  });
}

}  // namespace inference::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
