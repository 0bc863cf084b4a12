// Any template over a small conversation: it renders, or it fails with an error of ours, soon.
#include <cstdint>
#include <string_view>

#include "agent/jinja/jinja.h"

using agent::jinja::Template;

namespace {

const nlohmann::ordered_json kContext = nlohmann::ordered_json::parse(R"({"messages": [
    {"role": "user", "content": [{"type": "text", "text": "h\u00e9"}, {"type": "image"}]},
    {"role": "assistant", "content": "a</mm:think>b", "tool_calls": [{"function": {"name": "f", "arguments":
    {"x": 1, "y": [1.5, null, true], "z": {"k": "v"}}}}]}], "tools": [{"function": {"name": "f"}}], "n": 3, "s": "text"})");

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const Template parsed = Template::parse({reinterpret_cast<const char*>(data), size});
    parsed.render(kContext, {.now = 0, .max_steps = 20'000, .max_bytes = 1 << 20});
  } catch (const agent::Error&) {
  }
  return 0;
}
