#include "inference/ops/cuda/heads.h"

#include <algorithm>
#include <vector>

#include "inference/ops/cuda/checks.h"
#include "inference/ops/cuda/gemm.h"

namespace inference::ops::cuda {

void check_heads(const HeadMaps& maps, Tensor x, const Rope& rope, const KvLayer& cache, std::int64_t first_position) {
  const auto check_map = [&](const HeadMap& map, int head_dim, bool is_normed) {
    INFERENCE_CHECK(map.out.rows == x.rows && map.weight.cols == x.cols && map.out.cols == map.weight.rows &&
                        map.out.cols % head_dim == 0 && map.norm.weight.size == (is_normed ? head_dim : 0) &&
                        map.out.dtype == x.dtype && rope.rotary_dim % 2 == 0 && rope.rotary_dim <= head_dim,
                    "make_heads: ", map.out.cols, " columns, heads of ", head_dim);
    check_weight(map.weight);
  };
  check_map(maps.q, cache.head_dim, true);
  check_map(maps.k, cache.head_dim, true);
  check_map(maps.v, cache.head_dim, false);
  INFERENCE_CHECK(
      maps.k.out.cols == std::int64_t{cache.kv_heads} * cache.head_dim && maps.v.out.cols == maps.k.out.cols,
      "make_heads: ", maps.k.out.cols, " and ", maps.v.out.cols, " columns to store");
  check_kv_pages(cache, first_position + x.rows);
  if (maps.index_q.weight.data == nullptr) return;
  check_map(maps.index_q, cache.index_dim, true);
  check_map(maps.index_k, cache.index_dim, true);
  INFERENCE_CHECK(maps.index_k.out.cols == cache.index_dim, "make_heads: ", maps.index_k.out.cols, " to store");
  check_index_pages(cache, first_position + x.rows);
}

void multiply_heads(cudaStream_t stream, const HeadMaps& maps, Tensor x) {
  std::vector<Product> left;
  for (const HeadMap* map : {&maps.q, &maps.k, &maps.v, &maps.index_q, &maps.index_k}) {
    if (map->weight.data == nullptr) continue;
    left.push_back(
        {.out = map->out, .x = x, .weights = {map->weight.data, map->weight.scales}, .weight_type = map->weight.dtype});
  }
  while (!left.empty()) {
    const auto others = std::stable_partition(
        left.begin(), left.end(), [type = left[0].weight_type](const Product& p) { return p.weight_type == type; });
    multiply_few_rows_jointly(stream, {left.begin(), others});
    left.erase(left.begin(), others);
  }
}

HeadSets head_sets(const HeadMaps& maps, const KvLayer& cache) {
  HeadSets sets;
  const auto add = [&](const HeadMap& map, int head_dim, bool is_rotated, const HeadSet::Cache& to) {
    sets.add(map.out, map.norm.weight, map.norm.eps, head_dim, is_rotated, to);
  };
  const std::int64_t part_elements = std::int64_t{cache.kv_heads} * cache.page_size * cache.head_dim;
  add(maps.q, cache.head_dim, true, {});
  add(maps.k, cache.head_dim, true, {cache.page_table, 0, cache.page_size});
  add(maps.v, cache.head_dim, false, {cache.page_table, part_elements, cache.page_size});
  if (maps.index_q.weight.data != nullptr) {
    add(maps.index_q, cache.index_dim, true, {});
    add(maps.index_k, cache.index_dim, true, {cache.index_page_table, 0, cache.page_size});
  }
  return sets;
}

}  // namespace inference::ops::cuda
