// Continues a prompt: the engine from the command line, without chat template or tools.

#include <chrono>
#include <cstdio>
#include <sstream>

#include "inference/check.h"
#include "inference/engine.h"
#include "inference/programs/support/arguments.h"
#include "inference/programs/support/image_file.h"

namespace {

using namespace inference;
using namespace inference::programs;

constexpr const char* kUsage =
    "Usage: m3_run MODEL_DIR [options] [TEXT]\n"
    "\n"
    "Continues TEXT (special tokens are recognised) or token ids, streams the new tokens, prints the speed at the "
    "end.\n"
    "\n"
    "  --ids 1,2,3           token ids instead of TEXT (the only way without a tokenizer.json)\n"
    "  --image FILE.png      a picture, at the next ]<]image[>[ of TEXT, or before TEXT if it has none; repeatable\n"
    "  --image-side N        pictures are as large as they are, up to N px on the longer side (default: 451,584 px in "
    "all)\n"
    "  --video A.png,B.png   the frames of a clip, likewise at ]<]video[>[\n"
    "  --max-new N           stop after N tokens (default 128)\n"
    "  --context N           room of the session in tokens (default: what prompt and --max-new need)\n"
    "  --temperature X       0: greedy (default 1)\n"
    "  --top-k N  --top-p X  --min-p X  --seed N\n"
    "  --prefill-chunk N     tokens per forward pass (default 512)\n"
    "  --save FILE           save the session at the end;  --restore FILE  go on from one\n"
    "  --device auto|cpu|cuda  where (default auto: the GPU if it can hold the model)\n"
    "  --threads N           CPU threads (default: one per core)\n";

std::vector<std::string> split(const std::string& list) {
  std::vector<std::string> parts;
  std::stringstream stream(list);
  for (std::string part; std::getline(stream, part, ',');) parts.push_back(part);
  return parts;
}

std::vector<std::int32_t> parse_ids(const std::string& list) {
  std::vector<std::int32_t> ids;
  for (const std::string& part : split(list)) {
    char* end = nullptr;
    const long id = std::strtol(part.c_str(), &end, 10);
    if (part.empty() || *end != '\0' || id < 0 || id > INT32_MAX)
      throw Error(message("--ids: \"", part, "\" is no token id"));
    ids.push_back(static_cast<std::int32_t>(id));
  }
  return ids;
}

std::shared_ptr<const VisionTokens> encode_clip(Engine& engine, const std::string& list) {
  std::vector<RgbImage> frames;
  for (const std::string& file : split(list)) frames.push_back(read_png(file));
  std::vector<ImageView> views;
  for (const RgbImage& frame : frames) views.push_back(frame.view());
  return engine.encode_video(views);
}

Prompt make_prompt(Engine& engine, const Arguments& arguments) {
  std::vector<std::shared_ptr<const VisionTokens>> media;
  ResizeRule rule;
  if (arguments.has("image-side")) {
    const std::int64_t side = arguments.integer("image-side", 0);
    if (side < 28 || side > 16384) throw Error(message("--image-side: 28 to 16384 px, found ", side));
    rule.mode = ResizeRule::Mode::LongSide;
    rule.max_long_side_px = static_cast<int>(side);
  }
  for (const std::string& file : arguments.all("image"))
    media.push_back(engine.encode_image(read_png(file).view(), rule));
  for (const std::string& list : arguments.all("video")) media.push_back(encode_clip(engine, list));
  if (arguments.has("ids")) {
    // Ids are taken as they are, placeholders one per feature row.
    return {parse_ids(arguments.text("ids", "")), media};
  }
  if (engine.tokenizer() == nullptr) throw Error("this checkpoint has no tokenizer.json: give the prompt as --ids");
  std::string text = arguments.positional().size() > 1 ? arguments.positional()[1] : "";
  if (media.empty()) return {engine.tokenizer()->encode_with_special(text), {}};
  if (text.find("]<]image[>[") == std::string::npos && text.find("]<]video[>[") == std::string::npos) {
    for (auto it = media.rbegin(); it != media.rend(); ++it) {
      text.insert(0, (*it)->is_video ? "]<]video[>[" : "]<]image[>[");
    }
  }
  return expand_media(engine.tokenizer()->encode_with_special(text), std::move(media), engine.media_markers());
}

// Prints the continuation as it comes; returns the number of tokens.
std::int64_t stream_tokens(const Engine& engine, Session& session, Sampler& sampler, std::int64_t max_new) {
  const Tokenizer* tokenizer = engine.tokenizer();
  const std::optional<std::int32_t> end_of_turn = tokenizer ? tokenizer->special_id("[e~[") : std::nullopt;
  std::optional<TokenStream> stream;
  if (tokenizer != nullptr) stream.emplace(*tokenizer);
  std::int64_t n_new = 0;
  for (; n_new < max_new; ++n_new) {
    const std::int32_t id = *session.decode(sampler);
    if (end_of_turn && id == *end_of_turn) break;
    const std::string piece = stream ? stream->push(id) : message(n_new > 0 ? "," : "", id);
    std::fputs(piece.c_str(), stdout);
    std::fflush(stdout);
  }
  if (stream) std::fputs(stream->flush().c_str(), stdout);
  std::fputs("\n", stdout);
  return n_new;
}

int run(int argc, char** argv) {
  const Arguments arguments(argc, argv,
                            {"ids", "image", "image-side", "video", "max-new", "context", "temperature", "top-k",
                             "top-p", "min-p", "seed", "prefill-chunk", "save", "restore", "device", "threads"});
  if (arguments.positional().empty() || arguments.positional().size() > 2) {
    throw Error("expected a model folder and one text; --help tells more");
  }
  const std::unique_ptr<Engine> engine = Engine::load({.model_dir = arguments.positional()[0],
                                                       .n_threads = static_cast<int>(arguments.integer("threads", 0)),
                                                       .prefill_chunk = arguments.integer("prefill-chunk", 512),
                                                       .device_choice = device_choice(arguments)});
  std::fprintf(stderr, "running on %s\n", engine->device_description().c_str());
  const Prompt prompt = make_prompt(*engine, arguments);
  const std::int64_t max_new = arguments.integer("max-new", 128);
  const auto n_prompt = static_cast<std::int64_t>(prompt.token_ids.size());
  Session session = engine->new_session(arguments.integer("context", n_prompt + max_new));
  if (arguments.has("restore")) session.restore(arguments.text("restore", ""));
  const SamplingOptions options = {.temperature = static_cast<float>(arguments.number("temperature", 1)),
                                   .top_k = static_cast<int>(arguments.integer("top-k", 0)),
                                   .top_p = static_cast<float>(arguments.number("top-p", 1)),
                                   .min_p = static_cast<float>(arguments.number("min-p", 0)),
                                   .seed = static_cast<std::uint64_t>(arguments.integer("seed", 0))};
  Sampler sampler(options, engine->masked_ids());

  const PrefillStats prefill = session.prefill(prompt);
  const auto start = std::chrono::steady_clock::now();
  const std::int64_t n_new = stream_tokens(*engine, session, sampler, max_new);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  std::fprintf(stderr,
               "prefill: %lld tokens (%lld reused) in %.2f s, %.1f tok/s\ndecode: %lld tokens in %.2f s, %.1f tok/s\n",
               static_cast<long long>(prefill.prefilled), static_cast<long long>(prefill.reused), prefill.seconds,
               static_cast<double>(prefill.prefilled) / prefill.seconds, static_cast<long long>(n_new), seconds,
               static_cast<double>(n_new) / seconds);
  if (arguments.has("save")) session.save(arguments.text("save", ""));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return run_program(argc, argv, kUsage, [&] { return run(argc, argv); });
}
