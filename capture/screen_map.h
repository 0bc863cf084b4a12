#pragma once
// Where the pixels of a picture are on the desktop. Every conversion between picture and desktop coordinates in the
// program happens here.
//
// Two spaces: the picture (`_px`, fractions allowed, a whole number names a pixel) and the desktop (`_pt`, the
// coordinates that pointer input uses; on X11 these are the device pixels of the root window, and they can be negative
// on other platforms). The scale between them may differ per axis.

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace capture {

struct Size {
  int width = 0, height = 0;
  bool operator==(const Size&) const = default;
};

struct Rect {  // half-open: x ≤ column < x + width
  int x = 0, y = 0, width = 0, height = 0;
  bool operator==(const Rect&) const = default;
  int right() const { return x + width; }
  int bottom() const { return y + height; }
  bool is_empty() const { return width <= 0 || height <= 0; }
  std::int64_t area() const { return is_empty() ? 0 : std::int64_t{width} * height; }
  bool contains(int px, int py) const { return px >= x && px < right() && py >= y && py < bottom(); }
  bool contains(const Rect& other) const;
};

Rect intersect(const Rect& a, const Rect& b);  // empty (all zero) when they don't meet
Rect unite(const Rect& a, const Rect& b);      // the smallest rectangle around both; an empty one doesn't count

struct DesktopPoint {
  int x_pt = 0, y_pt = 0;
  bool operator==(const DesktopPoint&) const = default;
};

// A point in one certain picture: without the picture's id a point means nothing.
struct ImagePoint {
  std::uint64_t frame_id = 0;
  double x_px = 0, y_px = 0;
};

struct Monitor {
  std::string name;  // as RandR calls it: "HDMI-1"
  Rect area_pt;      // on the desktop
  bool is_primary = false;
};

// Why a point has no place on the desktop.
struct PointError {
  enum class Kind { OutsideImage, OnNoMonitor, OtherFrame };
  Kind kind;
  std::string message;  // for the model: the point, the bounds it broke
};

class ScreenMap {
 public:
  ScreenMap() = default;
  // A picture of `image_px` pixels that shows `area_pt` of the desktop. `monitors` are all of the desktop's monitors:
  // a point between them is refused, because the pointer can't go there. None given: that is not checked.
  ScreenMap(Rect area_pt, Size image_px, std::vector<Monitor> monitors = {});

  // The desktop point below the middle of a picture pixel. A point outside the picture is an error, never moved inside.
  [[nodiscard]] std::variant<DesktopPoint, PointError> to_desktop(double x_px, double y_px) const;

  struct PixelPosition {
    double x_px = 0, y_px = 0;
  };
  // Where the middle of a desktop point is in the picture; nothing when the picture doesn't show it. Going there and
  // back moves a point by at most half a picture pixel or half a desktop point, whichever is larger.
  [[nodiscard]] std::optional<PixelPosition> to_image(DesktopPoint point) const;

  // The smallest desktop area that covers a part of the picture, and the reverse (clipped to the picture; empty when
  // outside).
  Rect area_to_desktop(Rect area_px) const;
  Rect area_to_image(Rect area_pt) const;

  // The map of a part of the picture, cut at whole desktop points (a bug when `area_px` isn't inside, or when the scale
  // isn't 1), and of the same view at another size.
  ScreenMap cropped(Rect area_px) const;
  ScreenMap resized(Size image_px) const;

  const Rect& area_pt() const { return area_pt_; }
  Size image_px() const { return image_px_; }
  const std::vector<Monitor>& monitors() const { return monitors_; }
  double scale_x() const;  // desktop points per picture pixel
  double scale_y() const;
  std::string describe() const;  // for logs: "896x504 px of 1920x1080+0+0 pt, scale 2.143 x 2.143"

 private:
  Rect area_pt_;
  Size image_px_;
  std::vector<Monitor> monitors_;
};

}  // namespace capture
