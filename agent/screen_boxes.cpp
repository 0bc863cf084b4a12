#include "agent/screen_boxes.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "agent/call_translator.h"

namespace agent {
namespace {

constexpr std::string_view kOpen = "<box>", kClose = "</box>";
constexpr std::string_view kBlank = " \t\n";
constexpr std::string_view kBetween = " \t\n,;:()[]";  // models write "(1, 2), (3, 4)" too

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

std::optional<MarkedBox> read_box(std::string_view inside) {
  MarkedBox box;
  for (double& corner : box.corners) {
    inside.remove_prefix(std::min(inside.find_first_not_of(kBetween), inside.size()));
    const auto [end, error] = std::from_chars(inside.data(), inside.data() + inside.size(), corner);
    if (error != std::errc() || !std::isfinite(corner)) return std::nullopt;
    inside.remove_prefix(static_cast<std::size_t>(end - inside.data()));
  }
  inside.remove_prefix(std::min(inside.find_first_not_of(kBetween), inside.size()));
  box.label = trimmed(inside);
  return box;
}

// Bytes at the end that may become a box yet.
std::size_t n_unfinished(std::string_view text) {
  for (std::size_t n = std::min(kOpen.size() - 1, text.size()); n > 0; --n) {
    if (text.ends_with(kOpen.substr(0, n))) return n;
  }
  return 0;
}

}  // namespace

MarkedText read_boxes(std::string_view text, Written written) {
  MarkedText marked;
  while (true) {
    const std::size_t open = text.find(kOpen);
    const std::size_t close = open == std::string_view::npos ? open : text.find(kClose, open);
    if (close == std::string_view::npos) {
      if (written == Written::SoFar) {
        marked.n_open_bytes = open == std::string_view::npos ? n_unfinished(text) : text.size() - open;
      }
      marked.text += text.substr(0, text.size() - marked.n_open_bytes);
      return marked;
    }
    const std::size_t inside = open + kOpen.size(), after = close + kClose.size();
    const std::optional<MarkedBox> box = read_box(text.substr(inside, close - inside));
    marked.text += text.substr(0, box ? open : after);
    if (box) {
      marked.text += box->label;
      marked.boxes.push_back(*box);
    }
    text.remove_prefix(after);
  }
}

std::vector<ScreenBox> on_desktop(const std::vector<MarkedBox>& boxes, const ModelInfo& model,
                                  const capture::Frame& shown) {
  const capture::Size picture = shown.screen_map.image_px();
  std::vector<ScreenBox> found;
  for (const MarkedBox& box : boxes) {
    std::array<double, 4> c = box.corners;
    if (model.points_are_yx) c = {c[1], c[0], c[3], c[2]};
    const auto side = [&](double first, double second, int length_px) {
      const double a = to_pixel(std::min(first, second), model.coordinates, length_px);
      const double b = to_pixel(std::max(first, second), model.coordinates, length_px);
      const double limit = length_px;
      const int low = static_cast<int>(std::clamp(std::floor(a), 0.0, limit));
      return std::pair(low, static_cast<int>(std::clamp(std::ceil(b), 0.0, limit)) - low);
    };
    const auto [x, width] = side(c[0], c[2], picture.width);
    const auto [y, height] = side(c[1], c[3], picture.height);
    const capture::Rect area_px = {x, y, width, height};
    if (!area_px.is_empty()) found.push_back({shown.screen_map.area_to_desktop(area_px), box.label});
  }
  return found;
}

}  // namespace agent
