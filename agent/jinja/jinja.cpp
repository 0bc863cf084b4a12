#include "agent/jinja/jinja.h"

#include "agent/jinja/interpreter.h"
#include "agent/jinja/parser.h"

namespace agent::jinja {

struct Template::Tree {
  Body body;
};

Template Template::parse(std::string_view source) {
  return Template(std::make_shared<const Tree>(Tree{jinja::parse(source)}));
}

std::vector<Segment> Template::render(const nlohmann::ordered_json& context, const RenderOptions& options) const {
  return Interpreter(options).render(tree_->body, context).segments();
}

}  // namespace agent::jinja
