#include <zip.h>

#include "agent/error.h"
#include "agent/export.h"

namespace agent {
namespace {

namespace fs = std::filesystem;

// Closes without writing when it wasn't finished.
class ZipFile {
 public:
  explicit ZipFile(const fs::path& path) : path_(path) {
    int code = 0;
    zip_ = zip_open(path.c_str(), ZIP_CREATE | ZIP_EXCL, &code);
    if (zip_ != nullptr) return;
    zip_error_t error;
    zip_error_init_with_code(&error, code);
    const std::string reason = zip_error_strerror(&error);
    zip_error_fini(&error);
    throw Error("can't create " + path.string() + ": " + reason + "; export to another place");
  }
  ~ZipFile() {
    if (zip_ != nullptr) zip_discard(zip_);
  }
  ZipFile(const ZipFile&) = delete;
  ZipFile& operator=(const ZipFile&) = delete;

  void add(const std::string& name, const fs::path& file) {
    zip_source_t* source = zip_source_file(zip_, file.c_str(), 0, -1);
    if (source == nullptr || zip_file_add(zip_, name.c_str(), source, ZIP_FL_ENC_UTF_8) < 0) {
      zip_source_free(source);
      fail();
    }
  }
  void finish() {
    if (zip_close(zip_) != 0) fail();
    zip_ = nullptr;
  }

 private:
  [[noreturn]] void fail() const {
    throw Error("can't write " + path_.string() + ": " + zip_strerror(zip_) +
                "; check that its folder has room and may be written to");
  }

  fs::path path_;
  zip_t* zip_ = nullptr;
};

}  // namespace

void export_zip(Recorder& recorder, SessionId session, const fs::path& file, const SessionPart& part) {
  require_free(file);
  const fs::path folder = fs::path(file) += ".folder";
  export_folder(recorder, session, folder, part);
  std::error_code ignored;
  try {
    ZipFile zip(file);
    const std::string top = file.stem().string();
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
      if (entry.is_regular_file()) zip.add(top / entry.path().lexically_relative(folder), entry.path());
    }
    zip.finish();
  } catch (...) {
    fs::remove_all(folder, ignored);
    throw;
  }
  fs::remove_all(folder, ignored);
}

}  // namespace agent
