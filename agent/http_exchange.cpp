#include "agent/http_exchange.h"

#include <curl/curl.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <exception>
#include <memory>
#include <mutex>

#include "tools/ascii.h"

namespace agent {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr int kGlance_ms = 200;  // between two looks at the clock; a stop wakes at once
constexpr std::size_t kMostOtherBytes = 64 * 1024;

struct EasyDeleter {
  void operator()(CURL* handle) const { curl_easy_cleanup(handle); }
};
struct MultiDeleter {
  void operator()(CURLM* handle) const { curl_multi_cleanup(handle); }
};
struct ListDeleter {
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};

struct Transfer {
  const HttpRequest& request;
  const BodyTaker& take;
  HttpAnswer answer;
  std::int64_t n_bytes = 0;
  bool has_enough = false;
  std::exception_ptr thrown = {};  // by the taker: it must not pass through curl
  steady_clock::time_point last_byte = steady_clock::now();
};

std::string trimmed_value(const std::string& line, std::size_t from) {
  const std::size_t first = line.find_first_not_of(" \t", from), last = line.find_last_not_of(" \t\r\n");
  return first == std::string::npos || first > last ? "" : line.substr(first, last - first + 1);
}

std::size_t take_header(char* bytes, std::size_t size, std::size_t count, void* context) {
  Transfer& transfer = *static_cast<Transfer*>(context);
  transfer.last_byte = steady_clock::now();
  const std::string line(bytes, size * count);
  HttpAnswer& answer = transfer.answer;
  if (line.starts_with("HTTP/")) {
    const std::size_t space = line.find(' ');
    answer.status = space == std::string::npos ? 0 : std::atoi(line.c_str() + space);
  }
  const std::size_t colon = line.find(':');
  if (colon == std::string::npos) return size * count;
  const std::string name = tools::ascii_lower(line.substr(0, colon)), value = trimmed_value(line, colon + 1);
  if (name == "content-type")
    answer.content_type = trimmed_value(tools::ascii_lower(value.substr(0, value.find(';'))), 0);
  if (name == "location") answer.location = value;
  if (name == "retry-after") {
    constexpr double kLongest_seconds = 1e9;
    double seconds = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), seconds);
    if (error == std::errc() && end == value.data() + value.size() && seconds >= 0) {
      answer.retry_after_seconds = std::min(seconds, kLongest_seconds);
    }
  }
  return size * count;
}

std::size_t take_body(char* bytes, std::size_t size, std::size_t count, void* context) {
  Transfer& transfer = *static_cast<Transfer*>(context);
  transfer.last_byte = steady_clock::now();
  const std::string_view piece(bytes, size * count);
  if (transfer.answer.status < 200 || transfer.answer.status > 299) {
    std::string& other = transfer.answer.other_body;
    other.append(piece.substr(0, kMostOtherBytes - other.size()));
    transfer.has_enough = other.size() == kMostOtherBytes;
    return transfer.has_enough ? 0 : piece.size();
  }
  transfer.n_bytes += static_cast<std::int64_t>(piece.size());
  if (transfer.n_bytes > transfer.request.max_bytes) return 0;
  try {
    transfer.has_enough = !transfer.take(piece);
  } catch (...) {
    transfer.thrown = std::current_exception();
    return 0;
  }
  return transfer.has_enough ? 0 : piece.size();
}

void set_up(CURL* handle, Transfer& transfer, const curl_slist* headers) {
  const HttpRequest& request = transfer.request;
  curl_easy_setopt(handle, CURLOPT_URL, request.url.c_str());
  curl_easy_setopt(handle, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(handle, CURLOPT_FOLLOWLOCATION, 0L);  // the key is for this server only
  curl_easy_setopt(handle, CURLOPT_HTTPHEADER, headers);
  if (request.body) {
    curl_easy_setopt(handle, CURLOPT_POST, 1L);
    curl_easy_setopt(handle, CURLOPT_POSTFIELDS, request.body->data());
    curl_easy_setopt(handle, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body->size()));
  }
  curl_easy_setopt(handle, CURLOPT_HEADERFUNCTION, take_header);
  curl_easy_setopt(handle, CURLOPT_HEADERDATA, &transfer);
  curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, take_body);
  curl_easy_setopt(handle, CURLOPT_WRITEDATA, &transfer);
  curl_easy_setopt(handle, CURLOPT_ACCEPT_ENCODING, "");
  curl_easy_setopt(handle, CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(request.connect_limit.count()));
  curl_easy_setopt(handle, CURLOPT_TCP_KEEPALIVE, 1L);
  curl_easy_setopt(handle, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(handle, CURLOPT_QUICK_EXIT, 1L);
  curl_easy_setopt(handle, CURLOPT_USERAGENT, "Deskhand/0.1");
}

HttpAnswer::End end_of(CURLcode code, const Transfer& transfer) {
  if (transfer.has_enough) return HttpAnswer::End::Enough;
  if (transfer.n_bytes > transfer.request.max_bytes) return HttpAnswer::End::TooLarge;
  switch (code) {
    case CURLE_OK:
      return HttpAnswer::End::Complete;
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_RESOLVE_PROXY:
    case CURLE_COULDNT_CONNECT:
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CONNECT_ERROR:
      return HttpAnswer::End::Unreachable;
    case CURLE_OPERATION_TIMEDOUT:
      return HttpAnswer::End::Unreachable;  // only connecting has a limit of curl's
    default:
      return HttpAnswer::End::Lost;
  }
}

// Runs the transfer to its end, or to a stop or too long a silence.
void perform(CURL* handle, Transfer& transfer, const std::stop_token& stop) {
  const std::unique_ptr<CURLM, MultiDeleter> multi(curl_multi_init());
  curl_multi_add_handle(multi.get(), handle);
  const std::stop_callback wake(stop, [&] { curl_multi_wakeup(multi.get()); });
  HttpAnswer& answer = transfer.answer;
  for (int n_running = 1; n_running > 0;) {
    if (stop.stop_requested()) {
      answer.end = HttpAnswer::End::Stopped;
      break;
    }
    if (steady_clock::now() - transfer.last_byte > transfer.request.silence_limit) {
      answer.end = HttpAnswer::End::Silent;
      answer.problem =
          "nothing came from it for " + std::to_string(transfer.request.silence_limit.count() / 1000) + " s";
      break;
    }
    curl_multi_perform(multi.get(), &n_running);
    if (n_running > 0) curl_multi_poll(multi.get(), nullptr, 0, kGlance_ms, nullptr);
    int n_left = 0;
    while (const CURLMsg* message = curl_multi_info_read(multi.get(), &n_left)) {
      if (message->msg != CURLMSG_DONE) continue;
      answer.end = end_of(message->data.result, transfer);
      answer.problem = curl_easy_strerror(message->data.result);
    }
  }
  curl_multi_remove_handle(multi.get(), handle);
}

}  // namespace

HttpAnswer exchange(const HttpRequest& request, const BodyTaker& take, const std::stop_token& stop) {
  static std::once_flag is_set_up;
  std::call_once(is_set_up, [] { curl_global_init(CURL_GLOBAL_DEFAULT); });
  Transfer transfer{request, take, {}};
  curl_slist* list = nullptr;
  for (const std::string& header : request.headers) list = curl_slist_append(list, header.c_str());
  list = curl_slist_append(list, "Expect:");  // no waiting for a "100 Continue" before a large body
  const std::unique_ptr<curl_slist, ListDeleter> headers(list);
  const std::unique_ptr<CURL, EasyDeleter> handle(curl_easy_init());
  set_up(handle.get(), transfer, headers.get());
  perform(handle.get(), transfer, stop);
  if (transfer.thrown) std::rethrow_exception(transfer.thrown);
  return std::move(transfer.answer);
}

}  // namespace agent
