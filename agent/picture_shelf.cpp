#include "agent/picture_shelf.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <utility>

namespace agent {
namespace {

constexpr const char* kFolder = "/var/tmp";            // on the disk, where /tmp often lies in memory
constexpr std::uint64_t kRoomLeft_bytes = 2ULL << 30;  // to others and to the record

// A file that nobody else can open and that is gone with its last mapping; -1: there is no room for one.
int open_nameless(std::size_t n_bytes) {
  struct statvfs disk {};
  if (statvfs(kFolder, &disk) != 0 || disk.f_bavail * disk.f_frsize < kRoomLeft_bytes + n_bytes) return -1;
  std::string name = std::string(kFolder) + "/deskhand-XXXXXX";
  const int file = mkostemp(name.data(), O_CLOEXEC);
  if (file >= 0) unlink(name.c_str());
  return file;
}

bool write_all(int file, const std::uint8_t* bytes, std::size_t n_bytes) {
  while (n_bytes > 0) {
    const ssize_t n = write(file, bytes, n_bytes);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    bytes += n;
    n_bytes -= static_cast<std::size_t>(n);
  }
  return true;
}

}  // namespace

// Pixels in a file, without gaps between the rows, to be read only.
class PictureShelf::Mapping {
 public:
  // Null when the disk can't take them.
  static std::shared_ptr<const Mapping> of(const cv::Mat& pixels) {
    const std::size_t row_bytes = static_cast<std::size_t>(pixels.cols) * 4;
    const std::size_t n_bytes = row_bytes * static_cast<std::size_t>(pixels.rows);
    const int file = open_nameless(n_bytes);
    if (file < 0) return nullptr;
    bool is_written = true;
    for (int y = 0; y < pixels.rows && is_written; ++y) is_written = write_all(file, pixels.ptr(y), row_bytes);
    void* memory = is_written ? mmap(nullptr, n_bytes, PROT_READ, MAP_SHARED, file, 0) : MAP_FAILED;
    close(file);
    return memory == MAP_FAILED ? nullptr : std::make_shared<const Mapping>(memory, n_bytes);
  }

  Mapping(void* memory, std::size_t n_bytes) : memory_(memory), n_bytes_(n_bytes) {}
  ~Mapping() { munmap(memory_, n_bytes_); }
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;

  void* memory() const { return memory_; }
  void rest() const { madvise(memory_, n_bytes_, MADV_DONTNEED); }  // a shared mapping loses nothing by it

 private:
  void* memory_;
  std::size_t n_bytes_;
};

Message PictureShelf::put(Message message) {
  auto* tool = std::get_if<ToolMessage>(&message);
  auto* user = std::get_if<UserMessage>(&message);
  std::vector<Picture>* pictures = tool != nullptr ? &tool->pictures : user != nullptr ? &user->pictures : nullptr;
  if (pictures == nullptr) return message;
  for (Picture& picture : *pictures) picture = put(picture);
  return message;
}

Picture PictureShelf::put(const Picture& picture) {
  rest();
  const std::shared_ptr<const Mapping> mapping = Mapping::of(picture->pixels);
  if (mapping == nullptr) return picture;
  std::erase_if(mappings_, [](const auto& known) { return known.expired(); });
  mappings_.push_back(mapping);
  const cv::Mat pixels(picture->pixels.rows, picture->pixels.cols, CV_8UC4, mapping->memory());
  return std::make_shared<const capture::Frame>(pixels, picture->screen_map, picture->captured_at, mapping);
}

void PictureShelf::rest() const {
  for (const std::weak_ptr<const Mapping>& known : mappings_) {
    if (const std::shared_ptr<const Mapping> mapping = known.lock()) mapping->rest();
  }
}

}  // namespace agent
