#include "agent/output_parser.h"

#include <algorithm>
#include <initializer_list>
#include <utility>

#include "tools/text_lines.h"

namespace agent {
namespace {

constexpr std::size_t kMaxTagBytes = 512;
constexpr std::size_t kMaxElementDepth = 64;

const std::string kWrapperBegin = std::string(dialect::kTagPrefix) + "<tool_call>";
const std::string kWrapperEnd = std::string(dialect::kTagPrefix) + "</tool_call>";
const std::string kCallBegin = std::string(dialect::kTagPrefix) + "<invoke ";
const std::string kCallEnd = std::string(dialect::kTagPrefix) + "</invoke>";

struct Found {
  std::size_t position = std::string::npos;
  std::string_view marker;
  std::size_t n_safe_bytes = 0;  // before the marker, or before what may become one
};

// The first of the markers. The longest end of the text that may yet become one is held back: a shorter one would let
// the rest of a marker slip through, since `]` stands in it twice.
Found find_marker(std::string_view text, std::initializer_list<std::string_view> markers) {
  Found found;
  for (const std::string_view marker : markers) {
    const std::size_t position = text.find(marker);
    if (position < found.position) found = {position, marker, position};
  }
  if (found.position != std::string::npos) return found;
  found.n_safe_bytes = text.size();
  for (const std::string_view marker : markers)
    for (std::size_t n = std::min(marker.size() - 1, text.size()); n > 0; --n)
      if (text.ends_with(marker.substr(0, n))) {
        found.n_safe_bytes = std::min(found.n_safe_bytes, text.size() - n);
        break;
      }
  return found;
}

bool may_become(std::string_view text, std::string_view marker) {
  return text.size() < marker.size() && marker.starts_with(text);
}

bool is_space(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

std::string shortened(std::string_view text) {
  constexpr std::size_t kMaxBytes = 80;
  text = trimmed(text);
  return text.size() <= kMaxBytes ? std::string(text) : std::string(text.substr(0, kMaxBytes)) + "…";
}

// The name in ` name="f"`, whose quotes may be single.
std::optional<std::string> name_attribute(std::string_view inside) {
  inside = trimmed(inside);
  if (!inside.starts_with("name")) return std::nullopt;
  inside = trimmed(inside.substr(4));
  if (!inside.starts_with('=')) return std::nullopt;
  inside = trimmed(inside.substr(1));
  if (inside.size() < 3 || (inside[0] != '"' && inside[0] != '\'')) return std::nullopt;
  if (inside.find(inside[0], 1) != inside.size() - 1) return std::nullopt;
  return std::string(inside.substr(1, inside.size() - 2));
}

}  // namespace

OutputParser::OutputParser(ThinkingMode mode, std::vector<ToolSchema> tools)
    : mode_(mode), tools_(std::move(tools)), may_think_(mode == ThinkingMode::Adaptive) {
  if (mode == ThinkingMode::Disabled) state_ = State::Content;
}

std::vector<OutputEvent> OutputParser::push(std::string_view piece) {
  buffer_.append(piece);
  while (!buffer_.empty() && step()) {
  }
  return std::exchange(events_, {});
}

std::vector<OutputEvent> OutputParser::finish() {
  while (!buffer_.empty() && step()) {
  }
  flush();
  return std::exchange(events_, {});
}

bool OutputParser::step() {
  switch (state_) {
    case State::Start:
      return step_start();
    case State::Thinking:
      return step_thinking();
    case State::Content:
      return step_content();
    default:
      return step_markup();
  }
}

std::string OutputParser::consume(std::size_t n_bytes) {
  std::string taken = buffer_.substr(0, n_bytes);
  buffer_.erase(0, n_bytes);
  return taken;
}

void OutputParser::emit_text(std::string_view text) {
  if (text.empty()) return;
  if (state_ == State::Thinking)
    events_.push_back(Thought{std::string(text)});
  else
    events_.push_back(Text{std::string(text)});
}

void OutputParser::malformed(const std::string& message, std::string raw) {
  events_.push_back(Malformed{message, std::move(raw), std::nullopt});
}

// The reply's first tag. With thinking enabled the prompt has opened the reasoning, and a model may open it again.
bool OutputParser::step_start() {
  const bool is_enabled = mode_ == ThinkingMode::Enabled;
  std::size_t begin = 0;
  while (!is_enabled && begin < buffer_.size() && is_space(buffer_[begin])) ++begin;
  const std::string_view rest = std::string_view(buffer_).substr(begin);
  if (rest.starts_with(dialect::kThinkBegin)) {
    consume(begin + dialect::kThinkBegin.size());
    state_ = State::Thinking;
  } else if (!is_enabled && rest.starts_with(dialect::kThinkEnd)) {
    consume(begin + dialect::kThinkEnd.size());
    may_think_ = false;
    state_ = State::Content;
  } else if (rest.empty() || may_become(rest, dialect::kThinkBegin) ||
             (!is_enabled && may_become(rest, dialect::kThinkEnd))) {
    return false;
  } else {
    state_ = is_enabled ? State::Thinking : State::Content;
  }
  return true;
}

bool OutputParser::step_thinking() {
  const Found found = find_marker(buffer_, {dialect::kThinkEnd, kWrapperBegin});
  emit_text(consume(found.n_safe_bytes));
  if (found.position == std::string::npos) return false;
  may_think_ = false;
  state_ = State::Content;
  // A block of calls ends reasoning that was never closed; the block itself is read as content's.
  if (found.marker == dialect::kThinkEnd) consume(found.marker.size());
  return true;
}

bool OutputParser::step_content() {
  const std::string_view think = may_think_ ? dialect::kThinkBegin : std::string_view(kWrapperBegin);
  const Found found = find_marker(buffer_, {kWrapperBegin, kWrapperEnd, kCallBegin, kCallEnd, think});
  emit_text(consume(found.n_safe_bytes));
  if (found.position == std::string::npos) return false;
  if (found.marker == dialect::kThinkBegin) {
    consume(found.marker.size());
    state_ = State::Thinking;
  } else if (found.marker == kWrapperEnd || found.marker == kCallEnd) {
    malformed("A closing tag of a tool call stands without its opening tag; nothing was run for it.",
              consume(found.marker.size()));
  } else {
    in_wrapper_ = found.marker == kWrapperBegin;
    n_calls_in_wrapper_ = 0;
    if (in_wrapper_) consume(found.marker.size());
    state_ = State::Calls;
  }
  return true;
}

// Inside a block of calls only tags with the prefix are markup; all else is text of where it stands.
bool OutputParser::step_markup() {
  const Found found = find_marker(buffer_, {dialect::kTagPrefix});
  if (found.n_safe_bytes > 0) {
    take_text(found.n_safe_bytes);
    return true;
  }
  if (found.position == std::string::npos) return false;
  const std::optional<Tag> tag = read_tag(0);
  if (!tag) return false;
  if (tag->n_bytes == 0)
    take_text(dialect::kTagPrefix.size());
  else if (state_ == State::Calls)
    handle_outside_call(*tag);
  else if (open_.empty())
    handle_in_call(*tag);
  else if (open_.back().schema.is_text())
    handle_in_verbatim(*tag);
  else
    handle_in_element(*tag);
  return true;
}

std::optional<OutputParser::Tag> OutputParser::read_tag(std::size_t position) const {
  const std::string_view rest = std::string_view(buffer_).substr(position + dialect::kTagPrefix.size());
  if (rest.empty()) return std::nullopt;
  if (rest[0] != '<') return Tag{};
  char quote = 0;
  for (std::size_t i = 1; i < std::min(rest.size(), kMaxTagBytes); ++i) {
    const char c = rest[i];
    if (quote != 0) {
      if (c == quote) quote = 0;
    } else if (c == '<' || c == '\n') {
      return Tag{};
    } else if ((c == '"' || c == '\'') && rest.starts_with("<invoke ")) {
      quote = c;
    } else if (c == '>') {
      const bool is_close = rest[1] == '/';
      std::string name(rest.substr(1 + is_close, i - 1 - is_close));
      if (name.empty()) return Tag{};
      Tag tag{dialect::kTagPrefix.size() + i + 1, is_close, std::move(name), std::nullopt};
      if (rest.starts_with("<invoke ")) {
        tag.call_name = name_attribute(std::string_view(tag.name).substr(7)).value_or("");
        tag.name = "invoke";
      }
      return tag;
    }
  }
  if (rest.size() >= kMaxTagBytes) return Tag{};
  return std::nullopt;
}

void OutputParser::take_text(std::size_t n_bytes) {
  const std::string text = consume(n_bytes);
  if (state_ == State::Calls) {
    stray_text_ += text;
    return;
  }
  call_.raw += text;
  if (open_.empty())
    call_.arguments.text += text;
  else
    open_.back().element.text += text;
}

void OutputParser::report_stray_text() {
  if (!trimmed(stray_text_).empty())
    malformed("Text stands between tool calls, where only calls may be: \"" + shortened(stray_text_) +
                  "\". Put text before the block of calls.",
              stray_text_);
  stray_text_.clear();
}

void OutputParser::handle_outside_call(const Tag& tag) {
  if (!tag.is_close && tag.call_name) {
    report_stray_text();
    open_call(tag);
  } else if (tag.is_close && tag.name == "tool_call" && in_wrapper_) {
    report_stray_text();
    consume(tag.n_bytes);
    if (n_calls_in_wrapper_ == 0) malformed("The block of tool calls has no call in it.", kWrapperBegin + kWrapperEnd);
    state_ = State::Content;
  } else {
    take_text(tag.n_bytes);
  }
}

void OutputParser::open_call(const Tag& tag) {
  call_ = OpenCall{};
  call_.name = *tag.call_name;
  call_.raw = consume(tag.n_bytes);
  for (const ToolSchema& tool : tools_)
    if (tool.name == call_.name) call_.schema = SchemaView(tool.parameters);
  if (call_.name.empty()) note_problem("it has no name: write <invoke name=\"tool\">");
  if (!in_wrapper_) note_problem("it is not inside " + kWrapperBegin + " … " + kWrapperEnd);
  ++n_calls_in_wrapper_;
  state_ = State::Arguments;
}

void OutputParser::note_problem(const std::string& problem) {
  if (call_.problem.empty()) call_.problem = problem;
}

// Between arguments.
void OutputParser::handle_in_call(const Tag& tag) {
  if (tag.is_close && tag.name == "invoke") {
    call_.raw += consume(tag.n_bytes);
    close_call();
  } else if (!tag.is_close && tag.call_name) {
    abandon_call("it is not closed by </invoke> before the next call");
  } else if (tag.is_close && tag.name == "tool_call") {
    abandon_call("it is not closed by </invoke> before the end of the block");
  } else if (tag.is_close) {
    note_problem("</" + shortened(tag.name) + "> closes nothing");
    call_.raw += consume(tag.n_bytes);
  } else {
    call_.raw += consume(tag.n_bytes);
    open_element(tag.name);
  }
}

// In an argument that is a string by its schema: every byte up to its own closing tag, quoted markup included. Tags of
// its own name count, so that a whole quoted call may stand inside.
void OutputParser::handle_in_verbatim(const Tag& tag) {
  OpenElement& top = open_.back();
  if (tag.name == top.element.name && !tag.call_name) {
    if (tag.is_close && top.same_name_depth == 0) {
      call_.raw += consume(tag.n_bytes);
      close_element();
      return;
    }
    top.same_name_depth += tag.is_close ? -1 : 1;
  }
  take_text(tag.n_bytes);
}

void OutputParser::handle_in_element(const Tag& tag) {
  if (tag.is_close && tag.name == open_.back().element.name) {
    call_.raw += consume(tag.n_bytes);
    close_element();
  } else if (tag.is_close || tag.call_name) {
    take_text(tag.n_bytes);  // not this element's: quoted
  } else if (open_.size() >= kMaxElementDepth) {
    note_problem("its arguments are nested too deep");
    take_text(tag.n_bytes);
  } else {
    call_.raw += consume(tag.n_bytes);
    open_element(tag.name);
  }
}

void OutputParser::open_element(const std::string& name) {
  SchemaView schema;
  if (open_.empty()) {
    schema = call_.schema.property(name);
  } else {
    const SchemaView& outer = open_.back().schema;
    schema = outer.property(name);
    if (!schema.is_known() && name == "item") schema = outer.items();
    // A list's tag that stands directly around the list's fields is the list's only item.
    if (!schema.is_known()) schema = outer.items().property(name);
  }
  open_.push_back({Element{name, "", {}}, schema, 0});
}

void OutputParser::close_element() {
  Element done = std::move(open_.back().element);
  open_.pop_back();
  Element& parent = open_.empty() ? call_.arguments : open_.back().element;
  parent.children.push_back(std::move(done));
}

void OutputParser::close_call() {
  if (!trimmed(call_.arguments.text).empty())
    note_problem("text stands between its arguments: \"" + shortened(call_.arguments.text) + "\"");
  if (!tools::is_utf8(call_.raw)) note_problem("it is not valid UTF-8");
  if (!call_.problem.empty()) return abandon_call(call_.problem);
  events_.push_back(ParsedCall{call_.name, typed_object(call_.arguments, call_.schema)});
  state_ = in_wrapper_ ? State::Calls : State::Content;
}

// The call can't be run; what is whole of it goes along for whoever wants to show it.
void OutputParser::abandon_call(const std::string& why) {
  Malformed event;
  event.message = "The call" + (call_.name.empty() ? std::string() : " to " + shortened(call_.name)) +
                  " could not be read: " + why + ". Nothing was run; send the whole call again.";
  if (tools::is_utf8(call_.raw)) {
    call_.arguments.text.clear();
    event.salvaged = ParsedCall{call_.name, typed_object(call_.arguments, call_.schema)};
  }
  event.raw = std::move(call_.raw);
  events_.push_back(std::move(event));
  open_.clear();
  state_ = in_wrapper_ ? State::Calls : State::Content;
}

// What is left when the model has stopped.
void OutputParser::flush() {
  std::string rest = std::exchange(buffer_, {});
  if (state_ == State::Arguments) {
    call_.raw += rest;
    abandon_call(open_.empty() ? "it was cut off"
                               : "it was cut off inside the argument " + shortened(open_.front().element.name));
  } else if (state_ == State::Calls) {
    // A block that only lacks its closing tag has lost nothing.
    const bool lacks_only_end = n_calls_in_wrapper_ > 0 && kWrapperEnd.starts_with(rest);
    if (!lacks_only_end || !trimmed(stray_text_).empty())
      malformed("The block of tool calls was cut off. Send the missing calls again.", stray_text_ + rest);
  } else if (rest.starts_with(dialect::kTagPrefix)) {
    malformed("A tool call was cut off at its first tag. Send the whole call again.", rest);
  } else {
    if (state_ == State::Start && mode_ == ThinkingMode::Enabled) state_ = State::Thinking;
    emit_text(rest);
  }
}

}  // namespace agent
