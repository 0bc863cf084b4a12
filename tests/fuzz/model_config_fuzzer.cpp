// Any JSON as a config.json: a shape that was checked, or an Error.

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "inference/check.h"
#include "inference/model_config.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const nlohmann::json config = nlohmann::json::parse(data, data + size, nullptr, false);
  if (config.is_discarded()) return 0;
  try {
    const inference::ModelConfig parsed = inference::ModelConfig::parse(config, "fuzz");
    const inference::TextConfig& text = parsed.text;
    if (text.q_heads % text.kv_heads != 0 || text.rotary_dim > text.head_dim || text.top_k_experts > text.n_experts ||
        text.is_sparse.size() != static_cast<std::size_t>(text.n_layers)) {
      std::abort();
    }
  } catch (const inference::Error&) {
  }
  return 0;
}
