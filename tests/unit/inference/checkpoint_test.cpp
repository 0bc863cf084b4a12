// Damaged and absurd checkpoints: each gives an error that names the file, the tensor or key, what was found and what
// was expected; never a crash, a huge allocation or a wrong answer.

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>

#include "inference/check.h"
#include "inference/engine.h"
#include "inference/safetensors.h"

namespace inference {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

const fs::path kGolden = fs::path(DESKHAND_SOURCE_DIR) / "tests" / "golden";

std::string read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write_file(const fs::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

std::string safetensors_bytes(const std::string& header, std::size_t data_bytes) {
  const std::uint64_t length = header.size();
  std::string bytes(sizeof(length), '\0');
  std::memcpy(bytes.data(), &length, sizeof(length));
  return bytes + header + std::string(data_bytes, '\1');
}

// What the Error says; fails when there is none.
std::string error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  ADD_FAILURE() << "no error";
  return "";
}

void expect_parse_error(const std::string& bytes, const std::vector<std::string>& words) {
  const std::string what = error_of(
      [&] { parse_safetensors(reinterpret_cast<const std::byte*>(bytes.data()), bytes.size(), "broken.safetensors"); });
  EXPECT_NE(what.find("broken.safetensors"), std::string::npos) << what;
  for (const std::string& word : words) EXPECT_NE(what.find(word), std::string::npos) << what << " lacks " << word;
}

TEST(SafetensorsHeader, malformed_files_are_refused_with_the_reason) {
  expect_parse_error("", {"0 bytes"});
  expect_parse_error("abc", {"3 bytes"});
  expect_parse_error(std::string("\xff\xff\xff\xff\xff\xff\xff\xff{}", 10), {"claims"});
  expect_parse_error(safetensors_bytes("{\"a\":", 0), {"JSON"});
  expect_parse_error(safetensors_bytes("[1, 2]", 0), {"not a JSON object"});
  expect_parse_error(safetensors_bytes(std::string(100000, '['), 0), {"JSON"});
  const std::string good = R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})";
  EXPECT_EQ(parse_safetensors(reinterpret_cast<const std::byte*>(safetensors_bytes(good, 8).data()),
                              safetensors_bytes(good, 8).size(), "x")
                .size(),
            1U);
  expect_parse_error(safetensors_bytes(good, 7), {"tensor a", "truncated", "7"});
  expect_parse_error(safetensors_bytes(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[8,0]}})", 8), {"tensor a"});
  expect_parse_error(safetensors_bytes(R"({"a":{"dtype":"F32","shape":[3],"data_offsets":[0,8]}})", 8),
                     {"tensor a", "12", "8"});
  expect_parse_error(safetensors_bytes(R"({"a":{"dtype":"Q7","shape":[2],"data_offsets":[0,8]}})", 8),
                     {"tensor a", "Q7", "F32"});
  expect_parse_error(safetensors_bytes(R"({"a":{"dtype":"F32","shape":[-2],"data_offsets":[0,8]}})", 8), {"tensor a"});
  expect_parse_error(
      safetensors_bytes(R"({"a":{"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,8]}})", 8),
      {"tensor a", "larger than the file"});
  expect_parse_error(safetensors_bytes(R"({"a":{"dtype":"F32","shape":[1.5],"data_offsets":[0,8]}})", 8), {"tensor a"});
  expect_parse_error(safetensors_bytes(R"({"a":{"dtype":"F32","data_offsets":[0,8]}})", 8), {"tensor a", "shape"});
  expect_parse_error(safetensors_bytes(R"({"a":7})", 8), {"tensor a"});
  expect_parse_error(safetensors_bytes(R"({"a":{"dtype":"U8","shape":[6],"data_offsets":[0,6]},)"
                                       R"("b":{"dtype":"U8","shape":[4],"data_offsets":[4,8]}})",
                                       8),
                     {"overlap", "a", "b"});
  expect_parse_error(safetensors_bytes(R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},)"
                                       R"("a":{"dtype":"U8","shape":[1],"data_offsets":[1,2]}})",
                                       8),
                     {"a", "twice"});
}

// A copy of a golden checkpoint to be damaged.
class BrokenCheckpoint : public ::testing::Test {
 protected:
  void SetUp() override { use("tiny-a"); }
  void TearDown() override { fs::remove_all(dir_); }

  void use(const std::string& name) {
    fs::remove_all(dir_);
    fs::create_directories(dir_);
    for (const char* file : {"config.json", "model.safetensors"}) fs::copy(kGolden / name / file, dir_ / file);
    fs::permissions(dir_ / "config.json", fs::perms::owner_all);
    fs::permissions(dir_ / "model.safetensors", fs::perms::owner_all);
  }

  void edit_config(const std::function<void(json&)>& edit) const {
    json config = json::parse(read_file(dir_ / "config.json"));
    edit(config);
    write_file(dir_ / "config.json", config.dump());
  }

  // Rewrites the header, keeping the data.
  void edit_header(const std::function<void(json&)>& edit) const {
    const std::string bytes = read_file(dir_ / "model.safetensors");
    std::uint64_t length = 0;
    std::memcpy(&length, bytes.data(), sizeof(length));
    json header = json::parse(bytes.substr(8, length));
    edit(header);
    std::string rewritten = safetensors_bytes(header.dump(), 0);
    write_file(dir_ / "model.safetensors", rewritten + bytes.substr(8 + length));
  }

  // Writes over a tensor's data from a byte on.
  void overwrite(const std::string& tensor, std::size_t at, const std::string& with) const {
    std::string bytes = read_file(dir_ / "model.safetensors");
    std::uint64_t length = 0;
    std::memcpy(&length, bytes.data(), sizeof(length));
    const json header = json::parse(bytes.substr(8, length));
    bytes.replace(8 + length + header[tensor]["data_offsets"][0].get<std::size_t>() + at, with.size(), with);
    write_file(dir_ / "model.safetensors", bytes);
  }

  void expect_load_error(const std::vector<std::string>& words) const {
    const std::string what = error_of([&] { Engine::load({.model_dir = dir_, .n_threads = 1}); });
    for (const std::string& word : words) EXPECT_NE(what.find(word), std::string::npos) << what << " lacks " << word;
  }

  fs::path dir_ = fs::path(::testing::TempDir()) / ("checkpoint" + std::to_string(::getpid()));
};

constexpr const char* kQ = "language_model.model.layers.2.self_attn.q_proj.weight";

TEST_F(BrokenCheckpoint, missing_files_are_named) {
  fs::remove(dir_ / "model.safetensors");
  expect_load_error({"model.safetensors", "cannot be read", "No such file"});
  fs::remove(dir_ / "config.json");
  expect_load_error({"config.json", "cannot be read", "No such file"});
}

TEST_F(BrokenCheckpoint, a_pipe_or_device_in_a_files_place_is_refused) {
  ::alarm(60);  // who waits for the pipe's other end, or reads on for ever, ends here
  for (const char* name : {"tokenizer.json", "model.safetensors", "model.safetensors.index.json", "config.json"}) {
    const fs::path kept = dir_ / "kept";
    if (fs::exists(dir_ / name)) fs::rename(dir_ / name, kept);
    ASSERT_EQ(::mkfifo((dir_ / name).c_str(), 0600), 0);
    expect_load_error({name, "is a pipe, a socket or a device", "put a regular file in its place"});
    fs::remove(dir_ / name);
    fs::create_symlink("/dev/zero", dir_ / name);
    expect_load_error({name, "is a pipe, a socket or a device"});
    fs::remove(dir_ / name);
    fs::create_directory(dir_ / name);
    expect_load_error({name, "is a folder"});
    fs::remove(dir_ / name);
    if (fs::exists(kept)) fs::rename(kept, dir_ / name);
  }
  ::alarm(0);
}

TEST_F(BrokenCheckpoint, a_file_of_absurd_size_is_not_read) {
  write_file(dir_ / "tokenizer.json", "");
  fs::resize_file(dir_ / "tokenizer.json", std::uintmax_t{1} << 40);  // takes no room on the disk
  expect_load_error({"tokenizer.json", "1099511627776 bytes"});
}

TEST_F(BrokenCheckpoint, a_missing_tensor_is_named) {
  edit_header([](json& header) { header.erase(kQ); });
  expect_load_error({kQ, "missing"});
}

TEST_F(BrokenCheckpoint, a_wrong_shape_is_named_with_what_was_expected) {
  edit_header([](json& header) { header[kQ]["shape"] = {64, 128}; });
  expect_load_error({kQ, "[64, 128]", "[128, 64]"});
}

TEST_F(BrokenCheckpoint, a_wrong_type_is_named) {
  edit_header([](json& header) { header[kQ]["dtype"] = "I32"; });
  expect_load_error({kQ, "I32", "expected F32"});
}

TEST_F(BrokenCheckpoint, a_truncated_file_is_refused) {
  fs::resize_file(dir_ / "model.safetensors", fs::file_size(dir_ / "model.safetensors") - 1000);
  expect_load_error({"model.safetensors", "truncated"});
}

TEST_F(BrokenCheckpoint, mxfp8_without_scales_or_with_nan_scales_is_refused) {
  use("tiny-mxfp8");
  const std::string scales = std::string(kQ) + "_scale_inv";
  overwrite(scales, 3, "\xff");
  expect_load_error({scales, "NaN"});
  edit_header([&](json& edited) { edited.erase(scales); });
  expect_load_error({scales, "missing"});
}

// Codes are too many to be looked at when they are mapped.
TEST_F(BrokenCheckpoint, a_nan_among_mxfp8_codes_shows_at_the_first_token) {
  use("tiny-mxfp8");
  overwrite("language_model.model.layers.0.self_attn.o_proj.weight", 1000, "\x7f");
  for (const std::int64_t chunk : {1, 64}) {
    const auto engine = Engine::load({.model_dir = dir_, .n_threads = 1, .prefill_chunk = chunk});
    Session session = engine->new_session(64);
    const std::string what = error_of([&] { session.prefill({{1, 2, 3, 4, 5}, {}}); });
    EXPECT_NE(what.find("NaN"), std::string::npos) << what;
    EXPECT_NE(what.find("damaged"), std::string::npos) << what;
    Sampler sampler({.temperature = 0}, {});
    EXPECT_THROW(session.decode(sampler), Error) << "there is nothing to choose a token from";
  }
}

TEST_F(BrokenCheckpoint, a_norm_that_is_not_finite_is_refused) {
  const float nan = NAN;
  overwrite("language_model.model.norm.weight", 0, {reinterpret_cast<const char*>(&nan), sizeof(nan)});
  expect_load_error({"language_model.model.norm.weight", "not finite"});
}

// A glob like *gate* in a quantiser's list of exceptions would catch gate_proj, or miss the router.
TEST_F(BrokenCheckpoint, mxfp8_leaves_the_router_alone_and_takes_the_gates) {
  use("tiny-mxfp8");
  const Safetensors checkpoint = Safetensors::open(dir_);
  const std::string moe = "language_model.model.layers.2.block_sparse_moe.";
  EXPECT_NE(checkpoint.require(moe + "gate.weight").dtype, DType::F8E4M3);
  EXPECT_EQ(checkpoint.require(moe + "shared_experts.gate_proj.weight").dtype, DType::F8E4M3);
  EXPECT_EQ(checkpoint.require(moe + "experts.0.w1.weight").dtype, DType::F8E4M3);
  EXPECT_NO_THROW(Engine::load({.model_dir = dir_, .n_threads = 1}));
}

TEST_F(BrokenCheckpoint, shards_load_like_one_file_and_their_faults_are_named) {
  fs::rename(dir_ / "model.safetensors", dir_ / "model-00001-of-00001.safetensors");
  json index = {{"weight_map", json::object()}};
  for (const std::string& name : Safetensors::open(kGolden / "tiny-a").names()) {
    index["weight_map"][name] = "model-00001-of-00001.safetensors";
  }
  write_file(dir_ / "model.safetensors.index.json", index.dump());
  EXPECT_NO_THROW(Engine::load({.model_dir = dir_, .n_threads = 1}));

  fs::copy(dir_ / "model-00001-of-00001.safetensors", dir_ / "model-00002.safetensors");
  json twice = index;
  twice["weight_map"]["again"] = "model-00002.safetensors";
  write_file(dir_ / "model.safetensors.index.json", twice.dump());
  expect_load_error({"is also in"});
  json absent = index;
  absent["weight_map"]["ghost"] = "model-00001-of-00001.safetensors";
  write_file(dir_ / "model.safetensors.index.json", absent.dump());
  expect_load_error({"ghost"});
  json outside = index;
  outside["weight_map"][kQ] = "../../etc/passwd";
  write_file(dir_ / "model.safetensors.index.json", outside.dump());
  expect_load_error({kQ, "not a file name"});
  write_file(dir_ / "model.safetensors.index.json", "{");
  expect_load_error({"model.safetensors.index.json", "weight_map"});
  write_file(dir_ / "model.safetensors.index.json", index.dump());
  fs::resize_file(dir_ / "model-00001-of-00001.safetensors", 100000);
  expect_load_error({"model-00001-of-00001.safetensors", "truncated"});
}

TEST_F(BrokenCheckpoint, absurd_config_values_are_refused_by_key) {
  struct Case {
    const char* key;
    json value;
  };
  for (const Case& c : {Case{"hidden_size", 0},
                        Case{"hidden_size", -64},
                        Case{"hidden_size", 1e30},
                        Case{"hidden_size", "big"},
                        Case{"num_hidden_layers", 100000000},
                        Case{"vocab_size", 0},
                        Case{"num_attention_heads", 7},
                        Case{"num_key_value_heads", 3},
                        Case{"rotary_dim", 7},
                        Case{"rotary_dim", 4096},
                        Case{"rms_norm_eps", 0},
                        Case{"rope_theta", -1},
                        Case{"swiglu_limit", nullptr},
                        Case{"num_experts_per_tok", 99},
                        Case{"moe_layer_freq", {0, 1}},
                        Case{"hidden_act", "relu"},
                        Case{"scoring_func", "softmax"},
                        Case{"attention_output_gate", true},
                        Case{"rope_scaling", {{"type", "yarn"}}},
                        Case{"max_position_embeddings", 0}}) {
    use("tiny-a");
    edit_config([&](json& config) { config["text_config"][c.key] = c.value; });
    expect_load_error({"config.json", c.key});
  }
  for (const Case& c : {Case{"sparse_num_index_heads", 4}, Case{"sparse_block_size", 0}, Case{"sparse_topk_blocks", 0},
                        Case{"sparse_score_type", "mean"}, Case{"sparse_index_dim", 2}}) {
    use("tiny-a");
    edit_config([&](json& config) { config["text_config"]["sparse_attention_config"][c.key] = c.value; });
    expect_load_error({"config.json", c.key});
  }
  use("tiny-a");
  edit_config([](json& config) { config["quantization_config"] = {{"quant_method", "awq"}}; });
  expect_load_error({"quant_method", "awq", "mxfp8"});
  use("tiny-a");
  edit_config([](json& config) { config["model_type"] = "llama"; });
  expect_load_error({"model_type", "llama"});
  write_file(dir_ / "config.json", "{\"text_config\": ");
  expect_load_error({"config.json", "JSON"});
  write_file(dir_ / "config.json", "[]");
  expect_load_error({"config.json: the file expected an object"});
}

TEST_F(BrokenCheckpoint, both_config_forms_give_the_same_model) {
  const ModelConfig released = ModelConfig::load(dir_ / "config.json");
  edit_config([](json& config) {
    json& text = config["text_config"];
    const json sparse = text["sparse_attention_config"];
    text.erase("sparse_attention_config");
    text["index_n_heads"] = sparse["sparse_num_index_heads"];
    text["index_head_dim"] = sparse["sparse_index_dim"];
    text["index_block_size"] = sparse["sparse_block_size"];
    text["index_topk_blocks"] = sparse["sparse_topk_blocks"];
    text["index_local_blocks"] = sparse["sparse_local_block"];
    text["layer_types"] = json::array();
    text["mlp_layer_types"] = json::array();
    for (const json& on : sparse["sparse_attention_freq"]) {
      text["layer_types"].push_back(on == 1 ? "minimax_m3_sparse" : "full_attention");
    }
    for (const json& on : text["moe_layer_freq"]) text["mlp_layer_types"].push_back(on == 1 ? "sparse" : "dense");
    text.erase("moe_layer_freq");
    text["rope_parameters"] = {{"rope_theta", text["rope_theta"]},
                               {"rope_type", "default"},
                               {"partial_rotary_factor", text["partial_rotary_factor"]}};
    text.erase("rope_theta");
    text.erase("partial_rotary_factor");
    text.erase("rotary_dim");
    text["hidden_act"] = "silu";
    text["model_type"] = "minimax_m3_vl_text";
    config["vision_config"]["model_type"] = "minimax_m3_vl_vision";
    config["image_token_id"] = config["image_token_index"];
    config["video_token_id"] = config["video_token_index"];
    config.erase("image_token_index");
    config.erase("video_token_index");
  });
  const ModelConfig flattened = ModelConfig::load(dir_ / "config.json");
  EXPECT_EQ(flattened.text.rotary_dim, released.text.rotary_dim);
  EXPECT_EQ(flattened.text.rope_theta, released.text.rope_theta);
  EXPECT_EQ(flattened.text.is_sparse, released.text.is_sparse);
  EXPECT_EQ(flattened.text.is_moe, released.text.is_moe);
  EXPECT_EQ(flattened.text.index_dim, released.text.index_dim);
  EXPECT_EQ(flattened.text.block_size, released.text.block_size);
  EXPECT_EQ(flattened.text.top_k_blocks, released.text.top_k_blocks);
  EXPECT_EQ(flattened.image_token_id, released.image_token_id);
  EXPECT_EQ(flattened.video_token_id, released.video_token_id);
}

}  // namespace
}  // namespace inference
