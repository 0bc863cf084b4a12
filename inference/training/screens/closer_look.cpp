#include "inference/training/screens/closer_look.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace screens {
namespace {

// Four neighbours and their weights in the cubic convolution that OpenCV's INTER_CUBIC is: the product enlarges with
// it.
struct Taps {
  std::array<int, 4> at;
  std::array<float, 4> weight;
};

float cubic(float distance) {
  constexpr float a = -0.75F;
  const float x = std::abs(distance);
  if (x < 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
  return x < 2 ? ((a * x - 5 * a) * x + 8 * a) * x - 4 * a : 0;
}

std::vector<Taps> taps(int from, int to) {
  std::vector<Taps> all(static_cast<std::size_t>(to));
  for (int i = 0; i < to; ++i) {
    const float position = (static_cast<float>(i) + 0.5F) * static_cast<float>(from) / static_cast<float>(to) - 0.5F;
    const int before = static_cast<int>(std::floor(position)) - 1;
    for (int k = 0; k < 4; ++k) {
      all[static_cast<std::size_t>(i)].at[static_cast<std::size_t>(k)] = std::clamp(before + k, 0, from - 1);
      all[static_cast<std::size_t>(i)].weight[static_cast<std::size_t>(k)] =
          cubic(position - static_cast<float>(before + k));
    }
  }
  return all;
}

// RGB888 to RGB888.
QImage enlarged(const QImage& part, QSize size) {
  const std::vector<Taps> across = taps(part.width(), size.width()), down = taps(part.height(), size.height());
  std::vector<float> wide(static_cast<std::size_t>(part.height() * size.width() * 3));
  float* out = wide.data();
  for (int y = 0; y < part.height(); ++y) {
    const uchar* row = part.constScanLine(y);
    for (const Taps& tap : across)
      for (int channel = 0; channel < 3; ++channel) {
        float sum = 0;
        for (std::size_t k = 0; k < 4; ++k) sum += tap.weight[k] * row[tap.at[k] * 3 + channel];
        *out++ = sum;
      }
  }
  QImage picture(size, QImage::Format_RGB888);
  const std::ptrdiff_t stride = size.width() * 3;
  for (int y = 0; y < size.height(); ++y) {
    uchar* row = picture.scanLine(y);
    const Taps& tap = down[static_cast<std::size_t>(y)];
    for (std::ptrdiff_t i = 0; i < stride; ++i) {
      float sum = 0.5F;
      for (std::size_t k = 0; k < 4; ++k) sum += tap.weight[k] * wide[static_cast<std::size_t>(tap.at[k] * stride + i)];
      row[i] = static_cast<uchar>(std::clamp(sum, 0.0F, 255.0F));
    }
  }
  return picture;
}

}  // namespace

QRect part_around(QPointF point, double factor) {
  const QSize size(qRound(kWidth / factor), qRound(kHeight / factor));
  return QRect(QPoint(std::clamp(qRound(point.x() - size.width() / 2.0), 0, kWidth - size.width()),
                      std::clamp(qRound(point.y() - size.height() / 2.0), 0, kHeight - size.height())),
               size);
}

Screen closer_look(const Screen& whole, const QRect& part) {
  const double native = static_cast<double>(whole.native.width()) / kWidth;
  const QRect in_native(qRound(part.x() * native), qRound(part.y() * native), qRound(part.width() * native),
                        qRound(part.height() * native));
  Screen screen;
  screen.native = screen.picture = enlarged(whole.native.copy(in_native), QSize(kWidth, kHeight));
  screen.titles = whole.titles;
  const double factor = static_cast<double>(kWidth) / part.width();
  const QTransform to_px = QTransform::fromTranslate(-part.x(), -part.y()) * QTransform::fromScale(factor, factor);
  const QRectF all(0, 0, kWidth, kHeight);
  for (Item item : whole.items) {
    item.box = to_px.mapRect(item.box);
    if (!all.adjusted(-4, -4, 4, 4).contains(item.box)) continue;
    item.box &= all;
    screen.items.push_back(std::move(item));
  }
  for (TextRun run : whole.runs) {
    run.box = to_px.mapRect(run.box);
    if (!all.intersects(run.box)) continue;
    if (!all.contains(run.box)) run.whole = false;
    for (float& x : run.centers) x = static_cast<float>((x - part.x()) * factor);
    screen.runs.push_back(std::move(run));
  }
  return screen;
}

}  // namespace screens
