// Finds libdeskhand_video.so beside the program, or where it is installed.

#include <dlfcn.h>

#include <filesystem>
#include <string>

#include "capture/error.h"
#include "capture/video/video_module.h"

namespace capture {
namespace {

constexpr const char* kFileName = "libdeskhand_video.so";

void* load() {
  std::error_code ignored;
  const std::filesystem::path folder = std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path();
  std::string reason = "it is not installed";
  for (const auto& path : {folder / kFileName, folder / "../lib/deskhand" / kFileName}) {
    if (!std::filesystem::exists(path, ignored)) continue;
    if (void* module = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) return module;
    reason = dlerror();
  }
  throw Error(std::string("Video files need ") + kFileName + ", which can't be loaded: " + reason);
}

void* symbol(const char* name) {
  static void* const module = load();  // tried again after a failure
  void* const found = dlsym(module, name);
  if (found == nullptr) throw Error(std::string(kFileName) + " is of another version: it has no " + name);
  return found;
}

}  // namespace

OpenVideoReader video_reader_module() {
  return reinterpret_cast<OpenVideoReader>(symbol(kOpenVideoReaderName));
}
OpenVideoWriter video_writer_module() {
  return reinterpret_cast<OpenVideoWriter>(symbol(kOpenVideoWriterName));
}

}  // namespace capture
