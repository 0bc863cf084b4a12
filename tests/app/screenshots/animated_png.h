#pragma once
// An animated PNG: each frame holds only what has changed since the one before it.

#include <QImage>
#include <QList>
#include <QString>

namespace app_test {

class AnimatedPng {
 public:
  // All frames have this size and these colours, at most 255; other colours become the nearest.
  AnimatedPng(QSize size, const QList<QRgb>& palette);

  // Shown for so long. A frame that equals the one before it lengthens that.
  void add(const QImage& frame, int shown_ms);
  int n_frames() const { return static_cast<int>(frames_.size()); }
  QByteArray bytes() const;

 private:
  struct Frame {
    QRect area;
    QByteArray pixels;  // compressed; one byte each, the last colour: as before
    int shown_ms = 0;
  };
  QByteArray header() const;
  QByteArray control(const Frame& frame, quint32 number) const;

  QSize size_;
  QList<QRgb> palette_;
  QImage last_;
  QList<Frame> frames_;
};

}  // namespace app_test
