// Any bytes as a patch, applied to any bytes: never a crash, and a patch that only adds leaves every old line standing.

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "tools/hunk_match.h"
#include "tools/patch.h"

namespace {

void apply(const tools::FilePatch& patch, std::string_view file) {
  const auto outcome = tools::apply_hunks(file, patch.hunks);
  const auto* applied = std::get_if<tools::AppliedText>(&outcome);
  if (!applied) return;
  size_t n_removed = 0, n_added = 0;
  for (const tools::Hunk& hunk : patch.hunks) {
    for (const tools::PatchLine& line : hunk.lines) {
      if (line.kind == tools::LineKind::Removed) ++n_removed;
      // A line end may come twice: its own, and the one that the last line of the file lacked.
      if (line.kind == tools::LineKind::Added) n_added += line.text.size() + 4;
    }
  }
  if (n_removed == 0 && applied->bytes.size() < file.size()) std::abort();
  // Indentation may be translated from tabs to many spaces; without it the growth is what was added.
  const bool is_indented = std::any_of(applied->hunks.begin(), applied->hunks.end(), [](const tools::PlacedHunk& hunk) {
    return hunk.rung == tools::Rung::Indentation;
  });
  if (!is_indented && applied->bytes.size() > file.size() + n_added) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  // The file, a zero byte, the patch.
  const size_t middle = std::min(bytes.find('\0'), bytes.size());
  const std::string_view file = bytes.substr(0, middle), patch = bytes.substr(std::min(middle + 1, bytes.size()));
  const auto parsed = tools::parse_patch(patch);
  if (const auto* files = std::get_if<std::vector<tools::FilePatch>>(&parsed))
    for (const tools::FilePatch& item : *files) apply(item, file);
  const size_t half = patch.size() / 2;
  tools::replace_text(file, patch.substr(0, half), patch.substr(half), tools::Occurrences::One);
  return 0;
}
