#pragma once
// A workflow: the steps of a session that can be done again, in one file that another machine can take in and replay.

#include <filesystem>
#include <optional>

#include "agent/recorder.h"
#include "agent/session_part.h"

namespace agent {

// JSON: {format: "deskhand-workflow", version: 1, task, desktop, workspace,
//        steps: [{tool, arguments, effect, parameter?, screen?, result: {…, anchors}}],
//        pictures: [{area_pt: [x, y, width, height], png: base64}]}
// `parameter` names the text that a step enters; `screen` and the pictures of anchors count `pictures` from 1; `result`
// is as record_format.h has it. Throws Error when nothing in it can be done again, or the place is no good.
void export_workflow(Recorder& recorder, SessionId session, const std::filesystem::path& file,
                     const SessionPart& part = {});

struct ImportedWorkflow {
  SessionId session = 0;
  int n_steps = 0;
};
// Nothing when the file is no workflow; throws Error when it is one that can't be read.
std::optional<ImportedWorkflow> import_workflow(Recorder& recorder, const std::filesystem::path& file);

}  // namespace agent
