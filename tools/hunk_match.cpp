#include "tools/hunk_match.h"

#include <algorithm>
#include <optional>

#include "tools/indent_map.h"
#include "tools/nearest_lines.h"
#include "tools/text_lines.h"

namespace tools {
namespace {

constexpr size_t kShownCandidates = 8;
constexpr Rung kRungs[] = {Rung::Exact, Rung::LineEnds, Rung::TrailingSpace, Rung::Indentation};

std::string_view without_return(std::string_view text) {
  if (text.ends_with('\r')) text.remove_suffix(1);
  return text;
}

bool is_equal(const TextLine& line, std::string_view wanted, Rung rung) {
  switch (rung) {
    case Rung::Exact:
      if (line.end == "\r\n")
        return wanted.size() == line.text.size() + 1 && wanted.ends_with('\r') && wanted.starts_with(line.text);
      return line.end != "\r" && line.text == wanted;
    case Rung::LineEnds:
      return line.text == without_return(wanted);
    case Rung::TrailingSpace:
      return trim_right(line.text) == trim_right(without_return(wanted));
    case Rung::Indentation:
      return trim(line.text) == trim(without_return(wanted));
  }
  return false;
}

bool matches_at(const std::vector<TextLine>& file, size_t first, const std::vector<std::string_view>& wanted,
                Rung rung) {
  if (first + wanted.size() > file.size()) return false;
  for (size_t i = 0; i < wanted.size(); ++i)
    if (!is_equal(file[first + i], wanted[i], rung)) return false;
  return rung != Rung::Indentation || IndentMap::make(file, first, wanted).has_value();
}

std::vector<size_t> find_all(const std::vector<TextLine>& file, const std::vector<std::string_view>& wanted,
                             Rung rung) {
  std::vector<size_t> found;
  for (size_t first = 0; first + wanted.size() <= file.size(); ++first)
    if (matches_at(file, first, wanted, rung)) found.push_back(first);
  return found;
}

std::vector<std::string_view> lines_of(const Hunk& hunk, LineKind left_out) {
  std::vector<std::string_view> lines;
  for (const PatchLine& line : hunk.lines)
    if (line.kind != left_out) lines.push_back(line.text);
  return lines;
}

size_t count(const Hunk& hunk, LineKind kind) {
  return static_cast<size_t>(
      std::count_if(hunk.lines.begin(), hunk.lines.end(), [kind](const PatchLine& line) { return line.kind == kind; }));
}

std::string list_candidates(const std::vector<size_t>& firsts, size_t n_lines) {
  std::string text;
  for (size_t i = 0; i < firsts.size() && i < kShownCandidates; ++i) {
    if (i > 0) text += ", ";
    text += std::to_string(firsts[i] + 1);
    if (n_lines > 1) text.append("-").append(std::to_string(firsts[i] + n_lines));
  }
  if (firsts.size() > kShownCandidates) text += ", and " + std::to_string(firsts.size() - kShownCandidates) + " more";
  return text;
}

// Where a line like `anchor` stands: as it is, else ignoring blanks, else as the start of a line.
std::vector<size_t> find_anchor(const std::vector<TextLine>& file, std::string_view anchor, size_t from) {
  for (int rung = 0; rung < 3; ++rung) {
    std::vector<size_t> found;
    for (size_t i = from; i < file.size(); ++i) {
      const std::string_view line = trim(file[i].text), wanted = trim(anchor);
      if (rung == 0 ? file[i].text == anchor : rung == 1 ? line == wanted : line.starts_with(wanted))
        found.push_back(i);
    }
    if (!found.empty()) return found;
  }
  return {};
}

// The line of the innermost anchor, if the chain of anchors leads to one place.
std::optional<size_t> anchor_line(const std::vector<TextLine>& file, const Hunk& hunk) {
  std::optional<size_t> line;
  for (const std::string& anchor : hunk.anchors) {
    const std::vector<size_t> found = find_anchor(file, anchor, line ? *line + 1 : 0);
    // Inside an outer anchor the first one counts; a first anchor must be the only one.
    if (found.empty() || (!line && found.size() > 1)) return std::nullopt;
    line = found.front();
  }
  return line;
}

// The line after the last one that belongs to what starts at `anchor`: the next line that is indented no deeper, but
// for brackets that only open or close.
size_t scope_end(const std::vector<TextLine>& file, size_t anchor) {
  const size_t depth = indentation(file[anchor].text).size();
  for (size_t i = anchor + 1; i < file.size(); ++i) {
    const std::string_view text = trim(file[i].text);
    const bool is_bracket = text.find_first_not_of("{}()[];,") == std::string_view::npos;
    if (!is_bracket && indentation(file[i].text).size() <= depth) return i;
  }
  return file.size();
}

class HunkPlacer {
 public:
  explicit HunkPlacer(std::string_view bytes) : file_(split_lines(bytes)), usual_end_(usual_line_end(file_)) {
    removed_.resize(file_.size());
    added_.resize(file_.size() + 1);
  }

  std::optional<MatchRefusal> place(const Hunk& hunk, size_t number, size_t n_hunks);
  std::string new_bytes() const;
  std::vector<PlacedHunk> take_placed() { return std::move(placed_); }

 private:
  struct AddedLine {
    std::string text;
    std::optional<std::string_view> end;  // none: the neighbour's
  };

  std::optional<size_t> decide(const Hunk& hunk, const std::vector<size_t>& found) const;
  std::optional<MatchRefusal> place_insertion(const Hunk& hunk);
  std::optional<MatchRefusal> take_lines(const Hunk& hunk, size_t first, Rung rung);
  bool is_already_applied(const Hunk& hunk, size_t& first) const;
  std::string_view neighbour_end(size_t position) const;

  std::vector<TextLine> file_;
  std::string_view usual_end_;
  std::vector<bool> removed_;                  // by line: some hunk removes it
  std::vector<std::vector<AddedLine>> added_;  // by line: what comes before it
  std::vector<PlacedHunk> placed_;
  std::ptrdiff_t shift_ = 0;  // how far the hunks so far lay from their line numbers
};

std::optional<size_t> HunkPlacer::decide(const Hunk& hunk, const std::vector<size_t>& found) const {
  if (found.size() == 1) return found.front();
  if (const auto anchor = anchor_line(file_, hunk)) {
    const size_t end = scope_end(file_, *anchor);
    std::vector<size_t> inside;
    for (size_t first : found)
      if (first >= *anchor && first < end) inside.push_back(first);
    if (inside.size() == 1) return inside.front();
  }
  if (hunk.old_line) {
    for (const std::ptrdiff_t shift : {shift_, std::ptrdiff_t{0}})
      for (size_t first : found)
        if (static_cast<std::ptrdiff_t>(first) + 1 == static_cast<std::ptrdiff_t>(*hunk.old_line) + shift) return first;
  }
  return std::nullopt;
}

std::optional<MatchRefusal> HunkPlacer::place(const Hunk& hunk, size_t number, size_t n_hunks) {
  const std::string which =
      n_hunks > 1 ? "change " + std::to_string(number) + " of " + std::to_string(n_hunks) + " " : "the old text ";
  const std::vector<std::string_view> wanted = lines_of(hunk, LineKind::Added);
  if (wanted.empty()) return place_insertion(hunk);
  for (const Rung rung : kRungs) {
    std::vector<size_t> found = find_all(file_, wanted, rung);
    if (hunk.is_at_end) std::erase_if(found, [&](size_t first) { return first + wanted.size() != file_.size(); });
    if (found.empty()) continue;
    const auto first = decide(hunk, found);
    if (!first)
      return MatchRefusal{which + "matches " + std::to_string(found.size()) + " places (" + rung_name(rung) +
                          "): lines " + list_candidates(found, wanted.size()) +
                          ". Nothing was changed. Give more lines around the change so that only one place matches."};
    if (hunk.old_line) shift_ = static_cast<std::ptrdiff_t>(*first) + 1 - static_cast<std::ptrdiff_t>(*hunk.old_line);
    return take_lines(hunk, *first, rung);
  }
  if (size_t first = 0; is_already_applied(hunk, first)) {
    placed_.push_back({first + 1, wanted.size(), Rung::Exact, true});
    return std::nullopt;
  }
  return MatchRefusal{which + "isn't in the file" + (hunk.is_at_end ? " at its end" : "") + ". Nothing was changed. " +
                      describe_nearest(file_, wanted)};
}

// Lines without any context: at the end of the file, or after the one line that the anchors lead to.
std::optional<MatchRefusal> HunkPlacer::place_insertion(const Hunk& hunk) {
  size_t position = file_.size();
  if (hunk.old_line && !file_.empty())
    return MatchRefusal{"a hunk without context or removed lines can't be placed safely; give lines around the change"};
  if (!hunk.anchors.empty() && !hunk.is_at_end) {
    const auto anchor = anchor_line(file_, hunk);
    if (!anchor)
      return MatchRefusal{
          "the line \"" + hunk.anchors.back() +
          "\" isn't in the file exactly once, so there is no one place to add lines after it; give lines "
          "around the change"};
    position = *anchor + 1;
  }
  placed_.push_back({position + 1, 0, Rung::Exact, false});
  const bool has_flag =
      std::any_of(hunk.lines.begin(), hunk.lines.end(), [](const PatchLine& line) { return line.has_no_newline; });
  for (const PatchLine& line : hunk.lines) {
    AddedLine added{std::string(without_return(line.text)), std::nullopt};
    if (hunk.old_line) added = {line.text, line.has_no_newline ? "" : "\n"};
    added_[position].push_back(std::move(added));
  }
  // A file that didn't end in a newline doesn't afterwards, unless the patch speaks of it.
  if (position == file_.size() && !file_.empty() && file_.back().end.empty() && !has_flag)
    added_[position].back().end = "";
  return std::nullopt;
}

std::optional<MatchRefusal> HunkPlacer::take_lines(const Hunk& hunk, size_t first, Rung rung) {
  const std::vector<std::string_view> wanted = lines_of(hunk, LineKind::Added);
  const auto indent = rung == Rung::Indentation ? IndentMap::make(file_, first, wanted) : std::nullopt;
  const bool has_flag =
      std::any_of(hunk.lines.begin(), hunk.lines.end(), [](const PatchLine& line) { return line.has_no_newline; });
  // The patch tells line ends when it showed them: by a carriage return, by a plain newline that the file has too, or
  // by the remark about the file's end.
  bool tells_ends = has_flag;
  for (size_t i = 0; i < wanted.size(); ++i) tells_ends = tells_ends || !file_[first + i].end.empty();
  tells_ends = tells_ends && rung == Rung::Exact;
  size_t line_idx = first;
  std::vector<size_t> positions;
  for (const PatchLine& line : hunk.lines) {
    if (line.kind == LineKind::Added) {
      AddedLine added{std::string(tells_ends ? line.text : without_return(line.text)), std::nullopt};
      if (indent) {
        const auto indented = indent->translate(added.text);
        if (!indented)
          return MatchRefusal{"the old text matches at line " + std::to_string(first + 1) +
                              " but for its indentation, and how deep the added line \"" +
                              std::string(trim(added.text)) +
                              "\" belongs can't be told. Nothing was changed. Copy the indentation from the file."};
        added.text = *indented;
      }
      if (tells_ends) added.end = "\n";
      if (line.has_no_newline) added.end = "";
      if (!added_[line_idx].empty() && std::find(positions.begin(), positions.end(), line_idx) == positions.end())
        return MatchRefusal{"two changes add lines at line " + std::to_string(line_idx + 1) + "; make them one"};
      positions.push_back(line_idx);
      added_[line_idx].push_back(std::move(added));
      continue;
    }
    if (line.kind == LineKind::Removed) {
      if (removed_[line_idx])
        return MatchRefusal{"two changes remove line " + std::to_string(line_idx + 1) + "; make them one"};
      removed_[line_idx] = true;
    }
    ++line_idx;
  }
  // A file that didn't end in a newline doesn't afterwards, unless the patch speaks of it.
  const bool is_new_end = line_idx == file_.size() && hunk.lines.back().kind == LineKind::Added;
  if (is_new_end && file_.back().end.empty() && !has_flag) added_[line_idx].back().end = "";
  placed_.push_back({first + 1, wanted.size(), rung, false});
  return std::nullopt;
}

bool HunkPlacer::is_already_applied(const Hunk& hunk, size_t& first) const {
  if (count(hunk, LineKind::Added) == 0 || count(hunk, LineKind::Context) == 0) return false;
  const std::vector<size_t> found = find_all(file_, lines_of(hunk, LineKind::Removed), Rung::LineEnds);
  if (found.size() != 1) return false;
  first = found.front();
  return true;
}

std::string_view HunkPlacer::neighbour_end(size_t position) const {
  if (position > 0 && !file_[position - 1].end.empty()) return file_[position - 1].end;
  if (position < file_.size() && !file_[position].end.empty()) return file_[position].end;
  return usual_end_;
}

std::string HunkPlacer::new_bytes() const {
  std::string bytes;
  bool is_line_open = false;  // the last line has no end yet
  const auto append = [&](std::string_view text, std::string_view end, size_t position) {
    if (is_line_open) bytes += neighbour_end(position);
    bytes.append(text).append(end);
    is_line_open = end.empty();
  };
  for (size_t i = 0; i <= file_.size(); ++i) {
    for (const AddedLine& added : added_[i]) append(added.text, added.end ? *added.end : neighbour_end(i), i);
    if (i < file_.size() && !removed_[i]) append(file_[i].text, file_[i].end, i);
  }
  return bytes;
}

}  // namespace

const char* rung_name(Rung rung) {
  switch (rung) {
    case Rung::Exact:
      return "exactly";
    case Rung::LineEnds:
      return "but for line ends";
    case Rung::TrailingSpace:
      return "but for trailing blanks";
    case Rung::Indentation:
      return "but for indentation";
  }
  return "";
}

MatchOutcome apply_hunks(std::string_view bytes, const std::vector<Hunk>& hunks) {
  HunkPlacer placer(bytes);
  for (size_t i = 0; i < hunks.size(); ++i)
    if (auto refusal = placer.place(hunks[i], i + 1, hunks.size())) return *refusal;
  return AppliedText{placer.new_bytes(), placer.take_placed()};
}

}  // namespace tools
