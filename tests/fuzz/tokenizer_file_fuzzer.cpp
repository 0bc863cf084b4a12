// A tokenizer.json either is read or is refused with an Error, whatever is in it.

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "inference/check.h"
#include "inference/tokenizer_file.h"
#include "tests/unit/inference/tokenizer_fixture.h"

using nlohmann::json;

namespace {

void try_to_read(std::string_view content) {
  try {
    inference::parse_tokenizer_file(content, "fuzzed.json");
  } catch (const inference::Error&) {
  }
}

// Every place of a good file. Only the first members of large tables: the others are like them.
void append_places(const json& value, const json::json_pointer& here, std::vector<json::json_pointer>& places) {
  constexpr int kMaxMembers = 12;
  places.push_back(here);
  int n_members = 0;
  if (!value.is_structured()) return;
  for (const auto& [key, member] : value.items()) {
    if (++n_members > kMaxMembers) break;
    const auto place = value.is_array() ? here / static_cast<size_t>(n_members - 1) : here / key;
    append_places(member, place, places);
  }
}

// Puts another value in one place: the rest of the input, as JSON or else as a string.
std::string with_one_change(uint8_t choice, std::string_view value) {
  const json& good = inference::testing::m3_like_tokenizer_json();
  static const auto places = [&good] {
    std::vector<json::json_pointer> all;
    append_places(good, json::json_pointer(), all);
    return all;
  }();
  json changed = good;
  json replacement = json::parse(value, nullptr, /*allow_exceptions=*/false);
  if (replacement.is_discarded()) replacement = std::string(value);
  changed[places[choice % places.size()]] = std::move(replacement);
  return changed.dump(-1, ' ', false, json::error_handler_t::ignore);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  try_to_read(input);
  if (size > 1) try_to_read(with_one_change(data[0], input.substr(1)));
  return 0;
}
