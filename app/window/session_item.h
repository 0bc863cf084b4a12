#pragma once
// What the views show of a session: plain values, made from the record's events.

#include <QImage>
#include <QJsonObject>
#include <QList>
#include <QMetaType>
#include <QRect>
#include <QString>

#include "capture/screen_map.h"

namespace app {

// A picture of a desktop with the map between its pixels and the desktop.
struct ScreenImage {
  QImage image;
  capture::ScreenMap map;
};

struct PlanLine {
  enum class State { Pending, Active, Done, Failed, Dropped };
  QString text;
  State state = State::Pending;
  int depth = 0;
  QString evidence;
  bool operator==(const PlanLine&) const = default;
};

// A part of a command that was read somewhere, not written by the model or the user.
struct OriginNote {
  QString quote, source;
  bool is_active = false;  // an address, or characters that mean something to a shell
  bool operator==(const OriginNote&) const = default;
};

// A sentence of the last words that cites results, and why they don't prove it; empty: they do.
struct ClaimNote {
  QString sentence, problem;
};

// Something on the desktop that the model speaks of.
struct BoxNote {
  QRect area_pt;
  QString label;
  bool operator==(const BoxNote&) const = default;
};

struct TokenCounts {
  qint64 prompt = 0, reused = 0, reply = 0;
  double prefill_seconds = 0, decode_seconds = 0;
};

// One thing that happened, in the order in which it began.
struct SessionItem {
  enum class Kind { Instruction, Hint, Thought, Text, Call, Ending };
  enum class CallState { Announced, Running, Done, Failed, Denied };

  Kind kind = Kind::Text;
  qint64 event = 0;       // of the record: the first that tells of it
  qint64 last_event = 0;  // and the last
  qint64 at_ms = 0;       // running time of the session
  QString text;           // what was said; of a call: what came of it; of an ending: the last words
  qint64 picture = 0;     // in the record: the screen that the model saw with or after it; 0: none
  QList<BoxNote> boxes;   // that the model drew in its reply, on `screen`

  qint64 screen = 0;  // the picture that it was decided on; of calls, and of replies with boxes

  int turn = -1, answer_turn = -1;  // of the model's timeline, see TurnCounter: where it was said; of a call: answered

  // Calls.
  QString call_id, tool;
  QJsonObject arguments;  // points are pixels of `screen`
  QString effect, verdict;
  CallState call_state = CallState::Announced;
  double seconds = -1;      // it took; negative: not known
  int number = 0;           // of its result, as the model cites it: [7]; 0: none yet
  QList<QRect> changed_pt;  // desktop points
  QString output_path;      // of a command: all that it wrote
  QList<PlanLine> plan;     // of a plan call
  QList<OriginNote> origins;
  QRect target_pt;      // the widget that it took hold of, desktop points
  QString target_name;  // "push button Save"

  TokenCounts tokens;  // of the reply that begins with this item
  QString status;      // of an ending: "done", "stuck", …
  int n_actions = 0, n_unverified = 0;
  QList<ClaimNote> claims;
};

// Counts the turns of a model's timeline, message by message: results that follow each other share one.
class TurnCounter {
 public:
  int add(bool is_result) {
    if (!is_result || !was_result_) ++n_turns_;
    was_result_ = is_result;
    return n_turns_ - 1;
  }
  int n_turns() const { return n_turns_; }

 private:
  int n_turns_ = 0;
  bool was_result_ = false;
};

struct PlanVersion {
  qint64 event = 0, at_ms = 0;
  QList<PlanLine> lines;
};

// What is new since the last time: items that were added at the end or that changed.
struct SessionDelta {
  struct Change {
    int index = 0;
    SessionItem item;
  };
  QList<Change> changes;
  QList<PlanVersion> plans;
  TokenCounts last_tokens;
  qint64 elapsed_ms = 0;
};

}  // namespace app

Q_DECLARE_METATYPE(app::ScreenImage)
Q_DECLARE_METATYPE(app::SessionDelta)
