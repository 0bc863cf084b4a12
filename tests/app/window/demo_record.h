#pragma once
// A record with sessions as they come out of real work, for tests and pictures of the window.

#include <QImage>
#include <filesystem>

#include "agent/recorder.h"

namespace app_test {

// A small drawn desktop with a calculator that shows `display`, and an editor with `text`.
QImage demo_desktop(const QString& display, const QString& text);
agent::Picture picture_of(const QImage& image);

// Writes three sessions: one done (with a plan, all kinds of calls, evidence, a denial), one stuck, one interrupted.
// The id of the first.
agent::SessionId write_demo_sessions(const std::filesystem::path& record);

// A session of so many calls.
agent::SessionId write_long_session(const std::filesystem::path& record, int n_calls);

}  // namespace app_test
