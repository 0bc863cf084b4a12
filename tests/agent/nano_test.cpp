// The shipped nano model speaks exactly the dialect it was trained on: its chat template and tokenizer give the ids
// that the trainer made (inference/training/dialect.py, tokens.py).
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "agent/chat_template.h"
#include "agent/engine_model.h"
#include "inference/tokenizer.h"

namespace {

using Json = nlohmann::ordered_json;
using Ids = std::vector<std::int32_t>;

const std::filesystem::path kNano = std::filesystem::path(DESKHAND_SOURCE_DIR) / "resources/models/nano";

Json call(const char* name, Json arguments) {
  return {{"type", "function"}, {"function", {{"name", name}, {"arguments", std::move(arguments)}}}};
}

TEST(Nano, TemplateAndTokenizerGiveTheTrainersIds) {
  agent::Conversation conversation;
  conversation.add_generation_prompt = false;
  conversation.messages = {
      {{"role", "system"}, {"content", "not rendered"}},
      {{"role", "user"}, {"content", "Plan: a, b"}},
      {{"role", "assistant"}, {"content", ""}, {"tool_calls", {call("plan", {{"steps", {"a", "b"}}})}}},
      {{"role", "tool"}, {"content", "ok"}},
      {{"role", "assistant"}, {"content", "Done."}},
      {{"role", "user"}, {"content", {{{"type", "image"}}, {{"type", "text"}, {"text", "Click A"}}}}},
      {{"role", "assistant"},
       {"content", ""},
       {"tool_calls", Json::array({call("click", {{"x", "012"}, {"y", "981"}, {"count", 2}})})}},
      {{"role", "tool"}, {"content", Json::array({{{"type", "image"}}})}},
      {{"role", "assistant"}, {"content", "Done."}},
  };
  const auto rendered = agent::ChatTemplate::load(kNano).render(conversation);
  const auto tokenizer = inference::Tokenizer::load(kNano / "tokenizer.json");
  const Ids expected = {2033, 2034, 261,  10,   710,  58,   644,  44,   295,  2035, 10,   2034, 258,  10,   2045, 2041,
                        2042, 10,   2041, 280,  277,  278,  473,  281,  2041, 529,  62,   2041, 355,  62,   97,   2041,
                        257,  310,  62,   2041, 355,  62,   98,   2041, 257,  310,  62,   2041, 257,  415,  62,   2041,
                        257,  266,  279,  2041, 2043, 2035, 10,   2034, 356,  10,   2046, 631,  2047, 2035, 10,   2034,
                        258,  10,   2045, 513,  46,   2035, 10,   2034, 261,  10,   2037, 322,  476,  2035, 10,   2034,
                        258,  10,   2045, 2041, 2042, 10,   2041, 280,  277,  278,  283,  281,  2041, 287,  62,   48,
                        49,   50,   2041, 257,  120,  62,   2041, 286,  62,   57,   56,   49,   2041, 257,  121,  62,
                        2041, 482,  62,   50,   2041, 257,  383,  62,   2041, 257,  266,  279,  2041, 2043, 2035, 10,
                        2034, 356,  10,   2046, 2037, 2047, 2035, 10,   2034, 258,  10,   2045, 513,  46,   2035, 10};
  EXPECT_EQ(tokenizer.encode(agent::prompt_segments(rendered)), expected);
}

TEST(Nano, NumbersStaySingleDigitsAndLatinTextSurvives) {
  const auto tokenizer = inference::Tokenizer::load(kNano / "tokenizer.json");
  const std::string text = "Größe 2031: élève_x-12 (São João)\n\n  $ grep -n 'a b' ~/x.txt";
  const Ids expected = {71,   114,  1472, 195, 159, 101, 32,   50,  48,   51,   49,  58,   32, 908, 108,
                        1563, 370,  488,  45,  49,  50,  1747, 83,  1400, 1079, 111, 1400, 41, 10,  10,
                        32,   1893, 1712, 381, 110, 313, 97,   295, 39,   759,  47,  120,  795};
  EXPECT_EQ(tokenizer.encode(text), expected);
  EXPECT_EQ(tokenizer.decode(expected), text);
}

TEST(Nano, AKeptContextNeedsNoReadingAnew) {
  const std::filesystem::path file =
      std::filesystem::path(::testing::TempDir()) / ("nano_context" + std::to_string(::getpid()));
  agent::Transcript transcript;
  transcript.append(agent::UserMessage{"Plan: open Calculator, then click 7", {}, false});
  agent::Reply first;
  {
    const auto model = agent::load_engine_model({.model_dir = kNano});
    first = model->reply(transcript, {}, nullptr, {});
    EXPECT_EQ(first.usage.reused_tokens, 0);
    model->save_context(file);
  }
  const auto model = agent::load_engine_model({.model_dir = kNano});
  model->restore_context(file);
  for (agent::ModelCall& call : first.message.calls) call.id = "1";
  transcript.append(first.message);
  if (!first.message.calls.empty()) transcript.append(agent::ToolMessage{"1", "ok", {}, true});
  const agent::Reply second = model->reply(transcript, {}, nullptr, {});
  EXPECT_GE(second.usage.reused_tokens, first.usage.prompt_tokens);
  EXPECT_LT(second.usage.reused_tokens, second.usage.prompt_tokens);
  std::filesystem::remove(file);
}

}  // namespace
