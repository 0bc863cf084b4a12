// deskhand-bench-desk: how fast Deskhand sees and works a desktop. Each part starts an X server of its own and prints a
// table. Usage: deskhand-bench-desk [PART…]

#include <QBuffer>
#include <QImage>
#include <QTemporaryDir>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "capture/frame_diff.h"
#include "capture/image_budget.h"
#include "capture/settle.h"
#include "capture/shared_image.h"
#include "capture/x11_source.h"
#include "tests/desk/test_window.h"
#include "tests/desk/x_server.h"
#include "tools/x11_input.h"

// Last: Xlib's macros have common names.
#include "tests/desk/input_window.h"

namespace {

using Clock = std::chrono::steady_clock;
using capture::GrabOptions;
using capture::Rect;
using capture::ScreenWatch;
using capture::WholeDesktop;
using capture::X11Source;
using desk_test::TestWindow;
using desk_test::TestXServer;

double ms_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

double percentile(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1) + 0.5)];
}

void print_times(const char* what, const std::vector<double>& ms) {
  std::printf("  %-58s p50 %8.2f ms   p95 %8.2f ms\n", what, percentile(ms, 0.5), percentile(ms, 0.95));
}

// Calls per second of `work`, over at least `ms`.
double rate(const std::function<void()>& work, double ms) {
  int n = 0;
  const Clock::time_point start = Clock::now();
  do {
    work();
    ++n;
  } while (ms_since(start) < ms);
  return n * 1000.0 / ms_since(start);
}

void must_succeed(const capture::Grab& grab) {
  if (grab) return;
  std::fprintf(stderr, "%s\n", grab.error.c_str());
  std::exit(1);
}

// The least that any capture has to do: ask for the whole screen, wait for the answer, nothing else.
class BareLoop {
 public:
  BareLoop(const std::string& display, capture::Size size)
      : x_(capture::X11Connection::open(display)), image_(x_, size), all_{0, size.height} {}
  void operator()() { image_.finish(image_.request(x_->root(), 0, 0, all_), all_); }

 private:
  std::shared_ptr<capture::X11Connection> x_;
  capture::SharedImage image_;
  capture::RowBand all_;
};

// Something to look at on a screen of this size.
void paint(TestWindow& window, const Rect& area, unsigned seed) {
  for (int y = 0; y < area.height; y += 20) {
    window.fill({area.x, area.y + y, area.width, 20}, (seed + 0x10307 * static_cast<unsigned>(y)) & 0xffffff);
  }
}

void bench_capture() {
  constexpr capture::Size kSize{1920, 1080};
  TestXServer server({.width = kSize.width, .height = kSize.height, .extra_arguments = {}});
  TestWindow window(server.display(), {0, 0, kSize.width, kSize.height});
  paint(window, {0, 0, kSize.width, kSize.height}, 1);
  const auto source = X11Source::open({.display = server.display(), .target = WholeDesktop{}});
  BareLoop bare(server.display(), kSize);
  const auto grab = [&](const GrabOptions& options) { must_succeed(source->grab(options)); };
  const GrabOptions full{.area_pt = {}, .with_cursor = false, .reread_all = true};

  // In turns, so that both see the same machine.
  std::vector<double> bare_rates, full_rates, shares;
  for (int round = 0; round < 9; ++round) {
    bare_rates.push_back(rate([&] { bare(); }, 300));
    full_rates.push_back(rate([&] { grab(full); }, 300));
    shares.push_back(full_rates.back() / bare_rates.back());
  }
  std::printf("capture, 1920x1080\n");
  const auto row = [](const char* what, double per_second) { std::printf("  %-58s %10.0f /s\n", what, per_second); };
  row("bare XShmGetImage loop", percentile(bare_rates, 0.5));
  row("full grabs", percentile(full_rates, 0.5));
  std::printf("  %-58s %10.1f %%\n", "full grabs against the bare loop (median of 9)", 100 * percentile(shares, 0.5));
  row("grabs of an unchanged screen", rate([&] { grab({}); }, 500));
  int n = 0;
  row("a letter changed before each (drawing included)",
      rate(
          [&] {
            window.fill({n++ % 1900, 500, 12, 13}, static_cast<std::uint32_t>(n) * 77);
            grab({});
          },
          500));
  row("zoom into 256x256 of a screen that changes there",
      rate(
          [&] {
            window.fill({n++ % 200, 100, 12, 13}, static_cast<std::uint32_t>(n) * 77);
            grab({.area_pt = Rect{0, 0, 256, 256}, .with_cursor = false, .reread_all = false});
          },
          500));
  row("with the pointer drawn", rate([&] { grab({.area_pt = {}, .with_cursor = true, .reread_all = false}); }, 500));
  TestWindow covered(server.display(), {100, 100, 800, 600}, 0x336699), cover(server.display(), {0, 0, 1200, 900});
  const auto one = X11Source::open({.display = server.display(), .target = capture::OneWindow{covered.id()}});
  row("a covered window of 800x600", rate([&] { must_succeed(one->grab(full)); }, 500));

  const auto before = source->grab(full).frame;
  row("content hash of a frame", rate([&] { capture::Frame(before->pixels, before->screen_map).content_hash(); }, 500));
  cover.fill({3, 3, 50, 50}, 0xff);
  const auto after = source->grab(full).frame;
  row("difference of two frames", rate([&] { (void)capture::diff(*before, *after); }, 500));
}

void bench_settle() {
  TestXServer server;
  TestWindow window(server.display(), {0, 0, 1280, 800});
  const auto watch = ScreenWatch::open(server.display());
  std::printf("settle, quiet time 150 ms: from the last paint to the return\n");
  for (const int paints_for_ms : {50, 300, 900}) {
    std::vector<double> late_ms;
    int n_unsettled = 0;
    for (int round = 0; round < 8; ++round) {
      Clock::time_point last_paint;
      watch->begin();
      std::jthread app([&] {
        for (int i = 0; i < paints_for_ms / 50; ++i) {
          std::this_thread::sleep_for(std::chrono::milliseconds(50));
          paint(window, {100, 100, 600, 400}, static_cast<unsigned>(i + round));
          last_paint = Clock::now();
        }
      });
      n_unsettled += !watch->settle().settled;
      const Clock::time_point now = Clock::now();
      app.join();
      late_ms.push_back(std::chrono::duration<double, std::milli>(now - last_paint).count());
    }
    const std::string what = "an app that paints over " + std::to_string(paints_for_ms) + " ms";
    print_times(what.c_str(), late_ms);
    if (n_unsettled > 0) std::printf("  %d of 8 did not settle\n", n_unsettled);
  }
}

void bench_step() {
  TestXServer server;
  TestWindow window(server.display(), {0, 0, 1280, 800});
  const auto source = X11Source::open({.display = server.display(), .target = WholeDesktop{}});
  const auto watch = ScreenWatch::open(server.display());
  std::vector<double> grab_ms, resize_ms, png_ms, settle_ms, all_ms;
  for (int step = 0; step < 40; ++step) {
    watch->begin();
    paint(window, {0, 0, 1280, 800}, static_cast<unsigned>(step));
    const Clock::time_point start = Clock::now();
    (void)watch->settle();
    settle_ms.push_back(ms_since(start));
    Clock::time_point part = Clock::now();
    const auto grab = source->grab();
    must_succeed(grab);
    grab_ms.push_back(ms_since(part));
    part = Clock::now();
    const auto shown = capture::resize(grab.frame, *capture::model_size(grab.frame->screen_map.image_px(), {}));
    resize_ms.push_back(ms_since(part));
    part = Clock::now();
    const QImage picture(shown->pixels.data, shown->pixels.cols, shown->pixels.rows,
                         static_cast<qsizetype>(shown->pixels.step), QImage::Format_RGB32);
    QBuffer file;
    file.open(QIODevice::WriteOnly);
    picture.save(&file, "PNG");
    png_ms.push_back(ms_since(part));
    all_ms.push_back(ms_since(start));
  }
  std::printf("one step at 1280x800, the whole screen repainted\n");
  print_times("settle (quiet time 150 ms)", settle_ms);
  print_times("grab", grab_ms);
  print_times("resize to 840x504", resize_ms);
  print_times("encode as PNG", png_ms);
  print_times("together (wanted: p95 at most 350 ms)", all_ms);
}

void bench_idle() {
  TestXServer server;
  const auto watch = ScreenWatch::open(server.display());
  watch->begin();
  std::printf("idle\n");
  const std::clock_t cpu = std::clock();
  watch->wait_for_change(3000);
  std::printf("  %-58s %10.3f ms\n", "CPU time of 3 s waiting for a change",
              1000.0 * static_cast<double>(std::clock() - cpu) / CLOCKS_PER_SEC);
}

// From the call of perform() to the event in the window's queue, and whole texts.
void bench_input() {
  using tools::ButtonChange;
  TestXServer server;
  desk_test::InputWindow window(server.display(), {0, 0, 1280, 800});
  window.take_focus();
  const auto input = tools::X11Input::open({.display = server.display()});
  std::printf("input\n");
  std::vector<double> press_ms, done_ms;
  for (int click_idx = 0; click_idx < 300; ++click_idx) {
    window.forget();
    const Clock::time_point start = Clock::now();
    input->perform({tools::MoveTo{click_idx, click_idx}, ButtonChange{1, true}, ButtonChange{1, false}}, {});
    done_ms.push_back(ms_since(start));
    window.wait_for_count(ButtonPress, 1);
    press_ms.push_back(ms_since(start));
  }
  print_times("click: until the window has it", press_ms);
  print_times("click: until perform() returns", done_ms);
  const auto type = [&](const char* what, const std::string& text, int n_characters) {
    const Clock::time_point start = Clock::now();
    input->perform({tools::TypeText{text}}, {});
    std::printf("  %-58s %10.0f characters/s\n", what, n_characters * 1000.0 / ms_since(start));
  };
  type("typing, on the layout", std::string(2000, 'x'), 2000);
  std::string cyrillic;
  for (int word_idx = 0; word_idx < 200; ++word_idx) cyrillic += "привет, мир";
  type("typing, on lent keycodes", cyrillic, 2200);
}

// Of some pixels all over the screen, how many have another colour.
double changed_share(const cv::Mat& before, const cv::Mat& now) {
  constexpr int kStep_px = 20;
  int n_changed = 0, n_all = 0;
  for (int y = 0; y < now.rows; y += kStep_px) {
    for (int x = 0; x < now.cols; x += kStep_px) {
      ++n_all;
      n_changed += now.at<cv::Vec4b>(y, x) != before.at<cv::Vec4b>(y, x);
    }
  }
  return static_cast<double>(n_changed) / n_all;
}

// Our program's start until its window has been painted.
void bench_window() {
  constexpr int kStarts = 15;
  constexpr double kPatience_ms = 20'000;
  const TestXServer server({.width = 1400, .height = 900});
  const auto source = X11Source::open({.display = server.display()});
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "deskhand";
  for (const bool is_first : {true, false}) {
    std::vector<double> times_ms;
    for (int n = 0; n < kStarts; ++n) {
      const QTemporaryDir home;
      const std::string config = home.filePath("config").toStdString(), data = home.filePath("data").toStdString();
      if (!is_first) {
        std::filesystem::create_directories(config + "/deskhand");
        std::ofstream(config + "/deskhand/window.conf") << "[General]\nmet=true\n";
      }
      const capture::Grab before = source->grab(GrabOptions{});
      must_succeed(before);
      const Clock::time_point start = Clock::now();
      const desk_test::TestProgram window(server.display(), {program},
                                          {"XDG_CONFIG_HOME=" + config, "XDG_DATA_HOME=" + data});
      while (ms_since(start) < kPatience_ms) {
        const capture::Grab now = source->grab(GrabOptions{});
        must_succeed(now);
        if (changed_share(before.frame->pixels, now.frame->pixels) > 0.5) break;
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
      }
      times_ms.push_back(ms_since(start));
    }
    print_times(is_first ? "start to painted window, the very first start" : "start to painted window, a later start",
                times_ms);
  }
}

const std::map<std::string, void (*)()> kParts = {{"input", bench_input},     {"window", bench_window},
                                                  {"capture", bench_capture}, {"settle", bench_settle},
                                                  {"step", bench_step},       {"idle", bench_idle}};

}  // namespace

int main(int n_arguments, char** arguments) {
  std::vector<std::string> wanted(arguments + 1, arguments + n_arguments);
  if (wanted.empty()) {
    for (const auto& [name, part] : kParts) wanted.push_back(name);
  }
  for (const std::string& name : wanted) {
    const auto part = kParts.find(name);
    if (part == kParts.end()) {
      std::fprintf(stderr, "There is no part %s; there are:", name.c_str());
      for (const auto& [known, unused] : kParts) std::fprintf(stderr, " %s", known.c_str());
      std::fprintf(stderr, "\n");
      return 2;
    }
    part->second();
  }
  return 0;
}
