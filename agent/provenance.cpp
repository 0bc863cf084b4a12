#include "agent/provenance.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string_view>
#include <unordered_map>

namespace agent {
namespace {

constexpr std::size_t kShortest = 12;  // shorter pieces are alike by chance

// Which bytes of a text stand, with their neighbours, in other texts.
class Cover {
 public:
  explicit Cover(const std::string& text) : text_(text), source_of_(text.size(), kNowhere) {
    for (std::size_t at = 0; at + kShortest <= text.size(); ++at) {
      places_.emplace(std::string_view(text_).substr(at, kShortest), at);
    }
  }

  // Later texts don't take from earlier ones. A piece that was found is looked for no more, so that text which only
  // repeats itself costs no more than other text.
  void add(const std::string& other, int source) {
    if (places_.empty()) return;
    for (std::size_t at = 0; at + kShortest <= other.size(); ++at) {
      const auto [first, last] = places_.equal_range(std::string_view(other).substr(at, kShortest));
      for (auto place = first; place != last; ++place) {
        for (std::size_t i = place->second; i < place->second + kShortest; ++i) {
          if (source_of_[i] == kNowhere) source_of_[i] = source;
        }
      }
      places_.erase(first, last);
    }
  }

  static constexpr int kNowhere = -1;
  const std::vector<int>& sources() const { return source_of_; }

 private:
  const std::string& text_;
  std::unordered_multimap<std::string_view, std::size_t> places_;
  std::vector<int> source_of_;
};

// The call in few words: the tool and what it was pointed at.
std::string name_of_source(const ModelCall& call) {
  for (const char* key : {"url", "path", "command", "window", "program"}) {
    const auto found = call.arguments.find(key);
    if (found == call.arguments.end() || !found->is_string()) continue;
    const std::string value = found->get<std::string>();
    return call.name + " " + (value.size() > 80 ? value.substr(0, 77) + "..." : value);
  }
  return call.name;
}

bool is_active(const std::string& quote) {
  return quote.find_first_of("|;&$`<>\n") != std::string::npos || quote.find("://") != std::string::npos;
}

}  // namespace

std::vector<Origin> origins_of(const std::string& text, const Transcript& transcript) {
  constexpr int kUser = 0;
  Cover cover(text);
  std::vector<std::string> sources = {"the user"};
  std::map<std::string, std::string> source_by_call;
  for (const Message& message : transcript.messages()) {
    if (const auto* user = std::get_if<UserMessage>(&message); user != nullptr && !user->is_hint) {
      cover.add(user->text, kUser);
    }
  }
  for (const Message& message : transcript.messages()) {
    if (const auto* reply = std::get_if<AssistantMessage>(&message)) {
      for (const ModelCall& call : reply->calls) source_by_call[call.id] = name_of_source(call);
    } else if (const auto* result = std::get_if<ToolMessage>(&message)) {
      sources.push_back(source_by_call[result->call_id]);
      cover.add(result->text, static_cast<int>(sources.size()) - 1);
    }
  }
  std::vector<Origin> origins;
  const std::vector<int>& source_of = cover.sources();
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && source_of[end] == source_of[at]) ++end;
    if (source_of[at] > kUser) {
      const std::string quote = text.substr(at, end - at);
      origins.push_back({quote, sources[static_cast<std::size_t>(source_of[at])], is_active(quote)});
    }
    at = end;
  }
  return origins;
}

std::string command_in(const tools::ToolCall& call, tools::Effect effect) {
  if (effect != tools::Effect::Shell && effect != tools::Effect::Network) return "";
  std::string text;
  for (const char* key : {"command", "url", "input", "program"}) {
    const auto found = call.arguments.find(key);
    if (found != call.arguments.end() && found->is_string()) text += found->get<std::string>() + "\n";
  }
  if (!text.empty()) text.pop_back();
  return text;
}

}  // namespace agent
