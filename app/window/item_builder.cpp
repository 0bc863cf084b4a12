#include "app/window/item_builder.h"

#include <QJsonDocument>
#include <nlohmann/json.hpp>

#include "agent/screen_boxes.h"

namespace app {
namespace {

using nlohmann::ordered_json;

QString text_of(const ordered_json& body, const char* key) {
  const auto found = body.find(key);
  return found != body.end() && found->is_string() ? QString::fromStdString(found->get<std::string>()) : QString();
}

QJsonObject object_of(const ordered_json& json) {
  return QJsonDocument::fromJson(QByteArray::fromStdString(json.dump())).object();
}

qint64 last_picture(const ordered_json& body) {
  const auto found = body.find("pictures");
  return found != body.end() && !found->empty() ? found->back().get<qint64>() : 0;
}

QList<PlanLine> plan_lines(const ordered_json& steps) {
  QList<PlanLine> lines;
  if (!steps.is_array()) return lines;
  for (const ordered_json& step : steps) {
    if (step.is_string()) {
      lines.append({QString::fromStdString(step.get<std::string>()), PlanLine::State::Pending, 0, {}});
      continue;
    }
    if (!step.is_object()) continue;
    const std::string state = step.value("state", "pending");
    using State = PlanLine::State;
    lines.append({text_of(step, "text"),
                  state == "done"      ? State::Done
                  : state == "active"  ? State::Active
                  : state == "failed"  ? State::Failed
                  : state == "dropped" ? State::Dropped
                                       : State::Pending,
                  step.value("depth", 0), text_of(step, "evidence")});
  }
  return lines;
}

// What was said, without the markup of boxes.
QString words_of(const ordered_json& body, const char* key) {
  return QString::fromStdString(agent::read_boxes(text_of(body, key).toStdString()).text).trimmed();
}

QList<BoxNote> boxes_of(const ordered_json& body) {
  QList<BoxNote> boxes;
  for (const ordered_json& box : body.value("boxes", ordered_json::array())) {
    const ordered_json& area = box.at("area_pt");
    boxes.append(
        {QRect(area[0].get<int>(), area[1].get<int>(), area[2].get<int>(), area[3].get<int>()), text_of(box, "label")});
  }
  return boxes;
}

// The widget that an action took hold of first.
void take_target(const ordered_json& result, SessionItem& item) {
  for (const ordered_json& anchor : result.value("anchors", ordered_json::array())) {
    const auto widget = anchor.find("widget");
    if (widget == anchor.end()) continue;
    const ordered_json& box = widget->at("box_pt");
    item.target_pt = QRect(box[0].get<int>(), box[1].get<int>(), box[2].get<int>(), box[3].get<int>());
    item.target_name = (text_of(*widget, "role") + " " + text_of(*widget, "label")).trimmed();
    return;
  }
}

}  // namespace

void ItemBuilder::add(const agent::Event& event) {
  last_event_ = event.id;
  elapsed_ms_ = std::chrono::duration_cast<std::chrono::milliseconds>(event.elapsed).count();
  switch (event.kind) {
    case agent::EventKind::Message:
      return add_message(event);
    case agent::EventKind::ModelCall:
      tokens_ = {event.body.value("prompt_tokens", qint64{0}), event.body.value("reused_tokens", qint64{0}),
                 event.body.value("reply_tokens", qint64{0}), event.body.value("prefill_seconds", 0.0),
                 event.body.value("decode_seconds", 0.0)};
      last_tokens_ = tokens_;
      return;
    case agent::EventKind::Intent:
      return add_intent(event);
    case agent::EventKind::Outcome:
      return add_outcome(event);
    case agent::EventKind::Plan:
      return add_plan(event);
    case agent::EventKind::Status:
      return add_status(event);
    case agent::EventKind::File:
      return;
  }
}

SessionDelta ItemBuilder::take_delta() {
  SessionDelta delta;
  for (const int index : changed_) delta.changes.append({index, items_[static_cast<std::size_t>(index)]});
  changed_.clear();
  delta.plans = std::exchange(new_plans_, {});
  delta.last_tokens = last_tokens_;
  delta.elapsed_ms = elapsed_ms_;
  return delta;
}

SessionItem& ItemBuilder::append(SessionItem::Kind kind, const agent::Event& event) {
  SessionItem item;
  item.kind = kind;
  item.event = item.last_event = event.id;
  item.at_ms = elapsed_ms_;
  if (event.kind == agent::EventKind::Message) item.turn = turn_;
  changed_.insert(static_cast<int>(items_.size()));
  items_.push_back(std::move(item));
  return items_.back();
}

SessionItem* ItemBuilder::call_named(const QString& id, const agent::Event& event) {
  const auto found = calls_.constFind(id);
  if (found == calls_.constEnd()) return nullptr;
  changed_.insert(*found);
  SessionItem& item = items_[static_cast<std::size_t>(*found)];
  item.last_event = event.id;
  return &item;
}

void ItemBuilder::add_message(const agent::Event& event) {
  const std::string role = event.body.value("role", "");
  turn_ = turns_.add(role == "tool");
  if (role == "assistant") return add_reply(event);
  if (role == "tool") return add_answer(event);
  const bool is_hint = event.body.value("is_hint", false);
  SessionItem& item = append(is_hint ? SessionItem::Kind::Hint : SessionItem::Kind::Instruction, event);
  item.text = text_of(event.body, "text");
  item.picture = last_picture(event.body);
  see(item.picture);
}

void ItemBuilder::add_reply(const agent::Event& event) {
  const std::size_t first = items_.size();
  if (const QString thought = words_of(event.body, "thought"); !thought.isEmpty()) {
    append(SessionItem::Kind::Thought, event).text = thought;
  }
  const QList<BoxNote> boxes = boxes_of(event.body);
  if (const QString text = words_of(event.body, "text"); !text.isEmpty() || !boxes.isEmpty()) {
    SessionItem& item = append(SessionItem::Kind::Text, event);
    item.text = text;
    item.boxes = boxes;
    if (!boxes.isEmpty()) item.screen = newest_picture_;
  }
  for (const ordered_json& call : event.body.value("calls", ordered_json::array())) {
    SessionItem& item = append(SessionItem::Kind::Call, event);
    item.call_id = text_of(call, "id");
    item.tool = text_of(call, "name");
    item.arguments = object_of(call.value("arguments", ordered_json::object()));
    item.screen = newest_picture_;
    if (item.tool == "plan") item.plan = plan_lines(call["arguments"].value("steps", ordered_json::array()));
    calls_[item.call_id] = static_cast<int>(items_.size()) - 1;
  }
  if (items_.size() > first) items_[first].tokens = tokens_;
  tokens_ = {};
}

void ItemBuilder::add_answer(const agent::Event& event) {
  ++n_answers_;
  SessionItem* item = call_named(text_of(event.body, "call_id"), event);
  if (item == nullptr) return;
  item->number = n_answers_;
  item->answer_turn = turn_;
  using State = SessionItem::CallState;
  if (item->call_state == State::Announced) {  // it was never carried out
    const bool ok = event.body.value("ok", false);
    item->text = text_of(event.body, "text");
    item->call_state = ok ? State::Done : item->text.startsWith("Not allowed: ") ? State::Denied : State::Failed;
  }
  if (item->call_state == State::Running) item->call_state = State::Failed;  // interrupted: the answer says so
  if (const qint64 picture = last_picture(event.body); picture != 0) item->picture = picture;
  see(item->picture);
}

void ItemBuilder::add_intent(const agent::Event& event) {
  const ordered_json& call = event.body.at("call");
  const QString id = text_of(call, "id");
  call_of_intent_[event.id] = id;
  SessionItem* item = call_named(id, event);
  if (item == nullptr) return;
  item->tool = text_of(call, "name");  // the tool's own words from here on: points are pixels
  item->arguments = object_of(call.value("arguments", ordered_json::object()));
  item->effect = text_of(event.body, "effect");
  for (const ordered_json& origin : event.body.value("origins", ordered_json::array())) {
    item->origins.append({text_of(origin, "quote"), text_of(origin, "source"), origin.value("is_active", false)});
  }
  item->call_state = SessionItem::CallState::Running;
  // Items stand in the order of their times: those that wait behind it begin later still.
  for (auto at = calls_[id]; at < static_cast<int>(items_.size()); ++at) {
    items_[static_cast<std::size_t>(at)].at_ms = elapsed_ms_;
    changed_.insert(at);
  }
}

void ItemBuilder::add_outcome(const agent::Event& event) {
  SessionItem* item = call_named(call_of_intent_.value(event.action_id), event);
  if (item == nullptr) return;
  const ordered_json& result = event.body.at("result");
  item->call_state = result.value("ok", false) ? SessionItem::CallState::Done : SessionItem::CallState::Failed;
  item->text = text_of(result, "text");
  item->seconds = event.body.value("seconds", -1.0);
  if (const qint64 picture = last_picture(result); picture != 0) item->picture = picture;
  if (const auto evidence = result.find("evidence"); evidence != result.end()) {
    item->verdict = text_of(*evidence, "verdict");
    for (const ordered_json& area : evidence->value("changed_regions_pt", ordered_json::array())) {
      item->changed_pt.append(QRect(area[0].get<int>(), area[1].get<int>(), area[2].get<int>(), area[3].get<int>()));
    }
  }
  take_target(result, *item);
  const auto details = result.find("details");
  if (details != result.end() && details->is_object()) item->output_path = text_of(*details, "output_path");
}

void ItemBuilder::add_plan(const agent::Event& event) {
  const bool is_bare = event.body.is_array();
  new_plans_.append(
      {event.id, elapsed_ms_, plan_lines(is_bare ? event.body : event.body.value("steps", ordered_json::array()))});
}

void ItemBuilder::add_status(const agent::Event& event) {
  const QString status = text_of(event.body, "status");
  if (status == "running") return;  // goes on
  SessionItem& item = append(SessionItem::Kind::Ending, event);
  item.status = status;
  item.text = text_of(event.body, "summary");
  item.n_actions = event.body.value("n_actions", 0);
  item.n_unverified = event.body.value("n_unverified", 0);
  for (const ordered_json& claim : event.body.value("claims", ordered_json::array())) {
    item.claims.append({text_of(claim, "sentence"), text_of(claim, "problem")});
  }
}

}  // namespace app
