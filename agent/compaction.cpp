#include "agent/compaction.h"

#include <algorithm>
#include <map>

#include "tools/output_excerpt.h"

namespace agent {
namespace {

constexpr std::size_t kFewestMessages = 4;  // that are kept as they are
constexpr std::size_t kMostLines = 300;     // of things done
constexpr std::size_t kMostLineBytes = 200;

std::string shortened(std::string text) {
  text = text.substr(0, text.find('\n'));
  if (text.size() <= kMostLineBytes) return text;
  return std::string(tools::utf8_prefix(text, kMostLineBytes)) + "…";
}

std::string call_line(const ModelCall& call) {
  return shortened(call.name + " " + call.arguments.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

void drop_pictures_but_newest(std::vector<Message>& messages) {
  bool is_newest = true;
  for (auto message = messages.rbegin(); message != messages.rend(); ++message) {
    auto* tool = std::get_if<ToolMessage>(&*message);
    auto* user = std::get_if<UserMessage>(&*message);
    std::vector<Picture>* pictures = tool != nullptr ? &tool->pictures : user != nullptr ? &user->pictures : nullptr;
    if (pictures == nullptr || pictures->empty()) continue;
    pictures->erase(pictures->begin(), pictures->end() - (is_newest ? 1 : 0));
    is_newest = false;
  }
}

}  // namespace

std::string summary_of(const Transcript& transcript, std::size_t n, const Plan& plan) {
  std::string said, notes;
  std::vector<std::string> done;
  std::map<std::string, std::size_t> line_of_call;
  for (std::size_t i = 0; i < std::min(n, transcript.messages().size()); ++i) {
    const Message& message = transcript.messages()[i];
    if (const auto* user = std::get_if<UserMessage>(&message)) {
      if (!user->is_hint) said += user->text + "\n";
    } else if (const auto* reply = std::get_if<AssistantMessage>(&message)) {
      if (!reply->text.empty()) done.push_back("you said: " + shortened(reply->text));
      for (const ModelCall& call : reply->calls) {
        if (call.name == "note" && call.arguments.contains("text")) {
          notes += "- " + call.arguments["text"].dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
        } else if (call.name != "plan") {
          line_of_call[call.id] = done.size();
          done.push_back(call_line(call));
        }
      }
    } else if (const auto* result = std::get_if<ToolMessage>(&message)) {
      const auto line = line_of_call.find(result->call_id);
      if (line != line_of_call.end()) done[line->second] += " → " + shortened(result->text);
    }
  }
  std::string text = said + "\n(The conversation has grown too long; what counts of its older part is this.)\n";
  if (!plan.steps().empty()) text += "The plan:\n" + plan.describe();
  if (!notes.empty()) text += "Your notes:\n" + notes;
  if (!done.empty()) text += "What was done:\n";
  const std::size_t first = done.size() - std::min(done.size(), kMostLines);
  if (first > 0) text += "(" + std::to_string(first) + " older lines)\n";
  for (std::size_t i = first; i < done.size(); ++i) text += done[i] + "\n";
  return text;
}

const Transcript& Compaction::view(const Transcript& transcript) {
  if (first_kept_ == 0 && keeps_pictures_) return transcript;
  const std::vector<Message>& all = transcript.messages();
  std::vector<Message> kept(all.begin() + static_cast<std::ptrdiff_t>(first_kept_), all.end());
  if (!keeps_pictures_) drop_pictures_but_newest(kept);
  view_ = Transcript(transcript.instructions());
  if (first_kept_ > 0) view_.append(UserMessage{summary_, {}, false});
  for (Message& message : kept) view_.append(std::move(message));
  return view_;
}

bool Compaction::tighten(const Transcript& transcript, const Plan& plan) {
  const std::vector<Message>& all = transcript.messages();
  std::size_t first = first_kept_ + (all.size() - first_kept_ + 1) / 2;
  // A result can't stand without its call.
  while (first < all.size() && std::holds_alternative<ToolMessage>(all[first])) ++first;
  if (first > first_kept_ && first + kFewestMessages <= all.size()) {
    first_kept_ = first;
    summary_ = summary_of(transcript, first, plan);
    return true;
  }
  const bool had_pictures = keeps_pictures_;
  keeps_pictures_ = false;
  return had_pictures;
}

}  // namespace agent
