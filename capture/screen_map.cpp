#include "capture/screen_map.h"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "capture/error.h"

namespace capture {
namespace {

std::ostream& operator<<(std::ostream& out, const Rect& r) {
  return out << r.width << 'x' << r.height << std::showpos << r.x << r.y << std::noshowpos;
}

// The middle of the cell `position` of a row of cells, carried over to a row of cells `scale` times as long.
double carry_middle(double position, double scale) {
  return (position + 0.5) * scale - 0.5;
}

int cell_of(double middle) {
  return static_cast<int>(std::floor(middle + 0.5));
}

}  // namespace

bool Rect::contains(const Rect& other) const {
  return other.x >= x && other.y >= y && other.right() <= right() && other.bottom() <= bottom();
}

Rect intersect(const Rect& a, const Rect& b) {
  const int x = std::max(a.x, b.x), y = std::max(a.y, b.y);
  const Rect both{x, y, std::min(a.right(), b.right()) - x, std::min(a.bottom(), b.bottom()) - y};
  return both.is_empty() ? Rect{} : both;
}

Rect unite(const Rect& a, const Rect& b) {
  if (a.is_empty()) return b;
  if (b.is_empty()) return a;
  const int x = std::min(a.x, b.x), y = std::min(a.y, b.y);
  return {x, y, std::max(a.right(), b.right()) - x, std::max(a.bottom(), b.bottom()) - y};
}

ScreenMap::ScreenMap(Rect area_pt, Size image_px, std::vector<Monitor> monitors)
    : area_pt_(area_pt), image_px_(image_px), monitors_(std::move(monitors)) {
  CAPTURE_CHECK(!area_pt.is_empty() && image_px.width > 0 && image_px.height > 0, "a picture shows something");
}

double ScreenMap::scale_x() const {
  return static_cast<double>(area_pt_.width) / image_px_.width;
}
double ScreenMap::scale_y() const {
  return static_cast<double>(area_pt_.height) / image_px_.height;
}

std::variant<DesktopPoint, PointError> ScreenMap::to_desktop(double x_px, double y_px) const {
  std::ostringstream why;
  // Written so that NaN is outside too.
  const bool is_inside = x_px >= 0 && y_px >= 0 && x_px < image_px_.width && y_px < image_px_.height;
  if (!is_inside) {
    why << "point (" << x_px << ", " << y_px << ") is outside the image: x goes from 0 to " << image_px_.width - 1
        << " and y from 0 to " << image_px_.height - 1;
    return PointError{PointError::Kind::OutsideImage, why.str()};
  }
  // A fraction in the last pixel may carry over the edge by rounding.
  const int dx = std::min(cell_of(carry_middle(x_px, scale_x())), area_pt_.width - 1);
  const int dy = std::min(cell_of(carry_middle(y_px, scale_y())), area_pt_.height - 1);
  const DesktopPoint point{area_pt_.x + std::max(dx, 0), area_pt_.y + std::max(dy, 0)};
  const auto shows_point = [&](const Monitor& m) { return m.area_pt.contains(point.x_pt, point.y_pt); };
  if (!monitors_.empty() && std::none_of(monitors_.begin(), monitors_.end(), shows_point)) {
    why << "point (" << x_px << ", " << y_px << ") is desktop point (" << point.x_pt << ", " << point.y_pt
        << "), which no monitor shows; monitors:";
    for (const Monitor& m : monitors_) why << ' ' << m.name << ' ' << m.area_pt;
    return PointError{PointError::Kind::OnNoMonitor, why.str()};
  }
  return point;
}

std::optional<ScreenMap::PixelPosition> ScreenMap::to_image(DesktopPoint point) const {
  if (!area_pt_.contains(point.x_pt, point.y_pt)) return std::nullopt;
  const auto carry = [](int offset_pt, double scale, int n_px) {
    return std::clamp(carry_middle(offset_pt, 1 / scale), 0.0, n_px - 1.0);
  };
  return PixelPosition{carry(point.x_pt - area_pt_.x, scale_x(), image_px_.width),
                       carry(point.y_pt - area_pt_.y, scale_y(), image_px_.height)};
}

Rect ScreenMap::area_to_desktop(Rect area_px) const {
  area_px = intersect(area_px, {0, 0, image_px_.width, image_px_.height});
  if (area_px.is_empty()) return {};
  const int left = static_cast<int>(std::floor(area_px.x * scale_x()));
  const int top = static_cast<int>(std::floor(area_px.y * scale_y()));
  const int right = static_cast<int>(std::ceil(area_px.right() * scale_x()));
  const int bottom = static_cast<int>(std::ceil(area_px.bottom() * scale_y()));
  return intersect({area_pt_.x + left, area_pt_.y + top, right - left, bottom - top}, area_pt_);
}

Rect ScreenMap::area_to_image(Rect area_pt) const {
  area_pt = intersect(area_pt, area_pt_);
  if (area_pt.is_empty()) return {};
  const int left = static_cast<int>(std::floor((area_pt.x - area_pt_.x) / scale_x()));
  const int top = static_cast<int>(std::floor((area_pt.y - area_pt_.y) / scale_y()));
  const int right = static_cast<int>(std::ceil((area_pt.right() - area_pt_.x) / scale_x()));
  const int bottom = static_cast<int>(std::ceil((area_pt.bottom() - area_pt_.y) / scale_y()));
  return intersect({left, top, right - left, bottom - top}, {0, 0, image_px_.width, image_px_.height});
}

ScreenMap ScreenMap::cropped(Rect area_px) const {
  const Rect whole{0, 0, image_px_.width, image_px_.height};
  CAPTURE_CHECK(whole.contains(area_px) && !area_px.is_empty(), "a crop lies inside its picture");
  CAPTURE_CHECK(image_px_ == (Size{area_pt_.width, area_pt_.height}), "a crop is cut at native resolution");
  return {{area_pt_.x + area_px.x, area_pt_.y + area_px.y, area_px.width, area_px.height},
          {area_px.width, area_px.height},
          monitors_};
}

ScreenMap ScreenMap::resized(Size image_px) const {
  return {area_pt_, image_px, monitors_};
}

std::string ScreenMap::describe() const {
  std::ostringstream out;
  out.precision(4);
  out << image_px_.width << 'x' << image_px_.height << " px of " << area_pt_ << " pt, scale " << scale_x() << " x "
      << scale_y();
  return out.str();
}

}  // namespace capture
