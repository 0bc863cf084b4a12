#pragma once
// A session, or a part of one, outside the record, for people and for other programs. What is written appears whole or
// not at all, and the secrets that the record doesn't hold aren't in it either. All throw Error when the session or the
// place is no good.

#include <filesystem>
#include <string>

#include "agent/recorder.h"
#include "agent/session_part.h"

namespace agent {

// Throws Error when something is there already, or when that can't be told.
void require_free(const std::filesystem::path& place);

// A new folder:
//   session.json      {format, version, id, task, model, …, status, summary, began, ended,
//                     part_seconds?: [from, until]}
//   events.jsonl      one event a line: {id, kind, at, elapsed_seconds, action_id?, body}, see record_format.h
//   pictures/N.png    the picture that a body calls N
//   pictures.jsonl    one picture a line: {picture, recorded_id, captured_at, area_pt [x, y, width, height]}, or
//                     {picture, problem} when its record is damaged
void export_folder(Recorder& recorder, SessionId session, const std::filesystem::path& folder,
                   const SessionPart& part = {});

// One HTML file that needs no other file, no script and no network.
void export_report(Recorder& recorder, SessionId session, const std::filesystem::path& file,
                   const SessionPart& part = {});

// The same folder as a zip file, and the pictures in order as an MP4 in which a mark shows where it clicked.
void export_zip(Recorder& recorder, SessionId session, const std::filesystem::path& file, const SessionPart& part = {});
void export_video(Recorder& recorder, SessionId session, const std::filesystem::path& file,
                  const SessionPart& part = {});

// In the form of that name: folder, zip, html, mp4 or workflow (see workflow.h).
void export_as(const std::string& form, Recorder& recorder, SessionId session, const std::filesystem::path& place,
               const SessionPart& part = {});

// The report itself.
std::string html_report(Recorder& recorder, SessionId session, const SessionPart& part = {});

// Parts that the forms share.
nlohmann::ordered_json session_json(const SessionSummary& session);  // as in session.json
nlohmann::ordered_json event_json(const Event& event);               // as in events.jsonl
std::string png_of(const capture::Frame& frame);
std::string utc_time(std::chrono::system_clock::time_point at);  // "2026-03-01T12:00:00.123Z"

}  // namespace agent
