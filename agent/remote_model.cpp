#include "agent/remote_model.h"

#include <algorithm>
#include <condition_variable>
#include <map>
#include <mutex>

#include "agent/calibration.h"
#include "agent/chat_reply.h"
#include "agent/credentials.h"
#include "agent/error.h"
#include "agent/http_exchange.h"
#include "agent/picture_cache.h"
#include "agent/redaction.h"
#include "agent/reply_events.h"
#include "agent/sse_reader.h"
#include "tools/ascii.h"

namespace agent {
namespace {

using nlohmann::ordered_json;
using std::chrono::milliseconds;
using End = HttpAnswer::End;

constexpr milliseconds kLongestPause{30'000};
constexpr milliseconds kListPatience{30'000};  // of a server that is asked what it has
constexpr double kLongestRetryAfter_seconds = 300;

bool is_transient(int status) {
  return status == 408 || status == 425 || status == 429 || (status >= 500 && status != 501 && status != 505);
}

// What servers say when the conversation is too long for them, in lower case.
bool says_context_full(const HttpAnswer& answer, std::string_view said) {
  if (answer.status == 413) return true;
  const std::string message = tools::ascii_lower(said);
  for (const char* phrase : {"context length", "context_length", "context size", "context_size", "maximum context",
                             "context window", "too many images", "image(s) may be provided"}) {
    if (message.find(phrase) != std::string::npos) return true;
  }
  return false;
}

// False: stopped meanwhile.
bool wait_for(milliseconds time, const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any never;
  std::unique_lock lock(mutex);
  never.wait_for(lock, stop, time, [] { return false; });
  return !stop.stop_requested();
}

// What all requests to one server share.
class Server {
 public:
  explicit Server(const RemoteModelOptions& options) : options_(options) {
    if (options.key) redaction_.add("key", *options.key);
  }

  HttpRequest request(const std::string& path, std::optional<std::string> body) const {
    HttpRequest request;
    request.url = options_.endpoint.base_url + path;
    request.headers = {"Accept: application/json, text/event-stream"};
    if (body) request.headers.emplace_back("Content-Type: application/json");
    if (options_.key) request.headers.push_back("Authorization: Bearer " + *options_.key);
    request.body = std::move(body);
    request.silence_limit = options_.silence_limit;
    request.max_bytes = options_.max_reply_bytes;
    return request;
  }

  // Why the answer is no success. Servers may repeat the key in their messages: it is cut out.
  std::string problem_with(const HttpAnswer& answer) const {
    const std::string& url = options_.endpoint.base_url;
    if (answer.end == End::Unreachable)
      return url + " can't be reached (" + answer.problem + "): is the server running?";
    if (answer.end == End::TooLarge) {
      return url + " sent more than " + std::to_string(options_.max_reply_bytes) + " bytes for one answer";
    }
    if (answer.end == End::Silent) return url + ": " + answer.problem;
    if (answer.status == 0)
      return url + " answers no HTTP (" + answer.problem + "): is it the address of a model's server?";
    const std::string said = redaction_.text(server_message(answer.other_body));
    const std::string status = " (" + std::to_string(answer.status) + (said.empty() ? "" : ": " + said) + ")";
    const std::string& host = options_.endpoint.host;
    if (answer.status == 401 || answer.status == 403) {
      return url + (options_.key ? " refuses the key" : " wants a key") + status + "; " + how_to_give_key(host);
    }
    if (answer.status >= 300 && answer.status < 400) {
      return url + " sends elsewhere, to " + redaction_.text(answer.location) + "; give that address if it is right";
    }
    if (answer.status == 404) return url + " doesn't know this address or model" + status;
    return url + " answered with an error" + status;
  }

  const RemoteModelOptions& options() const { return options_; }
  std::string without_key(std::string text) const { return redaction_.text(std::move(text)); }

 private:
  RemoteModelOptions options_;
  Redaction redaction_;
};

std::vector<ServedModel> list_models(const Server& server, const std::stop_token& stop) {
  std::string body;
  const auto take = [&](std::string_view piece) {
    body += piece;
    return true;
  };
  HttpRequest request = server.request("/models", std::nullopt);
  request.silence_limit = std::min(request.silence_limit, kListPatience);  // nothing has to be thought about
  const HttpAnswer answer = exchange(request, take, stop);
  if (answer.end == End::Stopped) return {};
  if (answer.end != End::Complete || answer.status / 100 != 2) throw Error(server.problem_with(answer));
  const ordered_json parsed = ordered_json::parse(repaired_utf8(body), nullptr, false);
  if (!parsed.is_object() || !parsed.contains("data") || !parsed["data"].is_array()) {
    throw Error(server.options().endpoint.base_url + "/models answers with " +
                (answer.content_type.empty() ? "something" : answer.content_type) +
                ", not with a list of models: is the address right? It often ends with /v1");
  }
  std::vector<ServedModel> models;
  for (const ordered_json& entry : parsed["data"]) {
    if (!entry.is_object() || !entry.contains("id") || !entry["id"].is_string()) continue;
    ServedModel model{entry["id"].get<std::string>()};
    for (const char* key : {"max_model_len", "context_length", "context_window"}) {
      if (entry.contains(key) && entry[key].is_number_integer()) model.context_tokens = entry[key].get<std::int64_t>();
    }
    models.push_back(std::move(model));
  }
  return models;
}

class RemoteModel final : public Model {
 public:
  RemoteModel(const RemoteModelOptions& options, const ServedModel& served)
      : server_(options), pictures_(options.max_picture_bytes) {
    info_.name = served.name;
    info_.context_tokens = served.context_tokens;
    apply_stored_fit(info_);
  }

  const ModelInfo& info() const override { return info_; }

  Reply reply(const Transcript& transcript, const std::vector<tools::ToolSpec>& specs, const PieceSink& sink,
              std::stop_token stop) override {
    const std::string body = request_body(transcript, specs);
    milliseconds pause = options().first_pause;
    for (int attempt = 1;; ++attempt) {
      Attempt result = ask(body, specs, sink, stop);
      if (result.reply) return std::move(*result.reply);
      if (!result.may_retry) throw Error(result.problem);
      if (attempt >= options().max_attempts) {
        throw Error(result.problem + "; gave up after " + std::to_string(attempt) + " attempts");
      }
      const milliseconds wait =
          result.wanted_pause ? std::max(*result.wanted_pause, milliseconds(1)) : std::min(pause, kLongestPause);
      if (sink) {
        sink({ReplyPiece::Kind::Notice,
              result.problem + "; asking again in " + std::to_string((wait.count() + 999) / 1000) + " s"});
      }
      pause *= 2;
      if (!wait_for(wait, stop)) return Reply{.message = {}, .end = Reply::End::Stopped};
    }
  }

 private:
  struct Attempt {
    std::optional<Reply> reply = {};
    std::string problem = {};
    bool may_retry = false;
    std::optional<milliseconds> wanted_pause = {};  // by the server
  };

  const RemoteModelOptions& options() const { return server_.options(); }

  std::string request_body(const Transcript& transcript, const std::vector<tools::ToolSpec>& specs) {
    pictures_.plan(render(transcript).pictures);
    ordered_json request = {
        {"model", info_.name},
        {"messages", openai_messages(transcript, [&](const Picture& picture) { return pictures_.data_url(picture); })},
        {"stream", true},
        {"stream_options", {{"include_usage", true}}}};
    if (!specs.empty()) request["tools"] = render_tools(specs);
    return request.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
  }

  Attempt ask(const std::string& body, const std::vector<tools::ToolSpec>& specs, const PieceSink& sink,
              const std::stop_token& stop) {
    const auto start = std::chrono::steady_clock::now();
    std::optional<std::chrono::steady_clock::time_point> first_byte;
    ChatReply chat(schemas_of(specs), sink);
    SseReader events;
    std::string whole;  // of a server that doesn't stream
    bool is_done = false;
    const auto take_event = [&](const std::string& data) {
      if (data == "[DONE]") {
        is_done = true;
      } else if (!data.empty()) {
        chat.take(data);
      }
      return !is_done && !chat.server_error() && chat.n_pieces() < options().max_reply_tokens;
    };
    const auto take = [&](std::string_view piece) {
      if (!first_byte) first_byte = std::chrono::steady_clock::now();
      if (!whole.empty() || piece.starts_with('{')) {
        whole += piece;
        return true;
      }
      const std::vector<std::string> complete = events.push(piece);
      return std::all_of(complete.begin(), complete.end(), take_event);
    };
    HttpAnswer answer;
    try {
      answer = exchange(server_.request("/chat/completions", body), take, stop);
      if (answer.end == End::Complete && answer.status / 100 == 2) take_event(whole.empty() ? events.rest() : whole);
    } catch (const Error& error) {
      return {.problem = options().endpoint.base_url + ": " + server_.without_key(error.what())};
    }
    Attempt attempt = judge(answer, chat, is_done);
    if (attempt.reply) {
      const auto end = std::chrono::steady_clock::now();
      attempt.reply->usage.prefill_seconds = std::chrono::duration<double>(first_byte.value_or(end) - start).count();
      attempt.reply->usage.decode_seconds = std::chrono::duration<double>(end - first_byte.value_or(end)).count();
    }
    return attempt;
  }

  Attempt judge(const HttpAnswer& answer, ChatReply& chat, bool is_done) const {
    const bool is_success = answer.status / 100 == 2;
    if (answer.end == End::Stopped) return ended(chat, Reply::End::Stopped);
    if (is_success && answer.end == End::TooLarge) return {.problem = server_.problem_with(answer)};
    if (is_success && chat.server_error()) return refused(answer, *chat.server_error(), true);
    if (is_success && chat.n_pieces() >= options().max_reply_tokens) return ended(chat, Reply::End::Length);
    if (is_success && (is_done || chat.is_finished())) return {.reply = counted(chat)};
    const std::string& url = options().endpoint.base_url;
    if (is_success && answer.end == End::Complete && answer.content_type.find("json") == std::string::npos &&
        answer.content_type != "text/event-stream") {
      return {.problem = url + " answers with " + (answer.content_type.empty() ? "no type" : answer.content_type) +
                         ", not as a chat endpoint: is the address right? It often ends with /v1"};
    }
    if (is_success && answer.end != End::Silent) {
      return {.problem = url + " ended in the middle of the reply", .may_retry = true};
    }
    if (answer.end != End::Complete && answer.end != End::Enough) {
      return {.problem = server_.problem_with(answer), .may_retry = true};
    }
    return refused(answer, server_message(answer.other_body), is_transient(answer.status));
  }

  // The server said no.
  Attempt refused(const HttpAnswer& answer, const std::string& message, bool may_retry) const {
    const std::string said = server_.without_key(message);
    if (says_context_full(answer, said))
      throw ContextFull("the conversation is too long for " + info_.name + ": " + said);
    Attempt attempt;
    attempt.problem =
        answer.status / 100 == 2 ? options().endpoint.base_url + " broke off: " + said : server_.problem_with(answer);
    attempt.may_retry = may_retry;
    if (answer.retry_after_seconds && *answer.retry_after_seconds > kLongestRetryAfter_seconds) {
      attempt.may_retry = false;
      attempt.problem += "; it wants to be left alone for " +
                         std::to_string(static_cast<std::int64_t>(*answer.retry_after_seconds)) + " s";
    } else if (answer.retry_after_seconds) {
      attempt.wanted_pause = milliseconds(static_cast<std::int64_t>(*answer.retry_after_seconds * 1000));
    }
    return attempt;
  }

  static Attempt ended(ChatReply& chat, Reply::End end) {
    Reply reply = counted(chat);
    reply.end = end;
    reply.problem.clear();
    if (end == Reply::End::Stopped) reply.message.calls.clear();
    return {.reply = std::move(reply)};
  }

  // Servers that report no usage are counted by their pieces.
  static Reply counted(ChatReply& chat) {
    const std::int64_t n_pieces = chat.n_pieces();
    Reply reply = chat.finish();
    if (reply.usage.reply_tokens == 0) reply.usage.reply_tokens = n_pieces;
    return reply;
  }

  Server server_;
  ModelInfo info_;
  PictureCache pictures_;
};

}  // namespace

bool is_endpoint(const std::string& text) {
  return text.starts_with("http://") || text.starts_with("https://");
}

Endpoint parse_endpoint(const std::string& text) {
  if (!is_endpoint(text)) throw Error("\"" + text + "\" is no address of a server: it starts with http:// or https://");
  Endpoint endpoint;
  const std::size_t hash = text.find('#');
  endpoint.base_url = text.substr(0, hash);
  if (hash != std::string::npos) endpoint.model = text.substr(hash + 1);
  const std::size_t host_start = endpoint.base_url.find("://") + 3;
  while (endpoint.base_url.size() > host_start && endpoint.base_url.ends_with('/')) endpoint.base_url.pop_back();
  const std::size_t path_start = endpoint.base_url.find('/', host_start);
  endpoint.host = endpoint.base_url.substr(host_start, path_start - host_start);
  if (endpoint.host.find('@') != std::string::npos) {
    throw Error("a server's address must not hold a user name or password; " + how_to_give_key("HOST"));
  }
  if (endpoint.host.empty() || endpoint.base_url.find_first_of("? \t\n\"\\") != std::string::npos) {
    throw Error("\"" + text + "\" is no address of a server: expected http://HOST:PORT/v1#MODEL");
  }
  if (path_start == std::string::npos) endpoint.base_url += "/v1";
  return endpoint;
}

std::vector<ServedModel> list_served_models(const RemoteModelOptions& options, const std::stop_token& stop) {
  return list_models(Server(options), stop);
}

std::unique_ptr<Model> open_remote_model(RemoteModelOptions options, const std::stop_token& stop) {
  const std::vector<ServedModel> served = list_served_models(options, stop);
  const std::string& url = options.endpoint.base_url;
  if (stop.stop_requested()) throw OpeningStopped("stopped while " + url + " was asked for its models");
  std::string names;
  for (const ServedModel& model : served) {
    if (model.name == options.endpoint.model) return std::make_unique<RemoteModel>(options, model);
    names += (names.empty() ? "" : ", ") + model.name;
  }
  if (!options.endpoint.model.empty()) {
    throw Error(url + " has no model \"" + options.endpoint.model + "\"; it has " + (names.empty() ? "none" : names));
  }
  if (served.size() == 1) return std::make_unique<RemoteModel>(options, served.front());
  throw Error(served.empty() ? url + " has no model" : url + " has several models: name one after #, of " + names);
}

ordered_json openai_messages(const Transcript& transcript,
                             const std::function<std::string(const Picture&)>& picture_url) {
  RenderedTranscript rendered = render(transcript);
  auto picture = rendered.pictures.begin();
  ordered_json messages = ordered_json::array();
  ordered_json waiting = ordered_json::array();  // pictures of results, until the last result of the reply is said
  const auto send_waiting = [&] {
    if (!waiting.empty()) messages.push_back({{"role", "user"}, {"content", std::move(waiting)}});
    waiting = ordered_json::array();
  };
  for (ordered_json& message : rendered.messages) {
    const bool is_result = message["role"] == "tool";
    if (!is_result) send_waiting();
    if (message.contains("tool_calls")) {
      for (ordered_json& call : message["tool_calls"]) {
        call["function"]["arguments"] = call["function"]["arguments"].dump();
      }
    } else if (message["role"] == "assistant" && message["content"] == "") {
      message["content"] = "(nothing)";  // an empty message is an error to some servers
    }
    if (message["content"].is_array()) {
      ordered_json parts = ordered_json::array();
      std::string text;
      for (ordered_json& part : message["content"]) {
        if (part["type"] == "text") text = part["text"];
        if (part["type"] != "image") {
          parts.push_back(std::move(part));
          continue;
        }
        const std::string url = picture_url(*picture++);
        ordered_json shown = url.empty() ? ordered_json{{"type", "text"}, {"text", "[an earlier picture, left out]"}}
                                         : ordered_json{{"type", "image_url"}, {"image_url", {{"url", url}}}};
        (is_result ? waiting : parts).push_back(std::move(shown));
      }
      message["content"] = is_result ? ordered_json(text) : std::move(parts);
    }
    messages.push_back(std::move(message));
  }
  send_waiting();
  return messages;
}

}  // namespace agent
