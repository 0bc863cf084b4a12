#pragma once
// Reads what M3 says, piece by piece: reasoning, text for the user, tool calls. However the stream is cut into pieces,
// the events say the same. Markup never shows up as text: what can't be read as a call is Malformed.

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "agent/dialect.h"
#include "agent/tool_arguments.h"

namespace agent {

struct ToolSchema {
  std::string name;
  nlohmann::json parameters;  // JSON schema of the arguments object
};

// White space is kept as the model wrote it; neighbouring pieces belong together.
struct Thought {
  std::string text;
};
struct Text {
  std::string text;
};
// A whole call. The name may be that of no tool: whoever runs tools answers that.
struct ParsedCall {
  std::string name;
  nlohmann::ordered_json arguments;  // an object; keys in the model's order, typed by the tool's schema
};
struct Malformed {
  std::string message;                 // for the model: what is wrong, and what to do
  std::string raw;                     // what it wrote; may be invalid UTF-8
  std::optional<ParsedCall> salvaged;  // the arguments that are whole. Never run it: the rest is missing.
};
using OutputEvent = std::variant<Thought, Text, ParsedCall, Malformed>;

// One reply of the model. Used by one thread; after finish() it is spent.
class OutputParser {
 public:
  OutputParser(ThinkingMode mode, std::vector<ToolSchema> tools);
  OutputParser(OutputParser&&) = default;  // no copies: schemas are pointed into
  OutputParser& operator=(OutputParser&&) = default;

  std::vector<OutputEvent> push(std::string_view piece);
  // The model has stopped, at its end token or cut off.
  std::vector<OutputEvent> finish();

 private:
  enum class State { Start, Thinking, Content, Calls, Arguments };
  struct Tag {
    std::size_t n_bytes = 0;  // with the prefix; 0: not a tag but text
    bool is_close = false;
    std::string name;                      // element's name, for <invoke name="…"> "invoke"
    std::optional<std::string> call_name;  // the attribute of <invoke name="…">
  };
  struct OpenElement {
    Element element;
    SchemaView schema;
    int same_name_depth = 0;  // of verbatim elements: tags of its own name that were opened inside
  };
  struct OpenCall {
    std::string name, raw;
    Element arguments;
    SchemaView schema;
    std::string problem;  // the first thing wrong with it
  };

  bool step();  // false: nothing more can be said without more input
  bool step_start();
  bool step_thinking();
  bool step_content();
  bool step_markup();
  void flush();

  std::optional<Tag> read_tag(std::size_t position) const;  // nothing: more input decides
  void handle_outside_call(const Tag& tag);
  void handle_in_call(const Tag& tag);
  void handle_in_verbatim(const Tag& tag);
  void handle_in_element(const Tag& tag);
  void take_text(std::size_t n_bytes);
  void open_call(const Tag& tag);
  void close_call();
  void abandon_call(const std::string& why);
  void open_element(const std::string& name);
  void close_element();
  void note_problem(const std::string& problem);
  void report_stray_text();
  void emit_text(std::string_view text);
  void malformed(const std::string& message, std::string raw);
  std::string consume(std::size_t n_bytes);

  ThinkingMode mode_;
  std::vector<ToolSchema> tools_;
  State state_ = State::Start;
  bool may_think_;      // <mm:think> in the text still opens reasoning
  std::string buffer_;  // not yet understood
  std::vector<OutputEvent> events_;
  bool in_wrapper_ = false;  // inside <tool_call>
  std::size_t n_calls_in_wrapper_ = 0;
  std::string stray_text_;         // between calls
  OpenCall call_;                  // while state_ is Arguments
  std::vector<OpenElement> open_;  // the argument being read, outermost first
};

}  // namespace agent
