// Until there is a window, the program shows the engine at work: it loads a checkpoint, continues a few tokens, and
// draws which blocks of the past each sparse layer chose to look at.

#include <cstdio>
#include <exception>
#include <filesystem>
#include <string>

#include "inference/engine.h"

namespace {

using namespace inference;

constexpr const char* kUsage =
    "Usage: deskhand [MODEL_DIR]\n"
    "\n"
    "The window is not built yet. This is the engine's demonstration: it loads a MiniMax-M3 checkpoint folder "
    "(default:\n"
    "a tiny one with random weights), reads a prompt longer than its sparse attention keeps, decodes greedily and "
    "draws\n"
    "the blocks that the last token looked at.\n";

// Row of one kv head: a mark per block of the past, filled where it was chosen.
std::string block_row(const std::int32_t* block_ids, int top_k_blocks, std::int64_t n_blocks) {
  std::string row(static_cast<std::size_t>(n_blocks), '.');
  for (int i = 0; i < top_k_blocks && block_ids[i] >= 0; ++i) row[static_cast<std::size_t>(block_ids[i])] = '#';
  return row;
}

void demonstrate(const std::filesystem::path& model_dir) {
  std::printf("The window is not built yet: this is the engine's demonstration.\n\n");
  const std::unique_ptr<Engine> engine = Engine::load({.model_dir = model_dir});
  const TextConfig& text = engine->config().text;
  std::printf("%s: %d layers, %d experts, %d query and %d key heads, on %s\n", model_dir.c_str(), text.n_layers,
              text.n_experts, text.q_heads, text.kv_heads, engine->device_description().c_str());

  const std::int64_t n_prompt =
      std::min<std::int64_t>(text.max_tokens / 2, std::int64_t{3} * text.top_k_blocks * text.block_size);
  Prompt prompt;
  for (std::int64_t i = 0; i < n_prompt; ++i) {
    prompt.token_ids.push_back(static_cast<std::int32_t>(i * 7919 % (text.vocab_size / 2)));
  }
  Session session = engine->new_session(n_prompt + 16);
  session.observe_blocks(1);
  const PrefillStats stats = session.prefill(prompt);
  std::printf("prefill: %lld tokens, %.0f tok/s\ndecode: ", static_cast<long long>(stats.prefilled),
              static_cast<double>(stats.prefilled) / stats.seconds);
  Sampler greedy({.temperature = 0}, engine->masked_ids());
  for (int i = 0; i < 16; ++i) std::printf("%d ", *session.decode(greedy));

  const BlockChoices& choices = session.block_choices();
  const std::int64_t n_blocks = choices.first_position / choices.block_size + 1;
  std::printf("\n\nBlocks of %d tokens that the last token looked at (# chosen, . passed over):\n", choices.block_size);
  for (const BlockChoices::Layer& layer : choices.layers) {
    for (int head = 0; head < choices.kv_heads; ++head) {
      std::printf(
          "  layer %2d, kv head %d  %s\n", layer.layer_idx, head,
          block_row(layer.block_ids.data() + head * choices.top_k_blocks, choices.top_k_blocks, n_blocks).c_str());
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::string first = argc > 1 ? argv[1] : "";
  if (first == "--help") {
    std::fputs(kUsage, stdout);
    return 0;
  }
  try {
    demonstrate(first.empty() ? std::filesystem::path(DESKHAND_SOURCE_DIR) / "tests/golden/tiny-a"
                              : std::filesystem::path(first));
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "deskhand: error: %s\n", error.what());
    return 2;
  }
}
