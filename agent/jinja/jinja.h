#pragma once
// The Jinja that chat templates are written in, as Hugging Face's apply_chat_template runs it: trim_blocks,
// lstrip_blocks, loop controls, `generation` blocks, tojson without HTML escapes, raise_exception, strftime_now,
// immutable values. Not supported, and refused when parsing: inheritance, includes and imports.

#include <cstddef>
#include <ctime>
#include <memory>
#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

#include "agent/jinja/errors.h"
#include "agent/jinja/text.h"

namespace agent::jinja {

struct RenderOptions {
  std::time_t now = 0;  // what strftime_now shows, in local time
  // Against templates that never end: evaluated nodes, and bytes of all strings and lists made on the way.
  std::size_t max_steps = 20'000'000;
  std::size_t max_bytes = std::size_t{1} << 30;
};

// A parsed template. Immutable: any thread may render it.
class Template {
 public:
  static Template parse(std::string_view source);  // throws SyntaxError

  // The output, split by who wrote it: literals of the template, or the context. Numbers and JSON count as the
  // context's. Throws RenderError.
  std::vector<Segment> render(const nlohmann::ordered_json& context, const RenderOptions& options = {}) const;

 private:
  struct Tree;
  explicit Template(std::shared_ptr<const Tree> tree) : tree_(std::move(tree)) {}
  std::shared_ptr<const Tree> tree_;
};

}  // namespace agent::jinja
