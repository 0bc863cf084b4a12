#include <QImage>
#include <QPainter>
#include <algorithm>

#include "agent/error.h"
#include "agent/export.h"
#include "capture/video_writer.h"

namespace agent {
namespace {

using nlohmann::ordered_json;

constexpr double kFramesPerSecond = 10;
constexpr double kShortest_seconds = 0.5, kLongest_seconds = 3;  // that a picture is shown, whatever it took then

struct Scene {
  Picture picture;
  double at_seconds = 0;                          // running time of the session
  std::vector<capture::DesktopPoint> marks = {};  // where the step that follows clicks
};

void add_pictures(const ordered_json& body, const Event& event, Recorder& recorder, std::vector<Scene>& scenes) {
  const double at = static_cast<double>(event.elapsed.count()) / 1e6;
  for (const auto& row : body.value("pictures", ordered_json::array())) {
    try {
      scenes.push_back({recorder.load_picture(row.get<FrameRow>()).picture, at});
    } catch (const Error&) {  // damaged: the film goes on without it
    }
  }
}

// The picture that was on the screen when the part begins.
void add_opening(Recorder& recorder, SessionId session, const SessionPart& part, std::vector<Scene>& scenes) {
  const Event* newest = nullptr;
  const std::vector<Event> events = recorder.load_events(session);
  for (const Event& event : events) {
    if (event.elapsed >= part.from) break;
    if (event.kind == EventKind::Message && !event.body.value("pictures", ordered_json::array()).empty())
      newest = &event;
  }
  if (newest == nullptr) return;
  add_pictures({{"pictures", {newest->body.at("pictures").back()}}}, *newest, recorder, scenes);
  for (Scene& scene : scenes) scene.at_seconds = static_cast<double>(part.from.count()) / 1e6;
}

std::vector<Scene> scenes_of(Recorder& recorder, SessionId session, const SessionPart& part) {
  std::vector<Scene> scenes;
  if (part.from.count() > 0) add_opening(recorder, session, part, scenes);
  for (const Event& event : events_in(recorder, session, part)) {
    if (event.kind == EventKind::Message) add_pictures(event.body, event, recorder, scenes);
    if (event.kind == EventKind::Intent && scenes.empty() && event.body.contains("screen")) {
      add_pictures({{"pictures", {event.body.at("screen")}}}, event, recorder, scenes);
    }
    if (event.kind != EventKind::Outcome || scenes.empty()) continue;
    for (const tools::Anchor& anchor : anchors_from(event.body.at("result"), [](FrameRow) { return nullptr; })) {
      scenes.back().marks.push_back(anchor.point);
    }
  }
  return scenes;
}

// The picture at the film's size, with a ring around each mark.
Picture drawn(const Scene& scene, capture::Size size) {
  const Picture fitted = capture::resize(scene.picture, size);
  cv::Mat pixels = fitted->pixels.clone();
  QImage image(pixels.data, pixels.cols, pixels.rows, static_cast<qsizetype>(pixels.step[0]), QImage::Format_RGB32);
  QPainter painter(&image);
  painter.setRenderHint(QPainter::Antialiasing);
  for (const capture::DesktopPoint& mark : scene.marks) {
    const auto at = fitted->screen_map.to_image(mark);
    if (!at) continue;
    for (const auto& [colour, width] : {std::pair{Qt::white, 6.0}, std::pair{Qt::red, 3.0}}) {
      painter.setPen(QPen(colour, width));
      painter.drawEllipse(QPointF(at->x_px, at->y_px), 14, 14);
    }
  }
  painter.end();
  return std::make_shared<const capture::Frame>(std::move(pixels), fitted->screen_map);
}

}  // namespace

void export_video(Recorder& recorder, SessionId session, const std::filesystem::path& file, const SessionPart& part) {
  require_free(file);
  const std::vector<Scene> scenes = scenes_of(recorder, session, part);
  if (scenes.empty()) throw Error("session " + std::to_string(session) + " has no pictures to make a film of");
  const capture::Size size = scenes[0].picture->screen_map.image_px();
  const auto writer =
      capture::VideoWriter::open({.path = file, .size_px = size, .frames_per_second = kFramesPerSecond});
  for (std::size_t i = 0; i < scenes.size(); ++i) {
    const double took = i + 1 < scenes.size() ? scenes[i + 1].at_seconds - scenes[i].at_seconds : kLongest_seconds;
    const Picture picture = drawn(scenes[i], size);
    const double shown = std::clamp(took, kShortest_seconds, kLongest_seconds);
    for (int n = 0; n < static_cast<int>(shown * kFramesPerSecond); ++n) writer->write(*picture);
  }
}

}  // namespace agent
