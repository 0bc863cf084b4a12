#include "inference/tokenizer_file.h"

#include <nlohmann/json.hpp>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "inference/check.h"
#include "inference/mapped_file.h"
#include "inference/pre_tokenizer.h"
#include "inference/utf8.h"

namespace inference {
namespace {

using nlohmann::json;

// Four times the largest vocabularies in use. It bounds what a broken file can make us allocate.
constexpr int32_t kMaxId = (1 << 20) - 1;

// GPT-2's alphabet: each byte is written as a printable character. Most are themselves; the others are U+0100 and up in
// order. Returns the byte of each of the alphabet's code points.
const std::unordered_map<char32_t, char>& byte_alphabet() {
  static const auto alphabet = [] {
    std::unordered_map<char32_t, char> bytes;
    char32_t next = 0x100;
    for (char32_t byte = 0; byte < 0x100; ++byte) {
      const bool is_itself = (byte >= '!' && byte <= '~') || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
      bytes[is_itself ? byte : next++] = static_cast<char>(byte);
    }
    return bytes;
  }();
  return alphabet;
}

// Nothing if some character isn't of the alphabet.
std::optional<std::string> bytes_written_as(std::string_view written) {
  std::string bytes;
  while (!written.empty()) {
    const Utf8Char next = first_utf8_char(written);
    const auto byte = byte_alphabet().find(next.code_point);
    if (next.status != Utf8Status::Valid || byte == byte_alphabet().end()) return std::nullopt;
    bytes += byte->second;
    written.remove_prefix(next.n_bytes);
  }
  return bytes;
}

// The parser's message may quote the file at any length.
std::string shortened(std::string message) {
  constexpr size_t kMaxBytes = 160;
  if (message.size() > kMaxBytes) message = message.substr(0, kMaxBytes) + "…";
  return message;
}

// A value of the file and the key that leads to it. The key is put into words only for a message: there are several
// hundred thousand values.
class Value {
 public:
  Value(const json& value, const std::filesystem::path& path) : json_(value), path_(path) {}

  const json& operator*() const { return json_; }
  const json* operator->() const { return &json_; }

  [[noreturn]] void fail(const std::string& problem) const {
    throw Error(message("tokenizer ", path_.string(), ": ", parent_ == nullptr ? "the file" : key(), ": ", problem));
  }

  void expect(bool is_so, std::string_view expected) const {
    if (!is_so) fail(message("expected ", expected, ", found ", shown()));
  }

  bool has(const char* name) const { return json_.contains(name); }

  Value operator[](const char* name) const {
    const auto it = json_.find(name);
    if (it == json_.end()) fail(message("expected a key \"", name, "\", found none"));
    return named(name, *it);
  }
  // `value` must be this object's member of that name. Both must outlive the result.
  Value named(std::string_view name, const json& value) const { return {*this, name, kNoIndex, value}; }
  Value at(size_t index) const { return {*this, {}, index, json_[index]}; }

  const Value& object() const {
    expect(json_.is_object(), "an object");
    return *this;
  }
  const Value& array() const {
    expect(json_.is_array(), "an array");
    return *this;
  }
  const std::string& string() const {
    expect(json_.is_string(), "a string");
    return json_.get_ref<const std::string&>();
  }
  bool boolean() const {
    expect(json_.is_boolean(), "true or false");
    return json_.get<bool>();
  }
  int32_t id() const {
    const bool is_id = json_.is_number_integer() && json_ >= 0 && json_ <= kMaxId;
    if (!is_id) expect(false, message("an id from 0 to ", kMaxId));
    return json_.get<int32_t>();
  }
  bool flag(const char* name, bool if_absent) const { return has(name) ? (*this)[name].boolean() : if_absent; }

 private:
  static constexpr size_t kNoIndex = static_cast<size_t>(-1);

  Value(const Value& parent, std::string_view name, size_t index, const json& value)
      : json_(value), path_(parent.path_), parent_(&parent), name_(name), index_(index) {}

  std::string key() const {
    if (parent_ == nullptr) return "";
    const std::string before = parent_->key();
    if (index_ != kNoIndex) return message(before, "[", index_, "]");
    return message(before, before.empty() ? "" : ".", name_);
  }

  std::string shown() const {
    if (json_.is_structured()) return message("an ", json_.type_name(), " of ", json_.size());
    return shortened(json_.dump(-1, ' ', true));
  }

  const json& json_;
  const std::filesystem::path& path_;
  const Value* parent_ = nullptr;
  std::string_view name_;
  size_t index_ = kNoIndex;
};

// Fills a TokenizerFile from the file's JSON, which must outlive it.
class Reader {
 public:
  TokenizerFile read(const Value& root) {
    root.object();
    if (root.has("normalizer")) root["normalizer"].expect(root["normalizer"]->is_null(), "null (no normalizer)");
    if (root.has("decoder") && !root["decoder"]->is_null()) expect_type(root["decoder"], "ByteLevel");
    if (root.has("added_tokens")) read_added_tokens(root["added_tokens"]);
    read_model(root["model"]);
    read_pre_tokenizer(root["pre_tokenizer"]);
    return std::move(file_);
  }

 private:
  static void expect_type(const Value& value, std::string_view type) {
    const Value found = value.object()["type"];
    found.expect(*found == type, message("\"", type, "\""));
  }

  static void expect_false(const Value& object, const char* name) {
    if (object.has(name)) object[name].expect(*object[name] == false, "false (nothing else is supported)");
  }

  // No two tokens share an id.
  void claim(int32_t id, const Value& where, std::string_view token) {
    const auto [it, is_new] = token_of_id_.emplace(id, token);
    if (!is_new) where.fail(message("expected an id of its own, found ", id, ", which \"", it->second, "\" has too"));
  }

  void read_added_tokens(const Value& list) {
    list.array();
    for (size_t i = 0; i < list->size(); ++i) {
      const Value entry = list.at(i);
      const Value content = entry.object()["content"];
      for (const char* name : {"lstrip", "rstrip", "single_word"}) expect_false(entry, name);
      AddedToken token{.content = content.string(), .id = entry["id"].id(), .is_special = entry.flag("special", false)};
      content.expect(!token.content.empty(), "some text");
      claim(token.id, entry["id"], content.string());
      if (!id_of_added_.emplace(token.content, token.id).second) content.expect(false, "no content twice");
      file_.added_tokens.push_back(std::move(token));
    }
  }

  void read_model(const Value& model) {
    expect_type(model, "BPE");
    expect_false(model, "byte_fallback");
    for (const char* name : {"continuing_subword_prefix", "end_of_word_suffix"}) {
      if (model.has(name)) model[name].expect(model[name]->is_null() || *model[name] == "", "null or \"\"");
    }
    if (model.has("dropout")) model["dropout"].expect(model["dropout"]->is_null() || *model["dropout"] == 0, "null");
    file_.ignore_merges = model.flag("ignore_merges", false);
    read_vocab(model["vocab"]);
    read_merges(model["merges"]);
  }

  // Fills file_.vocab and id_of_written_.
  void read_vocab(const Value& vocab) {
    vocab.object();
    file_.vocab.reserve(vocab->size());
    id_of_written_.reserve(vocab->size());
    for (const auto& item : vocab->items()) {
      const std::string& written = item.key();
      const Value value = vocab.named(written, item.value());
      const int32_t id = value.id();
      if (const auto added = id_of_added_.find(written); added != id_of_added_.end()) {
        if (added->second != id) value.expect(false, message(added->second, " as in added_tokens"));
        continue;  // an added token that is listed here too; ordinary text must not come out as it
      }
      claim(id, value, written);
      auto bytes = bytes_written_as(written);
      if (!bytes || bytes->empty()) value.fail("the token isn't written in the byte-level alphabet");
      id_of_written_.emplace(written, id);
      file_.vocab.emplace(*std::move(bytes), id);
    }
    for (int byte = 0; byte < 256; ++byte) {
      const bool has_byte = file_.vocab.contains(std::string(1, static_cast<char>(byte)));
      if (!has_byte) vocab.fail(message("expected a token for every single byte, found none for byte ", byte));
    }
  }

  void read_merges(const Value& merges) {
    merges.array();
    std::unordered_set<uint64_t> pairs;
    pairs.reserve(merges->size());
    file_.merges.reserve(merges->size());
    for (size_t rank = 0; rank < merges->size(); ++rank) {
      const Value value = merges.at(rank);
      const auto [left, right] = read_pair(value);
      const Merge merge{.left = ordinary_id(left, value),
                        .right = ordinary_id(right, value),
                        .merged = ordinary_id(std::string(left).append(right), value)};
      const auto pair = static_cast<uint64_t>(merge.left) << 32 | static_cast<uint64_t>(merge.right);
      if (!pairs.insert(pair).second) value.expect(false, "no pair twice");
      file_.merges.push_back(merge);
    }
  }

  // "a b" in older files, ["a", "b"] in newer ones.
  static std::pair<std::string_view, std::string_view> read_pair(const Value& merge) {
    if (merge->is_array() && merge->size() == 2) return {merge.at(0).string(), merge.at(1).string()};
    merge.expect(merge->is_string(), "\"left right\" or [\"left\", \"right\"]");
    const std::string_view both = merge.string();
    const size_t space = both.find(' ');
    const bool is_pair = space != std::string_view::npos && both.find(' ', space + 1) == std::string_view::npos;
    merge.expect(is_pair, "two tokens with one space between");
    return {both.substr(0, space), both.substr(space + 1)};
  }

  int32_t ordinary_id(std::string_view written, const Value& merge) const {
    const auto it = id_of_written_.find(written);
    if (it == id_of_written_.end()) {
      merge.fail(message("expected tokens of model.vocab that aren't added tokens, found \"", written, "\""));
    }
    return it->second;
  }

  void read_pre_tokenizer(const Value& pre_tokenizer) {
    if (*pre_tokenizer.object()["type"] != "Sequence") {
      read_byte_level(pre_tokenizer);
      return;
    }
    const Value steps = pre_tokenizer["pretokenizers"];
    steps.array().expect(!steps->empty(), "at least one step");
    for (size_t i = 0; i + 1 < steps->size(); ++i) read_split(steps.at(i));
    read_byte_level(steps.at(steps->size() - 1));
  }

  void read_split(const Value& step) {
    expect_type(step, "Split");
    const Value behavior = step["behavior"];
    behavior.expect(*behavior == "Isolated", "\"Isolated\" (nothing else is supported)");
    expect_false(step, "invert");
    const Value pattern = step["pattern"];
    add_pattern(pattern.object()["Regex"].string(), pattern);
  }

  void read_byte_level(const Value& step) {
    expect_type(step, "ByteLevel");
    const Value prefix = step["add_prefix_space"];
    prefix.expect(!prefix.boolean(), "false (with a space added the text would not come back as it went in)");
    if (step.flag("use_regex", true)) add_pattern(std::string(kGpt2Pattern), step);
  }

  // Compiled here only so that an error can name the key.
  void add_pattern(const std::string& pattern, const Value& where) {
    try {
      PreTokenizer({pattern});
    } catch (const Error& error) {
      where.fail(error.what());
    }
    file_.patterns.push_back(pattern);
  }

  TokenizerFile file_;
  std::unordered_map<int32_t, std::string_view> token_of_id_;
  std::unordered_map<std::string_view, int32_t> id_of_written_;  // the ordinary tokens as the file writes them
  WordIds id_of_added_;
};

}  // namespace

TokenizerFile read_tokenizer_file(const std::filesystem::path& path) {
  constexpr std::size_t kMostBytes = std::size_t{256} << 20;  // M3's has 10 MB
  return parse_tokenizer_file(MappedFile(path, kMostBytes).text(), path);
}

TokenizerFile parse_tokenizer_file(std::string_view content, const std::filesystem::path& path) {
  json root;
  try {
    root = json::parse(content);
  } catch (const json::exception& error) {
    throw Error(message("tokenizer ", path.string(), ": the file: expected JSON, found ", shortened(error.what())));
  }
  return Reader().read(Value(root, path));
}

}  // namespace inference
