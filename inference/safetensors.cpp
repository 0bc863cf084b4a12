#include "inference/safetensors.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

namespace inference {
namespace {

using nlohmann::json;

constexpr std::size_t kMostHeaderBytes = std::size_t{256} << 20;  // M3's largest header is 6 MB
constexpr std::size_t kMostDims = 8;

DType parse_dtype(const std::string& name, const std::string& where) {
  for (const DType type : {DType::F32, DType::F16, DType::BF16, DType::F8E4M3, DType::U8, DType::I32, DType::I64}) {
    if (dtype_name(type) == name) return type;
  }
  throw Error(message(where, "dtype \"", name, "\" is not supported (F32, F16, BF16, F8_E4M3, U8, I32 and I64 are)"));
}

std::uint64_t parse_unsigned(const json& value, const std::string& where, const char* what) {
  if (!value.is_number_unsigned()) throw Error(message(where, what, " is not a whole number: ", value.dump()));
  return value.get<std::uint64_t>();
}

StoredTensor parse_entry(const std::string& name, const json& entry, std::uint64_t data_bytes,
                         const std::string& file) {
  const std::string where = message(file, ": tensor ", name, ": ");
  if (!entry.is_object() || !entry.contains("dtype") || !entry["dtype"].is_string() || !entry.contains("shape") ||
      !entry["shape"].is_array() || !entry.contains("data_offsets") || !entry["data_offsets"].is_array() ||
      entry["data_offsets"].size() != 2) {
    throw Error(message(where, "expected dtype, shape and two data_offsets"));
  }
  StoredTensor tensor{name, parse_dtype(entry["dtype"].get<std::string>(), where), {}, nullptr, 0, file};
  if (entry["shape"].size() > kMostDims) throw Error(message(where, entry["shape"].size(), " dimensions"));
  std::uint64_t n_bytes = element_bytes(tensor.dtype);
  for (const json& dim : entry["shape"]) {
    const std::uint64_t size = parse_unsigned(dim, where, "shape");
    if (size > data_bytes || (size != 0 && n_bytes > std::numeric_limits<std::uint64_t>::max() / size)) {
      throw Error(message(where, "shape ", entry["shape"].dump(), " is larger than the file"));
    }
    n_bytes *= size;
    tensor.shape.push_back(static_cast<std::int64_t>(size));
  }
  const std::uint64_t begin = parse_unsigned(entry["data_offsets"][0], where, "data_offsets");
  const std::uint64_t end = parse_unsigned(entry["data_offsets"][1], where, "data_offsets");
  if (begin > end || end > data_bytes) {
    throw Error(message(where, "data_offsets [", begin, ", ", end, "] lie outside the ", data_bytes,
                        " bytes of data; the file may be truncated: download it again"));
  }
  if (end - begin != n_bytes) {
    throw Error(message(where, "shape ", entry["shape"].dump(), " of ", dtype_name(tensor.dtype), " needs ", n_bytes,
                        " bytes, data_offsets give ", end - begin));
  }
  tensor.n_bytes = static_cast<std::size_t>(n_bytes);
  return tensor;
}

// nlohmann keeps the last of two equal keys; a header that names a tensor twice is broken, so refuse it.
json parse_header(const char* begin, std::size_t length, const std::string& file) {
  std::vector<std::set<std::string>> keys;
  const auto refuse_duplicates = [&](int /*depth*/, json::parse_event_t event, json& parsed) {
    if (event == json::parse_event_t::object_start) keys.emplace_back();
    if (event == json::parse_event_t::object_end) keys.pop_back();
    if (event == json::parse_event_t::key && !keys.back().insert(parsed.get<std::string>()).second) {
      throw Error(message(file, ": ", parsed.get<std::string>(), " is named twice in the header"));
    }
    return true;
  };
  try {
    json header = json::parse(begin, begin + length, refuse_duplicates);
    if (!header.is_object()) throw Error(message(file, ": the header is not a JSON object"));
    return header;
  } catch (const json::exception& error) {
    throw Error(message(file, ": the header is not valid JSON: ", error.what()));
  }
}

void refuse_overlaps(const std::vector<StoredTensor>& tensors) {
  std::vector<const StoredTensor*> by_offset;
  for (const StoredTensor& tensor : tensors) {
    if (tensor.n_bytes > 0) by_offset.push_back(&tensor);
  }
  std::sort(by_offset.begin(), by_offset.end(),
            [](const StoredTensor* a, const StoredTensor* b) { return a->data < b->data; });
  for (std::size_t i = 1; i < by_offset.size(); ++i) {
    if (by_offset[i - 1]->data + by_offset[i - 1]->n_bytes > by_offset[i]->data) {
      throw Error(
          message(by_offset[i]->file, ": tensors ", by_offset[i - 1]->name, " and ", by_offset[i]->name, " overlap"));
    }
  }
}

}  // namespace

std::int64_t StoredTensor::n_elements() const {
  std::int64_t n = 1;
  for (const std::int64_t dim : shape) n *= dim;
  return n;
}

std::string shape_text(const std::vector<std::int64_t>& shape) {
  std::string joined;
  for (const std::int64_t dim : shape) joined += (joined.empty() ? "" : ", ") + std::to_string(dim);
  return "[" + joined + "]";
}

std::vector<StoredTensor> parse_safetensors(const std::byte* bytes, std::size_t n_bytes, const std::string& file) {
  std::uint64_t header_bytes = 0;
  if (n_bytes < sizeof(header_bytes)) {
    throw Error(message(file, ": ", n_bytes, " bytes are too few for a safetensors file; download it again"));
  }
  std::memcpy(&header_bytes, bytes, sizeof(header_bytes));
  if (header_bytes > kMostHeaderBytes || header_bytes > n_bytes - sizeof(header_bytes)) {
    throw Error(message(file, ": the header claims ", header_bytes, " bytes, the file has ", n_bytes,
                        "; it is truncated or not a safetensors file"));
  }
  const json header = parse_header(reinterpret_cast<const char*>(bytes) + sizeof(header_bytes),
                                   static_cast<std::size_t>(header_bytes), file);
  const std::byte* data = bytes + sizeof(header_bytes) + header_bytes;
  const std::uint64_t data_bytes = n_bytes - sizeof(header_bytes) - header_bytes;
  std::vector<StoredTensor> tensors;
  for (const auto& [name, entry] : header.items()) {
    if (name == "__metadata__") continue;
    tensors.push_back(parse_entry(name, entry, data_bytes, file));
    tensors.back().data = data + entry["data_offsets"][0].get<std::uint64_t>();
  }
  refuse_overlaps(tensors);
  return tensors;
}

void Safetensors::add_file(const std::filesystem::path& path) {
  files_.push_back(std::make_unique<MappedFile>(path));
  for (StoredTensor& tensor : parse_safetensors(files_.back()->data(), files_.back()->size(), path.string())) {
    const auto [existing, is_new] = tensors_.try_emplace(tensor.name, tensor);
    if (!is_new) {
      throw Error(message(path.string(), ": tensor ", tensor.name, " is also in ", existing->second.file));
    }
  }
}

Safetensors Safetensors::open(const std::filesystem::path& path) {
  Safetensors checkpoint;
  checkpoint.source_ = path.string();
  if (!std::filesystem::is_directory(path)) {
    checkpoint.add_file(path);
    return checkpoint;
  }
  const std::filesystem::path index_path = path / "model.safetensors.index.json";
  if (!std::filesystem::exists(index_path)) {
    checkpoint.add_file(path / "model.safetensors");
    return checkpoint;
  }
  json index = json::parse(MappedFile(index_path, kMostHeaderBytes).text(), nullptr, false);
  if (!index.is_object() || !index.contains("weight_map") || !index["weight_map"].is_object()) {
    throw Error(message(index_path.string(), ": expected an object with a weight_map"));
  }
  std::set<std::string> shards;
  for (const auto& [name, shard] : index["weight_map"].items()) {
    if (!shard.is_string() || shard.get<std::string>().find('/') != std::string::npos) {
      throw Error(message(index_path.string(), ": weight_map.", name, " is not a file name beside the index"));
    }
    shards.insert(shard.get<std::string>());
  }
  for (const std::string& shard : shards) checkpoint.add_file(path / shard);
  for (const auto& [name, shard] : index["weight_map"].items()) {
    const StoredTensor* tensor = checkpoint.find(name);
    if (tensor == nullptr || tensor->file != (path / shard.get<std::string>()).string()) {
      throw Error(message(index_path.string(), ": tensor ", name, " is not in ", shard.get<std::string>()));
    }
  }
  return checkpoint;
}

const StoredTensor* Safetensors::find(const std::string& name) const {
  const auto found = tensors_.find(name);
  return found == tensors_.end() ? nullptr : &found->second;
}

const StoredTensor& Safetensors::require(const std::string& name) const {
  const StoredTensor* tensor = find(name);
  if (tensor == nullptr) throw Error(message(source_, ": tensor ", name, " is missing"));
  return *tensor;
}

std::vector<std::string> Safetensors::names() const {
  std::vector<std::string> all;
  for (const auto& [name, tensor] : tensors_) all.push_back(name);
  std::sort(all.begin(), all.end());
  return all;
}

std::size_t Safetensors::mapped_bytes() const {
  std::size_t total = 0;
  for (const auto& file : files_) total += file->size();
  return total;
}

}  // namespace inference
