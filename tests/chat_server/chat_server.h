#pragma once
// A real HTTP server on this machine that answers like an OpenAI-compatible chat endpoint, or as badly as a test wants:
// it stalls, cuts, babbles, refuses.

#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace chat_server {

struct Request {
  std::string method, path, body;
  std::map<std::string, std::string> headers;  // names in lower case
};

// The answering side of one connection.
class Connection {
 public:
  explicit Connection(int fd) : fd_(fd) {}
  bool send(std::string_view bytes);  // false: the client is gone
  void send_http(int status, const std::string& type, std::string_view body, const std::string& more_headers = "");
  void begin_stream(const std::string& type = "text/event-stream");
  void send_event(const nlohmann::json& data);
  void send_done() { send("data: [DONE]\n\n"); }
  bool wait_until_gone(int limit_ms = 20'000);  // for the client to hang up; false: it didn't

 private:
  int fd_;
};

using Handler = std::function<void(const Request&, Connection&)>;

class ChatServer {
 public:
  ChatServer();
  ~ChatServer();
  ChatServer(const ChatServer&) = delete;
  ChatServer& operator=(const ChatServer&) = delete;

  int port() const { return port_; }
  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }

  // What the next chat request gets; without any it is answered with "Done.".
  void then(Handler handler);
  void models(Handler handler);  // what GET /v1/models gets, instead of one model "scripted"

  std::vector<Request> requests() const;  // of the chat
  nlohmann::json request_json(std::size_t index) const;
  void wait_for_requests(std::size_t n) const;

 private:
  void serve();
  void answer(int fd);

  int listener_ = -1, port_ = 0;
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  std::deque<Handler> handlers_;
  Handler models_;
  std::vector<Request> requests_;
  std::vector<std::thread> answering_;
  std::vector<int> open_fds_;
  bool is_closing_ = false;
  std::thread thread_;
};

// Chunks of a stream.
nlohmann::json delta(const nlohmann::json& fields, const nlohmann::json& finish_reason = nullptr);
// Whole answers, streamed.
Handler says(const std::string& text);
Handler calls(const std::string& tool, const nlohmann::json& arguments);

}  // namespace chat_server
