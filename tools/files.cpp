#include "tools/files.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <QCryptographicHash>
#include <algorithm>
#include <cerrno>
#include <cstring>

#include "tools/edit_rules.h"
#include "tools/file_bytes.h"
#include "tools/output_excerpt.h"
#include "tools/text_lines.h"

namespace tools {
namespace {

namespace fs = std::filesystem;
using Kind = FileChange::Kind;

constexpr size_t kMaxShownLine_bytes = 2000;
constexpr size_t kMostNamed = 10;          // files that a command changed
constexpr size_t kSniffedBytes = 1 << 20;  // of a file that is only read, for its encoding

FileReply refuse(std::string text) {
  return {false, std::move(text), {}};
}

std::string hash_of(std::string_view bytes) {
  return QCryptographicHash::hash(QByteArrayView(bytes.data(), static_cast<qsizetype>(bytes.size())),
                                  QCryptographicHash::Sha256)
      .toStdString();
}

// Bytes that aren't UTF-8 as \xNN, so that the text can be shown and nothing is lost.
std::string printable(std::string_view text) {
  if (is_utf8(text)) return std::string(text);
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string shown;
  for (const char c : text) {
    const unsigned char byte = static_cast<unsigned char>(c);
    if (byte < 0x80) {
      shown += c;
    } else {
      shown += {'\\', 'x', kDigits[byte >> 4], kDigits[byte & 15]};
    }
  }
  return shown;
}

std::string line_end_name(const std::vector<TextLine>& lines) {
  bool has_lf = false, has_crlf = false, has_cr = false;
  for (const TextLine& line : lines) {
    has_lf = has_lf || line.end == "\n";
    has_crlf = has_crlf || line.end == "\r\n";
    has_cr = has_cr || line.end == "\r";
  }
  if (has_lf && has_crlf) return "LF and CRLF mixed";
  return has_crlf ? "CRLF" : has_cr ? "CR" : "LF";
}

std::string shown_line(size_t number, std::string_view text) {
  const std::string_view start = utf8_prefix(text, kMaxShownLine_bytes);
  std::string shown = std::to_string(number) + "\t" + printable(start);
  if (start.size() < text.size())
    shown += " [" + std::to_string(text.size() - start.size()) + " more bytes in this line]";
  return shown + "\n";
}

const char* kind_name(Kind kind) {
  switch (kind) {
    case Kind::Write:
      return "changed";
    case Kind::Create:
      return "created";
    case Kind::Delete:
      return "deleted";
    case Kind::Move:
      return "moved";
  }
  return "";
}

}  // namespace

Files::Files(FilesOptions options)
    : options_(std::move(options)),
      workspace_(options_.workspace, options_.readable),
      journal_(workspace_, options_.journal),
      watch_(workspace_),
      recovery_(journal_.recover()) {}

void Files::remember(const fs::path& path, std::string_view bytes) {
  seen_[path] = hash_of(bytes);
}

FileReply Files::read(const std::string& path, size_t first_line, std::optional<size_t> n_lines) {
  const auto resolved = workspace_.resolve(path, Workspace::Use::Read);
  if (const auto* refusal = std::get_if<Workspace::Refusal>(&resolved)) return refuse(refusal->reason);
  const fs::path& real = std::get<fs::path>(resolved);
  const FileDescriptor file(workspace_.open(real, O_RDONLY | O_NONBLOCK));
  struct stat status;
  if (!file || fstat(file.get(), &status) != 0) return refuse(path + " can't be opened: " + std::strerror(errno));
  if (S_ISDIR(status.st_mode)) return refuse(path + " is a folder; list it instead");
  if (!S_ISREG(status.st_mode)) return refuse(path + " isn't a regular file");
  if (status.st_size > static_cast<off_t>(1) << 30)
    return refuse(path + " is larger than 1 GiB; look into it with the shell");
  const auto bytes = read_bytes(file.get());
  if (!bytes) return refuse(path + " can't be read: " + std::strerror(errno));
  const Encoding encoding = detect_encoding(std::string_view(*bytes).substr(0, kSniffedBytes));
  if (encoding == Encoding::Binary || encoding == Encoding::Utf16 || encoding == Encoding::Utf32)
    return refuse(path + " is " + encoding_name(encoding) + ", " + std::to_string(bytes->size()) +
                  " bytes; it can't be shown as text");
  remember(real, *bytes);

  std::string_view body = *bytes;
  if (encoding == Encoding::Utf8Bom) body.remove_prefix(kUtf8Bom.size());
  const std::vector<TextLine> lines = split_lines(body);
  if (first_line > 1 && first_line > lines.size())
    return refuse(path + " has " + std::to_string(lines.size()) + " lines; there is no line " +
                  std::to_string(first_line));
  const size_t first = std::max<size_t>(first_line, 1) - 1;
  const size_t last = n_lines ? std::min(lines.size(), first + std::min(*n_lines, lines.size())) : lines.size();
  std::string text;
  size_t line_idx = first;
  for (; line_idx < last && text.size() < options_.max_reply_bytes; ++line_idx)
    text += shown_line(line_idx + 1, lines[line_idx].text);
  std::string head = workspace_.name(real) + ": " + std::to_string(lines.size()) + " lines";
  if (encoding != Encoding::Utf8) head += std::string(", ") + encoding_name(encoding);
  if (line_end_name(lines) != "LF") head += ", line ends " + line_end_name(lines);
  if (!lines.empty() && lines.back().end.empty()) head += ", no newline at its end";
  if (line_idx > first && (first > 0 || line_idx < lines.size()))
    head += "; shown: " + std::to_string(first + 1) + "-" + std::to_string(line_idx);
  if (line_idx < last) head += " (more did not fit; go on from line " + std::to_string(line_idx + 1) + ")";
  return {true, head + "\n" + text, {{"path", workspace_.name(real)}, {"n_lines", lines.size()}}};
}

std::variant<Files::Content, FileReply> Files::load_for_edit(const std::string& path) {
  const auto resolved = workspace_.resolve(path, Workspace::Use::Write);
  if (const auto* refusal = std::get_if<Workspace::Refusal>(&resolved)) return refuse(refusal->reason);
  Content content;
  content.path = std::get<fs::path>(resolved);
  const FileDescriptor file(workspace_.open(content.path, O_RDONLY | O_NONBLOCK));
  struct stat status;
  if (!file || fstat(file.get(), &status) != 0) return refuse(path + " can't be opened: " + std::strerror(errno));
  if (!S_ISREG(status.st_mode)) return refuse(path + " isn't a regular file");
  if (static_cast<size_t>(status.st_size) > options_.max_file_bytes)
    return refuse(path + " has " + std::to_string(status.st_size) + " bytes; more than " +
                  std::to_string(options_.max_file_bytes) + " aren't edited");
  auto bytes = read_bytes(file.get());
  if (!bytes) return refuse(path + " can't be read: " + std::strerror(errno));
  content.bytes = std::move(*bytes);
  const Encoding encoding = detect_encoding(content.bytes);
  if (encoding == Encoding::Binary || encoding == Encoding::Utf16 || encoding == Encoding::Utf32)
    return refuse(path + " is " + encoding_name(encoding) +
                  "; only text in UTF-8 or another superset of ASCII can be edited");
  const auto seen = seen_.find(content.path);
  content.has_changed = seen != seen_.end() && seen->second != hash_of(content.bytes);
  return content;
}

Files::Staging Files::stage_write(const std::string& path, std::string_view content) {
  const auto resolved = workspace_.resolve(path, Workspace::Use::Write);
  if (const auto* refusal = std::get_if<Workspace::Refusal>(&resolved)) return refuse(refusal->reason);
  Staged staged;
  staged.change.path = std::get<fs::path>(resolved);
  staged.change.after = content;
  std::error_code error;
  if (!fs::exists(staged.change.path, error)) {
    if (const auto problem = problem_with_added({}, content)) return refuse(*problem);
    staged.change.kind = Kind::Create;
    return std::vector{staged};
  }
  auto loaded = load_for_edit(path);
  if (auto* reply = std::get_if<FileReply>(&loaded)) return *reply;
  const Content& old = std::get<Content>(loaded);
  if (!seen_.contains(old.path) && !old.bytes.empty())
    return refuse(path + " exists and wasn't read yet; read it before replacing it");
  if (old.has_changed) return refuse(path + " has changed on disk since it was read; read it again");
  if (const auto problem = problem_with_added(old.bytes, content)) return refuse(*problem);
  // A file keeps its mark and its line ends when the new text doesn't bring its own.
  const std::vector<TextLine> lines = split_lines(old.bytes);
  if (line_end_name(lines) == "CRLF" && content.find('\r') == std::string_view::npos) {
    staged.change.after.clear();
    for (const TextLine& line : split_lines(content))
      staged.change.after.append(line.text).append(line.end.empty() ? "" : "\r\n");
  }
  if (old.bytes.starts_with(kUtf8Bom) && !content.starts_with(kUtf8Bom)) staged.change.after.insert(0, kUtf8Bom);
  staged.change.before = old.bytes;
  return std::vector{staged};
}

Files::Staging Files::stage_edit(const std::string& path, std::string_view old_text, std::string_view new_text,
                                 Occurrences occurrences) {
  auto loaded = load_for_edit(path);
  if (auto* reply = std::get_if<FileReply>(&loaded)) return *reply;
  const Content& content = std::get<Content>(loaded);
  const bool has_mark = content.bytes.starts_with(kUtf8Bom);
  const std::string_view body = std::string_view(content.bytes).substr(has_mark ? kUtf8Bom.size() : 0);
  if (const auto problem = problem_with_added(content.bytes, new_text)) return refuse(*problem);
  auto outcome = replace_text(body, old_text, new_text, occurrences);
  const std::string stale = content.has_changed ? " The file has changed on disk since it was read." : "";
  if (const auto* refusal = std::get_if<MatchRefusal>(&outcome)) return refuse(path + ": " + refusal->reason + stale);
  AppliedText& applied = std::get<AppliedText>(outcome);
  const bool is_exact = std::all_of(applied.hunks.begin(), applied.hunks.end(),
                                    [](const PlacedHunk& hunk) { return hunk.rung <= Rung::LineEnds; });
  if (content.has_changed && !is_exact)
    return refuse(path + ": the old text is there only approximately." + stale + " Read it again.");
  Staged staged;
  staged.change.path = content.path;
  staged.change.before = content.bytes;
  staged.change.after = (has_mark ? std::string(kUtf8Bom) : std::string()) + applied.bytes;
  staged.hunks = std::move(applied.hunks);
  staged.had_changed = content.has_changed;
  return std::vector{staged};
}

std::optional<std::string> Files::stage_update(const FilePatch& patch, Staged& entry, bool is_new) {
  if (is_new) {
    auto loaded = load_for_edit(patch.path);
    if (const auto* reply = std::get_if<FileReply>(&loaded)) return reply->text;
    const Content& content = std::get<Content>(loaded);
    entry.change.path = content.path;
    entry.change.before = entry.change.after = content.bytes;
  }
  const bool has_mark = entry.change.after.starts_with(kUtf8Bom);
  const std::string_view body = std::string_view(entry.change.after).substr(has_mark ? kUtf8Bom.size() : 0);
  if (const auto problem = problem_with_added(entry.change.after, added_text(patch.hunks)))
    return patch.path + ": " + *problem;
  auto outcome = apply_hunks(body, patch.hunks);
  if (const auto* refusal = std::get_if<MatchRefusal>(&outcome)) return patch.path + ": " + refusal->reason;
  AppliedText& applied = std::get<AppliedText>(outcome);
  entry.change.after = (has_mark ? std::string(kUtf8Bom) : std::string()) + applied.bytes;
  entry.hunks.insert(entry.hunks.end(), applied.hunks.begin(), applied.hunks.end());
  return std::nullopt;
}

std::optional<std::string> Files::stage(const FilePatch& patch, std::vector<Staged>& staged) {
  const auto resolved = workspace_.resolve(patch.path, Workspace::Use::Write);
  if (const auto* refusal = std::get_if<Workspace::Refusal>(&resolved)) return refusal->reason;
  const fs::path& real = std::get<fs::path>(resolved);
  const auto known =
      std::find_if(staged.begin(), staged.end(), [&](const Staged& entry) { return entry.change.path == real; });
  const bool is_known = known != staged.end();
  if (is_known &&
      (patch.kind != FilePatch::Kind::Update || !patch.new_path.empty() || known->change.kind != Kind::Write))
    return patch.path + " is named twice in the patch; make it one section";
  Staged entry;
  entry.change.path = real;
  if (patch.kind == FilePatch::Kind::Add) {
    std::error_code error;
    if (fs::exists(real, error)) return patch.path + " exists already; update it instead of adding it";
    entry.change.kind = Kind::Create;
    entry.change.mode = patch.is_executable ? 0755 : 0644;
    for (const Hunk& hunk : patch.hunks)
      for (const PatchLine& line : hunk.lines) {
        if (line.kind != LineKind::Added) return patch.path + ": an added file has only added lines";
        entry.change.after += line.text + (line.has_no_newline ? "" : "\n");
      }
    if (const auto problem = problem_with_added({}, entry.change.after)) return patch.path + ": " + *problem;
  } else {
    Staged& target = is_known ? *known : entry;
    if (const auto problem = stage_update(patch, target, !is_known)) return problem;
    if (patch.kind == FilePatch::Kind::Delete) {
      if (!patch.hunks.empty() && !entry.change.after.empty())
        return patch.path + ": the patch deletes the file but leaves lines of it standing";
      entry.change.kind = Kind::Delete;
      entry.change.after.clear();
    } else if (!patch.new_path.empty()) {
      const auto target_path = workspace_.resolve(patch.new_path, Workspace::Use::Write);
      if (const auto* refusal = std::get_if<Workspace::Refusal>(&target_path)) return refusal->reason;
      entry.change.kind = Kind::Move;
      entry.change.new_path = std::get<fs::path>(target_path);
      std::error_code error;
      if (fs::exists(entry.change.new_path, error)) return patch.new_path + " exists already; nothing is moved over it";
    }
  }
  if (!is_known) staged.push_back(std::move(entry));
  return std::nullopt;
}

Files::Staging Files::stage_patch(std::string_view text) {
  const auto parsed = parse_patch(text);
  if (const auto* error = std::get_if<PatchError>(&parsed))
    return refuse("the patch can't be read, line " + std::to_string(error->line) + ": " + error->message);
  std::vector<Staged> staged;
  for (const FilePatch& patch : std::get<std::vector<FilePatch>>(parsed))
    if (const auto problem = stage(patch, staged))
      return refuse(*problem + (problem->ends_with('\n') ? "" : "\n") + "No file was changed.");
  return staged;
}

FileReply Files::write(const std::string& path, std::string_view content) {
  return commit(stage_write(path, content));
}

FileReply Files::edit(const std::string& path, std::string_view old_text, std::string_view new_text,
                      Occurrences occurrences) {
  return commit(stage_edit(path, old_text, new_text, occurrences));
}

FileReply Files::apply_patch(std::string_view text) {
  return commit(stage_patch(text));
}

std::vector<FileEdit> Files::preview_write(const std::string& path, std::string_view content) {
  return preview(stage_write(path, content));
}

std::vector<FileEdit> Files::preview_edit(const std::string& path, std::string_view old_text, std::string_view new_text,
                                          Occurrences occurrences) {
  return preview(stage_edit(path, old_text, new_text, occurrences));
}

std::vector<FileEdit> Files::preview_patch(std::string_view text) {
  return preview(stage_patch(text));
}

std::vector<FileEdit> Files::preview(const Staging& staging) const {
  const auto* staged = std::get_if<std::vector<Staged>>(&staging);
  if (staged == nullptr) return {};
  const auto without_mark = [](const std::string& bytes) {
    return bytes.substr(bytes.starts_with(kUtf8Bom) ? kUtf8Bom.size() : 0);
  };
  std::vector<FileEdit> edits;
  for (const auto& [change, hunks, had_changed] : *staged) {
    if (change.kind == Kind::Move) return {};
    FileEdit edit{.path = workspace_.name(change.path), .before = {}, .after = {}};
    if (change.kind != Kind::Create) edit.before = without_mark(change.before);
    if (change.kind != Kind::Delete) edit.after = without_mark(change.after);
    edit.is_executable = change.kind == Kind::Create && (change.mode & 0100) != 0;
    if (edit.before != edit.after) edits.push_back(std::move(edit));
  }
  return edits;
}

FileReply Files::commit(Staging staging) {
  if (auto* refusal = std::get_if<FileReply>(&staging)) return std::move(*refusal);
  const auto& staged = std::get<std::vector<Staged>>(staging);
  const auto is_idle = [](const Staged& entry) {
    return entry.change.kind == Kind::Write && entry.change.before == entry.change.after;
  };
  std::string text;
  nlohmann::json files = nlohmann::json::array();
  std::vector<FileChange> changes;
  for (const Staged& entry : staged) {
    const std::string name = workspace_.name(entry.change.path);
    if (is_idle(entry)) {
      text += "no change: " + name + " is already as asked\n";
      continue;
    }
    changes.push_back(entry.change);
    text += std::string(kind_name(entry.change.kind)) + " " + name;
    if (entry.change.kind == Kind::Move) text += " to " + workspace_.name(entry.change.new_path);
    nlohmann::json hunks = nlohmann::json::array();
    for (const PlacedHunk& hunk : entry.hunks) {
      text += (hunks.empty() ? ": line " : ", line ") + std::to_string(hunk.first_line);
      if (hunk.is_already_applied) text += " (already applied)";
      if (hunk.rung != Rung::Exact) text += std::string(" (matched ") + rung_name(hunk.rung) + ")";
      hunks.push_back({{"line", hunk.first_line}, {"rung", rung_name(hunk.rung)}});
    }
    text += "\n";
    files.push_back({{"path", name}, {"kind", kind_name(entry.change.kind)}, {"hunks", hunks}});
  }
  if (changes.empty()) return {true, text, {{"files", files}}};
  const auto applied = journal_.apply(changes);
  if (const auto* failure = std::get_if<EditJournal::Failure>(&applied))
    return refuse(failure->reason + ". No file was changed.");
  for (const FileChange& change : changes) {
    seen_.erase(change.path);
    if (change.kind != Kind::Delete) remember(change.kind == Kind::Move ? change.new_path : change.path, change.after);
  }
  if (std::any_of(staged.begin(), staged.end(), [](const Staged& entry) { return entry.had_changed; }))
    text += "Note: the file had changed elsewhere since it was read; that change is kept.\n";
  return {true, text, {{"entry", std::get<int64_t>(applied)}, {"files", files}}};
}

FileReply Files::undo() {
  const auto outcome = journal_.undo();
  if (const auto* failure = std::get_if<EditJournal::Failure>(&outcome)) return refuse(failure->reason);
  const auto& undone = std::get<EditJournal::Undone>(outcome);
  std::string text = "undone:";
  for (const std::string& name : undone.files) text += " " + name;
  return {true, text + "\n", {{"entry", undone.entry}, {"files", undone.files}}};
}

FileReply Files::after_command() {
  const FolderWatch::Changes found = watch_.changes();
  if (found.files.empty() && found.not_kept.empty()) return {true, "", {}};
  std::string text = "files:";
  nlohmann::json files = nlohmann::json::array();
  for (const FileChange& change : found.files) {
    const std::string name = workspace_.name(change.path);
    files.push_back({{"path", name}, {"kind", kind_name(change.kind)}});
    if (files.size() <= kMostNamed) text += std::string(" ") + kind_name(change.kind) + " " + name + ";";
  }
  if (files.size() > kMostNamed) text += " and " + std::to_string(files.size() - kMostNamed) + " more;";
  if (!found.not_kept.empty()) {
    text +=
        " " + std::to_string(found.not_kept.size()) + " that undo can't put back, such as " + found.not_kept[0] + ";";
  }
  text.back() = '\n';
  if (found.files.empty()) return {true, text, {}};
  const auto kept = journal_.adopt(found.files, found.new_folders);
  if (const auto* failure = std::get_if<EditJournal::Failure>(&kept)) {
    return {false, "files: changed, but not kept for undo: " + failure->reason + "\n", {}};
  }
  return {true, text, {{"entry", std::get<int64_t>(kept)}, {"files", files}}};
}

}  // namespace tools
