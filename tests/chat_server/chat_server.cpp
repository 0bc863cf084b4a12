#include "tests/chat_server/chat_server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <stdexcept>

namespace chat_server {
namespace {

using nlohmann::json;

// Reads one request; false: the client went away first.
bool read_request(int fd, Request& request) {
  std::string bytes;
  char buffer[65536];
  std::size_t header_end = std::string::npos, n_body = 0;
  while (header_end == std::string::npos || bytes.size() < header_end + 4 + n_body) {
    const ssize_t n = ::recv(fd, buffer, sizeof(buffer), 0);
    if (n <= 0) return false;
    bytes.append(buffer, static_cast<std::size_t>(n));
    if (header_end != std::string::npos) continue;
    header_end = bytes.find("\r\n\r\n");
    if (header_end == std::string::npos) continue;
    std::size_t at = bytes.find("\r\n");
    const std::string first = bytes.substr(0, at);
    request.method = first.substr(0, first.find(' '));
    request.path = first.substr(first.find(' ') + 1);
    request.path = request.path.substr(0, request.path.find(' '));
    while (at < header_end) {
      const std::size_t end = bytes.find("\r\n", at + 2);
      const std::string line = bytes.substr(at + 2, end - at - 2);
      std::string name = line.substr(0, line.find(':'));
      std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
      if (line.find(": ") != std::string::npos) request.headers[name] = line.substr(line.find(": ") + 2);
      at = end;
    }
    n_body = static_cast<std::size_t>(std::atol(request.headers["content-length"].c_str()));
  }
  request.body = bytes.substr(header_end + 4, n_body);
  return true;
}

}  // namespace

bool Connection::send(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (n <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

void Connection::send_http(int status, const std::string& type, std::string_view body,
                           const std::string& more_headers) {
  send("HTTP/1.1 " + std::to_string(status) + " Whatever\r\nContent-Type: " + type +
       "\r\nContent-Length: " + std::to_string(body.size()) + "\r\nConnection: close\r\n" + more_headers + "\r\n");
  send(body);
}

void Connection::begin_stream(const std::string& type) {
  send("HTTP/1.1 200 OK\r\nContent-Type: " + type + "\r\nConnection: close\r\n\r\n");
}

void Connection::send_event(const json& data) {
  send("data: " + data.dump() + "\n\n");
}

bool Connection::wait_until_gone(int limit_ms) {
  pollfd polled = {fd_, POLLIN | POLLRDHUP, 0};
  if (::poll(&polled, 1, limit_ms) <= 0) return false;
  char byte = 0;
  return (polled.revents & (POLLHUP | POLLERR | POLLRDHUP)) != 0 || ::recv(fd_, &byte, 1, MSG_PEEK) <= 0;
}

ChatServer::ChatServer() {
  listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  if (::bind(listener_, reinterpret_cast<sockaddr*>(&address), size) != 0 || ::listen(listener_, 16) != 0 ||
      ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size) != 0) {
    throw std::runtime_error("the tests' server can't listen");
  }
  port_ = ntohs(address.sin_port);
  models_ = [](const Request&, Connection& connection) {
    connection.send_http(200, "application/json",
                         json{{"object", "list"}, {"data", {{{"id", "scripted"}, {"max_model_len", 100000}}}}}.dump());
  };
  thread_ = std::thread([this] { serve(); });
}

ChatServer::~ChatServer() {
  {
    const std::lock_guard lock(mutex_);
    is_closing_ = true;
    for (const int fd : open_fds_) ::shutdown(fd, SHUT_RDWR);
  }
  ::shutdown(listener_, SHUT_RDWR);
  thread_.join();
  for (std::thread& thread : answering_) thread.join();
  ::close(listener_);
}

void ChatServer::then(Handler handler) {
  const std::lock_guard lock(mutex_);
  handlers_.push_back(std::move(handler));
}

void ChatServer::models(Handler handler) {
  const std::lock_guard lock(mutex_);
  models_ = std::move(handler);
}

std::vector<Request> ChatServer::requests() const {
  const std::lock_guard lock(mutex_);
  return requests_;
}

json ChatServer::request_json(std::size_t index) const {
  return json::parse(requests().at(index).body);
}

void ChatServer::wait_for_requests(std::size_t n) const {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, std::chrono::seconds(20), [&] { return requests_.size() >= n; });
}

void ChatServer::serve() {
  while (true) {
    const int fd = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    const std::lock_guard lock(mutex_);
    if (fd < 0 || is_closing_) {
      if (fd >= 0) ::close(fd);
      return;
    }
    open_fds_.push_back(fd);
    answering_.emplace_back([this, fd] { answer(fd); });
  }
}

void ChatServer::answer(int fd) {
  Request request;
  if (read_request(fd, request)) {
    Handler handler = says("Done.");
    {
      const std::lock_guard lock(mutex_);
      if (request.method == "GET") {
        handler = models_;
      } else {
        requests_.push_back(request);
        if (!handlers_.empty()) {
          handler = std::move(handlers_.front());
          handlers_.pop_front();
        }
      }
    }
    changed_.notify_all();
    Connection connection(fd);
    handler(request, connection);
  }
  const std::lock_guard lock(mutex_);
  std::erase(open_fds_, fd);
  ::close(fd);
}

json delta(const json& fields, const json& finish_reason) {
  return {{"object", "chat.completion.chunk"},
          {"choices", {{{"index", 0}, {"delta", fields}, {"finish_reason", finish_reason}}}}};
}

Handler says(const std::string& text) {
  return [text](const Request&, Connection& connection) {
    connection.begin_stream();
    connection.send_event(delta({{"role", "assistant"}, {"content", ""}}));
    connection.send_event(delta({{"content", text}}));
    connection.send_event(delta(json::object(), "stop"));
    connection.send_done();
  };
}

Handler calls(const std::string& tool, const json& arguments) {
  return [tool, arguments](const Request&, Connection& connection) {
    const std::string text = arguments.dump();
    const auto piece = [&](const json& function) {
      return delta({{"tool_calls", {{{"index", 0}, {"function", function}}}}});
    };
    connection.begin_stream();
    connection.send_event(
        delta({{"tool_calls", {{{"index", 0}, {"id", "c1"}, {"type", "function"}, {"function", {{"name", tool}}}}}}}));
    connection.send_event(piece({{"arguments", text.substr(0, text.size() / 2)}}));
    connection.send_event(piece({{"arguments", text.substr(text.size() / 2)}}));
    connection.send_event(delta(json::object(), "tool_calls"));
    connection.send_done();
  };
}

}  // namespace chat_server
