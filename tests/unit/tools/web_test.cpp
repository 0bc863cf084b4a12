#include "tools/web.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <thread>

#include "tools/html_text.h"
#include "tools/public_address.h"

namespace tools {
namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;
using testing::HasSubstr;
using testing::Not;

// Answers each path with the bytes it was given; an empty answer is never finished.
class HttpServer {
 public:
  HttpServer() : socket_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    bind(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address);
    listen(socket_, 10);
    socklen_t size = sizeof address;
    getsockname(socket_, reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { serve(); });
  }
  ~HttpServer() {
    shutdown(socket_, SHUT_RDWR);
    thread_.join();
    for (int fd : open_) close(fd);
    close(socket_);
  }

  void answer(const std::string& path, std::string bytes) { answers_[path] = std::move(bytes); }
  void page(const std::string& path, const std::string& type, const std::string& body) {
    answer(path, "HTTP/1.1 200 OK\r\nContent-Type: " + type + "\r\nContent-Length: " + std::to_string(body.size()) +
                     "\r\nConnection: close\r\n\r\n" + body);
  }
  void redirect(const std::string& path, const std::string& to) {
    answer(path, "HTTP/1.1 302 Found\r\nLocation: " + to + "\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
  }
  std::string address() const { return "127.0.0.1:" + std::to_string(port_); }
  std::string url(const std::string& path) const { return "http://" + address() + path; }
  int n_requests() const { return n_requests_; }

 private:
  void serve() {
    for (int client; (client = accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC)) >= 0;) {
      char bytes[4096];
      const ssize_t size = read(client, bytes, sizeof bytes);
      ++n_requests_;
      const std::string request(bytes, size > 0 ? static_cast<size_t>(size) : 0);
      const size_t start = request.find(' ') + 1;
      const auto found = answers_.find(request.substr(start, request.find(' ', start) - start));
      const std::string answer =
          found == answers_.end() ? "HTTP/1.1 404 Not Found\r\nContent-Length: 4\r\n\r\ngone" : found->second;
      if (answer.empty()) {
        open_.push_back(client);
        continue;
      }
      size_t sent = 0;
      for (ssize_t part;
           sent < answer.size() && (part = send(client, answer.data() + sent, answer.size() - sent, MSG_NOSIGNAL)) > 0;)
        sent += static_cast<size_t>(part);
      close(client);
    }
  }

  int socket_, port_ = 0;
  std::map<std::string, std::string> answers_;
  std::vector<int> open_;
  std::atomic<int> n_requests_{0};
  std::thread thread_;
};

class WebTest : public testing::Test {
 protected:
  WebReply get(const std::string& path) { return fetch(server_.url(path), options_, {}); }
  HttpServer server_;
  WebOptions options_{.allowed_addresses = {server_.address()}};
};

TEST_F(WebTest, a_page_becomes_readable_text) {
  server_.page(
      "/", "text/html; charset=utf-8",
      "<!doctype html><html><head><title>A &amp; B</title><style>p{}</style><script>if (a<b) x();</script></head>"
      "<body><h1>Head</h1><p>First  line<br>second</p><ul><li>one<li><a href=\"/two\">two</a></ul>"
      "<table><tr><td>a</td><td>b</td></tr></table><pre>  keep\n  this</pre>&lt;tag&gt; &#8364; 1 < 2</body></html>");
  const WebReply reply = get("/");
  EXPECT_TRUE(reply.ok);
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.text,
            "Title: A & B\n\n# Head\n\nFirst line\nsecond\n\n- one\n- two (/two)\n\na | b\n\n  keep\n  this\n\n<tag> € "
            "1 < 2\n");
}

TEST_F(WebTest, plain_text_comes_as_it_is_and_other_character_sets_as_utf8) {
  server_.page("/t", "text/plain", "a < b\n");
  EXPECT_EQ(get("/t").text, "a < b\n");
  server_.page("/l", "text/plain; charset=ISO-8859-1", "caf\xE9\n");
  EXPECT_EQ(get("/l").text, "café\n");
  server_.page("/j", "text/html", "<meta charset='shift_jis'>\x93\xFA\x96\x7B");
  EXPECT_THAT(get("/j").text, HasSubstr("日本"));
  server_.page("/w", "text/plain", "\x93quoted\x94");
  EXPECT_EQ(get("/w").text, "“quoted”");
}

TEST_F(WebTest, errors_carry_their_status) {
  const WebReply reply = get("/missing");
  EXPECT_FALSE(reply.ok);
  EXPECT_EQ(reply.status, 404);
}

TEST_F(WebTest, redirects_are_followed_but_not_for_ever) {
  server_.page("/end", "text/plain", "arrived");
  server_.redirect("/start", "/end");
  const WebReply reply = get("/start");
  EXPECT_EQ(reply.text, "arrived");
  EXPECT_EQ(reply.url, server_.url("/end"));
  server_.redirect("/loop", "/loop");
  EXPECT_FALSE(get("/loop").ok);
  EXPECT_LE(server_.n_requests(), 10);
}

TEST_F(WebTest, this_machine_and_private_networks_are_not_reached) {
  server_.page("/", "text/plain", "secret");
  options_.allowed_addresses.clear();
  for (const std::string& url :
       {server_.url("/"), "http://localhost:" + server_.address().substr(10) + "/",
        "http://2130706433:" + server_.address().substr(10) + "/",
        "http://0x7f.1:" + server_.address().substr(10) + "/",
        "http://[::ffff:127.0.0.1]:" + server_.address().substr(10) + "/",
        std::string("http://169.254.169.254/latest/meta-data"), std::string("http://10.0.0.1/"),
        std::string("http://[::1]/"), std::string("http://0.0.0.0/")}) {
    const WebReply reply = fetch(url, options_, {});
    EXPECT_FALSE(reply.ok) << url;
    EXPECT_THAT(reply.text, HasSubstr("isn't in the open internet")) << url;
  }
  EXPECT_EQ(server_.n_requests(), 0);
}

TEST_F(WebTest, a_redirect_to_a_private_address_is_not_followed) {
  HttpServer inner;
  inner.page("/", "text/plain", "secret");
  server_.redirect("/", inner.url("/"));
  const WebReply reply = get("/");
  EXPECT_FALSE(reply.ok);
  EXPECT_THAT(reply.text, HasSubstr(inner.address() + ", which isn't in the open internet"));
  EXPECT_EQ(inner.n_requests(), 0);
}

TEST_F(WebTest, only_http_is_spoken) {
  for (const char* url : {"file:///etc/passwd", "ftp://example.org/", "gopher://127.0.0.1:25/x",
                          "http://user:secret@example.org/", "not an address", ""})
    EXPECT_FALSE(fetch(url, options_, {}).ok) << url;
  server_.redirect("/", "file:///etc/passwd");
  const WebReply reply = get("/");
  EXPECT_FALSE(reply.ok);
  EXPECT_THAT(reply.text, Not(HasSubstr("root:")));
}

TEST_F(WebTest, what_is_too_large_or_not_text_is_refused) {
  options_.max_bytes = 100000;
  server_.page("/big", "text/plain", std::string(200000, 'x'));
  EXPECT_THAT(get("/big").text, HasSubstr("larger than 100000 bytes"));
  server_.page("/pic", "image/png", "\x89PNG");
  EXPECT_THAT(get("/pic").text, HasSubstr("image/png, not text"));
  server_.page("/bin", "text/plain", std::string("a\0b", 3));
  EXPECT_THAT(get("/bin").text, HasSubstr("not text"));
}

TEST_F(WebTest, a_long_page_is_cut_with_the_count) {
  server_.page("/", "text/plain", std::string(100000, 'x'));
  const std::string text = get("/").text;
  EXPECT_LT(text.size(), 31000u);
  EXPECT_THAT(text, HasSubstr("bytes cut here"));
}

TEST_F(WebTest, a_silent_server_costs_no_more_than_the_limit) {
  server_.answer("/", "");
  options_.limit = 300ms;
  const auto begin = steady_clock::now();
  EXPECT_THAT(get("/").text, HasSubstr("didn't answer"));
  EXPECT_LT(steady_clock::now() - begin, 2s);
}

TEST_F(WebTest, a_stop_request_ends_the_transfer_at_once) {
  server_.answer("/", "");
  auto soonest = steady_clock::duration::max();  // of some: others may keep the machine busy once
  for (int attempt = 1; attempt <= 3; ++attempt) {
    std::stop_source source;
    steady_clock::time_point asked;
    std::jthread stopper([&] {
      while (server_.n_requests() < attempt) std::this_thread::sleep_for(1ms);
      asked = steady_clock::now();
      source.request_stop();
    });
    const WebReply reply = fetch(server_.url("/"), options_, source.get_token());
    const auto ended = steady_clock::now();
    stopper.join();
    EXPECT_EQ(reply.text, "stopped");
    soonest = std::min(soonest, ended - asked);
  }
  EXPECT_LT(soonest, 100ms);
}

bool is_public(const std::string& text) {
  sockaddr_storage storage{};
  auto* v4 = reinterpret_cast<sockaddr_in*>(&storage);
  auto* v6 = reinterpret_cast<sockaddr_in6*>(&storage);
  if (inet_pton(AF_INET, text.c_str(), &v4->sin_addr) == 1) {
    v4->sin_family = AF_INET;
  } else if (inet_pton(AF_INET6, text.c_str(), &v6->sin6_addr) == 1) {
    v6->sin6_family = AF_INET6;
  } else {
    ADD_FAILURE() << text;
  }
  return is_public_address(reinterpret_cast<sockaddr&>(storage));
}

TEST(PublicAddress, special_ranges_are_told_from_the_open_internet) {
  for (const char* address :
       {"8.8.8.8", "1.1.1.1", "172.15.0.1", "172.32.0.1", "100.63.0.1", "100.128.0.1", "192.167.1.1", "223.255.255.1",
        "2606:4700::1111", "2a00:1450::1", "::ffff:8.8.8.8", "64:ff9b::808:808", "2002:808:808::1"})
    EXPECT_TRUE(is_public(address)) << address;
  for (const char* address : {"0.0.0.0",         "10.1.2.3",         "100.64.0.1",  "127.0.0.1",
                              "127.255.255.254", "169.254.169.254",  "172.16.0.1",  "172.31.255.255",
                              "192.168.0.1",     "192.0.0.1",        "198.18.0.1",  "224.0.0.1",
                              "240.0.0.1",       "255.255.255.255",  "::",          "::1",
                              "fc00::1",         "fd12::1",          "fe80::1",     "ff02::1",
                              "::ffff:10.0.0.1", "::ffff:127.0.0.1", "::127.0.0.1", "64:ff9b::a00:1",
                              "2002:a00:1::",    "2001::1",          "2001:db8::1", "100::1"})
    EXPECT_FALSE(is_public(address)) << address;
}

TEST(HtmlText, broken_pages_do_not_hang_or_crash) {
  for (const std::string& page : {std::string("<a href='x"), std::string("<"), std::string("<!--"),
                                  std::string("<script>"), std::string("</"), std::string("&#xffffffff; &#; &;"),
                                  std::string(100000, '<'), std::string("<title>x"), std::string("<p <p <p>text")})
    html_text(page);
  std::string deep;
  for (int i = 0; i < 50000; ++i) deep += "<script></scrip><div><a href=x>";
  html_text(deep);
}

}  // namespace
}  // namespace tools
