#include "tests/app/screenshots/film.h"

#include <QApplication>
#include <QElapsedTimer>
#include <QFile>
#include <QHash>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QTemporaryDir>
#include <algorithm>
#include <functional>

#include "app/resources.h"
#include "app/window/approval_panel.h"
#include "app/window/home_page.h"
#include "app/window/main_window.h"
#include "app/window/preferences.h"
#include "app/window/session_page.h"
#include "tests/app/screenshots/animated_png.h"
#include "tests/app/window/sessions_end.h"
#include "tests/app/window/wait.h"

namespace app_test {
namespace {

constexpr int kInterval_ms = 120;
constexpr int kLongestShown_ms = 700;  // of a picture in which nothing changes
constexpr int kLastShown_ms = 4000;
constexpr int kLimit_ms = 180'000;

struct Shot {
  QImage image;
  qint64 at_ms = 0;
};

class Camera {
 public:
  explicit Camera(QWidget& window) : window_(window) { clock_.start(); }

  // Takes pictures until it is true. False: it never was.
  bool roll_until(const std::function<bool()>& condition, int at_least_ms = 0) {
    const qint64 start = clock_.elapsed();
    while (!condition() || clock_.elapsed() - start < at_least_ms) {
      if (clock_.elapsed() > kLimit_ms) return false;
      app_test::wait_until([] { return false; }, kInterval_ms);
      const QImage image = window_.grab().toImage().convertToFormat(QImage::Format_RGB32);
      if (shots_.isEmpty() || shots_.last().image != image) shots_.append({image, clock_.elapsed()});
    }
    return true;
  }
  void roll(int ms) {
    roll_until([] { return true; }, ms);
  }

  QByteArray film() const {
    AnimatedPng film(shots_.first().image.size(), palette());
    for (qsizetype n = 0; n < shots_.size(); ++n) {
      const bool is_last = n + 1 == shots_.size();
      const qint64 shown_ms = is_last ? kLastShown_ms : shots_[n + 1].at_ms - shots_[n].at_ms;
      film.add(shots_[n].image, static_cast<int>(is_last ? shown_ms : std::min<qint64>(shown_ms, kLongestShown_ms)));
    }
    return film.bytes();
  }

 private:
  // The colours that are there most, and a few of every kind for the rest.
  QList<QRgb> palette() const {
    constexpr qsizetype kMostOften = 190, kLevels = 4;
    QHash<QRgb, int> counts;
    for (qsizetype n = 0; n < shots_.size(); n += std::max<qsizetype>(1, shots_.size() / 6)) {
      const QImage& image = shots_[n].image;
      for (int y = 0; y < image.height(); ++y) {
        const auto* line = reinterpret_cast<const QRgb*>(image.constScanLine(y));
        for (int x = 0; x < image.width(); ++x) ++counts[line[x] | 0xff000000U];
      }
    }
    QList<QRgb> colours = counts.keys();
    std::sort(colours.begin(), colours.end(), [&](QRgb a, QRgb b) { return counts[a] > counts[b]; });
    colours.resize(std::min(colours.size(), kMostOften));
    for (int n = 0; n < kLevels * kLevels * kLevels; ++n) {
      const auto level = [](int value) { return value % kLevels * 255 / (kLevels - 1); };
      colours.append(qRgb(level(n), level(n / kLevels), level(n / kLevels / kLevels)));
    }
    return colours;
  }

  QWidget& window_;
  QElapsedTimer clock_;
  QList<Shot> shots_;
};

QPushButton* button_named(QWidget& below, const QString& name) {
  for (auto* button : below.findChildren<QPushButton*>()) {
    if (button->accessibleName() == name && button->isVisible()) return button;
  }
  return nullptr;
}

void type_task(app::MainWindow& window, Camera& camera, const QString& task) {
  auto* text = window.findChild<app::HomePage*>()->composer().findChild<QPlainTextEdit*>();
  for (int n = 3; n < task.size(); n += 3) {
    text->setPlainText(task.left(n));
    camera.roll(0);
  }
  text->setPlainText(task);
  camera.roll(600);
}

// Agrees to all that is asked, after a time in which it can be read. How it ended.
QString watch_run(app::AgentBridge& bridge, Camera& camera) {
  QString end;
  QObject context;
  QObject::connect(&bridge, &app::AgentBridge::finished, &context, [&](const QString& status) { end = status; });
  QObject::connect(&bridge, &app::AgentBridge::failed, &context, [&](const QString& why) { end = why; });
  const auto asks = [&] { return bridge.state() == app::RunState::Asking; };
  while (end.isEmpty()) {
    if (!camera.roll_until([&] { return !end.isEmpty() || asks(); })) return "too slow";
    if (!asks()) continue;
    camera.roll(1800);
    bridge.allow(app::ApprovalScope::Session);
    camera.roll_until([&] { return !end.isEmpty() || !asks(); });
  }
  return end;
}

}  // namespace

QString make_film(const QString& file) {
  const QTemporaryDir home;
  for (const char* name : {"XDG_DATA_HOME", "XDG_CONFIG_HOME"}) qputenv(name, home.path().toUtf8());
  app::Preferences().set_met();
  const SessionsEnd sessions_end;
  app::MainWindow window(home.filePath("sessions.db").toStdString());
  window.resize(1080, 660);
  window.show();
  Camera camera(window);
  camera.roll(500);
  type_task(window, camera, "Open Calculator, then click 7");
  button_named(window, app::Composer::tr("Start"))->click();
  const QString end = watch_run(*window.pages().last()->bridge(), camera);
  if (end != "done") return "the run ended as " + end;
  camera.roll(1500);
  QFile written(file);
  const QByteArray film = camera.film();
  if (!written.open(QIODevice::WriteOnly) || written.write(film) != film.size()) return written.errorString();
  return {};
}

}  // namespace app_test
