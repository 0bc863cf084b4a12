// Sessions on disk.
//
// Layout, little-endian: 8 bytes magic, 8 bytes length of a JSON header, the header, then the payload that it describes
// (token ids I32, identities U64, logits F32, the cache's pages layer by layer), then the XXH3-128 of all before it.

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>
#include <system_error>

#include "inference/engine_state.h"

namespace inference {
namespace {

using nlohmann::json;

constexpr std::array<char, 8> kMagic = {'M', '3', 'S', 'E', 'S', 'S', 'N', '1'};
constexpr std::uint64_t kMostHeaderBytes = 1 << 20;

// Writes beside the target and takes its place only when complete and on the disk.
class AtomicFile {
 public:
  explicit AtomicFile(const std::filesystem::path& path)
      : path_(path), temporary_(path.string() + message(".", ::getpid(), ".new")) {
    descriptor_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (descriptor_ < 0) fail("cannot be created");
  }
  ~AtomicFile() {
    if (descriptor_ < 0) return;
    ::close(descriptor_);
    ::unlink(temporary_.c_str());
  }
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(std::span<const std::byte> bytes) {
    hasher_.update(bytes);
    write_unhashed(bytes);
  }

  void commit() {
    const Hash128 hash = hasher_.digest();
    write_unhashed(std::as_bytes(std::span(&hash, 1)));
    if (::fsync(descriptor_) != 0) fail("cannot be written");
    if (::rename(temporary_.c_str(), path_.c_str()) != 0) fail("cannot take the place of the old file");
    ::close(descriptor_);
    descriptor_ = -1;
  }

 private:
  void write_unhashed(std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
      const ssize_t n = ::write(descriptor_, bytes.data(), bytes.size());
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) fail("cannot be written");
      bytes = bytes.subspan(static_cast<std::size_t>(n));
    }
  }
  [[noreturn]] void fail(const char* what) const {
    throw Error(message(temporary_, ": ", what, ": ", std::strerror(errno)));
  }

  std::filesystem::path path_;
  std::string temporary_;
  int descriptor_ = -1;
  Hasher hasher_;
};

std::string hex(const Hash128& hash) {
  std::array<char, 33> digits{};
  std::snprintf(digits.data(), digits.size(), "%016llx%016llx", static_cast<unsigned long long>(hash.high),
                static_cast<unsigned long long>(hash.low));
  return digits.data();
}

// What must agree between a saved session and the engine that restores it.
json describe_model(const Hash128& fingerprint, SparseAttention attention, const KvCache& cache) {
  return {{"fingerprint", hex(fingerprint)},
          {"cache_dtype", dtype_name(cache.dtype())},
          {"page_size", cache.page_size()},
          {"attention", attention == SparseAttention::AsTrained ? "as trained" : "dense"}};
}

std::int64_t pages_for(std::int64_t n_tokens, int page_size) {
  return (n_tokens + page_size - 1) / page_size;
}

// Takes the file apart, front to back.
class Reader {
 public:
  Reader(std::span<const std::byte> bytes, std::string file) : bytes_(bytes), file_(std::move(file)) {}

  std::span<const std::byte> take(std::uint64_t n_bytes) {
    if (n_bytes > bytes_.size()) fail("is cut off; it cannot be resumed");
    const auto taken = bytes_.first(static_cast<std::size_t>(n_bytes));
    bytes_ = bytes_.subspan(taken.size());
    return taken;
  }
  template <typename T>
  std::vector<T> take_vector(std::uint64_t n) {
    if (n > bytes_.size() / sizeof(T)) fail("is cut off; it cannot be resumed");
    std::vector<T> values(static_cast<std::size_t>(n));
    const auto taken = take(n * sizeof(T));
    std::copy(taken.begin(), taken.end(), std::as_writable_bytes(std::span(values)).begin());
    return values;
  }
  bool is_at_end() const { return bytes_.empty(); }
  [[noreturn]] void fail(const std::string& what) const { throw Error(message(file_, ": the saved session ", what)); }

 private:
  std::span<const std::byte> bytes_;
  std::string file_;
};

json read_header(Reader& reader) {
  const auto magic = reader.take(kMagic.size());
  if (std::memcmp(magic.data(), kMagic.data(), kMagic.size()) != 0) {
    reader.fail("has an unknown format: it is no session file, or one of another version");
  }
  const std::uint64_t header_bytes = reader.take_vector<std::uint64_t>(1).front();
  if (header_bytes > kMostHeaderBytes) reader.fail("has a damaged header");
  const auto bytes = reader.take(header_bytes);
  const auto* text = reinterpret_cast<const char*>(bytes.data());
  json header = json::parse(text, text + bytes.size(), nullptr, false);
  const bool is_complete = header.is_object() && header.contains("model") && header.contains("n_tokens") &&
                           header["n_tokens"].is_number_unsigned() && header.contains("n_cached") &&
                           header["n_cached"].is_number_unsigned() && header.contains("has_logits") &&
                           header["has_logits"].is_boolean();
  if (!is_complete) reader.fail("has a damaged header");
  return header;
}

// The file without its checksum, once that was found right.
std::span<const std::byte> verified(const MappedFile& file, const Reader& reader) {
  const std::span<const std::byte> all(file.data(), file.size());
  Hash128 stored;
  if (all.size() < sizeof(stored)) reader.fail("is cut off; it cannot be resumed");
  std::memcpy(&stored, all.last(sizeof(stored)).data(), sizeof(stored));
  const auto content = all.first(all.size() - sizeof(stored));
  if (!(hash_bytes(content) == stored)) reader.fail("is damaged or cut off (checksum differs); it cannot be resumed");
  return content;
}

}  // namespace

void Session::save(const std::filesystem::path& path) const {
  const State& s = *state_;
  const json header = {{"model", describe_model(s.engine->fingerprint, s.engine->sparse_attention, s.cache)},
                       {"n_tokens", s.tokens.size()},
                       {"n_cached", static_cast<std::uint64_t>(s.n_cached)},
                       {"has_logits", !s.logits.empty()}};
  const std::string header_text = header.dump();
  const std::uint64_t header_bytes = header_text.size();
  AtomicFile file(path);
  file.write(std::as_bytes(std::span(kMagic)));
  file.write(std::as_bytes(std::span(&header_bytes, 1)));
  file.write(std::as_bytes(std::span(header_text)));
  file.write(std::as_bytes(std::span(s.tokens)));
  file.write(std::as_bytes(std::span(s.identities)));
  file.write(std::as_bytes(std::span(s.logits)));
  std::vector<std::byte> page;
  for (int layer_idx = 0; layer_idx < s.engine->config.text.n_layers; ++layer_idx) {
    page.resize(s.cache.page_bytes(layer_idx));
    for (std::int64_t page_idx = 0; page_idx < pages_for(s.n_cached, s.cache.page_size()); ++page_idx) {
      s.cache.read_page(layer_idx, page_idx, page.data());
      file.write(page);
    }
  }
  file.commit();
}

void Session::restore(const std::filesystem::path& path) {
  const MappedFile file(path);
  const State& old = *state_;
  // Checked first: nothing else in a damaged file can be believed. An unknown format is told from its first bytes.
  Reader whole({file.data(), file.size()}, path.string());
  read_header(whole);
  Reader reader(verified(file, whole), path.string());
  const json header = read_header(reader);

  const json model = describe_model(old.engine->fingerprint, old.engine->sparse_attention, old.cache);
  if (header["model"] != model) {
    reader.fail(
        message("belongs to another model or cache: saved ", header["model"].dump(), ", loaded ", model.dump()));
  }
  const auto n_tokens = header["n_tokens"].get<std::uint64_t>();
  const auto n_cached = header["n_cached"].get<std::uint64_t>();
  if (n_tokens > static_cast<std::uint64_t>(old.max_tokens)) {
    reader.fail(message("has ", n_tokens, " tokens, this session holds ", old.max_tokens));
  }
  if (n_cached > n_tokens || n_tokens > n_cached + 1) reader.fail("has a damaged header");

  auto fresh = std::make_unique<State>(*old.engine, old.max_tokens);
  fresh->tokens = reader.take_vector<std::int32_t>(n_tokens);
  fresh->identities = reader.take_vector<std::uint64_t>(n_tokens);
  if (header["has_logits"].get<bool>()) {
    fresh->logits = reader.take_vector<float>(static_cast<std::uint64_t>(old.engine->config.text.vocab_size));
  }
  fresh->n_cached = static_cast<std::int64_t>(n_cached);
  fresh->cache.reserve(fresh->n_cached);
  for (int layer_idx = 0; layer_idx < old.engine->config.text.n_layers; ++layer_idx) {
    for (std::int64_t page_idx = 0; page_idx < pages_for(fresh->n_cached, fresh->cache.page_size()); ++page_idx) {
      fresh->cache.write_page(layer_idx, page_idx, reader.take(fresh->cache.page_bytes(layer_idx)).data());
    }
  }
  if (!reader.is_at_end()) reader.fail("has more data than its header says");
  fresh->logits_observer = old.logits_observer;
  fresh->n_observed_queries = old.n_observed_queries;
  state_ = std::move(fresh);
}

}  // namespace inference
