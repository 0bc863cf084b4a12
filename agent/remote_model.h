#pragma once
// A model behind any OpenAI-compatible chat endpoint: vLLM, SGLang, llama.cpp, hosted ones. Answers are streamed, busy
// or lost servers are asked again, and a stop ends the wait at once.

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "agent/error.h"
#include "agent/model.h"

namespace agent {

// "http://localhost:8000/v1#name": what stands before # is where /chat/completions and /models are; without a path that
// is /v1.
struct Endpoint {
  std::string base_url;  // without a slash at the end
  std::string host;      // with its port, when it has one
  std::string model;     // empty: the only one that the server has
};
bool is_endpoint(const std::string& text);         // starts with http:// or https://
Endpoint parse_endpoint(const std::string& text);  // throws Error

struct RemoteModelOptions {
  Endpoint endpoint;
  std::optional<std::string> key = {};  // sent to this server only, and nowhere shown
  std::int64_t max_reply_tokens = 32 * 1024;
  std::int64_t max_reply_bytes = 64 << 20;     // as sent by the server
  std::int64_t max_picture_bytes = 24 << 20;   // of all pictures in one request; older ones are left out
  int max_attempts = 8;                        // for one reply
  std::chrono::milliseconds first_pause{500};  // before the second attempt, doubled each time up to 30 s
  std::chrono::milliseconds silence_limit{300'000};
};

struct ServedModel {
  std::string name;
  std::int64_t context_tokens = 0;  // 0: the server doesn't say
};
// What the server has. Throws Error; an empty list when stopped.
std::vector<ServedModel> list_served_models(const RemoteModelOptions& options, const std::stop_token& stop = {});

class OpeningStopped : public Error {
 public:
  using Error::Error;
};
// Asks the server what it has. Throws OpeningStopped when stopped, else Error saying what is wrong and what to do.
std::unique_ptr<Model> open_remote_model(RemoteModelOptions options, const std::stop_token& stop = {});

// The transcript as such an endpoint wants it: arguments as strings, the pictures of results in a message of the user
// after them, as `picture_url` gives them (empty: left out).
nlohmann::ordered_json openai_messages(const Transcript& transcript,
                                       const std::function<std::string(const Picture&)>& picture_url);

}  // namespace agent
