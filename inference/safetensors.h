#pragma once
// Reads safetensors checkpoints: one file, or shards with `model.safetensors.index.json`. Files are mapped, not read:
// a tensor's bytes come from the page cache when they are touched.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "inference/mapped_file.h"
#include "inference/tensor.h"

namespace inference {

// One stored tensor: a view into the mapped file.
struct StoredTensor {
  std::string name;
  DType dtype = DType::F32;
  std::vector<std::int64_t> shape;
  const std::byte* data = nullptr;
  std::size_t n_bytes = 0;
  std::string file;  // for messages

  std::int64_t n_elements() const;
};

std::string shape_text(const std::vector<std::int64_t>& shape);  // "[2, 3]"

// The tensors of a header whose data section has data_bytes bytes. Throws Error naming the file, the tensor, what was
// found and what was expected: nothing in the header is trusted.
std::vector<StoredTensor> parse_safetensors(const std::byte* bytes, std::size_t n_bytes, const std::string& file);

// All tensors of a checkpoint by name. Immutable; keeps the files mapped.
class Safetensors {
 public:
  // `path`: a .safetensors file, or a folder holding model.safetensors or model.safetensors.index.json.
  static Safetensors open(const std::filesystem::path& path);

  const StoredTensor* find(const std::string& name) const;     // nullptr when absent
  const StoredTensor& require(const std::string& name) const;  // throws Error when absent
  std::vector<std::string> names() const;                      // sorted
  std::size_t mapped_bytes() const;
  const std::string& source() const { return source_; }

 private:
  void add_file(const std::filesystem::path& path);

  std::string source_;
  std::vector<std::unique_ptr<MappedFile>> files_;
  std::unordered_map<std::string, StoredTensor> tensors_;
};

}  // namespace inference
