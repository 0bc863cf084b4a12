#include "tools/file_tools.h"

#include <functional>

#include "tools/file_search.h"

namespace tools {
namespace {

using nlohmann::json;

json text_field(const char* description) {
  return {{"type", "string"}, {"description", description}};
}
json number_field(const char* description) {
  return {{"type", "integer"}, {"minimum", 1}, {"description", description}};
}
json flag_field(const char* description) {
  return {{"type", "boolean"}, {"description", description}};
}

json object(json properties, std::vector<std::string> required) {
  return {{"type", "object"},
          {"properties", std::move(properties)},
          {"required", std::move(required)},
          {"additionalProperties", false}};
}

std::optional<std::string> optional_text(const json& arguments, const char* name) {
  const auto field = arguments.find(name);
  return field == arguments.end() ? std::nullopt : std::optional(field->get<std::string>());
}

// One file tool: what it is called and takes, what it touches, and what it does.
class FileTool : public Tool {
 public:
  using Action = std::function<FileReply(Files&, const json& arguments, std::stop_token)>;
  using Preview = std::function<std::vector<FileEdit>(Files&, const json& arguments)>;
  enum class Touch { Reads, Writes };

  FileTool(std::shared_ptr<Files> files, ToolSpec spec, Touch touch, Action action, Preview preview)
      : files_(std::move(files)),
        spec_(std::move(spec)),
        touch_(touch),
        action_(std::move(action)),
        preview_(std::move(preview)) {}

  ToolSpec spec() const override { return spec_; }

  Effect effect(const ToolCall& call) const override {
    const std::string path = call.arguments.value("path", ".");
    const bool is_inside = files_->workspace().contains(path);
    if (touch_ == Touch::Reads) return is_inside ? Effect::Read : Effect::ReadElsewhere;
    return is_inside ? Effect::WriteWorkspace : Effect::WriteElsewhere;
  }

  std::vector<FileEdit> preview(const ToolCall& call) override {
    return preview_ ? preview_(*files_, call.arguments) : std::vector<FileEdit>();
  }

  ToolResult run(const ToolCall& call, std::stop_token stop) override {
    FileReply reply = action_(*files_, call.arguments, stop);
    return {reply.ok, std::move(reply.text), {}, {}, std::move(reply.details)};
  }

 private:
  std::shared_ptr<Files> files_;
  ToolSpec spec_;
  Touch touch_;
  Action action_;
  Preview preview_;
};

FileReply read_file(Files& files, const json& arguments, std::stop_token) {
  std::optional<size_t> n_lines;
  if (arguments.contains("n_lines")) n_lines = arguments["n_lines"].get<size_t>();
  return files.read(arguments.at("path"), arguments.value("first_line", size_t{1}), n_lines);
}

FileReply list(Files& files, const json& arguments, std::stop_token stop) {
  return list_files(files.workspace(),
                    {arguments.value("path", "."), optional_text(arguments, "glob"), arguments.value("depth", 1)},
                    stop);
}

FileReply search(Files& files, const json& arguments, std::stop_token stop) {
  return grep(
      files.workspace(),
      {arguments.at("pattern"), arguments.value("path", "."), optional_text(arguments, "glob"),
       arguments.value("literal", false), arguments.value("ignore_case", false), arguments.value("context_lines", 0)},
      stop);
}

FileReply write_file(Files& files, const json& arguments, std::stop_token) {
  return files.write(arguments.at("path"), arguments.at("content").get<std::string>());
}

std::vector<FileEdit> preview_write(Files& files, const json& arguments) {
  return files.preview_write(arguments.at("path"), arguments.at("content").get<std::string>());
}

Occurrences occurrences_in(const json& arguments) {
  return arguments.value("all", false) ? Occurrences::All : Occurrences::One;
}

FileReply edit_file(Files& files, const json& arguments, std::stop_token) {
  return files.edit(arguments.at("path"), arguments.at("old_text").get<std::string>(),
                    arguments.at("new_text").get<std::string>(), occurrences_in(arguments));
}

std::vector<FileEdit> preview_edit(Files& files, const json& arguments) {
  return files.preview_edit(arguments.at("path"), arguments.at("old_text").get<std::string>(),
                            arguments.at("new_text").get<std::string>(), occurrences_in(arguments));
}

FileReply apply_patch(Files& files, const json& arguments, std::stop_token) {
  return files.apply_patch(arguments.at("patch").get<std::string>());
}

std::vector<FileEdit> preview_patch(Files& files, const json& arguments) {
  return files.preview_patch(arguments.at("patch").get<std::string>());
}

FileReply undo_edit(Files& files, const json&, std::stop_token) {
  return files.undo();
}

constexpr const char* kPatchDescription =
    "Changes several files at once; all of it is applied or nothing. Either a unified diff, or:\n"
    "*** Begin Patch\n*** Update File: src/a.cpp\n@@ void f()\n unchanged line\n-old line\n+new line\n unchanged line\n"
    "*** Add File: src/b.cpp\n+first line\n*** Delete File: src/c.cpp\n*** End Patch\n"
    "Give three unchanged lines around each change; after @@ name the function it is in when the lines repeat "
    "elsewhere. "
    "\"*** Move to: PATH\" after an Update line renames.";

}  // namespace

std::vector<std::unique_ptr<Tool>> make_file_tools(std::shared_ptr<Files> files) {
  std::vector<std::unique_ptr<Tool>> tools;
  const auto add = [&](ToolSpec spec, FileTool::Touch touch, FileTool::Action action, FileTool::Preview preview = {}) {
    tools.push_back(std::make_unique<FileTool>(files, std::move(spec), touch, std::move(action), std::move(preview)));
  };
  const json path = text_field("relative to the workspace");
  using enum FileTool::Touch;
  add({"read_file", "Shows a text file with line numbers.",
       object({{"path", path},
               {"first_line", number_field("from 1")},
               {"n_lines", number_field("how many; without it as many as fit")}},
              {"path"})},
      Reads, read_file);
  add({"list_files",
       "Lists a folder as a tree, or with a glob all files below it that match (what .gitignore names is left out "
       "then).",
       object({{"path", path},
               {"glob", text_field("for example *.cpp or src/**/test_*.py")},
               {"depth", number_field("levels of the tree; 1 by default")}},
              {})},
      Reads, list);
  add({"grep", "Searches file contents for a regular expression (ripgrep). What .gitignore names is left out.",
       object({{"pattern", text_field("regular expression")},
               {"path", text_field("folder or file; the workspace by default")},
               {"glob", text_field("only files that match, for example *.h")},
               {"literal", flag_field("the pattern is plain text")},
               {"ignore_case", flag_field("upper and lower case are the same")},
               {"context_lines", number_field("lines shown around each match")}},
              {"pattern"})},
      Reads, search);
  add({"write_file",
       "Makes a new file, or replaces the whole content of one that was read before. For changes use edit_file.",
       object({{"path", path}, {"content", text_field("the whole content")}}, {"path", "content"})},
      Writes, write_file, preview_write);
  add({"edit_file",
       "Replaces a text that occurs once in a file. Copy old_text from the file, without line numbers, with enough "
       "lines to be unique.",
       object({{"path", path},
               {"old_text", text_field("what is there")},
               {"new_text", text_field("what shall be there")},
               {"all", flag_field("replace every occurrence")}},
              {"path", "old_text", "new_text"})},
      Writes, edit_file, preview_edit);
  add({"apply_patch", kPatchDescription, object({{"patch", text_field("the patch")}}, {"patch"})}, Writes, apply_patch,
      preview_patch);
  add({"undo_edit", "Takes back the newest write, edit or patch that isn't undone yet.", object(json::object(), {})},
      Writes, undo_edit);
  return tools;
}

}  // namespace tools
