#pragma once
// Labels come from the widgets themselves: a paint device that writes down every text painted on it, and a walk over
// the widget tree for the things one can point at.

#include <QPaintDevice>
#include <QPaintEngine>
#include <vector>

#include "inference/training/screens/scene.h"

namespace screens {

// Paint the same thing on it that was painted on the picture; it keeps the texts with their places.
class TextRecorder : public QPaintDevice {
 public:
  explicit TextRecorder(QSize size);
  ~TextRecorder() override;

  QPaintEngine* paintEngine() const override;
  void set_layer(int layer) { layer_ = layer; }
  std::vector<TextRun>& runs() { return runs_; }

 protected:
  int metric(PaintDeviceMetric metric) const override;

 private:
  friend class RecordingEngine;
  QSize size_;
  int layer_ = 0;
  std::vector<TextRun> runs_;
  std::unique_ptr<QPaintEngine> engine_;
};

// Appends the items of a rendered window; boxes in layout points relative to `origin`, clipped to the parents and to
// `clip` (in the window).
void harvest_items(QWidget* window, QRect clip, QPoint origin, int layer, const QString& title,
                   std::vector<Item>& items);

}  // namespace screens
