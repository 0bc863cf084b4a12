#include "agent/recorder.h"

#include <QStandardPaths>
#include <utility>

#include "agent/error.h"
#include "agent/process_mark.h"
#include "agent/record_schema.h"

namespace agent {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

std::int64_t now_us() {
  return std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::system_clock::now().time_since_epoch())
      .count();
}

// Text that isn't UTF-8 must not keep an event out of the record.
std::string dump(const ordered_json& body) {
  return body.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

}  // namespace

fs::path Recorder::default_path() {
  const QString data = QStandardPaths::writableLocation(QStandardPaths::GenericDataLocation);
  return fs::path(data.toStdString()) / "deskhand" / "sessions.db";
}

std::unique_ptr<Recorder> Recorder::open(const fs::path& path, const Options& options) {
  std::error_code problem;
  fs::create_directories(path.parent_path(), problem);
  if (problem) {
    throw Error("can't create the folder " + path.parent_path().string() + " for the record: " + problem.message() +
                "; check who may write there");
  }
  OpenedRecord opened = open_record(path);
  DiskReserve reserve(fs::path(path) += "-reserve", options.reserve_bytes);
  return std::unique_ptr<Recorder>(
      new Recorder(std::move(opened.database), std::move(opened.notice), std::move(reserve)));
}

// All of `body` or nothing.
template <typename Body>
auto Recorder::write(Body&& body) {
  try {
    Transaction transaction(database_);
    const auto result = body();
    transaction.commit();
    return result;
  } catch (...) {
    frames_.forget();
    throw;
  }
}

// For what must be recorded because it has happened: may use the room that was set aside for it.
template <typename Body>
auto Recorder::write_with_reserve(Body&& body) {
  try {
    return write(body);
  } catch (const DatabaseError& error) {
    if (!error.is_disk_full()) throw;
  }
  reserve_.release();
  return write(body);
}

BodyContext Recorder::context(SessionId session) {
  return {redaction_, [this, session](const capture::Frame& frame) { return frames_.store(session, frame); }};
}

std::int64_t Recorder::elapsed_us(SessionId session) {
  const auto now = std::chrono::steady_clock::now();
  const auto known = timelines_.find(session);
  if (known == timelines_.end()) {  // goes on where the last process stopped
    Statement select = database_.prepare("SELECT coalesce(max(elapsed_us), 0) FROM events WHERE session_id=?");
    select.bind(0, session).step();
    return (timelines_[session] = {now, select.integer(0)}).elapsed_us;
  }
  const auto since = std::chrono::duration_cast<std::chrono::microseconds>(now - known->second.from);
  return known->second.elapsed_us + since.count();
}

EventId Recorder::insert(const NewEvent& event) {
  Statement insert =
      database_.prepare("INSERT INTO events(session_id, kind, at_us, elapsed_us, action_id, body) VALUES(?,?,?,?,?,?)");
  insert.bind(0, event.session)
      .bind(1, name_of(event.kind))
      .bind(2, now_us())
      .bind(3, elapsed_us(event.session))
      .bind(5, dump(event.body));
  if (event.action_id != 0) insert.bind(4, event.action_id);
  insert.run();
  return database_.last_insert_id();
}

SessionId Recorder::begin_session(const SessionInfo& info) {
  const SessionId id = write([&] {
    Statement insert = database_.prepare(
        "INSERT INTO sessions(task, model, desktop, workspace, instructions, status, owner, began_us) "
        "VALUES(?,?,?,?,?,?,?,?)");
    insert.bind(0, redaction_.text(info.task))
        .bind(1, info.model)
        .bind(2, info.desktop)
        .bind(3, redaction_.text(info.workspace))
        .bind(4, redaction_.text(info.instructions))
        .bind(5, name_of(SessionStatus::Running))
        .bind(6, own_process_mark())
        .bind(7, now_us())
        .run();
    return database_.last_insert_id();
  });
  timelines_[id] = {std::chrono::steady_clock::now(), 0};
  return id;
}

void Recorder::append_message(SessionId session, const Message& message) {
  write_with_reserve([&] {
    return insert({.session = session, .kind = EventKind::Message, .body = message_body(message, context(session))});
  });
}

void Recorder::model_call(SessionId session, const Usage& usage) {
  write_with_reserve(
      [&] { return insert({.session = session, .kind = EventKind::ModelCall, .body = usage_body(usage)}); });
}

ActionId Recorder::intent(SessionId session, const Intent& intent) {
  reserve_.hold();
  return write([&] {
    const BodyContext context = this->context(session);
    ordered_json body = {{"call", call_body(intent.call, context)},
                         {"effect", name_of(intent.effect)},
                         {"decision", redaction_.text(intent.decision)}};
    if (intent.screen) body["screen"] = context.store(*intent.screen);
    for (const Origin& origin : intent.origins) {
      body["origins"].push_back({{"quote", redaction_.text(origin.quote)},
                                 {"source", redaction_.text(origin.source)},
                                 {"is_active", origin.is_active}});
    }
    for (const Rule& rule : intent.allowed_by) {
      body["allowed_by"].push_back({{"name", rule.name}, {"subject", redaction_.text(rule.subject)}});
    }
    return insert({.session = session, .kind = EventKind::Intent, .body = std::move(body)});
  });
}

void Recorder::outcome(ActionId action, const tools::ToolResult& result, double seconds) {
  write_with_reserve([&] {
    Statement select = database_.prepare("SELECT session_id FROM events WHERE id=? AND kind='intent'");
    if (!select.bind(0, action).step()) {
      throw Error("the record has no action " + std::to_string(action) + " whose outcome could be written");
    }
    const SessionId session = select.integer(0);
    ordered_json body = {{"result", result_body(result, context(session))}, {"seconds", seconds}};
    return insert({.session = session, .kind = EventKind::Outcome, .body = std::move(body), .action_id = action});
  });
}

void Recorder::plan_version(SessionId session, const ordered_json& plan) {
  write_with_reserve(
      [&] { return insert({.session = session, .kind = EventKind::Plan, .body = redaction_.json(plan)}); });
}

void Recorder::files_touched(SessionId session, const tools::ToolResult& result) {
  if (!result.details.is_object() || !result.details.contains("entry") || !result.details.contains("files")) return;
  for (const auto& file : result.details.at("files")) {
    if (!file.is_object()) continue;
    const ordered_json body = {{"path", redaction_.text(file.value("path", ""))},
                               {"kind", file.value("kind", "changed")},
                               {"journal_entry", result.details.at("entry")}};
    write_with_reserve([&] { return insert({.session = session, .kind = EventKind::File, .body = body}); });
  }
}

void Recorder::finish_session(SessionId session, const Outcome& outcome) {
  write_with_reserve([&] {
    const std::string status(name_of(outcome.ending)), text = redaction_.text(outcome.text);
    database_.prepare("UPDATE sessions SET status=?, summary=?, ended_us=? WHERE id=?")
        .bind(0, status)
        .bind(1, text)
        .bind(2, now_us())
        .bind(3, session)
        .run();
    ordered_json body = {{"status", status},
                         {"summary", text},
                         {"n_actions", outcome.n_actions},
                         {"n_unverified", outcome.n_unverified}};
    for (const Claim& claim : outcome.claims) {
      body["claims"].push_back(
          {{"sentence", redaction_.text(claim.sentence)}, {"cited", claim.cited}, {"problem", claim.problem}});
    }
    return insert({.session = session, .kind = EventKind::Status, .body = std::move(body)});
  });
}

void Recorder::claim(SessionId session) {
  write([&] {
    Statement select = database_.prepare("SELECT owner FROM sessions WHERE id=? AND status='running'");
    const std::string owner = select.bind(0, session).step() ? select.text(0) : "";
    if (owner != own_process_mark() && is_process_alive(owner)) {
      throw Error("session " + std::to_string(session) + " is still running in another process; stop it there first");
    }
    database_.prepare("UPDATE sessions SET status='running', ended_us=NULL, owner=? WHERE id=?")
        .bind(0, own_process_mark())
        .bind(1, session)
        .run();
    return insert({.session = session, .kind = EventKind::Status, .body = {{"status", "running"}}});
  });
}

LoadedTranscript Recorder::resume_session(SessionId session) {
  claim(session);
  LoadedTranscript loaded = load_transcript(session);
  Statement count = database_.prepare("SELECT count(*) FROM events WHERE session_id=? AND kind='message'");
  count.bind(0, session).step();
  const std::vector<Message>& messages = loaded.transcript.messages();
  const auto n_recorded = static_cast<std::size_t>(count.integer(0));
  count.reset();
  for (std::size_t i = n_recorded; i < messages.size(); ++i) append_message(session, messages[i]);
  return loaded;
}

SessionId Recorder::branch_session(SessionId from, EventId last, const std::string& task) {
  SessionInfo info = session(from).info;
  info.task = task;
  std::vector<std::pair<EventId, ActionId>> events;  // with the intent of an outcome, else 0
  Statement select =
      database_.prepare("SELECT id, coalesce(action_id, 0) FROM events WHERE session_id=? AND id<=? ORDER BY id");
  select.bind(0, from).bind(1, last);
  while (select.step()) events.emplace_back(select.integer(0), select.integer(1));
  if (events.empty()) throw Error("session " + std::to_string(from) + " has nothing until there that could go on");
  const SessionId branch = begin_session(info);
  timelines_.erase(branch);  // its time goes on where the history ends
  std::map<EventId, EventId> copies;
  write([&] {
    for (const auto& [event, action] : events) {
      Statement copy = database_.prepare(
          "INSERT INTO events(session_id, kind, at_us, elapsed_us, action_id, body) "
          "SELECT ?, kind, at_us, elapsed_us, ?, body FROM events WHERE id=?");
      copy.bind(0, branch).bind(2, event);
      if (action != 0) copy.bind(1, copies.at(action));
      copy.run();
      copies[event] = database_.last_insert_id();
    }
    return insert({.session = branch,
                   .kind = EventKind::Status,
                   .body = {{"status", "running"}, {"branched_from", {{"session", from}, {"event", last}}}}});
  });
  return branch;
}

}  // namespace agent
