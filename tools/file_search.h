#pragma once
// Finds files and lines in a workspace: folders as trees, names by pattern, contents by regular expression. Names and
// contents go through ripgrep, which leaves out what .gitignore names and .git itself.

#include <optional>
#include <stop_token>
#include <string>

#include "tools/files.h"
#include "tools/workspace.h"

namespace tools {

struct GrepQuery {
  std::string pattern;              // ripgrep's regular expressions
  std::string path = ".";           // a folder or a file
  std::optional<std::string> glob;  // only files that match it
  bool is_literal = false;          // the pattern is plain text
  bool ignores_case = false;
  int n_context_lines = 0;
};

struct ListQuery {
  std::string path = ".";
  std::optional<std::string> glob;  // then: the files below that match, whatever the depth
  int depth = 1;                    // without glob: how many levels of the tree
};

FileReply list_files(const Workspace& workspace, const ListQuery& query, std::stop_token stop);
FileReply grep(const Workspace& workspace, const GrepQuery& query, std::stop_token stop);

}  // namespace tools
