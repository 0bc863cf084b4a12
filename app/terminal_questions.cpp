#include "app/terminal_questions.h"

#include <poll.h>
#include <unistd.h>

#include <cstdio>
#include <iostream>

namespace app {
namespace {

// A line of the terminal; nothing when stopped or at its end.
std::optional<std::string> read_line(const std::stop_token& stop) {
  constexpr int kGlance_ms = 100;
  while (!stop.stop_requested()) {
    pollfd polled = {STDIN_FILENO, POLLIN, 0};
    if (::poll(&polled, 1, kGlance_ms) <= 0) continue;
    std::string line;
    if (!std::getline(std::cin, line)) return std::nullopt;
    return line;
  }
  return std::nullopt;
}

void show_request(const agent::ApprovalRequest& request) {
  const std::string arguments = request.call.arguments.dump(2, ' ', false, nlohmann::json::error_handler_t::replace);
  std::fprintf(stderr, "The model wants to do:\n  %s %s\n", request.call.name.c_str(),
               agent::visible(arguments).c_str());
  if (!request.target.empty()) std::fprintf(stderr, "on %s\n", agent::visible(request.target).c_str());
  for (const agent::Origin& origin : request.origins) {
    std::fprintf(stderr, "! \"%s\" was read by %s\n", agent::visible(origin.quote).c_str(),
                 agent::visible(origin.source).c_str());
  }
  std::fprintf(stderr, "because %s.\n", request.reason.c_str());
}

}  // namespace

agent::Approval ask_on_terminal(const agent::ApprovalRequest& request, const std::stop_token& stop) {
  using Memory = agent::Approval::Memory;
  if (isatty(STDIN_FILENO) == 0) {
    const std::string name = request.rule.name.empty() ? "nothing" : request.rule.name;
    return {false, "nobody is there to be asked (" + request.reason + "); --yes " + name + " allows it"};
  }
  show_request(request);
  const std::string& subject = request.rule.subject;
  const std::string lasting = request.rule.name + (subject.empty() ? "" : " of " + agent::visible(subject));
  if (request.rule.name.empty()) {
    std::fputs("Allow? [y]es, [N]o: ", stderr);
  } else {
    std::fprintf(stderr, "Allow? [y]es, [N]o; for %s: in this [s]ession, [a]lways, ne[v]er: ", lasting.c_str());
  }
  const std::string answer = read_line(stop).value_or("");
  if (request.rule.name.empty() || answer.empty()) return {answer == "y" || answer == "yes", "", Memory::Once};
  if (answer[0] == 's') return {true, "", Memory::Session};
  if (answer[0] == 'a') return {true, "", Memory::Always};
  if (answer[0] == 'v') return {false, "the user said never", Memory::Always};
  return {answer[0] == 'y' || answer[0] == 'Y', "", Memory::Once};
}

std::optional<std::string> answer_on_terminal(const std::string& question, const std::stop_token& stop) {
  if (isatty(STDIN_FILENO) == 0) return std::nullopt;
  std::fprintf(stderr, "%s\n? ", agent::visible(question).c_str());
  return read_line(stop);
}

}  // namespace app
