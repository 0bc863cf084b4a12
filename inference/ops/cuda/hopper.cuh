#pragma once
// What the kernels for Hopper share: barriers in shared memory, blocks of keys as wgmma reads them, wgmma itself. Only
// code compiled for sm_90a sees more than the sizes.

#include "inference/ops/cuda/address_space.h"
#include "inference/ops/cuda/mma.cuh"

namespace inference::ops::cuda::hopper {

constexpr int kGroup = 128;  // threads of a warpgroup
constexpr int kDim = 128;    // dimensions of a key
constexpr int kBlock = 128;  // keys of a block
constexpr int kBlockBytes = kBlock * kDim * 2;
constexpr int kHalfBytes = kBlockBytes / 2;        // 64 dimensions of all keys: rows of 128 bytes, as the swizzle wants
[[maybe_unused]] constexpr int kMaxBlocks = 8192;  // of a cache: a million tokens
[[maybe_unused]] constexpr int kFewestGroup = 4;   // query heads per kv head

#ifdef __CUDA_ARCH_FEAT_SM90_ALL

__device__ inline void init_barrier(std::uint64_t* barrier, int n_arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)), "r"(n_arrivals) : "memory");
}
__device__ inline void arrive(std::uint64_t* barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(barrier)) : "memory");
}
// Waits until the phase of this parity has ended.
__device__ inline void wait(std::uint64_t* barrier, unsigned parity) {
  asm volatile(
      "{\n"
      ".reg .pred done;\n"
      "again:\n"
      "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
      "@done bra end;\n"
      "bra again;\n"
      "end:\n"
      "}\n" ::"r"(shared_address(barrier)),
      "r"(parity)
      : "memory");
}

// Whether the phase of this parity has ended.
__device__ inline bool has_ended(std::uint64_t* barrier, unsigned parity) {
  unsigned ended = 0;
  asm volatile(
      "{\n"
      ".reg .pred done;\n"
      "mbarrier.test_wait.parity.shared::cta.b64 done, [%1], %2;\n"
      "selp.u32 %0, 1, 0, done;\n"
      "}\n"
      : "=r"(ended)
      : "r"(shared_address(barrier)), "r"(parity)
      : "memory");
  return ended != 0;
}

// Arrives, and keeps the phase open until so many bytes have been copied.
__device__ inline void expect_bytes(std::uint64_t* full, int n_bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(full)), "r"(n_bytes)
               : "memory");
}

// Starts the copy of whole 16-byte pieces to shared memory; `full` ends its phase when all bytes are there.
__device__ inline void copy_bulk(void* to, const void* from, int n_bytes, std::uint64_t* full) {
  expect_bytes(full, n_bytes);
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                   shared_address(to)),
               "l"(from), "r"(n_bytes), "r"(shared_address(full))
               : "memory");
}

// A barrier's phase for the i-th use of one of n_stages stages, as `wait` takes it.
__device__ inline unsigned parity(int i, int n_stages) {
  return static_cast<unsigned>(i / n_stages) & 1;
}

// By one warp, the copy of a block of which only some keys are there; 16-byte pieces of a row of 128 bytes are swizzled
// by the row, as wgmma's 128-byte mode reads them. Slots behind the last position hold anything, NaN too, which no
// weight of zero hides: zeros instead.
__device__ inline void copy_partly(std::uint8_t* stage, const std::uint8_t* from, int n_there, int lane) {
#pragma unroll 4
  for (int piece = lane; piece < kBlockBytes / 16; piece += kWarp) {
    const int key = piece / 16, part = piece % 16;
    copy_async(stage + part / 8 * kHalfBytes + key * 128 + ((part % 8) ^ (key % 8)) * 16, from + piece * 16,
               key < n_there);
  }
}

// Starts the copy of rows by the copy engine, their halves half_bytes apart, through a map of address_space().
__device__ inline void start_rows(std::uint8_t* to, int half_bytes, const CUtensorMap& space, const void* from,
                                  std::uint64_t* full) {
  const auto address = reinterpret_cast<std::uint64_t>(from);
  const auto row = static_cast<int>((address & ((std::uint64_t{1} << kMapUpperBits) - 1)) / kMapRowBytes);
  const auto upper = static_cast<int>(address >> kMapUpperBits);
  for (int half = 0; half < 2; ++half) {
    asm volatile(
        "cp.async.bulk.tensor.4d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, %4, %5}], "
        "[%6];" ::"r"(shared_address(to + half * half_bytes)),
        "l"(&space), "r"(0), "r"(row), "r"(half), "r"(upper), "r"(shared_address(full))
        : "memory");
  }
}

// A whole block, swizzled as by copy_partly; `full` ends its phase when all bytes are there.
__device__ inline void start_copy(std::uint8_t* stage, const CUtensorMap& space, const std::uint8_t* from,
                                  std::uint64_t* full) {
  expect_bytes(full, kBlockBytes);
  start_rows(stage, kHalfBytes, space, from, full);
}

// How wgmma finds 64 dimensions of a block's keys with the dimensions summed over (128-byte swizzle, 8 rows every 1024
// bytes), and how it finds 128 dimensions of a block's values with the keys summed over (the second 64 dimensions are
// kHalfBytes away).
__device__ inline std::uint64_t descriptor(const std::uint8_t* block, std::uint64_t leading_bytes) {
  constexpr std::uint64_t kSwizzle128 = std::uint64_t{1} << 62, kEightRows = std::uint64_t{1024 >> 4} << 32;
  return kSwizzle128 | kEightRows | (leading_bytes >> 4) << 16 | (shared_address(block) & 0x3FFFF) >> 4;
}

// d (+)= a [64, 16] · b [16, 128]; kTransposed: b's 128 columns are contiguous in memory.
template <int kTransposed>
__device__ void multiply_group(float (&d)[64], const std::uint32_t (&a)[4], std::uint64_t b, int accumulate) {
  asm volatile(
      "{\n"
      ".reg .pred p;\n"
      "setp.ne.b32 p, %69, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 "
      "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, "
      "%24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, "
      "%46, %47, %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63}, "
      "{%64, %65, %66, %67}, %68, p, 1, 1, %70;\n"
      "}\n"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]), "+f"(d[8]),
        "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]), "+f"(d[16]),
        "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]),
        "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31]), "+f"(d[32]),
        "+f"(d[33]), "+f"(d[34]), "+f"(d[35]), "+f"(d[36]), "+f"(d[37]), "+f"(d[38]), "+f"(d[39]), "+f"(d[40]),
        "+f"(d[41]), "+f"(d[42]), "+f"(d[43]), "+f"(d[44]), "+f"(d[45]), "+f"(d[46]), "+f"(d[47]), "+f"(d[48]),
        "+f"(d[49]), "+f"(d[50]), "+f"(d[51]), "+f"(d[52]), "+f"(d[53]), "+f"(d[54]), "+f"(d[55]), "+f"(d[56]),
        "+f"(d[57]), "+f"(d[58]), "+f"(d[59]), "+f"(d[60]), "+f"(d[61]), "+f"(d[62]), "+f"(d[63])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(accumulate), "n"(kTransposed));
}

// The same with a in shared memory.
template <int kTransposed>
__device__ void multiply_shared(float (&d)[64], std::uint64_t a, std::uint64_t b, int accumulate) {
  asm volatile(
      "{\n"
      ".reg .pred p;\n"
      "setp.ne.b32 p, %66, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 "
      "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, "
      "%24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, "
      "%46, %47, %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63}, "
      "%64, %65, p, 1, 1, 0, %67;\n"
      "}\n"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]), "+f"(d[8]),
        "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]), "+f"(d[16]),
        "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]),
        "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31]), "+f"(d[32]),
        "+f"(d[33]), "+f"(d[34]), "+f"(d[35]), "+f"(d[36]), "+f"(d[37]), "+f"(d[38]), "+f"(d[39]), "+f"(d[40]),
        "+f"(d[41]), "+f"(d[42]), "+f"(d[43]), "+f"(d[44]), "+f"(d[45]), "+f"(d[46]), "+f"(d[47]), "+f"(d[48]),
        "+f"(d[49]), "+f"(d[50]), "+f"(d[51]), "+f"(d[52]), "+f"(d[53]), "+f"(d[54]), "+f"(d[55]), "+f"(d[56]),
        "+f"(d[57]), "+f"(d[58]), "+f"(d[59]), "+f"(d[60]), "+f"(d[61]), "+f"(d[62]), "+f"(d[63])
      : "l"(a), "l"(b), "r"(accumulate), "n"(kTransposed));
}

// Registers may be read only after wgmma has written them: nothing that uses d moves above this.
__device__ inline void settle(float (&d)[64]) {
#pragma unroll
  for (float& value : d) asm volatile("" : "+f"(value)::"memory");
}

__device__ inline void begin_products() {
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}
// Products issued since the last call form a group.
__device__ inline void end_group() {
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}
// Waits until at most kPending of the groups are under way; d is what those that have ended wrote.
template <int kPending>
__device__ inline void wait_products(float (&d)[64]) {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(kPending) : "memory");
  settle(d);
}
__device__ inline void finish_products(float (&d)[64]) {
  end_group();
  wait_products<0>(d);
}

// Issues scores = 64 queries · the block's keysᵀ.
__device__ inline void issue_scores(float (&scores)[64], const std::uint32_t (&q)[kDim / 16][4],
                                    const std::uint8_t* keys) {
#pragma unroll
  for (int i = 0; i < kDim / 16; ++i) {
    constexpr int kStep = 32 >> 4;  // 16 dimensions of 128-byte rows, in the descriptor's unit
    multiply_group<0>(scores, q[i], descriptor(keys + i / 4 * kHalfBytes, 16) + i % 4 * kStep, i > 0);
  }
}
__device__ inline void score_block(float (&scores)[64], const std::uint32_t (&q)[kDim / 16][4],
                                   const std::uint8_t* keys) {
  begin_products();
  issue_scores(scores, q, keys);
  finish_products(scores);
}

// Of row r (0: g, 1: g + 8) of a lane's scores, those of keys from n_visible on become -infinity.
__device__ inline void hide_keys(float (&scores)[64], int r, int n_visible) {
#pragma unroll
  for (int j = 0; j < kBlock / 8; ++j) {
    const int key = j * 8 + threadIdx.x % 4 * 2;
    if (key >= n_visible) scores[4 * j + 2 * r] = -INFINITY;
    if (key + 1 >= n_visible) scores[4 * j + 2 * r + 1] = -INFINITY;
  }
}

// The two rows of 16-row fragments that this lane shares in, from rows of kDim values.
__device__ inline void load_queries(std::uint32_t (&q)[kDim / 16][4], const bf16* first, const bf16* second) {
  const int t = threadIdx.x % 4;
#pragma unroll
  for (int i = 0; i < kDim / 16; ++i) {
    q[i][0] = *reinterpret_cast<const std::uint32_t*>(first + i * 16 + 2 * t);
    q[i][1] = *reinterpret_cast<const std::uint32_t*>(second + i * 16 + 2 * t);
    q[i][2] = *reinterpret_cast<const std::uint32_t*>(first + i * 16 + 8 + 2 * t);
    q[i][3] = *reinterpret_cast<const std::uint32_t*>(second + i * 16 + 8 + 2 * t);
  }
}

#endif  // __CUDA_ARCH_FEAT_SM90_ALL

}  // namespace inference::ops::cuda::hopper
