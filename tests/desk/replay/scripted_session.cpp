#include "tests/desk/replay/scripted_session.h"

#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <iterator>
#include <thread>

#include "agent/agent.h"
#include "agent/session_journal.h"
#include "tools/anchor_finder.h"
#include "tools/desktop.h"

namespace desk {
namespace {

using nlohmann::ordered_json;

// The newest window whose title has these words.
std::optional<tools::Window> window_titled(agent::Workbench& workbench, const std::string& title) {
  return workbench.desktop()->windows().wait_for(
      [&](const tools::Window& window) { return window.title.find(title) != std::string::npos; },
      std::chrono::seconds(15));
}

agent::Picture newest_picture(const agent::Transcript& transcript) {
  agent::Picture newest;
  for (const agent::Message& message : transcript.messages()) {
    if (const auto* tool = std::get_if<agent::ToolMessage>(&message); tool != nullptr && !tool->pictures.empty()) {
      newest = tool->pictures.back();
    }
    if (const auto* user = std::get_if<agent::UserMessage>(&message); user != nullptr && !user->pictures.empty()) {
      newest = user->pictures.back();
    }
  }
  return newest;
}

}  // namespace

agent::Reply ScriptedModel::reply(const agent::Transcript& transcript, const std::vector<tools::ToolSpec>&,
                                  const agent::PieceSink&, std::stop_token stop) {
  agent::Reply reply;
  if (stop.stop_requested()) {
    reply.end = agent::Reply::End::Stopped;
  } else if (n_said_ < calls_.size()) {
    reply.message.calls.push_back(calls_[n_said_++](transcript));
  } else {
    reply.message.text = "Done.";
  }
  return reply;
}

ScriptedModel::MakeCall say(const std::string& name, const ordered_json& arguments) {
  return [=](const agent::Transcript&) { return agent::ModelCall{"", name, arguments}; };
}

std::optional<tools::Rect> place_of(tools::UiTree& tree, const tools::Window& window, const std::string& role,
                                    const std::string& label) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  do {
    const tools::UiSnapshot snapshot = tree.read(window);
    const std::vector<std::size_t> found = tools::find_nodes(snapshot, role, label);
    if (!found.empty() && snapshot.nodes[found[0]].box) return snapshot.nodes[found[0]].box;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  } while (std::chrono::steady_clock::now() < deadline);
  return std::nullopt;
}

ScriptedModel::MakeCall click(agent::Workbench& workbench, const std::string& title, const std::string& role,
                              const std::string& label) {
  return [=, &workbench](const agent::Transcript& transcript) {
    agent::ModelCall call{"", "pointer", {{"action", "click"}}};
    const std::optional<tools::Window> window = window_titled(workbench, title);
    if (!window) {
      ADD_FAILURE() << "no window " << title;
      return call;
    }
    const std::optional<tools::Rect> place = place_of(*workbench.desktop()->widgets(), *window, role, label);
    if (!place) {
      ADD_FAILURE() << "no " << role << " " << label << " in " << title;
      return call;
    }
    const tools::Rect& box = *place;
    const auto at = newest_picture(transcript)->screen_map.to_image({box.x + box.width / 2, box.y + box.height / 2});
    if (!at) {
      ADD_FAILURE() << "the picture doesn't show it";
      return call;
    }
    call.arguments["x"] = at->x_px;
    call.arguments["y"] = at->y_px;
    return call;
  };
}

std::vector<ScriptedModel::MakeCall> product_script(agent::Workbench& workbench) {
  const std::string file = (workbench.workspace() / "product.txt").string();
  return {
      say("launch", {{"program", "mate-calc"}}),
      click(workbench, "Calculator", "push button", "7"),
      click(workbench, "Calculator", "push button", "multiply"),
      click(workbench, "Calculator", "push button", "6"),
      click(workbench, "Calculator", "push button", "result"),
      say("launch", {{"program", "mousepad"}}),
      click(workbench, "Mousepad", "text", ""),
      say("keyboard", {{"action", "type"}, {"text", "seven times six is 42"}}),
      say("keyboard", {{"action", "key"}, {"keys", "ctrl+s"}}),
      say("keyboard", {{"action", "type"}, {"text", file}}),
      say("keyboard", {{"action", "key"}, {"keys", "Return"}}),
  };
}

FinalState final_state(agent::Workbench& workbench) {
  FinalState state;
  // The editor writes its file a moment after the key.
  window_titled(workbench, "product.txt");
  std::ifstream file(workbench.workspace() / "product.txt", std::ios::binary);
  state.file.assign(std::istreambuf_iterator<char>(file), {});
  const std::optional<tools::Window> calculator = window_titled(workbench, "Calculator");
  if (!calculator) return state;
  const tools::UiSnapshot snapshot = workbench.desktop()->widgets()->read(*calculator);
  for (const tools::UiNode& node : snapshot.nodes) {
    if (node.has_text && node.text.find("42") != std::string::npos) state.display = node.text;
  }
  return state;
}

agent::SessionId record_session(agent::Recorder& recorder, agent::Workbench& workbench,
                                std::vector<ScriptedModel::MakeCall> script) {
  ScriptedModel model(std::move(script));
  const agent::SessionId session =
      recorder.begin_session({"write down a product", "scripted", "private", workbench.workspace().string(), ""});
  workbench.begin_session(session);
  agent::SessionJournal journal(recorder, session);
  agent::Policy policy;
  policy.rules[tools::Effect::Shell] = agent::Decision::Allow;
  agent::Agent worker({model,
                       workbench.tools(),
                       journal,
                       policy,
                       [](const agent::ApprovalRequest& request, std::stop_token) {
                         ADD_FAILURE() << "asked about " << request.call.name;
                         return agent::Approval{};
                       },
                       [](const std::string&, std::stop_token) { return std::nullopt; },
                       [](const agent::AgentEvent& event) {
                         if (const auto* finished = std::get_if<agent::CallFinished>(&event)) {
                           EXPECT_TRUE(finished->result.ok) << finished->call.name << ": " << finished->result.text;
                         }
                       },
                       {},
                       true},
                      agent::Transcript());
  const agent::Outcome outcome = worker.run("write down a product", {});
  EXPECT_EQ(outcome.ending, agent::Ending::Done) << outcome.text;
  return session;
}

}  // namespace desk
