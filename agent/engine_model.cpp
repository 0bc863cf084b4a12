#include "agent/engine_model.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>

#include "agent/calibration.h"
#include "agent/chat_template.h"
#include "agent/engine_reporter.h"
#include "agent/error.h"
#include "agent/reply_events.h"
#include "agent/whole_file.h"
#include "inference/engine.h"
#include "inference/session.h"

namespace agent {
namespace {

using inference::Engine;
using inference::VisionTokens;
using nlohmann::json;

constexpr std::int64_t kMostContextByDefault = 128 * 1024;

// A JSON file of the checkpoint; an empty object when it isn't there.
json read_json(const std::filesystem::path& path) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return json::object();
  json parsed = json::parse(read_file(path), nullptr, false);
  if (!parsed.is_object()) throw Error(path.string() + ": is not a JSON object");
  return parsed;
}

template <typename T>
T value_of(const json& object, const char* key, const T& otherwise, const std::filesystem::path& file) {
  if (!object.contains(key)) return otherwise;
  try {
    return object[key].get<T>();
  } catch (const json::exception&) {
    throw Error(file.string() + ": " + key + " has the wrong type: " + object[key].dump());
  }
}

// One of a few words, or Error.
template <typename T>
T word_of(const json& object, const char* key, const std::map<std::string, T>& words, T otherwise,
          const std::filesystem::path& file) {
  if (!object.contains(key)) return otherwise;
  const auto found = words.find(value_of<std::string>(object, key, "", file));
  if (found != words.end()) return found->second;
  std::string known;
  for (const auto& [word, value] : words) known += (known.empty() ? "" : ", ") + word;
  throw Error(file.string() + ": " + key + " is " + object[key].dump() + ", expected one of " + known);
}

// How the checkpoint wants its next token chosen.
inference::SamplingOptions sampling_of(const std::filesystem::path& model_dir) {
  const std::filesystem::path file = model_dir / "generation_config.json";
  const json config = read_json(file);
  inference::SamplingOptions options = {.temperature = value_of(config, "temperature", 1.0F, file),
                                        .top_k = value_of(config, "top_k", 0, file),
                                        .top_p = value_of(config, "top_p", 0.95F, file)};
  if (!value_of(config, "do_sample", true, file)) options.temperature = 0;
  return options;
}

// Blue, green, red, unused → red, green, blue.
std::vector<std::uint8_t> rgb_of(const capture::Frame& frame) {
  std::vector<std::uint8_t> rgb;
  rgb.reserve(static_cast<std::size_t>(frame.pixels.rows) * static_cast<std::size_t>(frame.pixels.cols) * 3);
  for (int y = 0; y < frame.pixels.rows; ++y) {
    const std::uint8_t* row = frame.pixels.ptr(y);
    for (int x = 0; x < frame.pixels.cols; ++x) {
      rgb.insert(rgb.end(), {row[x * 4 + 2], row[x * 4 + 1], row[x * 4]});
    }
  }
  return rgb;
}

// All that a small model has learnt to bear in mind: the newest instruction with what followed, and two pictures.
Transcript newest_part(const Transcript& transcript) {
  constexpr int kMostPictures = 2;
  const std::vector<Message>& all = transcript.messages();
  std::size_t first = all.size();
  while (first > 0) {
    const auto* user = std::get_if<UserMessage>(&all[--first]);
    if (user != nullptr && !user->is_hint) break;
  }
  std::vector<Message> newest(all.begin() + static_cast<std::ptrdiff_t>(first), all.end());
  int n_pictures = 0;
  for (auto message = newest.rbegin(); message != newest.rend(); ++message) {
    auto* tool = std::get_if<ToolMessage>(&*message);
    auto* user = std::get_if<UserMessage>(&*message);
    std::vector<Picture>* pictures = tool != nullptr ? &tool->pictures : user != nullptr ? &user->pictures : nullptr;
    if (pictures == nullptr) continue;
    if (n_pictures >= kMostPictures) pictures->clear();
    n_pictures += static_cast<int>(pictures->size());
  }
  Transcript part;
  for (Message& message : newest) part.append(std::move(message));
  return part;
}

class EngineModel final : public Model {
 public:
  explicit EngineModel(const EngineModelOptions& options)
      : reporter_(options.watch),
        engine_(Engine::load({.model_dir = options.model_dir, .n_threads = options.n_threads},
                             [this](const inference::LoadProgress& progress) { reporter_.loading(progress); })),
        template_(ChatTemplate::load(options.model_dir)),
        sampler_(sampling_of(options.model_dir), engine_->masked_ids()),
        max_reply_tokens_(options.max_reply_tokens) {
    if (engine_->tokenizer() == nullptr) throw Error(options.model_dir.string() + ": has no tokenizer.json");
    const std::optional<std::int32_t> end = engine_->tokenizer()->special_id("[e~[");
    if (!end) throw Error(options.model_dir.string() + ": tokenizer.json has no end-of-turn token [e~[");
    end_of_turn_ = *end;
    const std::filesystem::path file = options.model_dir / "deskhand.json";
    const json config = read_json(file);
    const std::int64_t most = engine_->config().text.max_tokens;
    info_ = {.name = value_of<std::string>(config, "name", options.model_dir.filename().string(), file),
             .context_tokens = options.context_tokens > 0 ? std::min(options.context_tokens, most)
                                                          : std::min(most, kMostContextByDefault),
             .coordinates = word_of<CoordinateSpace>(config, "coordinates",
                                                     {{"pixels", CoordinateSpace::Pixels},
                                                      {"norm1000", CoordinateSpace::Norm1000},
                                                      {"norm999", CoordinateSpace::Norm999}},
                                                     CoordinateSpace::Pixels, file),
             .speaks_short_calls = value_of(config, "short_calls", false, file)};
    const std::vector<int> screen = value_of(config, "screen", std::vector<int>(2), file);
    if (screen.size() != 2 || screen[0] < 0 || screen[1] < 0) {
      throw Error(file.string() + ": screen is " + config["screen"].dump() + ", expected [width, height]");
    }
    info_.screen_width_px = screen[0];
    info_.screen_height_px = screen[1];
    thinking_ = word_of<ThinkingMode>(config, "thinking",
                                      {{"enabled", ThinkingMode::Enabled},
                                       {"disabled", ThinkingMode::Disabled},
                                       {"adaptive", ThinkingMode::Adaptive}},
                                      ThinkingMode::Adaptive, file);
    apply_stored_fit(info_);
    session_.emplace(engine_->new_session(info_.context_tokens));
    reporter_.loaded(*engine_, *session_);
  }

  const ModelInfo& info() const override { return info_; }

  void save_context(const std::filesystem::path& path) const override { session_->save(path); }
  void restore_context(const std::filesystem::path& path) override { session_->restore(path); }

  Reply reply(const Transcript& transcript, const std::vector<tools::ToolSpec>& specs, const PieceSink& sink,
              std::stop_token stop) override {
    Reply reply;
    const std::optional<inference::Prompt> prompt = make_prompt(transcript, specs, stop);
    if (!prompt) return stopped(std::move(reply));
    const auto n_prompt = static_cast<std::int64_t>(prompt->token_ids.size());
    const std::int64_t room = std::min(max_reply_tokens_, info_.context_tokens / 8);  // for the reply
    if (n_prompt + room > info_.context_tokens) {
      throw ContextFull("the conversation has " + std::to_string(n_prompt) + " tokens, the context of " + info_.name +
                        " holds " + std::to_string(info_.context_tokens));
    }
    reporter_.reading(*prompt);
    const inference::PrefillStats stats = session_->prefill(
        *prompt, stop, [this](std::int64_t done, std::int64_t total) { reporter_.read(*session_, done, total); });
    reporter_.has_read(stats);
    reply.usage = {.prompt_tokens = n_prompt, .reused_tokens = stats.reused, .prefill_seconds = stats.seconds};
    if (!stats.completed) return stopped(std::move(reply));
    decode(reply, schemas_of(specs), sink, stop);
    reporter_.rests(*session_, *prompt, newest_pictures_);
    return reply;
  }

 private:
  static Reply stopped(Reply reply) {
    reply.end = Reply::End::Stopped;
    return reply;
  }

  // Empty when stopped.
  std::optional<inference::Prompt> make_prompt(const Transcript& transcript, const std::vector<tools::ToolSpec>& specs,
                                               const std::stop_token& stop) {
    const RenderedTranscript rendered = render(info_.speaks_short_calls ? newest_part(transcript) : transcript);
    Conversation conversation;
    conversation.messages = template_messages(rendered.messages);
    if (!info_.speaks_short_calls && !specs.empty()) conversation.tools = render_tools(specs);
    conversation.thinking = thinking_;
    const std::vector<jinja::Segment> segments = template_.render(conversation);
    std::vector<std::shared_ptr<const VisionTokens>> media;
    newest_pictures_ = rendered.pictures;
    for (const Picture& picture : rendered.pictures) {
      media.push_back(encode(*picture, stop));
      if (media.back() == nullptr) return std::nullopt;
    }
    std::erase_if(encoded_, [&](const auto& known) {
      return std::none_of(rendered.pictures.begin(), rendered.pictures.end(),
                          [&](const Picture& picture) { return picture->id == known.first; });
    });
    const std::vector<std::int32_t> ids = engine_->tokenizer()->encode(prompt_segments(segments));
    if (media.empty()) return inference::Prompt{ids, {}};
    return inference::expand_media(ids, std::move(media), engine_->media_markers());
  }

  // Each frame once: the transcript brings the same ones again with every reply.
  std::shared_ptr<const VisionTokens> encode(const capture::Frame& frame, const std::stop_token& stop) {
    const auto known = encoded_.find(frame.id);
    if (known != encoded_.end()) return known->second;
    const std::vector<std::uint8_t> rgb = rgb_of(frame);
    const inference::ImageView view = {rgb.data(), frame.pixels.cols, frame.pixels.rows,
                                       std::int64_t{frame.pixels.cols} * 3};
    // The frame already has the size that the model is to see; long-side mode leaves it so.
    auto tokens =
        engine_->encode_image(view, {.mode = inference::ResizeRule::Mode::LongSide, .max_long_side_px = 3584}, stop);
    if (tokens != nullptr) encoded_.emplace(frame.id, tokens);
    return tokens;
  }

  void decode(Reply& reply, std::vector<ToolSchema> schemas, const PieceSink& sink, const std::stop_token& stop) {
    const auto start = std::chrono::steady_clock::now();
    OutputParser parser(thinking_, std::move(schemas));
    inference::TokenStream stream(*engine_->tokenizer());
    const std::int64_t room = std::min(max_reply_tokens_, info_.context_tokens - session_->n_tokens());
    reply.end = Reply::End::Length;
    while (reply.usage.reply_tokens < room) {
      const std::optional<std::int32_t> id = session_->decode(sampler_, stop);
      if (!id || *id == end_of_turn_) {
        reply.end = id ? Reply::End::Turn : Reply::End::Stopped;
        break;
      }
      ++reply.usage.reply_tokens;
      reporter_.wrote(*session_, reply.usage.reply_tokens);
      take_events(parser.push(stream.push(*id)), reply, sink);
    }
    take_events(parser.push(stream.flush()), reply, sink);
    take_events(parser.finish(), reply, sink);
    if (!reply.problem.empty() && reply.end != Reply::End::Stopped) reply.end = Reply::End::Malformed;
    reply.usage.decode_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }

  EngineReporter reporter_;
  std::vector<Picture> newest_pictures_;  // of the prompt, in order
  std::unique_ptr<Engine> engine_;
  ChatTemplate template_;
  inference::Sampler sampler_;
  std::int64_t max_reply_tokens_;
  std::int32_t end_of_turn_ = -1;
  ModelInfo info_;
  ThinkingMode thinking_ = ThinkingMode::Adaptive;
  std::optional<inference::Session> session_;
  std::map<std::uint64_t, std::shared_ptr<const VisionTokens>> encoded_;  // the newest prompt's, by frame id
};

}  // namespace

std::unique_ptr<Model> load_engine_model(const EngineModelOptions& options) {
  return std::make_unique<EngineModel>(options);
}

}  // namespace agent
