// The commands that work on the record: what they print, what they write, what they put back.

#include <gtest/gtest.h>
#include <zip.h>

#include <QByteArray>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "agent/export.h"
#include "agent/recorder.h"
#include "agent/session_journal.h"
#include "agent/workbench.h"
#include "app/commands.h"
#include "app/completion.h"
#include "app/event_printer.h"
#include "capture/video_source.h"
#include "tests/agent/recorder_fixture.h"

namespace app {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

// A small picture with something in it.
class Png {
 public:
  explicit Png(const fs::path& path) {
    std::ofstream(path, std::ios::binary) << agent::png_of(*agent::editor_screen({"hello"}));
  }
};

class RecordCommands : public testing::Test {
 protected:
  RecordCommands() {
    ::setenv("XDG_DATA_HOME", (folder_.path() / "data").c_str(), 1);
    ::setenv("XDG_CONFIG_HOME", (folder_.path() / "config").c_str(), 1);
    fs::create_directories(workspace());
  }

  fs::path workspace() const { return folder_.path() / "workspace"; }

  // A session of file edits on no desktop: each call a tool's name and arguments.
  agent::SessionId edit(const std::vector<std::pair<std::string, json>>& calls) {
    agent::WorkbenchOptions options;
    options.desktop = agent::WorkbenchOptions::DesktopKind::None;
    options.workspace = workspace();
    agent::Workbench workbench(options);
    const auto recorder = agent::Recorder::open(agent::Recorder::default_path());
    const agent::SessionId session = recorder->begin_session({"edit the files", "scripted", "none", workspace(), ""});
    workbench.begin_session(session);
    agent::SessionJournal journal(*recorder, session);
    int n_calls = 0;
    for (const auto& [name, arguments] : calls) {
      const tools::ToolCall call{"call_" + std::to_string(++n_calls), name, arguments};
      journal.intent({call, workbench.tools().effect(call), "allowed by default", nullptr});
      const tools::ToolResult result = workbench.tools().run(call, {});
      EXPECT_TRUE(result.ok) << result.text;
      journal.outcome(call, result, 0.1);
    }
    journal.finished({agent::Ending::Done, "edited", n_calls, 0});
    return session;
  }

  agent::SessionId session_with_pictures() {
    const auto recorder = agent::Recorder::open(agent::Recorder::default_path());
    const agent::SessionId session = recorder->begin_session({"write a letter", "nano", "private", "/w", ""});
    recorder->append_message(session, agent::UserMessage{"write a letter", {agent::editor_screen({"a"})}, false});
    const agent::ActionId action = recorder->intent(session, agent::click_intent("call_1"));
    tools::ToolResult result{.ok = true, .text = "clicked"};
    result.anchors = {{.point = {100, 150}, .window = {}, .widget = {}, .picture = agent::editor_screen({"b"})}};
    recorder->outcome(action, result, 0.5);
    recorder->append_message(session,
                             agent::ToolMessage{"call_1", "clicked", {agent::editor_screen({"a", "b"})}, true});
    recorder->finish_session(session, {agent::Ending::Done, "written", 1, 0});
    return session;
  }

  int run(const QStringList& words) {
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    int status = -1;
    try {
      status = run_command_line(words);
    } catch (const std::exception& error) {
      problem_ = error.what();
    }
    said_ = testing::internal::GetCapturedStdout();
    complained_ = testing::internal::GetCapturedStderr();
    return status;
  }
  std::vector<json> lines() const {
    std::vector<json> parsed;
    std::istringstream stream(said_);
    for (std::string line; std::getline(stream, line);) parsed.push_back(json::parse(line));
    return parsed;
  }

  void import(const std::string& name, const std::string& bytes) {
    const fs::path file = folder_.write(name, bytes);
    EXPECT_EQ(run({"import", QString::fromStdString(file.string()), "--json"}), kExitDone) << problem_ << complained_;
    ASSERT_FALSE(lines().empty());
  }
  static std::string png_base64() {
    return QByteArray::fromStdString(agent::png_of(*agent::editor_screen({"hello"}))).toBase64().toStdString();
  }

  tools::TemporaryFolder folder_{tools::fast_disk()};
  std::string said_, complained_, problem_;
};

TEST_F(RecordCommands, sessions_are_listed_and_filtered) {
  session_with_pictures();
  edit({{"write_file", {{"path", "a.txt"}, {"content", "a\n"}}}});
  EXPECT_EQ(run({"sessions", "--json"}), kExitDone);
  ASSERT_EQ(lines().size(), 2u);
  EXPECT_EQ(lines()[0]["task"], "edit the files") << "the latest first";
  run({"sessions", "--json", "LETTER"});
  ASSERT_EQ(lines().size(), 1u);
  EXPECT_EQ(lines()[0]["actions"], 1);
  EXPECT_EQ(run({"sessions", "--status", "stuck"}), kExitDone);
  EXPECT_EQ(said_, "");
  EXPECT_EQ(complained_, "deskhand: no session is like that; without words and --status all are listed\n");
  run({"sessions", "--most", "1"});
  EXPECT_NE(said_.find("edit the files"), std::string::npos);
  EXPECT_EQ(said_.find("letter"), std::string::npos);
}

TEST_F(RecordCommands, that_there_is_no_session_yet_is_said_beside_the_output) {
  for (const QStringList& words : {QStringList{"sessions"}, QStringList{"sessions", "--json"}}) {
    EXPECT_EQ(run(words), kExitDone);
    EXPECT_EQ(said_, "") << "a line is a session";
    EXPECT_NE(complained_.find("there are no sessions yet"), std::string::npos) << complained_;
  }
}

TEST_F(RecordCommands, a_session_is_shown_to_people_and_to_programs) {
  const QString id = QString::number(session_with_pictures());
  EXPECT_EQ(run({"show", id}), kExitDone);
  for (const char* part : {"write a letter", "> click", "allowed: input", "clicked", "= done: written"}) {
    EXPECT_NE(said_.find(part), std::string::npos) << part << " is missing in:\n" << said_;
  }
  run({"show", id, "--json"});
  EXPECT_EQ(lines()[0]["status"], "done");
  EXPECT_EQ(lines().back()["kind"], "status");
  EXPECT_EQ(run({"show", "99"}), -1);
  EXPECT_NE(problem_.find("no session 99"), std::string::npos);
}

TEST_F(RecordCommands, boxes_are_read_as_their_labels) {
  const auto recorder = agent::Recorder::open(agent::Recorder::default_path());
  const agent::SessionId session = recorder->begin_session({"look", "nano", "private", "/w", ""});
  recorder->append_message(
      session, agent::AssistantMessage{"Where is <box>1 2 3 4 it</box>?", "See <box>10 20 30 40 the knob</box>.", {}});
  run({"show", QString::number(session)});
  EXPECT_NE(said_.find("Thought: Where is it?"), std::string::npos) << said_;
  EXPECT_NE(said_.find("Model: See the knob."), std::string::npos) << said_;
}

TEST(EventPrinter, holds_a_box_back_until_it_is_known_what_it_is) {
  EventPrinter printer(EventPrinter::Style::Plain);
  const auto print = [&](const char* text) {
    testing::internal::CaptureStdout();
    printer.print(agent::ReplyPiece{agent::ReplyPiece::Kind::Text, text});
    return testing::internal::GetCapturedStdout();
  };
  EXPECT_EQ(print("See <b"), "See ");
  EXPECT_EQ(print("ox>10 20 30 40 the kn"), "");
  EXPECT_EQ(print("ob</box> now, a <"), "the knob now, a ");
  testing::internal::CaptureStdout();
  printer.print(agent::ReplyEvent{});
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "<\n") << "it was none";
}

TEST_F(RecordCommands, replay_watch_tells_the_events_in_order) {
  const QString id = QString::number(session_with_pictures());
  EXPECT_EQ(run({"replay", id, "--mode", "watch", "--speed", "1000", "--json"}), kExitDone);
  ASSERT_GE(lines().size(), 4u);
  EXPECT_EQ(lines()[0]["kind"], "message");
}

TEST_F(RecordCommands, a_zip_holds_the_folders_files) {
  const fs::path file = folder_.path() / "out.zip";
  ASSERT_EQ(run({"export", QString::number(session_with_pictures()), "--to", "zip", "--out", file.c_str()}), kExitDone);
  zip_t* zip = zip_open(file.c_str(), ZIP_RDONLY, nullptr);
  ASSERT_NE(zip, nullptr);
  for (const char* name : {"out/session.json", "out/events.jsonl", "out/pictures.jsonl", "out/pictures/1.png"}) {
    EXPECT_GE(zip_name_locate(zip, name, 0), 0) << name;
  }
  zip_stat_t stat;
  ASSERT_EQ(zip_stat(zip, "out/pictures/1.png", 0, &stat), 0);
  EXPECT_GT(stat.size, 1000u);
  zip_discard(zip);
  EXPECT_FALSE(fs::exists(file.string() + ".folder")) << "nothing is left beside it";
}

TEST_F(RecordCommands, a_film_is_an_mp4) {
  const fs::path file = folder_.path() / "out.mp4";
  ASSERT_EQ(run({"export", QString::number(session_with_pictures()), "--to", "mp4", "--out", file.c_str()}), kExitDone)
      << problem_;
  std::ifstream film(file, std::ios::binary);
  std::string head(12, '\0');
  film.read(head.data(), 12);
  EXPECT_EQ(head.substr(4, 4), "ftyp");
  film.close();
  const std::unique_ptr<capture::VideoSource> frames = capture::VideoSource::open(file.string());
  int n_frames = 0;
  while (frames->next()) ++n_frames;
  EXPECT_GE(n_frames, 3) << "each picture is shown for a while";
}

TEST_F(RecordCommands, an_export_never_replaces_what_is_there) {
  const QString id = QString::number(session_with_pictures());
  const fs::path file = folder_.write("mine.txt", "mine\n");
  for (const char* form : {"folder", "zip", "html", "mp4", "workflow"}) {
    EXPECT_EQ(run({"export", id, "--to", form, "--out", file.c_str()}), -1) << form;
    EXPECT_NE(problem_.find("exists already"), std::string::npos) << form << ": " << problem_;
  }
  EXPECT_EQ(folder_.read("mine.txt"), "mine\n");
  EXPECT_EQ(run({"export", id, "--from", "9", "--until", "3"}), -1);
  EXPECT_NE(problem_.find("--until lies before --from"), std::string::npos) << problem_;
}

TEST_F(RecordCommands, a_session_that_is_done_wants_new_words) {
  EXPECT_EQ(run({"run", "--resume", QString::number(session_with_pictures())}), -1);
  EXPECT_NE(problem_.find("is done: say what should be done next"), std::string::npos) << problem_;
}

TEST_F(RecordCommands, a_workflow_of_wrong_types_names_its_file) {
  const fs::path file = folder_.write("odd.workflow", R"({"format": 7})");
  EXPECT_EQ(run({"import", file.c_str()}), -1);
  EXPECT_NE(problem_.find("odd.workflow"), std::string::npos) << problem_;
}

TEST_F(RecordCommands, undo_puts_every_byte_back) {
  const std::string old_bytes = "line one\r\nl\xe4ngst two\n\n no end";  // mixed line ends, Latin-1, no last newline
  folder_.write("workspace/old.txt", old_bytes);
  const agent::SessionId session = edit({
      {"write_file", {{"path", "new/file.txt"}, {"content", "new\n"}}},
      {"edit_file", {{"path", "old.txt"}, {"old_text", "line one"}, {"new_text", "LINE ONE"}}},
      {"edit_file", {{"path", "old.txt"}, {"old_text", "LINE ONE"}, {"new_text", "line 1"}}},
  });
  ASSERT_NE(folder_.read("workspace/old.txt"), old_bytes);
  const QString id = QString::number(session);
  EXPECT_EQ(run({"undo", id, "--dry-run"}), kExitDone);
  EXPECT_NE(said_.find("would put back old.txt"), std::string::npos) << said_;
  EXPECT_NE(folder_.read("workspace/old.txt"), old_bytes) << "a dry run touches nothing";
  EXPECT_EQ(run({"undo", id}), kExitDone) << complained_;
  EXPECT_EQ(folder_.read("workspace/old.txt"), old_bytes);
  EXPECT_FALSE(fs::exists(workspace() / "new"));
  EXPECT_EQ(run({"undo", id}), kExitDone);
  EXPECT_NE(said_.find("no files that aren't back"), std::string::npos);
}

TEST_F(RecordCommands, undo_refuses_when_somebody_else_has_changed_a_file_since) {
  folder_.write("workspace/a.txt", "one\n");
  folder_.write("workspace/b.txt", "one\n");
  const agent::SessionId session = edit({
      {"edit_file", {{"path", "a.txt"}, {"old_text", "one"}, {"new_text", "two"}}},
      {"edit_file", {{"path", "b.txt"}, {"old_text", "one"}, {"new_text", "two"}}},
  });
  folder_.write("workspace/a.txt", "mine\n");
  EXPECT_EQ(run({"undo", QString::number(session)}), kExitRefused);
  EXPECT_NE(complained_.find("a.txt has changed since"), std::string::npos) << complained_;
  EXPECT_EQ(folder_.read("workspace/b.txt"), "two\n") << "all or nothing";
  EXPECT_EQ(folder_.read("workspace/a.txt"), "mine\n");
}

TEST_F(RecordCommands, undo_of_one_session_leaves_anothers_changes) {
  folder_.write("workspace/a.txt", "one\n");
  folder_.write("workspace/b.txt", "one\n");
  const agent::SessionId first = edit({{"edit_file", {{"path", "a.txt"}, {"old_text", "one"}, {"new_text", "two"}}}});
  edit({{"edit_file", {{"path", "b.txt"}, {"old_text", "one"}, {"new_text", "three"}}}});
  EXPECT_EQ(run({"undo", QString::number(first)}), kExitDone) << complained_;
  EXPECT_EQ(folder_.read("workspace/a.txt"), "one\n");
  EXPECT_EQ(folder_.read("workspace/b.txt"), "three\n");
}

TEST_F(RecordCommands, undo_waits_until_the_session_has_ended) {
  const auto recorder = agent::Recorder::open(agent::Recorder::default_path());
  const agent::SessionId session = recorder->begin_session({"edit the files", "scripted", "none", workspace(), ""});
  run({"undo", QString::number(session)});
  EXPECT_NE(problem_.find("still runs"), std::string::npos) << problem_ << said_;
}

TEST_F(RecordCommands, undo_tells_what_stays_of_a_commands_work) {
  folder_.write("workspace/a.txt", "one\n");
  const agent::SessionId session = edit({{"shell", {{"command", "echo two > a.txt; echo made > b.txt"}}}});
  run({"show", QString::number(session)});
  EXPECT_NE(said_.find("file changed: a.txt"), std::string::npos) << said_;
  folder_.write("workspace/b.txt", "mine\n");
  EXPECT_EQ(run({"undo", QString::number(session)}), kExitDone) << complained_;
  EXPECT_NE(complained_.find("b.txt stays as it is"), std::string::npos) << complained_;
  EXPECT_EQ(folder_.read("workspace/a.txt") + folder_.read("workspace/b.txt"), "one\nmine\n");
}

TEST_F(RecordCommands, osworlds_trajectories_come_in) {
  const Png png(folder_.path() / "step_1.png");
  std::string lines_of_file;
  for (const char* action :
       {"pyautogui.click(40, 30)", "pyautogui.typewrite('hi')", "pyautogui.click(40, 30)", "DONE"}) {
    const json line = {
        {"step_num", 1}, {"instruction", "open it"}, {"action", action}, {"screenshot_file", "step_1.png"}};
    lines_of_file += line.dump() + "\n";
  }
  import("traj.jsonl", lines_of_file);
  EXPECT_EQ(lines()[0]["dialect"], "osworld");
  EXPECT_EQ(lines()[0]["pictures"], 4);
  EXPECT_EQ(lines()[0]["actions"], 2);
  EXPECT_EQ(lines()[0]["left_out"].size(), 1u) << "the first click has no picture that it could lie in";
  run({"show", QString::number(lines()[0]["session"].get<int>())});
  EXPECT_NE(said_.find("open it"), std::string::npos) << said_;
}

TEST_F(RecordCommands, anthropics_messages_come_in_and_can_be_replayed) {
  const json picture = {{"type", "image"},
                        {"source", {{"type", "base64"}, {"media_type", "image/png"}, {"data", png_base64()}}}};
  const json call = {{"type", "tool_use"},
                     {"id", "1"},
                     {"name", "computer"},
                     {"input", {{"action", "left_click"}, {"coordinate", {40, 30}}}}};
  import("messages.json", json::array({{{"role", "user"},
                                        { "content",
                                          json::array({picture}) }},
                                       { {"role", "assistant"},
                                         { "content",
                                           json::array({call}) } }})
                              .dump());
  EXPECT_EQ(lines()[0]["dialect"], "anthropic");
  EXPECT_EQ(lines()[0]["actions"], 1) << complained_;
  run({"replay", QString::number(lines()[0]["session"].get<int>()), "--list", "--json"});
  ASSERT_EQ(lines().size(), 1u);
  EXPECT_EQ(lines()[0]["tool"], "pointer");
  EXPECT_EQ(lines()[0]["arguments"]["x"], 40);
}

TEST_F(RecordCommands, openais_items_come_in) {
  const json seen = {{"type", "computer_call_output"},
                     {"output", {{"type", "input_image"}, {"image_url", "data:image/png;base64," + png_base64()}}}};
  const json call = {{"type", "computer_call"},
                     {"call_id", "c"},
                     {"action", {{"type", "click"}, {"button", "left"}, {"x", 40}, {"y", 30}}}};
  import("items.json", json::array({seen, call}).dump());
  EXPECT_EQ(lines()[0]["dialect"], "openai");
  EXPECT_EQ(lines()[0]["actions"], 1) << complained_;
}

TEST_F(RecordCommands, replies_in_text_come_in) {
  const Png png(folder_.path() / "step_1.png");
  const json part = {{"type", "image_url"}, {"image_url", {{"url", "step_1.png"}}}};
  const json seen = {{"role", "user"}, {"content", json::array({part})}};
  const json call = {{"name", "computer_use"}, {"arguments", {{"action", "left_click"}, {"coordinate", {500, 500}}}}};
  const json qwen = {{"role", "assistant"}, {"content", "<tool_call>\n" + call.dump() + "\n</tool_call>"}};
  import("qwen.json", json::array({seen, qwen}).dump());
  EXPECT_EQ(lines()[0]["dialect"], "qwen3");
  EXPECT_EQ(lines()[0]["actions"], 1) << complained_;

  const json tars = {{"role", "assistant"}, {"content", "Thought: there\nAction: click(start_box='(40,30)')"}};
  import("tars.json", json::array({seen, tars}).dump());
  EXPECT_EQ(lines()[0]["dialect"], "ui-tars-1.5");
  EXPECT_EQ(lines()[0]["actions"], 1) << complained_;
}

TEST_F(RecordCommands, a_recording_that_is_nested_without_end_is_refused) {
  std::string nested;
  for (int depth = 0; depth < 200'000; ++depth) nested += R"([{"type": "tool_result", "content": )";
  nested += "0";
  for (int depth = 0; depth < 200'000; ++depth) nested += "}]";
  const fs::path file = folder_.write("deep.json", R"([{"role": "user", "content": )" + nested + "}]");
  run({"import", QString::fromStdString(file.string())});
  EXPECT_NE(problem_.find("nested too deep"), std::string::npos) << problem_;
}

TEST_F(RecordCommands, a_recording_cannot_name_pictures_elsewhere) {
  const Png png(folder_.path() / "outside.png");
  fs::create_directories(folder_.path() / "in");
  import("in/traj.jsonl", json{{"step_num", 1},
                               {"action", "WAIT"},
                               { "screenshot_file",
                                 "../outside.png"
                               }}.dump() +
                              "\n");
  EXPECT_EQ(lines().at(0)["pictures"], 0);
}

TEST(Completion, names_every_command_and_option) {
  for (const std::string& text : {bash_completion(commands()), zsh_completion(commands()), fish_completion(commands()),
                                  manual_page(commands(), "1.0")}) {
    std::string plain = text;
    for (std::size_t at = 0; (at = plain.find("\\-", at)) != std::string::npos;) plain.erase(at, 1);
    for (const Command& command : commands()) {
      EXPECT_NE(plain.find(command.name), std::string::npos) << command.name;
      for (const CommandOption& option : command.options) {
        const bool is_named =
            plain.find("--" + option.name) != std::string::npos || plain.find("-l " + option.name) != std::string::npos;
        EXPECT_TRUE(is_named) << command.name << " " << option.name << " in\n" << plain.substr(0, 60);
      }
    }
  }
}

TEST(Completion, the_manual_page_says_what_the_help_says) {
  std::string page = manual_page(commands(), "1.0");
  for (const auto& [escaped, plain] : {std::pair{"\\-", "-"}, std::pair{"\\e", "\\"}, std::pair{"\\&", ""}}) {
    for (std::size_t at = 0; (at = page.find(escaped, at)) != std::string::npos; at += std::strlen(plain)) {
      page.replace(at, 2, plain);
    }
  }
  for (const Command& command : commands()) {
    EXPECT_NE(page.find(usage_of(command)), std::string::npos) << command.name;
    EXPECT_NE(page.find(command.summary), std::string::npos) << command.name;
    EXPECT_NE(page.find(command.notes), std::string::npos) << command.name;
    for (const CommandArgument& argument : command.arguments) {
      EXPECT_NE(page.find(argument.help), std::string::npos) << command.name << " " << argument.name;
    }
    for (const CommandOption& option : command.options) {
      EXPECT_NE(page.find(option.help), std::string::npos) << command.name << " " << option.name;
      EXPECT_NE(page.find(option.otherwise), std::string::npos) << command.name << " " << option.name;
    }
  }
}

TEST(Completion, bash_reads_its_script_and_completes) {
  tools::TemporaryFolder folder;
  folder.write("script", bash_completion(commands()));
  const std::string script = (folder.path() / "script").string();
  const auto complete = [&](const std::string& words, int at) {
    const std::string command = "bash -c 'source " + script + "; COMP_WORDS=(" + words +
                                "); COMP_CWORD=" + std::to_string(at) + "; _deskhand; echo \"${COMPREPLY[@]}\"'";
    std::FILE* pipe = ::popen(command.c_str(), "r");
    char line[4096] = "";
    EXPECT_NE(std::fgets(line, sizeof line, pipe), nullptr);
    ::pclose(pipe);
    return std::string(line);
  };
  EXPECT_EQ(complete("deskhand repl", 1), "replay\n");
  EXPECT_EQ(complete("deskhand replay --mo", 2), "--mode --model\n");
  EXPECT_EQ(complete("deskhand replay --mode th", 3), "think\n");
  EXPECT_EQ(complete("deskhand model i", 2), "info\n");
}

}  // namespace
}  // namespace app
