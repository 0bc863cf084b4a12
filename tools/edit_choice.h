#pragma once
// The hunks of edits that are about to be made: each of them may be taken or left out.

#include <string>
#include <vector>

#include "tools/patch.h"
#include "tools/tool.h"

namespace tools {

// What the edits change, one entry for each file. Empty: they can't be told apart in hunks.
std::vector<FilePatch> hunks_of(const std::vector<FileEdit>& edits);

// A unified diff that parse_patch() reads back. Of updates the hunks need their line.
std::string patch_text(const std::vector<FilePatch>& files);

struct EditChoice {
  std::string taken, left_out;  // unified diffs; empty: nothing
  std::size_t n_taken = 0, n_left_out = 0;
};
// `is_taken`: for each hunk, in order, of all files.
EditChoice choose_hunks(const std::vector<FilePatch>& files, const std::vector<bool>& is_taken);

}  // namespace tools
