// Whatever bytes come: no crash, and what is read is a record that reads back as itself.

#include <cstdint>
#include <cstdlib>

#include "tools/action_import.h"
#include "tools/key_names.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string text(reinterpret_cast<const char*>(data + 1), size - 1);
  const unsigned kind = data[0] % 10;
  if (kind == 9) {
    const auto parsed = tools::parse_action(text);
    const auto* action = std::get_if<tools::Action>(&parsed);
    if (!action) return 0;
    const auto again = tools::parse_action(tools::to_json(*action));
    if (!std::holds_alternative<tools::Action>(again) || std::get<tools::Action>(again) != *action) std::abort();
    if (action->target) static_cast<void>(tools::resolve(*action->target, {1280, 800}));
    if (action->scroll) static_cast<void>(tools::to_notches(*action->scroll));
    return 0;
  }
  tools::ActionImporter importer(static_cast<tools::Dialect>(kind), {"1", 1280, 800});
  const auto result = importer.read(text);
  if (const auto* actions = std::get_if<std::vector<tools::Action>>(&result))
    for (const tools::Action& action : *actions)
      if (!std::holds_alternative<tools::Action>(tools::parse_action(tools::to_json(action)))) std::abort();
  return 0;
}
