#include "agent/record_format.h"

#include <array>
#include <utility>

#include "agent/error.h"

namespace agent {
namespace {

using nlohmann::ordered_json;

constexpr std::array<std::pair<SessionStatus, const char*>, 8> kStatusNames = {{
    {SessionStatus::Running, "running"},
    {SessionStatus::Interrupted, "interrupted"},
    {SessionStatus::Done, "done"},
    {SessionStatus::GaveUp, "gave up"},
    {SessionStatus::Stuck, "stuck"},
    {SessionStatus::Refused, "refused"},
    {SessionStatus::Stopped, "stopped"},
    {SessionStatus::Failed, "failed"},
}};

ordered_json stored(const std::vector<Picture>& pictures, const BodyContext& context) {
  ordered_json rows = ordered_json::array();
  for (const Picture& picture : pictures) rows.push_back(context.store(*picture));
  return rows;
}

ordered_json json_of(const tools::Rect& area) {
  return {area.x, area.y, area.width, area.height};
}

ordered_json texts(const std::vector<std::string>& list, const BodyContext& context) {
  ordered_json result = ordered_json::array();
  for (const std::string& text : list) result.push_back(context.redaction.text(text));
  return result;
}

ordered_json evidence_body(const tools::Evidence& evidence, const BodyContext& context) {
  ordered_json regions = ordered_json::array();
  for (const tools::Rect& region : evidence.changed_regions) regions.push_back(json_of(region));
  ordered_json body = {{"verdict", name_of(evidence.verdict)},
                       {"changed_regions_pt", std::move(regions)},
                       {"windows_opened", texts(evidence.windows_opened, context)},
                       {"windows_closed", texts(evidence.windows_closed, context)}};
  if (evidence.focused_window) body["focused_window"] = context.redaction.text(*evidence.focused_window);
  body["clipboard_changed"] = evidence.clipboard_changed;
  if (const auto& scrolled = evidence.scrolled)
    body["scrolled_pt"] = {{"area", json_of(scrolled->area)}, {"dx", scrolled->dx}, {"dy", scrolled->dy}};
  if (const auto& field = evidence.field_text) {
    static constexpr const char* kStates[] = {"as_typed", "different", "unchanged"};
    body["field_text"] = {{"state", kStates[static_cast<int>(field->state)]},
                          {"excerpt", context.redaction.text(field->excerpt)}};
  }
  body["settled"] = evidence.settled;
  return body;
}

ordered_json json_of(const capture::Rect& area) {
  return {area.x, area.y, area.width, area.height};
}

capture::Rect rect_from(const ordered_json& body) {
  return {body.at(0), body.at(1), body.at(2), body.at(3)};
}

ordered_json anchor_body(const tools::Anchor& anchor, const BodyContext& context) {
  const auto text = [&](const std::string& value) { return context.redaction.text(value); };
  ordered_json body = {{"point_pt", {anchor.point.x_pt, anchor.point.y_pt}}};
  if (const auto& window = anchor.window) {
    body["window"] = {{"class", text(window->class_name)},
                      {"title", text(window->title)},
                      {"type", window->type},
                      {"process", window->process_name},
                      {"frame_pt", json_of(window->frame_pt)}};
  }
  if (const auto& widget = anchor.widget) {
    body["widget"] = {
        {"role", widget->role},       {"label", text(widget->label)}, {"inside", texts(widget->ancestors, context)},
        {"ordinal", widget->ordinal}, {"n_alike", widget->n_alike},   {"box_pt", json_of(widget->box_pt)}};
  }
  if (anchor.picture) body["picture"] = context.store(*anchor.picture);
  return body;
}

tools::Anchor anchor_from(const ordered_json& body, const LoadPicture& load) {
  tools::Anchor anchor;
  anchor.point = {body.at("point_pt").at(0), body.at("point_pt").at(1)};
  if (body.contains("window")) {
    const ordered_json& window = body.at("window");
    anchor.window = {window.at("class"), window.at("title"), window.at("type"), window.at("process"),
                     rect_from(window.at("frame_pt"))};
  }
  if (body.contains("widget")) {
    const ordered_json& widget = body.at("widget");
    anchor.widget = {widget.at("role"),    widget.at("label"),   widget.at("inside"),
                     widget.at("ordinal"), widget.at("n_alike"), rect_from(widget.at("box_pt"))};
  }
  if (body.contains("picture")) anchor.picture = load(body.at("picture").get<FrameRow>());
  return anchor;
}

struct MessageBody {
  const BodyContext& context;

  ordered_json operator()(const UserMessage& message) const {
    return {{"role", "user"},
            {"text", context.redaction.text(message.text)},
            {"pictures", stored(message.pictures, context)},
            {"is_hint", message.is_hint}};
  }
  ordered_json operator()(const AssistantMessage& message) const {
    ordered_json calls = ordered_json::array();
    for (const ModelCall& call : message.calls) {
      calls.push_back({{"id", call.id}, {"name", call.name}, {"arguments", context.redaction.json(call.arguments)}});
    }
    ordered_json body = {{"role", "assistant"},
                         {"thought", context.redaction.text(message.thought)},
                         {"text", context.redaction.text(message.text)},
                         {"calls", std::move(calls)}};
    for (const ScreenBox& box : message.boxes) {
      body["boxes"].push_back({{"area_pt", json_of(box.area_pt)}, {"label", context.redaction.text(box.label)}});
    }
    return body;
  }
  ordered_json operator()(const ToolMessage& message) const {
    return {{"role", "tool"},
            {"call_id", message.call_id},
            {"text", context.redaction.text(message.text)},
            {"pictures", stored(message.pictures, context)},
            {"ok", message.ok}};
  }
};

std::vector<Picture> loaded(const ordered_json& rows, const LoadPicture& load, std::string& text) {
  std::vector<Picture> pictures;
  for (const auto& row : rows) {
    if (Picture picture = load(row.get<FrameRow>())) {
      pictures.push_back(std::move(picture));
    } else {
      text += "\n(A picture is missing here: its record is damaged.)";
    }
  }
  return pictures;
}

AssistantMessage assistant_from(const ordered_json& body) {
  AssistantMessage message{body.at("thought"), body.at("text"), {}};
  for (const auto& call : body.at("calls")) {
    message.calls.push_back({call.at("id"), call.at("name"), call.at("arguments")});
  }
  return message;
}

}  // namespace

std::string name_of(SessionStatus status) {
  for (const auto& [value, name] : kStatusNames) {
    if (value == status) return name;
  }
  return "";
}

SessionStatus status_named(const std::string& wanted) {
  for (const auto& [value, name] : kStatusNames) {
    if (wanted == name) return value;
  }
  throw Error("the record has a session with the unknown status \"" + wanted + "\"; update Deskhand to read it");
}

std::string name_of(tools::Verdict verdict) {
  switch (verdict) {
    case tools::Verdict::Confirmed:
      return "confirmed";
    case tools::Verdict::Partial:
      return "partial";
    case tools::Verdict::NoOp:
      return "no_op";
    case tools::Verdict::Unverifiable:
      return "unverifiable";
    case tools::Verdict::Refused:
      return "refused";
  }
  return "";
}

tools::Verdict verdict_named(const std::string& name) {
  for (const auto verdict : {tools::Verdict::Confirmed, tools::Verdict::Partial, tools::Verdict::NoOp,
                             tools::Verdict::Unverifiable, tools::Verdict::Refused}) {
    if (name_of(verdict) == name) return verdict;
  }
  return tools::Verdict::Unverifiable;
}

ordered_json message_body(const Message& message, const BodyContext& context) {
  return std::visit(MessageBody{context}, message);
}

Message message_from(const ordered_json& body, const LoadPicture& load) {
  const auto role = body.at("role").get<std::string>();
  if (role == "assistant") return assistant_from(body);
  auto text = body.at("text").get<std::string>();
  std::vector<Picture> pictures = loaded(body.at("pictures"), load, text);
  if (role == "user") return UserMessage{std::move(text), std::move(pictures), body.at("is_hint")};
  if (role == "tool") return ToolMessage{body.at("call_id"), std::move(text), std::move(pictures), body.at("ok")};
  throw Error("the record has a message of the unknown role \"" + role + "\"; update Deskhand to read it");
}

ordered_json call_body(const tools::ToolCall& call, const BodyContext& context) {
  return {{"id", call.id}, {"name", call.name}, {"arguments", context.redaction.json(call.arguments)}};
}

ordered_json result_body(const tools::ToolResult& result, const BodyContext& context) {
  ordered_json body = {
      {"ok", result.ok}, {"text", context.redaction.text(result.text)}, {"pictures", stored(result.frames, context)}};
  if (result.evidence) body["evidence"] = evidence_body(*result.evidence, context);
  if (!result.anchors.empty()) {
    body["anchors"] = ordered_json::array();
    for (const tools::Anchor& anchor : result.anchors) body["anchors"].push_back(anchor_body(anchor, context));
  }
  if (!result.details.is_null()) body["details"] = context.redaction.json(result.details);
  return body;
}

std::vector<tools::Anchor> anchors_from(const ordered_json& result_body, const LoadPicture& load) {
  std::vector<tools::Anchor> anchors;
  if (!result_body.contains("anchors")) return anchors;
  for (const ordered_json& body : result_body.at("anchors")) anchors.push_back(anchor_from(body, load));
  return anchors;
}

ordered_json usage_body(const Usage& usage) {
  return {{"prompt_tokens", usage.prompt_tokens},
          {"reused_tokens", usage.reused_tokens},
          {"reply_tokens", usage.reply_tokens},
          {"prefill_seconds", usage.prefill_seconds},
          {"decode_seconds", usage.decode_seconds}};
}

}  // namespace agent
