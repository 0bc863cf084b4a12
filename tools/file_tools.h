#pragma once
// The file tools as the model calls them: read_file, list_files, grep, write_file, edit_file, apply_patch, undo_edit.

#include <filesystem>
#include <memory>
#include <vector>

#include "tools/files.h"
#include "tools/tool.h"

namespace tools {

// They share one `Files`, which lives as long as any of them.
std::vector<std::unique_ptr<Tool>> make_file_tools(std::shared_ptr<Files> files);

}  // namespace tools
