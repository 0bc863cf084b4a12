#pragma once
// Puts a reply together from what an OpenAI-compatible chat endpoint sends: the chunks of a stream, or one whole
// completion. Tool calls may come in fragments, as one object, or, from servers that can't read M3's markup, as raw
// text.

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "agent/model.h"
#include "agent/output_parser.h"

namespace agent {

class ChatReply {
 public:
  ChatReply(std::vector<ToolSchema> schemas, PieceSink sink);

  // The data of one event, or a whole completion. Throws Error when it isn't what such an endpoint sends.
  void take(const std::string& json_text);

  bool is_finished() const { return !finish_reason_.empty(); }  // the server has said how the reply ends
  std::int64_t n_pieces() const { return n_pieces_; }           // about one a token
  // What the server reported instead of going on, in its own words.
  const std::optional<std::string>& server_error() const { return server_error_; }

  // The reply, when nothing more comes. Once.
  Reply finish();

 private:
  struct Fragments {
    std::string id, name, arguments;
  };
  void take_choice(const nlohmann::ordered_json& choice);
  void take_call(const nlohmann::ordered_json& call);
  void take_usage(const nlohmann::ordered_json& usage);
  void say_thought(const std::string& text);
  void say_text(const std::string& text);
  void add_calls();

  std::vector<ToolSchema> schemas_;
  PieceSink sink_;
  Reply reply_;
  std::optional<OutputParser> parser_;  // from the first text on
  std::vector<Fragments> calls_;
  std::string finish_reason_;
  std::optional<std::string> server_error_;
  std::int64_t n_pieces_ = 0;
};

// The message in a server's error object, whatever its form; else the beginning of the text. One line.
std::string server_message(const std::string& body);

// Bytes that aren't UTF-8 become U+FFFD.
std::string repaired_utf8(const std::string& bytes);

}  // namespace agent
