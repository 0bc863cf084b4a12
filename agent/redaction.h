#pragma once
// Keeps secrets out of the record: each registered value is replaced by {{name}} wherever it appears in text.

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace agent {

// Bytes without their secrets, and where these were.
struct HiddenBytes {
  std::string bytes;               // without the secrets
  nlohmann::ordered_json secrets;  // [[offset in `bytes`, name, spelling], …]; empty when there were none
};

class Redaction {
 public:
  // From now on. Also finds the value written as a JSON string, percent-encoded or as base64. Not empty.
  void add(std::string name, const std::string& value);

  std::string text(std::string text) const;
  // How many bytes at the end of the text may be the beginning of a value, of which the rest is still to come.
  std::size_t open_end(std::string_view text) const;
  // All strings in it, keys too; a number that shows a secret becomes a string.
  nlohmann::ordered_json json(const nlohmann::ordered_json& value) const;

  // For bytes that must come back exactly, such as a file's content. `reveal` throws Error when the secret that was
  // cut out isn't registered (any more).
  HiddenBytes hide(std::string_view bytes) const;
  std::string reveal(const HiddenBytes& hidden) const;

 private:
  struct Spelling {
    std::string name, value;
    int form = 0;  // position in the list of forms
  };
  const Spelling* at(std::string_view bytes, std::size_t offset) const;

  std::vector<Spelling> spellings_;  // longest first, so that a secret inside another doesn't leave its rest
};

}  // namespace agent
