#include "agent/export.h"

#include <QBuffer>
#include <QDateTime>
#include <QImage>
#include <set>

#include "agent/error.h"
#include "agent/whole_file.h"
#include "agent/workflow.h"

namespace agent {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

void add_rows(const ordered_json& body, std::set<FrameRow>& rows) {
  if (body.contains("screen")) rows.insert(body.at("screen").get<FrameRow>());
  if (body.contains("pictures")) {
    for (const auto& row : body.at("pictures")) rows.insert(row.get<FrameRow>());
  }
  if (body.contains("picture")) rows.insert(body.at("picture").get<FrameRow>());
  if (body.contains("anchors")) {
    for (const auto& anchor : body.at("anchors")) add_rows(anchor, rows);
  }
  if (body.contains("result")) add_rows(body.at("result"), rows);
}

// Bodies whose form is ours; a plan belongs to the model and may use the same words.
bool has_pictures(EventKind kind) {
  return kind == EventKind::Message || kind == EventKind::Intent || kind == EventKind::Outcome;
}

ordered_json picture_json(FrameRow row, const StoredPicture& stored) {
  const capture::Rect& area = stored.picture->screen_map.area_pt();
  return {{"picture", row},
          {"recorded_id", stored.recorded_id},
          {"captured_at", utc_time(stored.picture->captured_at)},
          {"area_pt", {area.x, area.y, area.width, area.height}}};
}

// Its line in pictures.jsonl.
ordered_json export_picture(Recorder& recorder, FrameRow row, const fs::path& file) {
  StoredPicture stored;
  try {
    stored = recorder.load_picture(row);
  } catch (const Error& error) {
    return {{"picture", row}, {"problem", error.what()}};
  }
  write_file(file, png_of(*stored.picture));
  return picture_json(row, stored);
}

void fill_folder(Recorder& recorder, SessionId session, const fs::path& folder, const SessionPart& part) {
  const SessionSummary summary = recorder.session(session);
  std::string events, pictures;
  std::set<FrameRow> rows;
  for (const Event& event : events_in(recorder, session, part)) {
    events += event_json(event).dump() + "\n";
    if (has_pictures(event.kind)) add_rows(event.body, rows);
  }
  for (const FrameRow row : rows) {
    pictures += export_picture(recorder, row, folder / "pictures" / (std::to_string(row) + ".png")).dump() + "\n";
  }
  ordered_json about = session_json(summary);
  if (!part.is_whole()) {
    const auto until = std::min(part.until, std::chrono::microseconds(std::chrono::hours(24 * 365)));
    about["part_seconds"] = {std::chrono::duration<double>(part.from).count(),
                             std::chrono::duration<double>(until).count()};
  }
  write_file(folder / "session.json", about.dump(2) + "\n");
  write_file(folder / "events.jsonl", events);
  write_file(folder / "pictures.jsonl", pictures);
}

}  // namespace

ordered_json session_json(const SessionSummary& session) {
  ordered_json json = {{"format", "deskhand-session"},
                       {"version", 1},
                       {"id", session.id},
                       {"task", session.info.task},
                       {"model", session.info.model},
                       {"desktop", session.info.desktop},
                       {"workspace", session.info.workspace},
                       {"instructions", session.info.instructions},
                       {"status", name_of(session.status)},
                       {"summary", session.summary},
                       {"began", utc_time(session.began)}};
  json["ended"] = session.ended ? ordered_json(utc_time(*session.ended)) : ordered_json(nullptr);
  return json;
}

ordered_json event_json(const Event& event) {
  ordered_json json = {{"id", event.id},
                       {"kind", name_of(event.kind)},
                       {"at", utc_time(event.at)},
                       {"elapsed_seconds", static_cast<double>(event.elapsed.count()) / 1e6}};
  if (event.action_id != 0) json["action_id"] = event.action_id;
  json["body"] = event.body;
  return json;
}

std::string png_of(const capture::Frame& frame) {
  const QImage image(frame.pixels.data, frame.pixels.cols, frame.pixels.rows,
                     static_cast<qsizetype>(frame.pixels.step[0]), QImage::Format_RGB32);
  QByteArray bytes;
  QBuffer buffer(&bytes);
  buffer.open(QIODevice::WriteOnly);
  if (!image.save(&buffer, "PNG"))
    throw Error("can't make a PNG of a picture: Qt has no PNG support here; reinstall it");
  return bytes.toStdString();
}

std::string utc_time(std::chrono::system_clock::time_point at) {
  const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(at.time_since_epoch()).count();
  return QDateTime::fromMSecsSinceEpoch(ms, Qt::UTC).toString(Qt::ISODateWithMs).toStdString();
}

void require_free(const fs::path& place) {
  std::error_code problem;
  if (fs::exists(place, problem)) throw Error(place.string() + " exists already; export to a new place");
  if (problem) {
    throw Error("can't export to " + place.string() + ": " + problem.message() + "; export to another place");
  }
}

void export_folder(Recorder& recorder, SessionId session, const fs::path& folder, const SessionPart& part) {
  require_free(folder);
  const fs::path partial = fs::path(folder) += ".partial";
  std::error_code problem;
  fs::remove_all(partial, problem);
  fs::create_directories(partial / "pictures", problem);
  if (problem) throw Error("can't create " + partial.string() + ": " + problem.message() + "; export to another place");
  try {
    fill_folder(recorder, session, partial, part);
    fs::rename(partial, folder, problem);
    if (problem)
      throw Error("can't create " + folder.string() + ": " + problem.message() + "; export to another place");
  } catch (...) {
    fs::remove_all(partial, problem);
    throw;
  }
}

void export_report(Recorder& recorder, SessionId session, const fs::path& file, const SessionPart& part) {
  require_free(file);
  write_file(file, html_report(recorder, session, part));
}

void export_as(const std::string& form, Recorder& recorder, SessionId session, const fs::path& place,
               const SessionPart& part) {
  if (form == "folder") return export_folder(recorder, session, place, part);
  if (form == "zip") return export_zip(recorder, session, place, part);
  if (form == "html") return export_report(recorder, session, place, part);
  if (form == "mp4") return export_video(recorder, session, place, part);
  if (form == "workflow") return export_workflow(recorder, session, place, part);
  throw Error("sessions can't be exported as " + form + "; there are folder, zip, html, mp4 and workflow");
}

}  // namespace agent
