#include "agent/chat_reply.h"

#include <algorithm>
#include <utility>

#include "agent/reply_events.h"
#include "tools/output_excerpt.h"
#include "tools/text_lines.h"

namespace agent {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t kMostCalls = 64;  // in one reply

// A string member; empty when it is absent, null or something else.
std::string text_of(const ordered_json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

const ordered_json& member(const ordered_json& object, const char* key) {
  static const ordered_json kNone = nullptr;
  if (!object.is_object()) return kNone;
  const auto found = object.find(key);
  return found == object.end() ? kNone : *found;
}

std::int64_t count_of(const ordered_json& object, const char* key) {
  const ordered_json& value = member(object, key);
  return value.is_number_integer() ? value.get<std::int64_t>() : 0;
}

std::string one_line(std::string text) {
  constexpr std::size_t kMostBytes = 400;
  std::replace_if(
      text.begin(), text.end(), [](unsigned char c) { return c < 0x20; }, ' ');
  text = repaired_utf8(text);
  return text.size() <= kMostBytes ? text : std::string(tools::utf8_prefix(text, kMostBytes)) + "…";
}

}  // namespace

std::string repaired_utf8(const std::string& bytes) {
  if (tools::is_utf8(bytes)) return bytes;
  std::string text;
  for (std::size_t at = 0; at < bytes.size();) {
    const auto lead = static_cast<unsigned char>(bytes[at]);
    const std::size_t n = lead < 0x80 ? 1 : lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
    const std::string_view character = std::string_view(bytes).substr(at, n);
    const bool is_whole = character.size() == n && tools::is_utf8(character);
    text += is_whole ? character : std::string_view("\xEF\xBF\xBD");
    at += is_whole ? n : 1;
  }
  return text;
}

std::string server_message(const std::string& body) {
  const ordered_json parsed = ordered_json::parse(repaired_utf8(body), nullptr, false);
  if (!parsed.is_object()) return one_line(body);
  const ordered_json& error = member(parsed, "error");
  for (const std::string& text : {error.is_object() ? text_of(error, "message") : "", text_of(parsed, "error"),
                                  text_of(parsed, "message"), text_of(parsed, "detail")}) {
    if (!text.empty()) return one_line(text);
  }
  return one_line(body);
}

ChatReply::ChatReply(std::vector<ToolSchema> schemas, PieceSink sink)
    : schemas_(std::move(schemas)), sink_(std::move(sink)) {}

void ChatReply::take(const std::string& json_text) {
  const ordered_json chunk = ordered_json::parse(repaired_utf8(json_text), nullptr, false);
  if (!chunk.is_object()) throw Error("it sent something that is no JSON object: " + one_line(json_text));
  if (!member(chunk, "error").is_null()) {
    server_error_ = server_message(json_text);
    return;
  }
  take_usage(member(chunk, "usage"));
  const ordered_json& choices = member(chunk, "choices");
  if (choices.is_array() && !choices.empty() && choices[0].is_object()) take_choice(choices[0]);
}

void ChatReply::take_choice(const ordered_json& choice) {
  const bool is_whole = member(choice, "message").is_object();
  const ordered_json& delta = member(choice, is_whole ? "message" : "delta");
  if (delta.is_object()) {
    const std::string thought = text_of(delta, "reasoning_content");
    say_thought(thought.empty() ? text_of(delta, "reasoning") : thought);
    const ordered_json& details = member(delta, "reasoning_details");
    if (thought.empty() && details.is_array()) {
      for (const ordered_json& part : details) say_thought(part.is_object() ? text_of(part, "text") : "");
    }
    say_text(text_of(delta, "content"));
    const ordered_json& calls = member(delta, "tool_calls");
    if (calls.is_array()) {
      for (const ordered_json& call : calls) take_call(call);
    }
  }
  const std::string reason = text_of(choice, "finish_reason");
  if (!reason.empty()) finish_reason_ = reason;
}

// A fragment belongs to the call with its index; where a server gives none, to the last call, unless it names another.
void ChatReply::take_call(const ordered_json& call) {
  if (!call.is_object()) return;
  ++n_pieces_;
  const ordered_json& function = member(call, "function");
  const std::string id = text_of(call, "id"), name = function.is_object() ? text_of(function, "name") : "";
  const ordered_json& index = member(call, "index");
  std::size_t place = calls_.size();
  if (index.is_number_unsigned()) {
    place = index.get<std::size_t>();
  } else if (!calls_.empty() && (id.empty() ? name.empty() : id == calls_.back().id)) {
    place = calls_.size() - 1;
  }
  if (place >= kMostCalls) throw Error("it sent more than " + std::to_string(kMostCalls) + " calls in one reply");
  if (place >= calls_.size()) calls_.resize(place + 1);
  Fragments& whole = calls_[place];
  if (!id.empty()) whole.id = id;
  if (whole.name != name) whole.name += name;  // some servers repeat the name in each fragment
  const ordered_json& arguments = member(function, "arguments");
  if (arguments.is_string()) whole.arguments += arguments.get<std::string>();
  if (arguments.is_object()) whole.arguments = arguments.dump();
}

void ChatReply::take_usage(const ordered_json& usage) {
  if (!usage.is_object()) return;
  reply_.usage.prompt_tokens = count_of(usage, "prompt_tokens");
  reply_.usage.reply_tokens = count_of(usage, "completion_tokens");
  reply_.usage.reused_tokens = count_of(member(usage, "prompt_tokens_details"), "cached_tokens");
}

void ChatReply::say_thought(const std::string& text) {
  if (text.empty()) return;
  ++n_pieces_;
  reply_.message.thought += text;
  if (sink_) sink_({ReplyPiece::Kind::Thought, text});
}

void ChatReply::say_text(const std::string& text) {
  if (text.empty()) return;
  ++n_pieces_;
  // A server that gives the thoughts apart has read the markup; otherwise the text itself says where thinking begins.
  if (!parser_) {
    parser_.emplace(reply_.message.thought.empty() ? ThinkingMode::Adaptive : ThinkingMode::Disabled, schemas_);
  }
  take_events(parser_->push(text), reply_, sink_);
}

void ChatReply::add_calls() {
  for (const Fragments& call : calls_) {
    const ordered_json arguments =
        call.arguments.empty() ? ordered_json::object() : ordered_json::parse(call.arguments, nullptr, false);
    if (call.name.empty()) {
      if (reply_.problem.empty()) reply_.problem = "a tool call came without the tool's name; write the call again";
    } else if (!arguments.is_object()) {
      if (reply_.problem.empty()) {
        reply_.problem = "the arguments of " + one_line(call.name) +
                         " are no JSON object: " + one_line(call.arguments) + "; write the call again";
      }
    } else {
      reply_.message.calls.push_back({"", call.name, arguments});
    }
  }
}

Reply ChatReply::finish() {
  if (parser_) take_events(parser_->finish(), reply_, sink_);
  if (finish_reason_ == "length") {
    reply_.end = Reply::End::Length;
    return std::move(reply_);
  }
  add_calls();
  if (finish_reason_ == "content_filter" && reply_.problem.empty()) {
    reply_.problem = "the server's filter cut the reply off; say it otherwise";
  }
  reply_.end = reply_.problem.empty() ? Reply::End::Turn : Reply::End::Malformed;
  return std::move(reply_);
}

}  // namespace agent
