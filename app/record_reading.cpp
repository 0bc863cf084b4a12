#include "app/record_reading.h"

#include <QDateTime>
#include <cstdio>

#include "agent/permission.h"
#include "agent/screen_boxes.h"
#include "tools/output_excerpt.h"

namespace app {
namespace {

using nlohmann::ordered_json;

std::string dump(const ordered_json& value) {
  return value.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

std::string with_pictures(const ordered_json& body) {
  const std::size_t n = body.value("pictures", ordered_json::array()).size();
  return n == 0 ? "" : n == 1 ? " [a picture]" : " [" + std::to_string(n) + " pictures]";
}

std::string message_text(const ordered_json& body) {
  const std::string role = body.at("role");
  if (role == "tool") return "";  // its outcome says the same
  std::string text;
  if (role == "user")
    return (body.at("is_hint").get<bool>() ? "! " : "User: ") + body.at("text").get<std::string>() +
           with_pictures(body);
  for (const auto& [key, name] : {std::pair("thought", "Thought: "), std::pair("text", "Model: ")}) {
    const std::string words = agent::read_boxes(body.at(key).get<std::string>()).text;
    if (!words.empty()) text += name + words + "\n";
  }
  for (const auto& call : body.at("calls")) {
    if (call.at("name") == "plan" || call.at("name") == "ask" || call.at("name") == "give_up") {
      text += "> " + call.at("name").get<std::string>() + " " + dump(call.at("arguments")) + "\n";
    }
  }
  if (!text.empty()) text.pop_back();
  return text;
}

std::string plan_text(const ordered_json& steps) {
  std::string text = "Plan:";
  for (const auto& step : steps) {
    text += "\n- [" + step.value("state", "") + "] " + step.value("text", "");
    if (!step.value("evidence", "").empty()) text += " (" + step.value("evidence", "") + ")";
  }
  return text;
}

std::string raw_text_of(const agent::Event& event) {
  const ordered_json& body = event.body;
  char seconds[32];
  switch (event.kind) {
    case agent::EventKind::Message:
      return message_text(body);
    case agent::EventKind::ModelCall:
      return "";
    case agent::EventKind::Intent:
      return "> " + body.at("call").at("name").get<std::string>() + " " + dump(body.at("call").at("arguments")) +
             "  (" + body.at("decision").get<std::string>() + ")";
    case agent::EventKind::Outcome:
      std::snprintf(seconds, sizeof seconds, " (%.1f s)", body.at("seconds").get<double>());
      return (body.at("result").at("ok").get<bool>() ? "  " : "  failed: ") +
             body.at("result").at("text").get<std::string>() + with_pictures(body.at("result")) + seconds;
    case agent::EventKind::Plan:
      return plan_text(body);
    case agent::EventKind::File:
      return "  file " + body.value("kind", "") + ": " + body.value("path", "");
    case agent::EventKind::Status:
      return "= " + body.at("status").get<std::string>() +
             (body.value("summary", "").empty() ? "" : ": " + body.value("summary", ""));
  }
  return "";
}

}  // namespace

std::unique_ptr<agent::Recorder> open_record() {
  std::unique_ptr<agent::Recorder> recorder = agent::Recorder::open(agent::Recorder::default_path());
  if (!recorder->notice().empty()) std::fprintf(stderr, "deskhand: %s\n", recorder->notice().c_str());
  return recorder;
}

std::string text_of(const agent::Event& event) {
  std::string lines;
  const std::string text = raw_text_of(event);
  for (std::size_t from = 0; from < text.size();) {  // what the model or a program wrote can't steer the terminal
    const std::size_t to = std::min(text.find('\n', from), text.size());
    lines += (lines.empty() ? "" : "\n") + agent::visible(text.substr(from, to - from));
    from = to + 1;
  }
  return lines;
}

std::string line_of(const agent::SessionSummary& session) {
  const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(session.began.time_since_epoch()).count();
  const std::string began = QDateTime::fromMSecsSinceEpoch(ms).toString("yyyy-MM-dd HH:mm").toStdString();
  std::string task = agent::visible(session.info.task.substr(0, session.info.task.find('\n')));
  if (task.size() > 100) task = std::string(tools::utf8_prefix(task, 97)) + "...";
  char line[64];
  std::snprintf(line, sizeof line, "%-11s %4d actions  ", agent::name_of(session.status).c_str(),
                static_cast<int>(session.n_actions));
  return began + "  " + line + task;
}

}  // namespace app
