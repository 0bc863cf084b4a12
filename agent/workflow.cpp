#include "agent/workflow.h"

#include <QByteArray>
#include <QImage>
#include <map>

#include "agent/error.h"
#include "agent/export.h"
#include "agent/permission.h"
#include "agent/record_format.h"
#include "agent/replay.h"
#include "agent/tool_arguments.h"
#include "agent/whole_file.h"

namespace agent {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using nlohmann::ordered_json;

constexpr const char* kFormat = "deskhand-workflow";
constexpr int kVersion = 1;

// The pictures of the file, each once, counted from 1.
class Album {
 public:
  FrameRow add(const capture::Frame& frame) {
    const auto [known, is_new] =
        numbers_.try_emplace(frame.content_hash(), static_cast<FrameRow>(pictures_.size()) + 1);
    if (!is_new) return known->second;
    const capture::Rect& area = frame.screen_map.area_pt();
    const QByteArray png = QByteArray::fromStdString(png_of(frame));
    pictures_.push_back(
        {{"area_pt", {area.x, area.y, area.width, area.height}}, {"png", png.toBase64().toStdString()}});
    return known->second;
  }
  ordered_json take() { return std::move(pictures_); }

 private:
  std::map<std::uint64_t, FrameRow> numbers_;  // by content
  ordered_json pictures_ = ordered_json::array();
};

ordered_json step_json(const ReplayStep& step, Album& album) {
  ordered_json body = {{"tool", step.call.name}, {"arguments", step.call.arguments}, {"effect", step.effect}};
  if (!step.parameter.empty()) body["parameter"] = step.parameter;
  if (step.screen != nullptr) body["screen"] = album.add(*step.screen);
  tools::ToolResult result{.ok = true, .details = step.details, .anchors = step.anchors};
  result.evidence = tools::Evidence{.verdict = step.verdict};
  const Redaction none;  // the record has none of the secrets
  body["result"] = result_body(result, {none, [&](const capture::Frame& frame) { return album.add(frame); }});
  return body;
}

Picture picture_from(const json& body) {
  const QByteArray png = QByteArray::fromBase64(QByteArray::fromStdString(body.at("png").get<std::string>()));
  const QImage image = QImage::fromData(png).convertToFormat(QImage::Format_RGB32);
  if (image.isNull()) throw Error("the workflow has a picture that can't be read");
  const cv::Mat view(image.height(), image.width(), CV_8UC4, const_cast<uchar*>(image.constBits()),
                     static_cast<std::size_t>(image.bytesPerLine()));
  const json& sides = body.at("area_pt");
  const capture::Rect area = {sides.at(0), sides.at(1), sides.at(2), sides.at(3)};
  if (area.width <= 0 || area.height <= 0) throw Error("the workflow has a picture of an empty area");
  return std::make_shared<const capture::Frame>(view.clone(),
                                                capture::ScreenMap(area, {image.width(), image.height()}));
}

// One step as the record will have it.
struct TakenStep {
  tools::ToolCall call;
  Intent intent;
  tools::ToolResult result{.ok = true, .text = "Done elsewhere."};
};

TakenStep step_from(const json& body, int number, const std::vector<Picture>& pictures) {
  const auto load = [&](FrameRow row) { return pictures.at(static_cast<std::size_t>(row) - 1); };
  const std::string effect_name = body.at("effect");
  const std::optional<tools::Effect> effect = effect_named(effect_name);
  if (!effect) throw Error("the workflow has an action of the unknown effect \"" + effect_name + "\"; update Deskhand");
  TakenStep step;
  step.call = {"call_" + std::to_string(number), body.at("tool"), body.at("arguments")};
  step.intent = {.call = step.call, .effect = *effect, .decision = "done elsewhere"};
  if (body.contains("screen")) step.intent.screen = load(body.at("screen").get<FrameRow>());
  const ordered_json result = body.at("result");
  step.result.anchors = anchors_from(result, load);
  step.result.evidence = tools::Evidence{.verdict = verdict_named(result.at("evidence").at("verdict"))};
  if (result.contains("details")) step.result.details = json(result.at("details"));
  return step;
}

std::vector<TakenStep> steps_from(const json& workflow) {
  std::vector<Picture> pictures;
  for (const json& picture : workflow.at("pictures")) pictures.push_back(picture_from(picture));
  std::vector<TakenStep> steps;
  for (const json& step : workflow.at("steps")) {
    steps.push_back(step_from(step, static_cast<int>(steps.size()) + 1, pictures));
  }
  return steps;
}

// Writes the steps as a session that was done elsewhere.
ImportedWorkflow take_in(Recorder& recorder, const SessionInfo& info, const std::vector<TakenStep>& steps,
                         const std::string& from) {
  const ImportedWorkflow imported{recorder.begin_session(info), static_cast<int>(steps.size())};
  recorder.append_message(imported.session, UserMessage{info.task, {}, false});
  for (const TakenStep& step : steps) {
    const tools::ToolCall& call = step.call;
    recorder.append_message(imported.session, AssistantMessage{"", "", {{call.id, call.name, call.arguments}}});
    recorder.outcome(recorder.intent(imported.session, step.intent), step.result, 0);
    recorder.append_message(imported.session, ToolMessage{call.id, step.result.text, {}, true});
  }
  recorder.finish_session(imported.session, {Ending::Done, "taken in from " + from, imported.n_steps, 0});
  return imported;
}

}  // namespace

void export_workflow(Recorder& recorder, SessionId session, const fs::path& file, const SessionPart& part) {
  require_free(file);
  const SessionInfo info = recorder.session(session).info;
  Album album;
  ordered_json steps = ordered_json::array();
  for (const ReplayStep& step : load_steps(recorder, session, part)) steps.push_back(step_json(step, album));
  if (steps.empty()) throw Error("session " + std::to_string(session) + " did nothing there that could be done again");
  const ordered_json workflow = {{"format", kFormat},       {"version", kVersion},         {"task", info.task},
                                 {"desktop", info.desktop}, {"workspace", info.workspace}, {"steps", std::move(steps)},
                                 {"pictures", album.take()}};
  write_file(file, workflow.dump(1) + "\n");
}

std::optional<ImportedWorkflow> import_workflow(Recorder& recorder, const fs::path& file) {
  const std::string text = read_file(file, kMostPictures_bytes);
  if (is_nested_too_deep(text)) return std::nullopt;
  const json workflow = json::parse(text, nullptr, false);
  if (!workflow.is_object() || workflow.value("format", json()) != kFormat) return std::nullopt;
  if (workflow.value("version", 0) != kVersion) {
    throw Error(file.string() + " is a workflow of a newer Deskhand; update this one");
  }
  try {
    const std::vector<TakenStep> steps = steps_from(workflow);  // all of it can be read, or nothing is written
    const SessionInfo info = {workflow.at("task"), "a workflow", workflow.at("desktop"), workflow.at("workspace"), ""};
    return take_in(recorder, info, steps, file.string());
  } catch (const json::exception& error) {
    throw Error(file.string() + " is no whole workflow: " + error.what());
  } catch (const std::out_of_range&) {
    throw Error(file.string() + " is no whole workflow: it names a picture that it doesn't hold");
  }
}

}  // namespace agent
