#include "capture/x11_source.h"

#include <xcb/randr.h>
#include <xcb/screensaver.h>

#include <vector>

#include "capture/error.h"
#include "capture/session_kind.h"
#include "capture/shared_image.h"
#include "capture/x11_damage.h"
#include "capture/x11_surface.h"

namespace capture {
namespace {

// A picture is read while its monitors or window may change; after this many changes in a row we say so.
constexpr int kMaxAttempts = 4;

void require_pixel_format(const X11Connection& x) {
  const xcb_setup_t* setup = xcb_get_setup(x.get());
  bool is_supported = false;
  for (auto at = xcb_setup_pixmap_formats_iterator(setup); at.rem > 0; xcb_format_next(&at)) {
    is_supported |= at.data->depth == x.screen().root_depth && at.data->depth == 24 && at.data->bits_per_pixel == 32;
  }
  if (!is_supported || setup->image_byte_order != XCB_IMAGE_ORDER_LSB_FIRST) {
    throw Error("The X server at " + x.display() + " has a colour depth of " + std::to_string(x.screen().root_depth) +
                " bits; capture needs 24 in 32-bit little-endian pixels");
  }
}

void require_extensions(const X11Connection& x) {
  require_damage(x);
  x.require(&xcb_shm_id, "MIT-SHM", "capture");
  x.require(&xcb_randr_id, "RANDR", "finding the monitors");
  const auto shm_cookie = xcb_shm_query_version(x.get());
  const auto randr_cookie = xcb_randr_query_version(x.get(), 1, 5);
  const XReply<xcb_shm_query_version_reply_t> shm(xcb_shm_query_version_reply(x.get(), shm_cookie, nullptr));
  const XReply<xcb_randr_query_version_reply_t> randr(xcb_randr_query_version_reply(x.get(), randr_cookie, nullptr));
  if (!shm || shm->major_version < 1 || (shm->major_version == 1 && shm->minor_version < 2)) {
    throw Error("The X server at " + x.display() + " can't share memory by descriptor (MIT-SHM 1.2); is it remote?");
  }
  if (!randr || randr->major_version < 1 || (randr->major_version == 1 && randr->minor_version < 5)) {
    throw Error("The X server at " + x.display() + " is too old: it has no RANDR 1.5");
  }
}

void require_readable_root(const X11Connection& x) {
  const std::string reason = why_root_is_unreadable(x);
  if (!reason.empty()) throw Error(explain_unreadable_root(x, reason).explanation);
}

}  // namespace

class X11Source::Impl {
 public:
  Impl(std::shared_ptr<X11Connection> x, const CaptureTarget& target) : x_(std::move(x)), pool_(x_), monitors_(x_) {
    if (x_->has(&xcb_screensaver_id)) watch_screen_saver();
    if (const auto* window = std::get_if<OneWindow>(&target)) {
      locator_ = locate_window(x_, window->id);
    } else {
      const auto* monitor = std::get_if<OneMonitor>(&target);
      locator_ = locate_screen(x_, monitor ? &monitor->name : nullptr);
    }
    damage_ = std::make_unique<X11Damage>(x_, locator_->window());
  }

  Grab grab(const GrabOptions& options) {
    try {
      std::string reason;
      for (int attempt = 0; attempt < kMaxAttempts; ++attempt) {
        damage_->collect();
        std::optional<Ahead> ahead = read_ahead(options);
        ask(options.reread_all);
        const SurfaceOrReason found = answer(std::move(ahead), options.reread_all);
        if (const auto* why = std::get_if<std::string>(&found)) return {nullptr, *why};
        const auto& surface = std::get<Surface>(found);
        if (is_screen_saver_on_) {
          return {nullptr,
                  "The screen saver of " + x_->display() + " hides the screen: wake it with a key or the pointer"};
        }
        const std::shared_ptr<SharedImage> image = up_to_date_image(surface, options, reason);
        if (image) return finish(surface, image, options);
      }
      return {nullptr, "No picture of " + x_->display() + ": " + reason};
    } catch (const Error& error) {
      return {nullptr, error.what()};
    }
  }

  std::vector<Monitor> monitors() {
    monitors_.ask();
    return monitors_.answer();
  }

  const X11Connection& connection() const { return *x_; }

 private:
  // A whole picture that was asked for together with everything else.
  struct Ahead {
    std::shared_ptr<SharedImage> image;
    xcb_shm_get_image_cookie_t cookie;
  };

  // Everything that must be known before pixels are read, in one round trip.
  void ask(bool reread_all) {
    if (!reread_all) changes_ = damage_->ask();
    locator_->ask();
  }

  // Where most of the picture must be read, a second round trip is saved by guessing that its place is still the same.
  // It goes out before the questions: the server sends each answer at once, and the small ones would wake us one by one
  // while it still copies.
  std::optional<Ahead> read_ahead(const GrabOptions& options) {
    if (last_.drawable != x_->root() || !(options.reread_all || is_busy_)) return std::nullopt;
    auto image = pool_.free_image();
    const auto cookie = image->request(last_.drawable, last_.x, last_.y, {0, image->size().height});
    return Ahead{std::move(image), cookie};
  }

  SurfaceOrReason answer(std::optional<Ahead> ahead, bool reread_all) {
    const std::vector<Rect> changed = reread_all ? std::vector<Rect>{} : damage_->answer(changes_);
    SurfaceOrReason found = locator_->answer();
    const bool was_read_ahead = ahead && ahead->image->finish(ahead->cookie, {0, ahead->image->size().height}).empty();
    read_events();
    const auto* surface = std::get_if<Surface>(&found);
    if (surface == nullptr) {
      pool_.set_size({});
      last_ = {};
      return found;
    }
    pool_.set_size({surface->area_pt.width, surface->area_pt.height});
    // What was read from elsewhere says nothing about this place.
    const bool is_elsewhere = surface->x != last_.x || surface->y != last_.y || surface->area_pt != last_.area_pt;
    RowBands stale;
    for (const Rect& r : changed) {
      const Rect rows = intersect({0, r.y - surface->damage_y, 1, r.height}, {0, 0, 1, surface->area_pt.height});
      stale.add({rows.y, rows.bottom()});
    }
    is_busy_ = 2 * stale.n_rows() > surface->area_pt.height;
    if (reread_all || is_elsewhere) stale.add({0, surface->area_pt.height});
    for (const RowBand& band : stale.bands()) pool_.mark_stale(band);
    if (was_read_ahead && !is_elsewhere) ahead->image->stale.clear();
    last_ = *surface;
    return found;
  }

  // The server tells each change from now on, before the answer to any later request.
  void watch_screen_saver() {
    saver_event_ = xcb_get_extension_data(x_->get(), &xcb_screensaver_id)->first_event + XCB_SCREENSAVER_NOTIFY;
    xcb_screensaver_select_input(x_->get(), x_->root(), XCB_SCREENSAVER_EVENT_NOTIFY_MASK);
    const XReply<xcb_screensaver_query_info_reply_t> reply(
        xcb_screensaver_query_info_reply(x_->get(), xcb_screensaver_query_info(x_->get(), x_->root()), nullptr));
    is_screen_saver_on_ = reply && reply->state == XCB_SCREENSAVER_STATE_ON;
  }

  // Null and a reason when the read failed, as it does when the window or monitor changed in between.
  std::shared_ptr<SharedImage> up_to_date_image(const Surface& surface, const GrabOptions& options,
                                                std::string& reason) {
    if (!options.with_cursor) {  // the pointer is drawn into the image, so that one must be nobody's
      if (auto image = pool_.up_to_date()) return image;
    }
    auto image = pool_.free_image();
    std::vector<xcb_shm_get_image_cookie_t> cookies;
    for (const RowBand& band : image->stale.bands()) {
      cookies.push_back(image->request(surface.drawable, surface.x, surface.y, band));
    }
    reason.clear();
    for (std::size_t i = 0; i < cookies.size(); ++i) {
      const std::string failure = image->finish(cookies[i], image->stale.bands()[i]);
      if (!failure.empty()) reason = failure;
    }
    if (!reason.empty()) return nullptr;
    image->stale.clear();
    return image;
  }

  Grab finish(const Surface& surface, const std::shared_ptr<SharedImage>& image, const GrabOptions& options) {
    const auto captured_at = Frame::Clock::now();
    cv::Mat pixels(surface.area_pt.height, surface.area_pt.width, CV_8UC4, image->pixels());
    if (options.with_cursor) {
      const std::optional<Cursor> cursor = query_cursor(*x_);
      if (!cursor) return {nullptr, "The X server at " + x_->display() + " doesn't tell the pointer's shape"};
      image->stale.add(draw_cursor(*cursor, surface.area_pt, pixels));
    }
    ScreenMap map(surface.area_pt, {pixels.cols, pixels.rows}, surface.monitors);
    auto frame = std::make_shared<const Frame>(std::move(pixels), std::move(map), captured_at, image);
    if (!options.area_pt) return {std::move(frame), {}};
    const Rect area = *options.area_pt;
    if (area.is_empty() || !surface.area_pt.contains(area)) {
      return {nullptr, "The area asked for is not inside what is captured: " + frame->screen_map.describe()};
    }
    return {crop(frame, {area.x - surface.area_pt.x, area.y - surface.area_pt.y, area.width, area.height}), {}};
  }

  void read_events() {
    while (const XReply<xcb_generic_event_t> event{xcb_poll_for_queued_event(x_->get())}) {
      if ((event->response_type & 0x7f) != saver_event_) continue;
      const auto* saver = reinterpret_cast<const xcb_screensaver_notify_event_t*>(event.get());
      is_screen_saver_on_ = saver->state == XCB_SCREENSAVER_STATE_ON;
    }
  }

  std::shared_ptr<X11Connection> x_;
  SharedImagePool pool_;
  MonitorReader monitors_;
  std::unique_ptr<SurfaceLocator> locator_;
  std::unique_ptr<X11Damage> damage_;
  Surface last_;
  xcb_xfixes_fetch_region_cookie_t changes_{};
  bool is_busy_ = false;  // most rows had changed at the last grab
  int saver_event_ = -1;  // its number; the extension may be missing
  bool is_screen_saver_on_ = false;
};

std::unique_ptr<X11Source> X11Source::open(const Options& options) {
  auto x = X11Connection::open(options.display);
  require_extensions(*x);
  require_pixel_format(*x);
  if (!std::holds_alternative<OneWindow>(options.target)) require_readable_root(*x);
  return std::unique_ptr<X11Source>(new X11Source(std::make_unique<Impl>(std::move(x), options.target)));
}

X11Source::X11Source(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
X11Source::~X11Source() = default;

Grab X11Source::grab(const GrabOptions& options) {
  return impl_->grab(options);
}
std::vector<Monitor> X11Source::monitors() {
  return impl_->monitors();
}
std::optional<Cursor> X11Source::cursor() {
  return query_cursor(impl_->connection());
}

}  // namespace capture
