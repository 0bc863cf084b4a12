#include <QByteArray>
#include <QList>
#include <QString>
#include <array>
#include <map>
#include <set>

#include "agent/error.h"
#include "agent/export.h"
#include "agent/screen_boxes.h"

namespace agent {
namespace {

using nlohmann::ordered_json;

constexpr const char* kHead = R"html(<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width">
<style>
:root { color-scheme: light dark; }
body { font: 15px/1.5 sans-serif; max-width: 60em; margin: 2em auto; padding: 0 1em; }
article { border-left: 4px solid #8888; margin: 1em 0; padding: .2em 1em; }
.user { border-color: #3a7; } .assistant { border-color: #57d; } .action { border-color: #c83; }
header { color: #777; font-size: 85%; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; margin: .3em 0; }
img { max-width: 100%; border: 1px solid #8888; }
.badge { border-radius: 3px; padding: 0 .4em; background: #8883; }
.confirmed, .done { background: #3a75; } .failed, .refused, .stuck, .no_op { background: #d445; }
.hidden { background: #d44; color: #fff; font-size: 70%; border-radius: 3px; padding: 0 .2em; }
dt { float: left; clear: left; min-width: 8em; color: #777; } dd { margin-left: 9em; }
</style>
)html";

// Characters that can't be seen, or that turn the text around them: shown by number, so that nothing hides in a report.
bool is_hidden(char32_t c) {
  return (c < 0x20 && c != '\n' && c != '\t') || c == 0x7f || (c >= 0x80 && c < 0xa0) || c == 0xad ||
         (c >= 0x200b && c <= 0x200f) || (c >= 0x202a && c <= 0x202e) || (c >= 0x2060 && c <= 0x206f) || c == 0xfeff ||
         (c >= 0xe0000 && c <= 0xe007f);
}

std::string escaped(const std::string& text) {
  QString result;
  for (const char32_t c : QString::fromStdString(text).toUcs4()) {
    if (is_hidden(c)) {
      result += QStringLiteral("<span class=\"hidden\">U+%1</span>").arg(static_cast<uint>(c), 4, 16, QChar('0'));
    } else {
      result += QString::fromUcs4(&c, 1).toHtmlEscaped();
    }
  }
  return result.toStdString();
}

std::string pre(const std::string& text) {
  return text.empty() ? "" : "<pre>" + escaped(text) + "</pre>\n";
}

std::string badge(const std::string& word) {
  return "<span class=\"badge " + escaped(word) + "\">" + escaped(word) + "</span> ";
}

std::string folded(const std::string& title, const std::string& text) {
  return text.empty() ? "" : "<details><summary>" + title + "</summary>" + pre(text) + "</details>\n";
}

class Report {
 public:
  explicit Report(Recorder& recorder) : recorder_(recorder) {}

  std::string of(SessionId session, const SessionPart& part);

 private:
  std::string title(const SessionSummary& session) const;
  std::string article(const Event& event);
  std::string message(const ordered_json& body);
  std::string outcome(const Event& event);
  std::string pictures(const ordered_json& rows);
  std::string picture(FrameRow row);

  Recorder& recorder_;
  std::set<FrameRow> shown_;
  std::map<EventId, std::string> calls_;  // of intents, by their event
};

std::string Report::title(const SessionSummary& session) const {
  const std::array<std::pair<const char*, std::string>, 6> facts = {{
      {"Model", session.info.model},
      {"Desktop", session.info.desktop},
      {"Workspace", session.info.workspace},
      {"Began", utc_time(session.began)},
      {"Ended", session.ended ? utc_time(*session.ended) : ""},
      {"Actions", std::to_string(session.n_actions)},
  }};
  std::string html = "<title>" + escaped(session.info.task) + "</title></head><body>\n<h1>" +
                     escaped(session.info.task) + "</h1>\n<p>" + badge(name_of(session.status)) +
                     escaped(session.summary) + "</p>\n<dl>";
  for (const auto& [name, value] : facts) {
    if (!value.empty()) html += std::string("<dt>") + name + "</dt><dd>" + escaped(value) + "</dd>\n";
  }
  return html + "</dl>\n";
}

// Each picture stands in the report once; later it is linked.
std::string Report::picture(FrameRow row) {
  const std::string name = std::to_string(row);
  if (!shown_.insert(row).second) return "<p><a href=\"#picture-" + name + "\">picture " + name + "</a></p>\n";
  Picture stored;
  try {
    stored = recorder_.load_picture(row).picture;
  } catch (const Error& error) {
    return "<p>" + badge("failed") + escaped(error.what()) + "</p>\n";
  }
  const QByteArray png = QByteArray::fromStdString(png_of(*stored));
  return "<p id=\"picture-" + name + "\"><img alt=\"picture " + name + "\" src=\"data:image/png;base64," +
         png.toBase64().toStdString() + "\"></p>\n";
}

std::string Report::pictures(const ordered_json& rows) {
  std::string html;
  for (const auto& row : rows) html += picture(row.get<FrameRow>());
  return html;
}

std::string Report::message(const ordered_json& body) {
  if (body.at("role") != "assistant") return pre(body.at("text")) + pictures(body.at("pictures"));
  const auto words = [&](const char* key) { return read_boxes(body.at(key).get<std::string>()).text; };
  std::string html = folded("Thought", words("thought")) + pre(words("text"));
  for (const auto& call : body.at("calls")) {
    html += pre(call.at("name").get<std::string>() + " " + call.at("arguments").dump());
  }
  return html;
}

std::string Report::outcome(const Event& event) {
  const ordered_json& result = event.body.at("result");
  std::string html = "<p>" + badge(result.at("ok").get<bool>() ? "ok" : "failed");
  if (result.contains("evidence")) html += badge(result.at("evidence").at("verdict"));
  html += escaped(calls_[event.action_id]) + "</p>\n" + pre(result.at("text"));
  if (result.contains("evidence")) html += folded("Evidence", result.at("evidence").dump(2));
  if (result.contains("details")) html += folded("Details", result.at("details").dump(2));
  return html + pictures(result.at("pictures"));
}

std::string Report::article(const Event& event) {
  std::string style = "action", what = name_of(event.kind), html;
  switch (event.kind) {
    case EventKind::Message:
      style = what = event.body.at("role").get<std::string>();
      html = message(event.body);
      break;
    case EventKind::Intent: {
      const ordered_json& call = event.body.at("call");
      calls_[event.id] = call.at("name").get<std::string>() + " " + call.at("arguments").dump();
      html = pre(calls_[event.id]) + "<p>" + badge(event.body.at("effect")) + escaped(event.body.at("decision")) +
             "</p>\n";
      if (event.body.contains("screen")) html += picture(event.body.at("screen").get<FrameRow>());
      break;
    }
    case EventKind::Outcome:
      html = outcome(event);
      break;
    case EventKind::ModelCall:
    case EventKind::Plan:
    case EventKind::File:
    case EventKind::Status:
      html = folded("Shown as data", event.body.dump(2));
      break;
  }
  const QString elapsed = QString::number(static_cast<double>(event.elapsed.count()) / 1e6, 'f', 2);
  return "<article class=\"" + escaped(style) + "\"><header>" + escaped(what) + " · " + elapsed.toStdString() +
         " s</header>\n" + html + "</article>\n";
}

std::string Report::of(SessionId session, const SessionPart& part) {
  std::string html = kHead + title(recorder_.session(session));
  for (const Event& event : events_in(recorder_, session, part)) html += article(event);
  return html + "</body></html>\n";
}

}  // namespace

std::string html_report(Recorder& recorder, SessionId session, const SessionPart& part) {
  return Report(recorder).of(session, part);
}

}  // namespace agent
