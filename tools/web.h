#pragma once
// Fetches a page of the open web for the model. Off unless the user turns it on. No address of this machine or of a
// private network is ever connected to: the check is made on the address of each connection itself, so neither a
// redirect nor a name that resolves differently the second time gets around it.

#include <chrono>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "tools/tool.h"

namespace tools {

struct WebOptions {
  std::vector<std::string> allowed_addresses;  // "127.0.0.1:8080": private ones that the user allows
  size_t max_bytes = 4 << 20;                  // of one answer, unpacked
  size_t max_text_bytes = 30000;               // for the model
  std::chrono::milliseconds limit{20000};
  int max_redirects = 5;
};

struct WebReply {
  bool ok = false;
  std::string text;  // the page, or why there is none
  long status = 0;
  std::string url;  // after redirects
  std::string content_type;
  size_t n_bytes = 0;
};

WebReply fetch(const std::string& url, const WebOptions& options, std::stop_token stop);

// The tool `web_fetch`.
std::unique_ptr<Tool> make_web_tool(WebOptions options);

}  // namespace tools
