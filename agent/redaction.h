#pragma once
// Keeps secrets out of the record: each registered value is replaced by {{name}} wherever it appears in text.

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace agent {

class Redaction {
 public:
  // From now on. Also finds the value written as a JSON string, percent-encoded or as base64. Not empty.
  void add(std::string name, const std::string& value);

  std::string text(std::string text) const;
  // How many bytes at the end of the text may be the beginning of a value, of which the rest is still to come.
  std::size_t open_end(std::string_view text) const;
  // All strings in it, keys too; a number that shows a secret becomes a string.
  nlohmann::ordered_json json(const nlohmann::ordered_json& value) const;

 private:
  struct Spelling {
    std::string name, value;
  };

  std::vector<Spelling> spellings_;  // longest first, so that a secret inside another doesn't leave its rest
};

}  // namespace agent
