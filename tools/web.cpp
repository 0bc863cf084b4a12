#include "tools/web.h"

#include <curl/curl.h>
#include <iconv.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <mutex>
#include <optional>

#include "tools/ascii.h"
#include "tools/html_text.h"
#include "tools/output_excerpt.h"
#include "tools/public_address.h"
#include "tools/text_lines.h"

namespace tools {
namespace {

using std::chrono::steady_clock;

constexpr int kGlance_ms = 25;  // between two looks at the stop token

struct EasyDeleter {
  void operator()(CURL* handle) const { curl_easy_cleanup(handle); }
};
struct MultiDeleter {
  void operator()(CURLM* handle) const { curl_multi_cleanup(handle); }
};
struct UrlDeleter {
  void operator()(CURLU* handle) const { curl_url_cleanup(handle); }
};

struct Fetch {
  const WebOptions& options;
  std::string body;
  bool is_too_large = false;
  std::string refused_address;
};

// Called for each connection with the resolved address, just before it is made.
curl_socket_t open_public_socket(void* context, curlsocktype, curl_sockaddr* address) {
  Fetch& fetch = *static_cast<Fetch*>(context);
  const std::string text = address_text(address->addr);
  const auto& allowed = fetch.options.allowed_addresses;
  if (!is_public_address(address->addr) && std::find(allowed.begin(), allowed.end(), text) == allowed.end()) {
    fetch.refused_address = text;
    return CURL_SOCKET_BAD;
  }
  return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

size_t take_body(char* bytes, size_t size, size_t count, void* context) {
  Fetch& fetch = *static_cast<Fetch*>(context);
  const size_t n_bytes = size * count, room = fetch.options.max_bytes - fetch.body.size();
  fetch.body.append(bytes, std::min(n_bytes, room));
  fetch.is_too_large = n_bytes > room;
  return fetch.is_too_large ? 0 : n_bytes;
}

// Why the address can't be fetched at all.
std::optional<std::string> problem_with_url(const std::string& url) {
  const std::unique_ptr<CURLU, UrlDeleter> parsed(curl_url());
  if (!parsed || curl_url_set(parsed.get(), CURLUPART_URL, url.c_str(), CURLU_NON_SUPPORT_SCHEME) != CURLUE_OK)
    return "\"" + url + "\" isn't an address; it starts with http:// or https://";
  const auto part = [&](CURLUPart which) {
    char* text = nullptr;
    std::string result;
    if (curl_url_get(parsed.get(), which, &text, 0) == CURLUE_OK) result = text;
    curl_free(text);
    return result;
  };
  const std::string scheme = part(CURLUPART_SCHEME);
  if (scheme != "http" && scheme != "https") return "only http and https can be fetched, not " + scheme;
  if (!part(CURLUPART_USER).empty() || !part(CURLUPART_PASSWORD).empty())
    return "addresses with a user name or password aren't fetched";
  return std::nullopt;
}

void set_up(CURL* handle, const std::string& url, Fetch& fetch) {
  curl_easy_setopt(handle, CURLOPT_URL, url.c_str());
  curl_easy_setopt(handle, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(handle, CURLOPT_REDIR_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(handle, CURLOPT_FOLLOWLOCATION, 1L);
  curl_easy_setopt(handle, CURLOPT_MAXREDIRS, static_cast<long>(fetch.options.max_redirects));
  curl_easy_setopt(handle, CURLOPT_OPENSOCKETFUNCTION, open_public_socket);
  curl_easy_setopt(handle, CURLOPT_OPENSOCKETDATA, &fetch);
  // A proxy would resolve names itself, out of reach of the check above.
  curl_easy_setopt(handle, CURLOPT_PROXY, "");
  curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, take_body);
  curl_easy_setopt(handle, CURLOPT_WRITEDATA, &fetch);
  curl_easy_setopt(handle, CURLOPT_ACCEPT_ENCODING, "");
  curl_easy_setopt(handle, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(handle, CURLOPT_QUICK_EXIT, 1L);
  curl_easy_setopt(handle, CURLOPT_TIMEOUT_MS, static_cast<long>(fetch.options.limit.count()));
  curl_easy_setopt(handle, CURLOPT_USERAGENT, "Deskhand/0.1");
}

// Runs the transfer; none when it was stopped.
std::optional<CURLcode> perform(CURL* handle, const std::stop_token& stop) {
  const std::unique_ptr<CURLM, MultiDeleter> multi(curl_multi_init());
  curl_multi_add_handle(multi.get(), handle);
  std::optional<CURLcode> result;
  for (int n_running = 1; n_running > 0 && !stop.stop_requested();) {
    curl_multi_perform(multi.get(), &n_running);
    if (n_running > 0) curl_multi_poll(multi.get(), nullptr, 0, kGlance_ms, nullptr);
    int n_left = 0;
    while (const CURLMsg* message = curl_multi_info_read(multi.get(), &n_left))
      if (message->msg == CURLMSG_DONE) result = message->data.result;
  }
  curl_multi_remove_handle(multi.get(), handle);
  return result;
}

// The character set that the header, or else the page's own head, names; "" when none does.
std::string charset_of(const std::string& content_type, std::string_view body) {
  for (const std::string& text : {ascii_lower(content_type), ascii_lower(std::string(body.substr(0, 2048)))}) {
    size_t start = text.find("charset=");
    if (start == std::string::npos) continue;
    start += 8;
    while (start < text.size() && (text[start] == '"' || text[start] == '\'')) ++start;
    const size_t end = text.find_first_of("\"'; />\t\r\n", start);
    return text.substr(start, end == std::string::npos ? end : end - start);
  }
  return "";
}

// To UTF-8; bytes that don't belong to the set become U+FFFD. None when the set is unknown.
std::optional<std::string> to_utf8(const std::string& charset, std::string bytes) {
  const iconv_t converter = iconv_open("UTF-8", charset.c_str());
  if (converter == reinterpret_cast<iconv_t>(-1)) return std::nullopt;
  std::string result;
  char* in = bytes.data();
  size_t n_in = bytes.size();
  while (n_in > 0) {
    char part[4096];
    char* out = part;
    size_t n_out = sizeof part;
    const bool is_broken = iconv(converter, &in, &n_in, &out, &n_out) == static_cast<size_t>(-1) && n_out > 16;
    result.append(part, sizeof part - n_out);
    if (is_broken) {
      result += "\xEF\xBF\xBD";
      ++in, --n_in;
    }
  }
  iconv_close(converter);
  return result;
}

std::string readable_text(const std::string& content_type, std::string body) {
  const std::string charset = charset_of(content_type, body);
  if (!charset.empty() && charset != "utf-8" && charset != "utf8") {
    if (auto converted = to_utf8(charset, body)) body = std::move(*converted);
  }
  if (!is_utf8(body)) body = to_utf8("WINDOWS-1252", std::move(body)).value_or("");
  const std::string start = ascii_lower(body.substr(0, 512));
  const bool is_html = content_type.find("html") != std::string::npos ||
                       (content_type.empty() && (start.find("<html") != std::string::npos ||
                                                 start.find("<!doctype html") != std::string::npos));
  if (!is_html) return body;
  const PageText page = html_text(body);
  return (page.title.empty() ? "" : "Title: " + page.title + "\n\n") + page.text;
}

bool is_text_type(const std::string& type) {
  if (type.empty() || type.starts_with("text/")) return true;
  for (const char* word : {"json", "xml", "javascript", "yaml", "html", "x-www-form-urlencoded", "toml"})
    if (type.find(word) != std::string::npos) return true;
  return false;
}

std::string failure_text(CURLcode code, const Fetch& fetch, const std::string& url) {
  if (!fetch.refused_address.empty())
    return url + " leads to " + fetch.refused_address +
           ", which isn't in the open internet; such addresses aren't fetched";
  if (fetch.is_too_large)
    return url + " is larger than " + std::to_string(fetch.options.max_bytes) + " bytes, the limit";
  if (code == CURLE_OPERATION_TIMEDOUT)
    return url + " didn't answer in full within " + std::to_string(fetch.options.limit.count() / 1000) + " s";
  return url + " can't be fetched: " + curl_easy_strerror(code);
}

}  // namespace

WebReply fetch(const std::string& url, const WebOptions& options, std::stop_token stop) {
  static std::once_flag is_set_up;
  std::call_once(is_set_up, [] { curl_global_init(CURL_GLOBAL_DEFAULT); });
  WebReply reply;
  reply.url = url;
  if (const auto problem = problem_with_url(url)) {
    reply.text = *problem;
    return reply;
  }
  Fetch fetch{options, {}, false, {}};
  const std::unique_ptr<CURL, EasyDeleter> handle(curl_easy_init());
  set_up(handle.get(), url, fetch);
  const auto code = perform(handle.get(), stop);
  char* text = nullptr;
  if (curl_easy_getinfo(handle.get(), CURLINFO_EFFECTIVE_URL, &text) == CURLE_OK && text) reply.url = text;
  if (curl_easy_getinfo(handle.get(), CURLINFO_CONTENT_TYPE, &text) == CURLE_OK && text)
    reply.content_type = ascii_lower(text);
  curl_easy_getinfo(handle.get(), CURLINFO_RESPONSE_CODE, &reply.status);
  reply.n_bytes = fetch.body.size();
  if (!code) {
    reply.text = "stopped";
  } else if (*code != CURLE_OK) {
    reply.text = failure_text(*code, fetch, reply.url);
  } else if (!is_text_type(reply.content_type) ||
             detect_encoding(std::string_view(fetch.body).substr(0, 4096)) == Encoding::Binary) {
    reply.text = reply.url + " is " + (reply.content_type.empty() ? "binary" : reply.content_type) + ", not text";
  } else {
    reply.ok = reply.status < 400;
    OutputExcerpt excerpt({options.max_text_bytes * 3 / 4, options.max_text_bytes / 4});
    excerpt.add(readable_text(reply.content_type, std::move(fetch.body)));
    reply.text = excerpt.text(reply.url);
  }
  return reply;
}

namespace {

class WebTool : public Tool {
 public:
  explicit WebTool(WebOptions options) : options_(std::move(options)) {}

  ToolSpec spec() const override {
    return {"web_fetch",
            "Fetches a public web page or text file and gives its text.",
            {{"type", "object"},
             {"properties", {{"url", {{"type", "string"}, {"description", "http:// or https://"}}}}},
             {"required", {"url"}},
             {"additionalProperties", false}}};
  }
  Effect effect(const ToolCall&) const override { return Effect::Network; }

  ToolResult run(const ToolCall& call, std::stop_token stop) override {
    const WebReply reply = fetch(call.arguments.at("url"), options_, stop);
    std::string text = reply.url;
    if (reply.status > 0) text += " (HTTP " + std::to_string(reply.status) + ")";
    nlohmann::json details{
        {"url", reply.url}, {"status", reply.status}, {"content_type", reply.content_type}, {"n_bytes", reply.n_bytes}};
    return {reply.ok, text + "\n\n" + reply.text, {}, {}, std::move(details)};
  }

 private:
  WebOptions options_;
};

}  // namespace

std::unique_ptr<Tool> make_web_tool(WebOptions options) {
  return std::make_unique<WebTool>(std::move(options));
}

}  // namespace tools
