#include "agent/picture_cache.h"

#include <QByteArray>
#include <algorithm>

#include "agent/export.h"

namespace agent {

void PictureCache::plan(const std::vector<Picture>& pictures) {
  std::erase_if(urls_, [&](const auto& entry) {
    return std::none_of(pictures.begin(), pictures.end(),
                        [&](const Picture& picture) { return picture->id == entry.first; });
  });
  std::int64_t n_bytes = 0, n_kept_bytes = 0;
  for (const Picture& picture : pictures) {
    if (picture->id > newest_left_out_) n_bytes += static_cast<std::int64_t>(encoded(picture).size());
  }
  if (n_bytes <= budget_bytes_) return;
  for (auto picture = pictures.rbegin(); picture != pictures.rend(); ++picture) {
    n_kept_bytes += static_cast<std::int64_t>(encoded(*picture).size());
    if (picture == pictures.rbegin() || n_kept_bytes <= budget_bytes_ / 2) continue;
    newest_left_out_ = std::max(newest_left_out_, (*picture)->id);
    return;
  }
}

std::string PictureCache::data_url(const Picture& picture) {
  return picture->id <= newest_left_out_ ? "" : encoded(picture);
}

const std::string& PictureCache::encoded(const Picture& picture) {
  std::string& url = urls_[picture->id];
  if (url.empty()) {
    const std::string png = png_of(*picture);
    url = "data:image/png;base64," +
          QByteArray::fromRawData(png.data(), static_cast<qsizetype>(png.size())).toBase64().toStdString();
  }
  return url;
}

}  // namespace agent
