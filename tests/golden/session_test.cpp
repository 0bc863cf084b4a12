// However a timeline comes about, the model says the same. tiny-a keeps 4 blocks of 8 tokens, so all of these
// lengths drop blocks.

#include "inference/session.h"

#include <fstream>
#include <thread>

#include "inference/check.h"
#include "tests/golden/tiny_model.h"

namespace inference::testing {
namespace {

constexpr int kNew = 24;  // greedy tokens compared

std::vector<std::int32_t> continue_fresh(const Engine& engine, const Prompt& prompt) {
  Session session = engine.new_session(1024);
  session.prefill(prompt);
  return greedy(session, kNew);
}

std::filesystem::path scratch_file(const std::string& name) {
  return std::filesystem::path(::testing::TempDir()) / (name + std::to_string(::getpid()));
}

class SessionTest : public OnEachDevice {};
INSTANTIATE_TEST_SUITE_P(Devices, SessionTest, kEachDevice, [](const auto& info) { return std::string(info.param); });

TEST_P(SessionTest, chunks_of_any_size_match_one_piece) {
  const Prompt prompt = {some_tokens(150), {}};
  const std::vector<std::int32_t> whole = continue_fresh(*engine_, prompt);
  for (const int chunk : {1, 3, 8, 17, 64, 149}) {
    const std::unique_ptr<Engine> chunked = load_tiny(GetParam(), {.prefill_chunk = chunk});
    EXPECT_EQ(continue_fresh(*chunked, prompt), whole) << "chunk " << chunk;
  }
}

TEST_P(SessionTest, decoded_tokens_match_the_same_tokens_prefilled) {
  Session decoded = engine_->new_session(512);
  decoded.prefill({some_tokens(90), {}});
  greedy(decoded, 60);
  const std::vector<std::int32_t> ids(decoded.token_ids().begin(), decoded.token_ids().end());
  EXPECT_EQ(greedy(decoded, kNew), continue_fresh(*engine_, {ids, {}}));
}

TEST_P(SessionTest, reused_prefix_matches_fresh) {
  Session session = engine_->new_session(1024);
  session.prefill({some_tokens(120, 1), {}});
  greedy(session, 10);
  // 77 is inside a block: the cut leaves part of it.
  std::vector<std::int32_t> ids = some_tokens(77, 1);
  const std::vector<std::int32_t> tail = some_tokens(60, 2);
  ids.insert(ids.end(), tail.begin(), tail.end());
  const PrefillStats stats = session.prefill({ids, {}});
  EXPECT_EQ(stats.reused, 77);
  EXPECT_EQ(stats.prefilled, 60);
  EXPECT_EQ(greedy(session, kNew), continue_fresh(*engine_, {ids, {}}));
}

TEST_P(SessionTest, the_same_prompt_again_costs_nothing) {
  Session session = engine_->new_session(1024);
  const Prompt prompt = {some_tokens(100), {}};
  session.prefill(prompt);
  EXPECT_EQ(session.prefill(prompt).prefilled, 0);
  const std::vector<std::int32_t> first = greedy(session, kNew);
  // After decoding, the prompt is a prefix of the timeline: one token is computed for its logits.
  EXPECT_EQ(session.prefill(prompt).prefilled, 1);
  EXPECT_EQ(greedy(session, kNew), first);
}

TEST_P(SessionTest, truncated_and_continued_matches_fresh) {
  for (const std::int64_t kept : {1, 7, 8, 63, 64, 100}) {
    Session session = engine_->new_session(1024);
    session.prefill({some_tokens(140), {}});
    session.truncate(kept);
    EXPECT_EQ(session.n_tokens(), kept);
    std::vector<std::int32_t> ids = some_tokens(kept);
    const std::vector<std::int32_t> tail = some_tokens(50, 3);
    ids.insert(ids.end(), tail.begin(), tail.end());
    EXPECT_EQ(session.prefill({ids, {}}).reused, kept);
    EXPECT_EQ(greedy(session, kNew), continue_fresh(*engine_, {ids, {}})) << "kept " << kept;
  }
}

// Each has its own positions and blocks: nothing is shared, shifted or padded between them.
TEST_P(SessionTest, sessions_that_take_turns_go_on_like_fresh_ones) {
  const Prompt prompts[] = {{some_tokens(77, 1), {}}, {some_tokens(120, 2), {}}};
  Session sessions[] = {engine_->new_session(512), engine_->new_session(512)};
  for (int i = 0; i < 2; ++i) sessions[i].prefill(prompts[i]);
  std::vector<std::int32_t> tokens[2];
  for (int step = 0; step < kNew; ++step) {
    for (int i = 0; i < 2; ++i) tokens[i].push_back(greedy(sessions[i], 1)[0]);
  }
  for (int i = 0; i < 2; ++i) EXPECT_EQ(tokens[i], continue_fresh(*engine_, prompts[i]));
}

TEST_P(SessionTest, pictures_are_compared_by_content) {
  const std::vector<std::uint8_t> white(112 * 112 * 3, 255), black(112 * 112 * 3, 0);
  const auto encode = [&](const std::vector<std::uint8_t>& rgb) {
    return engine_->encode_image({rgb.data(), 112, 112, 336});
  };
  const auto first = encode(white), second = encode(black);
  EXPECT_EQ(encode(white), first) << "the same pixels are not encoded twice";
  std::vector<std::int32_t> ids = some_tokens(40);
  ids.insert(ids.end(), static_cast<std::size_t>(first->n_tokens), engine_->config().image_token_id);
  ids.push_back(5);
  Session session = engine_->new_session(512);
  session.prefill({ids, {first}});
  const PrefillStats stats = session.prefill({ids, {second}});
  EXPECT_EQ(stats.reused, 40) << "the placeholders are equal, the pictures are not";
  EXPECT_EQ(greedy(session, kNew), continue_fresh(*engine_, {ids, {second}}));
  EXPECT_NE(continue_fresh(*engine_, {ids, {second}}), continue_fresh(*engine_, {ids, {first}}));
}

TEST_P(SessionTest, restored_session_goes_on_like_the_saved_one) {
  const auto path = scratch_file("restored");
  for (const bool has_pending_token : {false, true}) {
    Session session = engine_->new_session(1024);
    session.prefill({some_tokens(131), {}});
    if (has_pending_token) greedy(session, 5);
    session.save(path);
    Session other = engine_->new_session(1024);
    other.restore(path);
    EXPECT_TRUE(std::equal(other.token_ids().begin(), other.token_ids().end(), session.token_ids().begin(),
                           session.token_ids().end()));
    EXPECT_EQ(greedy(other, kNew), greedy(session, kNew));
    // Keys, values and index keys are all there: a longer prompt reuses everything.
    Session third = engine_->new_session(1024);
    third.restore(path);
    std::vector<std::int32_t> ids(third.token_ids().begin(), third.token_ids().end());
    const auto tail = some_tokens(33, 9);
    ids.insert(ids.end(), tail.begin(), tail.end());
    EXPECT_GE(third.prefill({ids, {}}).reused, 131);
    EXPECT_EQ(greedy(third, kNew), continue_fresh(*engine_, {ids, {}}));
  }
  std::filesystem::remove(path);
}

TEST_P(SessionTest, a_stopped_prefill_keeps_finished_chunks_and_goes_on) {
  const std::unique_ptr<Engine> chunked = load_tiny(GetParam(), {.prefill_chunk = 16});
  Session session = chunked->new_session(512);
  const Prompt prompt = {some_tokens(100), {}};
  std::stop_source stop;
  const PrefillStats stats = session.prefill(prompt, stop.get_token(), [&](std::int64_t done, std::int64_t total) {
    EXPECT_EQ(total, 100);
    if (done == 48) stop.request_stop();
  });
  EXPECT_FALSE(stats.completed);
  EXPECT_EQ(session.n_tokens(), 48);
  Sampler sampler({.temperature = 0}, {});
  EXPECT_THROW(session.decode(sampler), Error);
  EXPECT_EQ(session.prefill(prompt).reused, 48);
  EXPECT_EQ(greedy(session, kNew), continue_fresh(*engine_, prompt));
}

TEST_P(SessionTest, a_stopped_decode_changes_nothing) {
  Session session = engine_->new_session(512);
  session.prefill({some_tokens(60), {}});
  greedy(session, 3);
  std::stop_source stop;
  stop.request_stop();
  Sampler sampler({.temperature = 0}, {});
  EXPECT_EQ(session.decode(sampler, stop.get_token()), std::nullopt);
  EXPECT_EQ(session.n_tokens(), 63);
  const std::vector<std::int32_t> ids(session.token_ids().begin(), session.token_ids().end());
  EXPECT_EQ(greedy(session, kNew), continue_fresh(*engine_, {ids, {}}));
}

TEST_P(SessionTest, reports_the_blocks_that_were_chosen) {
  Session session = engine_->new_session(512);
  session.observe_blocks(3);
  session.prefill({some_tokens(100), {}});
  const BlockChoices& choices = session.block_choices();
  EXPECT_EQ(choices.n_queries, 3);
  EXPECT_EQ(choices.first_position, 97);
  ASSERT_EQ(choices.layers.size(), 3U);  // of 4 layers, the first is dense
  bool heads_differ = false;
  for (const BlockChoices::Layer& layer : choices.layers) {
    ASSERT_EQ(layer.block_ids.size(), 3U * 2 * 4);
    for (int query = 0; query < 3; ++query) {
      const std::int32_t own = static_cast<std::int32_t>(choices.first_position + query) / choices.block_size;
      const auto head = [&](int i) {
        const auto begin = layer.block_ids.begin() + (query * 2 + i) * 4;
        return std::vector<std::int32_t>(begin, begin + 4);
      };
      for (int i = 0; i < 2; ++i) {
        const std::vector<std::int32_t> blocks = head(i);
        EXPECT_TRUE(std::is_sorted(blocks.begin(), blocks.end()));
        EXPECT_EQ(std::adjacent_find(blocks.begin(), blocks.end()), blocks.end()) << "a block twice";
        EXPECT_EQ(blocks.back(), own) << "the own block is always chosen";
      }
      heads_differ = heads_differ || head(0) != head(1);
    }
  }
  EXPECT_TRUE(heads_differ) << "each kv head makes its own choice";
}

TEST_P(SessionTest, sparse_equals_dense_until_blocks_are_dropped) {
  const std::unique_ptr<Engine> dense = load_tiny(GetParam(), {.sparse_attention = SparseAttention::ForcedDense});
  const auto logits_of = [](const Engine& engine, std::int64_t n) {
    Session session = engine.new_session(256);
    std::vector<float> last;
    session.observe_logits([&](std::int64_t, std::span<const float> row) { last.assign(row.begin(), row.end()); });
    session.prefill({some_tokens(n), {}});
    return last;
  };
  const auto distance = [&](std::int64_t n) {
    const std::vector<float> a = logits_of(*engine_, n), b = logits_of(*dense, n);
    double worst = 0;
    for (std::size_t i = 0; i < a.size(); ++i) worst = std::max<double>(worst, std::abs(a[i] - b[i]));
    return worst;
  };
  EXPECT_LT(distance(32), 1e-4);  // 4 blocks of 8: all are kept
  EXPECT_GT(distance(41), 1e-2);
}

TEST_P(SessionTest, refuses_what_it_cannot_do_and_stays_usable) {
  Session session = engine_->new_session(64);
  Sampler sampler({.temperature = 0}, {});
  EXPECT_THROW(session.decode(sampler), Error);
  EXPECT_THROW(session.prefill({{}, {}}), Error);
  EXPECT_THROW(session.prefill({some_tokens(65), {}}), Error);
  EXPECT_THROW(session.prefill({{1, 2, 320}, {}}), Error);
  EXPECT_THROW(session.prefill({{1, 2, -1}, {}}), Error);
  const std::int32_t image = engine_->config().image_token_id;
  EXPECT_THROW(session.prefill({{1, image, 2}, {}}), Error);
  const std::vector<std::uint8_t> grey(56 * 56 * 3, 128);
  const auto picture = engine_->encode_image({grey.data(), 56, 56, 168});
  ASSERT_EQ(picture->n_tokens, 4);
  EXPECT_THROW(session.prefill({{1, image, image, image, 2}, {picture}}), Error) << "one placeholder short";
  EXPECT_THROW(session.prefill({{1, image, image, image, image, image}, {picture}}), Error) << "one too many";
  const std::int32_t video = engine_->config().video_token_id;
  EXPECT_THROW(session.prefill({{1, video, video, video, video}, {picture}}), Error) << "a picture is no clip";
  session.prefill({some_tokens(62), {}});
  EXPECT_EQ(greedy(session, 2).size(), 2U);
  EXPECT_THROW(session.decode(sampler), Error) << "the session is full";
  EXPECT_THROW(engine_->new_session(0), Error);
  EXPECT_THROW(engine_->new_session(1 << 20), Error);
}

// --- saved sessions that are damaged ---

class DamagedSessionFile : public ::testing::Test {
 protected:
  void SetUp() override {
    Session session = engine_->new_session(256);
    session.prefill({some_tokens(70), {}});
    session.save(path_);
    std::ifstream file(path_, std::ios::binary);
    bytes_.assign(std::istreambuf_iterator<char>(file), {});
  }
  void TearDown() override { std::filesystem::remove(path_); }

  void write(const std::string& bytes) const { std::ofstream(path_, std::ios::binary | std::ios::trunc) << bytes; }

  // Refused, with the file's name and the reason, and the session goes on as if nothing had happened.
  void expect_refused(const Engine& engine, const std::string& reason) const {
    Session session = engine.new_session(256);
    session.prefill({some_tokens(50, 7), {}});
    try {
      session.restore(path_);
      FAIL() << "restored a damaged file";
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(path_.string()), std::string::npos) << error.what();
      EXPECT_NE(std::string(error.what()).find(reason), std::string::npos) << error.what();
    }
    EXPECT_EQ(greedy(session, 5), continue_fresh5(engine));
  }
  static std::vector<std::int32_t> continue_fresh5(const Engine& engine) {
    Session session = engine.new_session(256);
    session.prefill({some_tokens(50, 7), {}});
    return greedy(session, 5);
  }

  std::unique_ptr<Engine> engine_ = load_tiny("cpu");
  std::filesystem::path path_ = scratch_file("damaged");
  std::string bytes_;
};

TEST_F(DamagedSessionFile, is_refused_at_whatever_length_it_is_torn) {
  for (const std::size_t length : {std::size_t{0}, std::size_t{7}, std::size_t{15}, std::size_t{60}, bytes_.size() / 3,
                                   bytes_.size() / 2, bytes_.size() - 17, bytes_.size() - 1}) {
    write(bytes_.substr(0, length));
    expect_refused(*engine_, length < 200 ? "" : "cut off");
  }
}

TEST_F(DamagedSessionFile, is_refused_when_one_bit_flips) {
  for (const std::size_t at : {bytes_.size() / 4, bytes_.size() / 2, bytes_.size() - 20, bytes_.size() - 3}) {
    std::string damaged = bytes_;
    damaged[at] = static_cast<char>(damaged[at] ^ 4);
    write(damaged);
    expect_refused(*engine_, "damaged");
  }
}

TEST_F(DamagedSessionFile, is_refused_when_it_is_of_another_model_or_kind) {
  expect_refused(*load_tiny("cpu", {}, "tiny-mxfp8"), "another model");
  expect_refused(*load_tiny("cpu", {.cache_type = CacheType::BF16}), "another model or cache");
  write("this is a letter to my aunt, not a session");
  expect_refused(*engine_, "unknown format");
}

TEST_F(DamagedSessionFile, saving_to_an_impossible_place_keeps_the_old_file) {
  Session session = engine_->new_session(256);
  session.prefill({some_tokens(10), {}});
  EXPECT_THROW(session.save("/nonexistent-folder/session"), Error);
  session.save(path_);  // replaces the old one
  Session other = engine_->new_session(256);
  other.restore(path_);
  EXPECT_EQ(other.n_tokens(), 10);
}

}  // namespace
}  // namespace inference::testing
