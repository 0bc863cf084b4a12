#pragma once
// From the record's events to items of the views. Pure; the same for a session that runs and for one of last year.

#include <QHash>
#include <set>
#include <vector>

#include "agent/recorder.h"
#include "app/window/session_item.h"

namespace app {

class ItemBuilder {
 public:
  void add(const agent::Event& event);
  // What changed since the last call.
  SessionDelta take_delta();
  agent::EventId last_event() const { return last_event_; }

 private:
  void add_message(const agent::Event& event);
  void add_reply(const agent::Event& event);
  void add_answer(const agent::Event& event);
  void add_intent(const agent::Event& event);
  void add_outcome(const agent::Event& event);
  void add_plan(const agent::Event& event);
  void add_status(const agent::Event& event);
  SessionItem& append(SessionItem::Kind kind, const agent::Event& event);
  // What the event tells more of; marks it as changed; null: unknown.
  SessionItem* call_named(const QString& id, const agent::Event& event);
  void see(qint64 picture) { newest_picture_ = picture != 0 ? picture : newest_picture_; }

  std::vector<SessionItem> items_;
  std::set<int> changed_;
  QHash<QString, int> calls_;              // by id
  QHash<qint64, QString> call_of_intent_;  // event id → call id
  QList<PlanVersion> new_plans_;
  TurnCounter turns_;
  int turn_ = -1;  // of the message that is being added
  int n_answers_ = 0;
  TokenCounts tokens_;  // of the reply that comes next
  TokenCounts last_tokens_;
  qint64 newest_picture_ = 0;
  qint64 elapsed_ms_ = 0;
  agent::EventId last_event_ = 0;
};

}  // namespace app
