#include <array>
#include <utility>

#include "agent/error.h"
#include "agent/picture_shelf.h"
#include "agent/process_mark.h"
#include "agent/recorder.h"

namespace agent {
namespace {

using nlohmann::ordered_json;

constexpr std::array<std::pair<EventKind, const char*>, 7> kKindNames = {{
    {EventKind::Message, "message"},
    {EventKind::ModelCall, "model_call"},
    {EventKind::Intent, "intent"},
    {EventKind::Outcome, "outcome"},
    {EventKind::Plan, "plan"},
    {EventKind::File, "file"},
    {EventKind::Status, "status"},
}};

constexpr const char* kNotBegun = "The session was interrupted before this was begun. It had no effect.";
constexpr const char* kNotKnown =
    "The session was interrupted while this was being done. Whether it took effect is not known: look before doing it "
    "again.";

constexpr std::string_view kSelectSessions =
    "SELECT id, task, model, desktop, workspace, instructions, status, summary, owner, began_us, ended_us, "
    "(SELECT count(*) FROM events WHERE session_id=sessions.id AND kind='intent') FROM sessions ";

EventKind kind_named(const std::string& wanted) {
  for (const auto& [value, name] : kKindNames) {
    if (wanted == name) return value;
  }
  throw Error("the record has an event of the unknown kind \"" + wanted + "\"; update Deskhand to read it");
}

std::chrono::system_clock::time_point time_of(std::int64_t us) {
  return std::chrono::system_clock::time_point(std::chrono::microseconds(us));
}

SessionSummary summary_of(const Statement& row) {
  SessionSummary summary{.id = row.integer(0),
                         .info = {row.text(1), row.text(2), row.text(3), row.text(4), row.text(5)},
                         .status = status_named(row.text(6)),
                         .summary = row.text(7),
                         .began = time_of(row.integer(9)),
                         .ended = std::nullopt,
                         .n_actions = row.integer(11)};
  if (!row.is_null(10)) summary.ended = time_of(row.integer(10));
  if (summary.status == SessionStatus::Running && !is_process_alive(row.text(8))) {
    summary.status = SessionStatus::Interrupted;
  }
  return summary;
}

}  // namespace

std::string name_of(EventKind kind) {
  for (const auto& [value, name] : kKindNames) {
    if (value == kind) return name;
  }
  return "";
}

std::vector<SessionSummary> Recorder::list_sessions() const {
  std::vector<SessionSummary> list;
  Statement select = database_.prepare(std::string(kSelectSessions) + "ORDER BY id DESC");
  while (select.step()) list.push_back(summary_of(select));
  return list;
}

SessionSummary Recorder::session(SessionId session) const {
  Statement select = database_.prepare(std::string(kSelectSessions) + "WHERE id=?");
  if (!select.bind(0, session).step()) {
    throw Error("there is no session " + std::to_string(session) + " in the record " + database_.path().string());
  }
  return summary_of(select);
}

std::map<std::pair<std::string, std::string>, std::int64_t> Recorder::count_allowed() const {
  std::map<std::pair<std::string, std::string>, std::int64_t> counts;
  Statement select = database_.prepare(
      "SELECT coalesce(json_extract(rule.value, '$.name'), json_extract(body, '$.effect')),"
      " coalesce(json_extract(rule.value, '$.subject'), ''), count(*)"
      " FROM events LEFT JOIN json_each(body, '$.allowed_by') AS rule WHERE kind='intent' GROUP BY 1, 2");
  while (select.step()) counts[{select.text(0), select.text(1)}] = select.integer(2);
  return counts;
}

std::vector<Event> Recorder::load_events(SessionId session, EventId after) const {
  std::vector<Event> events;
  Statement select = database_.prepare(
      "SELECT id, kind, at_us, elapsed_us, action_id, body FROM events WHERE session_id=? AND id>? ORDER BY id");
  select.bind(0, session).bind(1, after);
  while (select.step()) {
    events.push_back({select.integer(0), kind_named(select.text(1)), time_of(select.integer(2)),
                      std::chrono::microseconds(select.integer(3)), select.integer(4),
                      ordered_json::parse(select.text(5))});
  }
  return events;
}

LoadPicture Recorder::picture_loader(std::map<std::uint64_t, Picture>& pictures) {
  return [this, &pictures, shelf = std::make_shared<PictureShelf>()](FrameRow row) -> Picture {
    try {
      const StoredPicture stored = frames_.load(row);
      return pictures[stored.recorded_id] = shelf->put(stored.picture);
    } catch (const DatabaseError& error) {
      if (!error.is_damage()) throw;
      return nullptr;
    } catch (const Error&) {
      return nullptr;
    }
  };
}

ToolMessage Recorder::answer_for(SessionId session, const std::string& call_id, const LoadPicture& load) const {
  Statement select = database_.prepare(
      "SELECT outcome.body FROM events AS intent LEFT JOIN events AS outcome ON outcome.action_id = intent.id "
      "WHERE intent.session_id=? AND intent.kind='intent' AND json_extract(intent.body, '$.call.id')=? "
      "ORDER BY intent.id DESC LIMIT 1");
  if (!select.bind(0, session).bind(1, call_id).step()) return {call_id, kNotBegun, {}, false};
  if (select.is_null(0)) return {call_id, kNotKnown, {}, false};
  ordered_json answer = ordered_json::parse(select.text(0)).at("result");
  answer["role"] = "tool";
  answer["call_id"] = call_id;
  return std::get<ToolMessage>(message_from(answer, load));
}

LoadedTranscript Recorder::load_transcript(SessionId session) {
  LoadedTranscript loaded{Transcript(this->session(session).info.instructions), {}};
  const LoadPicture load = picture_loader(loaded.pictures);
  Statement select = database_.prepare("SELECT body FROM events WHERE session_id=? AND kind='message' ORDER BY id");
  select.bind(0, session);
  while (select.step()) loaded.transcript.append(message_from(ordered_json::parse(select.text(0)), load));
  for (const ModelCall& call : loaded.transcript.open_calls()) {
    loaded.transcript.append(answer_for(session, call.id, load));
  }
  return loaded;
}

}  // namespace agent
