#pragma once
// The record of all sessions: what was asked, said, seen, intended and done, in the order in which it happened, written
// as it happens. A process that is killed loses at most the event that it was writing; a machine that loses power does
// too.
//
// One object for one thread (the agent's). Several processes may use the same file. Every function throws Error when
// the record can't be written or read.

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agent/database.h"
#include "agent/disk_reserve.h"
#include "agent/events.h"
#include "agent/frame_store.h"
#include "agent/journal.h"
#include "agent/model.h"
#include "agent/record_format.h"
#include "agent/redaction.h"
#include "agent/transcript.h"
#include "tools/tool.h"

namespace agent {

using SessionId = std::int64_t;
using EventId = std::int64_t;
using ActionId = EventId;  // the event that holds the intent

struct SessionInfo {
  std::string task;
  std::string model;
  std::string desktop;       // "private", "mine"
  std::string workspace;     // a folder; may be empty
  std::string instructions;  // of the transcript
};

enum class EventKind { Message, ModelCall, Intent, Outcome, Plan, File, Status };
std::string name_of(EventKind kind);

struct Event {
  EventId id = 0;  // grows with time
  EventKind kind = EventKind::Message;
  std::chrono::system_clock::time_point at;
  std::chrono::microseconds elapsed{0};  // running time of the session; never decreases
  ActionId action_id = 0;                // of an outcome: its intent
  nlohmann::ordered_json body;           // see record_format.h
};

struct SessionSummary {
  SessionId id = 0;
  SessionInfo info;
  SessionStatus status = SessionStatus::Running;
  std::string summary;  // the last words, when it finished
  std::chrono::system_clock::time_point began;
  std::optional<std::chrono::system_clock::time_point> ended;
  std::int64_t n_actions = 0;
};

struct LoadedTranscript {
  Transcript transcript;                      // valid: no call is open
  std::map<std::uint64_t, Picture> pictures;  // by the ids that the text speaks of; of equal ids the latest
};

class Recorder {
 public:
  struct Options {
    std::int64_t reserve_bytes = 32 << 20;  // room set aside before each action, for what comes of it
  };
  static std::filesystem::path default_path();  // under XDG data
  // Creates folder and file when needed; see open_record about a damaged file.
  static std::unique_ptr<Recorder> open(const std::filesystem::path& path) { return open(path, Options()); }
  static std::unique_ptr<Recorder> open(const std::filesystem::path& path, const Options& options);
  const std::string& notice() const { return notice_; }  // for the user, when something was wrong; else empty

  // From now on this value never reaches the record: {{name}} stands in its place.
  void redact(const std::string& name, const std::string& value) { redaction_.add(name, value); }

  SessionId begin_session(const SessionInfo& info);
  void append_message(SessionId session, const Message& message);
  void model_call(SessionId session, const Usage& usage);
  // On disk when it returns. Throws when the disk is too full for it or for what will come of the action: then nothing
  // may be done.
  ActionId intent(SessionId session, const Intent& intent);
  void outcome(ActionId action, const tools::ToolResult& result, double seconds);
  void plan_version(SessionId session, const nlohmann::ordered_json& plan);
  // The files that a result says it has changed, one event each. The bytes for undo are in the edit journal.
  void files_touched(SessionId session, const tools::ToolResult& result);
  void finish_session(SessionId session, const Outcome& outcome);

  std::vector<SessionSummary> list_sessions() const;  // the latest first
  SessionSummary session(SessionId session) const;
  // How much each rule has allowed in all sessions, by its name and subject. What the user was asked about counts for
  // the effect's own rule, which has no subject.
  std::map<std::pair<std::string, std::string>, std::int64_t> count_allowed() const;
  std::vector<Event> load_events(SessionId session, EventId after = 0) const;  // those with greater ids
  StoredPicture load_picture(FrameRow row) { return frames_.load(row); }
  // Calls that had no answer when the session ended are answered: with what came of them when that was recorded, else
  // with the truth about what isn't known.
  LoadedTranscript load_transcript(SessionId session);
  // The same, to go on with: the session belongs to this process, and the answers are recorded. Throws Error when
  // another process still runs it.
  LoadedTranscript resume_session(SessionId session);
  // A new session whose history is that of another up to and with this event; it waits to be resumed. Pictures stay
  // where they are and belong to both.
  SessionId branch_session(SessionId from, EventId last, const std::string& task);

 private:
  struct NewEvent {
    SessionId session = 0;
    EventKind kind = EventKind::Message;
    nlohmann::ordered_json body;
    ActionId action_id = 0;
  };
  struct Timeline {
    std::chrono::steady_clock::time_point from;
    std::int64_t elapsed_us = 0;  // at `from`
  };

  Recorder(Database database, std::string notice, DiskReserve reserve)
      : database_(std::move(database)), notice_(std::move(notice)), reserve_(std::move(reserve)), frames_(database_) {}

  template <typename Body>
  auto write(Body&& body);
  template <typename Body>
  auto write_with_reserve(Body&& body);
  EventId insert(const NewEvent& event);
  std::int64_t elapsed_us(SessionId session);
  BodyContext context(SessionId session);
  void claim(SessionId session);
  ToolMessage answer_for(SessionId session, const std::string& call_id, const LoadPicture& load) const;
  LoadPicture picture_loader(std::map<std::uint64_t, Picture>& pictures);

  Database database_;
  std::string notice_;
  DiskReserve reserve_;
  Redaction redaction_;
  FrameStore frames_;
  std::map<SessionId, Timeline> timelines_;
};

}  // namespace agent
