#include "tests/app/screenshots/animated_png.h"

#include <QtEndian>
#include <algorithm>
#include <array>

namespace app_test {
namespace {

constexpr uchar kAsBefore = 255;  // the palette's last entry, transparent

quint32 crc_of(const QByteArray& bytes) {
  static const std::array<quint32, 256> table = [] {
    std::array<quint32, 256> made{};
    for (quint32 n = 0; n < 256; ++n) {
      quint32 value = n;
      for (int bit = 0; bit < 8; ++bit) value = (value & 1) != 0 ? 0xedb88320U ^ (value >> 1) : value >> 1;
      made[n] = value;
    }
    return made;
  }();
  quint32 crc = 0xffffffffU;
  for (const char byte : bytes) crc = table[(crc ^ static_cast<uchar>(byte)) & 0xff] ^ (crc >> 8);
  return crc ^ 0xffffffffU;
}

QByteArray big_endian(quint32 number) {
  QByteArray bytes(4, '\0');
  qToBigEndian(number, bytes.data());
  return bytes;
}

QByteArray chunk(const char* type, const QByteArray& data) {
  const QByteArray content = type + data;
  return big_endian(static_cast<quint32>(data.size())) + content + big_endian(crc_of(content));
}

// Where two pictures differ.
QRect changed_area(const QImage& before, const QImage& after) {
  QRect area;
  for (int y = 0; y < after.height(); ++y) {
    const uchar *a = before.constScanLine(y), *b = after.constScanLine(y);
    int left = 0, right = after.width() - 1;
    while (left <= right && a[left] == b[left]) ++left;
    while (right > left && a[right] == b[right]) --right;
    if (left <= right) area |= QRect(QPoint(left, y), QPoint(right, y));
  }
  return area;
}

}  // namespace

AnimatedPng::AnimatedPng(QSize size, const QList<QRgb>& palette) : size_(size), palette_(palette) {
  palette_.resize(std::min<qsizetype>(palette_.size(), kAsBefore));
}

void AnimatedPng::add(const QImage& frame, int shown_ms) {
  const QImage now = frame.convertToFormat(QImage::Format_Indexed8, palette_, Qt::AvoidDither);
  const bool is_first = frames_.isEmpty();
  const QRect area = is_first ? QRect(QPoint(), size_) : changed_area(last_, now);
  if (area.isEmpty()) {
    frames_.last().shown_ms += shown_ms;
    return;
  }
  QByteArray lines;
  for (int y = area.top(); y <= area.bottom(); ++y) {
    lines.append('\0');  // no filter: colours are numbers here
    for (int x = area.left(); x <= area.right(); ++x) {
      const uchar colour = now.constScanLine(y)[x];
      const bool is_same = !is_first && last_.constScanLine(y)[x] == colour;
      lines.append(static_cast<char>(is_same ? kAsBefore : colour));
    }
  }
  frames_.append({area, qCompress(lines, 9).mid(4), shown_ms});  // Qt puts the length before the stream
  last_ = now;
}

QByteArray AnimatedPng::header() const {
  QByteArray colours, transparency(kAsBefore, '\xff');
  for (const QRgb colour : palette_) {
    colours.append(static_cast<char>(qRed(colour)));
    colours.append(static_cast<char>(qGreen(colour)));
    colours.append(static_cast<char>(qBlue(colour)));
  }
  colours.resize(3 * 256, '\0');
  transparency.append('\0');
  const QByteArray form("\x08\x03\x00\x00\x00", 5);  // 8 bits, palette
  return QByteArray("\x89PNG\r\n\x1a\n", 8) +
         chunk("IHDR", big_endian(static_cast<quint32>(size_.width())) +
                           big_endian(static_cast<quint32>(size_.height())) + form) +
         chunk("acTL", big_endian(static_cast<quint32>(frames_.size())) + big_endian(0)) + chunk("PLTE", colours) +
         chunk("tRNS", transparency);
}

QByteArray AnimatedPng::control(const Frame& frame, quint32 number) const {
  const auto shown_ms = static_cast<quint16>(std::min(frame.shown_ms, 60000));
  QByteArray delay(4, '\0');
  qToBigEndian(shown_ms, delay.data());
  qToBigEndian(quint16{1000}, delay.data() + 2);
  const QByteArray ways("\x00\x01", 2);  // stays; its pixels lie over what was there
  QByteArray data = big_endian(number);
  for (const int value : {frame.area.width(), frame.area.height(), frame.area.x(), frame.area.y()}) {
    data += big_endian(static_cast<quint32>(value));
  }
  return chunk("fcTL", data + delay + ways);
}

QByteArray AnimatedPng::bytes() const {
  QByteArray file = header();
  quint32 number = 0;
  for (qsizetype n = 0; n < frames_.size(); ++n) {
    file += control(frames_[n], number++);
    file += n == 0 ? chunk("IDAT", frames_[n].pixels) : chunk("fdAT", big_endian(number++) + frames_[n].pixels);
  }
  return file + chunk("IEND", {});
}

}  // namespace app_test
