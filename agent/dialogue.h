#pragma once
// What the loop says to the model, and where it is kept: each message goes into the journal, then into the transcript.

#include <stop_token>
#include <string>
#include <vector>

#include "agent/journal.h"
#include "agent/picture_shelf.h"
#include "agent/plan.h"
#include "agent/transcript.h"
#include "tools/tool_registry.h"

namespace agent {

class Dialogue {
 public:
  struct Parts {
    Transcript transcript;
    Journal& journal;
    tools::ToolRegistry& tools;
    const ModelInfo& model;
    bool has_desktop;
  };
  explicit Dialogue(Parts parts);

  const Transcript& transcript() const { return parts_.transcript; }
  const Picture& shown() const { return shown_; }  // the newest picture, null: none yet

  // The task, with a first look at the screen. A model of short calls is asked for a plan when the task has several
  // steps.
  void start(const std::string& task, const std::stop_token& stop);
  void instruct(const std::string& text, const std::stop_token& stop);  // with a look at the screen
  void hint(const std::string& text);
  void add_reply(AssistantMessage& message);  // gives its calls their ids, and its boxes their places
  void answer(const ModelCall& call, const std::string& text, bool ok);
  // A call that asks the user, or notes something down.
  void answer_question(const ModelCall& call, const Asker& asker, const std::stop_token& stop);
  // The number under which the next answer can be cited: it counts the answers.
  int next_number() const { return n_answers_ + 1; }
  // The tool's result, with a look at the screen when the call may have changed it.
  void answer_result(const ModelCall& call, const tools::ToolResult& result, Plan& plan, bool look_again,
                     const std::stop_token& stop);
  void close_open_calls(const std::string& reason);

 private:
  void say(Message message);
  std::vector<Picture> look(const std::stop_token& stop);

  Parts parts_;
  PictureShelf shelf_;  // of the transcript
  Picture shown_;
  int n_calls_ = 0, n_answers_ = 0;
};

// The calls that the loop itself answers: plan, note, ask, give_up.
std::vector<tools::ToolSpec> dialogue_tool_specs();

// An argument of such a call; empty when it is absent.
std::string text_argument(const ModelCall& call, const char* key);

// A command's output alone, without what the shell says about it and without the last line end.
std::string bare_output(const tools::ToolResult& result);

}  // namespace agent
