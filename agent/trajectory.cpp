#include "agent/trajectory.h"

#include <QByteArray>
#include <QImage>
#include <map>
#include <sstream>

#include "agent/action_call.h"
#include "agent/error.h"
#include "agent/tool_arguments.h"
#include "agent/whole_file.h"
#include "tools/action_import.h"
#include "tools/anchor_reader.h"

namespace agent {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using tools::Dialect;

const std::map<std::string, Dialect>& dialects() {
  static const std::map<std::string, Dialect> table{
      {"osworld", Dialect::OsWorldPyAutoGui}, {"anthropic", Dialect::Anthropic},  {"openai", Dialect::OpenAi},
      {"ui-tars", Dialect::UiTars1},          {"ui-tars-1.5", Dialect::UiTars15}, {"ui-tars-seed", Dialect::UiTarsSeed},
      {"qwen2.5", Dialect::Qwen25},           {"qwen3", Dialect::Qwen3}};
  return table;
}

// One thing of the recording, in its order.
struct Item {
  std::string said;  // by the agent, beside its action
  std::string raw;   // an action as the dialect has it; empty: none
  Dialect dialect = Dialect::Anthropic;
  Picture picture;   // seen from now on; null: none
  std::string task;  // from the user
};

// The records of a JSON file: a list, one of the usual members that hold a list, or one record a line.
json records_of(const fs::path& path) {
  const std::string text = read_file(path, kMostPictures_bytes);
  if (is_nested_too_deep(text)) throw Error(path.string() + " is nested too deep to be a recording");
  json whole = json::parse(text, nullptr, false);
  if (whole.is_discarded()) {
    whole = json::array();
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
      json record = json::parse(line, nullptr, false);
      if (record.is_discarded()) throw Error(path.string() + " is neither JSON nor one JSON record a line");
      whole.push_back(std::move(record));
    }
  }
  if (whole.is_object()) {
    for (const char* key : {"messages", "items", "output", "steps", "trajectory", "conversations"}) {
      if (whole.contains(key) && whole[key].is_array()) return whole[key];
    }
    return json::array({whole});
  }
  if (!whole.is_array()) throw Error(path.string() + " holds no list of records");
  return whole;
}

Picture picture_of(const QImage& image) {
  if (image.isNull()) return nullptr;
  const QImage rgb = image.convertToFormat(QImage::Format_RGB32);
  const cv::Mat view(rgb.height(), rgb.width(), CV_8UC4, const_cast<uchar*>(rgb.constBits()),
                     static_cast<std::size_t>(rgb.bytesPerLine()));
  return std::make_shared<const capture::Frame>(
      view.clone(), capture::ScreenMap({0, 0, rgb.width(), rgb.height()}, {rgb.width(), rgb.height()}));
}

Picture picture_from_base64(const std::string& data) {
  return picture_of(QImage::fromData(QByteArray::fromBase64(QByteArray::fromStdString(data))));
}

// Beside the recording, or below it; never elsewhere.
Picture picture_from_file(const fs::path& folder, const std::string& name) {
  const fs::path relative =
      fs::path(name).is_absolute() ? fs::path(name).filename() : fs::path(name).lexically_normal();
  if (relative.empty() || *relative.begin() == "..") return nullptr;
  std::error_code missing;
  if (!fs::is_regular_file(folder / relative, missing)) return nullptr;
  return picture_of(QImage::fromData(QByteArray::fromStdString(read_file(folder / relative, kMostPictures_bytes))));
}

class Reader {
 public:
  Reader(fs::path folder, std::string dialect) : folder_(std::move(folder)), dialect_(std::move(dialect)) {}

  void read(const json& record);
  const std::vector<Item>& items() const { return items_; }
  const std::string& dialect() const { return dialect_; }

 private:
  void read_osworld(const json& record);
  void read_content(const json& content, bool is_agent);
  void read_part(const json& part, bool is_agent);
  void read_reply(const std::string& text);
  void add_picture(Picture picture);
  void add_picture_url(const json& url);
  void add_action(const std::string& raw, const std::string& dialect_when_unknown);

  fs::path folder_;
  std::string dialect_;  // empty: not known yet
  std::vector<Item> items_;
};

void Reader::add_picture(Picture picture) {
  if (picture == nullptr) return;
  Item item;
  item.picture = std::move(picture);
  items_.push_back(std::move(item));
}

void Reader::add_picture_url(const json& url) {
  const std::string text = url.is_string() ? url.get<std::string>() : url.is_object() ? url.value("url", "") : "";
  const std::size_t comma = text.find(',');
  if (text.starts_with("data:") && comma != std::string::npos)
    return add_picture(picture_from_base64(text.substr(comma + 1)));
  add_picture(picture_from_file(folder_, text.starts_with("file://") ? text.substr(7) : text));
}

void Reader::add_action(const std::string& raw, const std::string& dialect_when_unknown) {
  if (dialect_.empty()) dialect_ = dialect_when_unknown;
  Item item;
  item.raw = raw;
  item.dialect = dialects().at(dialect_);
  items_.push_back(std::move(item));
}

// A line of traj.jsonl: the action, then the picture after it.
void Reader::read_osworld(const json& record) {
  const json& action = record.at("action");
  if (record.contains("instruction") && record["instruction"].is_string() && items_.empty()) {
    Item item;
    item.task = record["instruction"];
    items_.push_back(std::move(item));
  }
  Item item;
  item.raw = action.is_string() ? action.get<std::string>() : action.dump();
  item.dialect = action.is_object() ? Dialect::OsWorldComputer13 : Dialect::OsWorldPyAutoGui;
  if (record.contains("response") && record["response"].is_string()) item.said = record["response"];
  dialect_ = "osworld";
  items_.push_back(std::move(item));
  if (record.contains("screenshot_file") && record["screenshot_file"].is_string()) {
    add_picture(picture_from_file(folder_, record["screenshot_file"]));
  }
}

// UI-TARS and Qwen write their action into the text of the reply.
void Reader::read_reply(const std::string& text) {
  const bool is_qwen = text.find("<tool_call>") != std::string::npos,
             is_ui_tars = text.find("Action:") != std::string::npos;
  if (is_qwen) return add_action(text, "qwen3");
  if (is_ui_tars) return add_action(text, text.find("<point>") != std::string::npos ? "ui-tars-seed" : "ui-tars-1.5");
  Item item;
  item.said = text;
  items_.push_back(std::move(item));
}

void Reader::read_part(const json& part, bool is_agent) {
  const std::string type = part.value("type", "");
  if (type == "tool_use") {
    add_action(json{{"name", part.value("name", "")}, {"input", part.value("input", json::object())}}.dump(),
               "anthropic");
  } else if (type == "tool_result") {
    if (part.contains("content")) read_content(part["content"], false);
  } else if (type == "image" && part.contains("source")) {
    add_picture(picture_from_base64(part["source"].value("data", "")));
  } else if (part.contains("image_url")) {
    add_picture_url(part["image_url"]);
  } else if (part.contains("image")) {
    add_picture_url(part["image"]);
  } else if (part.contains("text") && part["text"].is_string()) {
    read_content(part["text"], is_agent);
  }
}

void Reader::read_content(const json& content, bool is_agent) {
  if (content.is_array()) {
    for (const json& part : content) {
      if (part.is_object()) read_part(part, is_agent);
      if (part.is_string()) read_content(part, is_agent);
    }
  } else if (content.is_string() && is_agent) {
    read_reply(content);
  } else if (content.is_string()) {
    Item item;
    item.task = content;
    items_.push_back(std::move(item));
  }
}

void Reader::read(const json& record) {
  if (!record.is_object()) return;
  const std::string type = record.value("type", "");
  if (record.contains("action") && (record.contains("step_num") || record.contains("screenshot_file"))) {
    read_osworld(record);
  } else if (type == "computer_call") {
    add_action(record.dump(), "openai");
  } else if (type == "computer_call_output") {
    if (record.contains("output")) read_part(record["output"], false);
  } else if (record.contains("content") && record["content"] != nullptr) {
    read_content(record["content"], record.value("role", "") == "assistant");
  } else if (record.contains("value") && record["value"].is_string()) {  // {"from": "gpt", "value": …}
    const std::string from = record.value("from", "");
    read_content(record["value"], from == "gpt" || from == "assistant");
  }
}

// Writes the items as a session.
class Writer {
 public:
  Writer(Recorder& recorder, ImportedTrajectory& imported) : recorder_(recorder), imported_(imported) {}

  void write(const std::vector<Item>& items);

 private:
  void take_picture(const Item& item);
  void do_action(const Item& item);
  void record(const tools::Action& action, const std::string& said);
  std::vector<tools::Anchor> anchors_of(const tools::ToolCall& call) const;

  Recorder& recorder_;
  ImportedTrajectory& imported_;
  std::map<Dialect, tools::ActionImporter> importers_;
  Picture shown_;
  std::string said_;
  int n_read_ = 0;
};

void Writer::take_picture(const Item& item) {
  shown_ = item.picture;
  ++imported_.n_pictures;
  recorder_.append_message(imported_.session, UserMessage{"", {shown_}, true});
}

std::vector<tools::Anchor> Writer::anchors_of(const tools::ToolCall& call) const {
  std::vector<tools::Anchor> anchors;
  const auto add = [&](const json& x, const json& y) {
    const capture::DesktopPoint point{static_cast<int>(x.get<double>()), static_cast<int>(y.get<double>())};
    anchors.push_back({.point = point, .window = {}, .widget = {}, .picture = tools::picture_around(shown_, point)});
  };
  if (call.arguments.contains("x")) add(call.arguments["x"], call.arguments["y"]);
  if (call.arguments.contains("path")) {
    for (const json* end : {&call.arguments["path"].front(), &call.arguments["path"].back()}) add((*end)[0], (*end)[1]);
  }
  return anchors;
}

void Writer::record(const tools::Action& action, const std::string& said) {
  const capture::Size size = shown_ ? shown_->screen_map.image_px() : capture::Size{};
  const ActionCall made = call_of(action, size);
  if (const auto* error = std::get_if<tools::ActionError>(&made)) {
    imported_.notes.push_back("action " + std::to_string(n_read_) + ": " + error->message);
    return;
  }
  std::optional<tools::ToolCall> call = std::get<std::optional<tools::ToolCall>>(made);
  if (!call) {
    recorder_.append_message(imported_.session, AssistantMessage{"", said + action.text, {}});
    return;
  }
  call->id = "call_" + std::to_string(++imported_.n_actions);
  recorder_.append_message(imported_.session, AssistantMessage{"", said, {{call->id, call->name, call->arguments}}});
  const bool only_looks = call->name == "screenshot" || call->name == "wait";
  const ActionId id =
      recorder_.intent(imported_.session, {.call = *call,
                                           .effect = only_looks ? tools::Effect::Observe : tools::Effect::InputPrivate,
                                           .decision = "done elsewhere",
                                           .screen = shown_});
  tools::ToolResult result{.ok = true, .text = "Done elsewhere, not by Deskhand."};
  if (call->name == "pointer") result.anchors = anchors_of(*call);
  recorder_.outcome(id, result, 0);
  recorder_.append_message(imported_.session, ToolMessage{call->id, result.text, {}, true});
}

void Writer::do_action(const Item& item) {
  ++n_read_;
  tools::CaptureRef capture;
  if (shown_) capture = {std::to_string(shown_->id), shown_->pixels.cols, shown_->pixels.rows};
  // One for the whole recording: some dialects drag from where the last action left the pointer.
  tools::ActionImporter& importer = importers_.try_emplace(item.dialect, item.dialect, capture).first->second;
  importer.set_capture(capture);
  const tools::ActionImporter::Result read = importer.read(item.raw);
  if (const auto* error = std::get_if<tools::ActionError>(&read)) {
    imported_.notes.push_back("action " + std::to_string(n_read_) + ": " + error->message);
    return;
  }
  std::string said = said_ + item.said;
  said_.clear();
  for (const tools::Action& action : std::get<std::vector<tools::Action>>(read))
    record(action, std::exchange(said, ""));
}

void Writer::write(const std::vector<Item>& items) {
  for (const Item& item : items) {
    if (!item.task.empty()) recorder_.append_message(imported_.session, UserMessage{item.task, {}, false});
    if (item.picture) take_picture(item);
    if (!item.raw.empty()) do_action(item);
    if (item.raw.empty()) said_ += item.said;
  }
}

}  // namespace

std::vector<std::string> trajectory_dialects() {
  std::vector<std::string> names;
  for (const auto& [name, dialect] : dialects()) names.push_back(name);
  return names;
}

ImportedTrajectory import_trajectory(Recorder& recorder, const fs::path& file, std::string dialect) {
  Reader reader(file.parent_path(), std::move(dialect));
  std::string task = file.filename().string();
  try {
    for (const json& record : records_of(file)) reader.read(record);
  } catch (const json::exception& error) {
    throw Error(file.string() + " isn't as its dialect has it: " + error.what());
  }
  std::size_t n_actions = 0;
  for (const Item& item : reader.items()) n_actions += item.raw.empty() ? 0 : 1;
  if (n_actions == 0)
    throw Error(file.string() + " holds no action that could be read; name its dialect if it has some");
  for (const Item& item : reader.items()) {
    if (item.task.empty()) continue;
    task = item.task;
    break;
  }
  ImportedTrajectory imported;
  imported.dialect = reader.dialect();
  imported.session = recorder.begin_session({task, "imported: " + imported.dialect, "private", "", ""});
  Writer(recorder, imported).write(reader.items());
  recorder.finish_session(imported.session, {Ending::Done, "imported from " + file.string(), imported.n_actions, 0});
  return imported;
}

}  // namespace agent
