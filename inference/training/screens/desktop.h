#pragma once
// A whole screen: wallpaper, panel, icons and windows over each other, rendered with its labels. After an event it can
// be rendered again: that pair is one step of an episode.

#include <QImage>
#include <vector>

#include "inference/training/screens/scene.h"
#include "inference/training/screens/windows.h"

namespace screens {

// A rendered screen with what is visible on it.
struct Screen {
  QImage picture;  // RGB888
  QImage native;   // RGB888, the screen's own pixels: larger than the picture where that is scaled down
  std::vector<Item> items;
  std::vector<TextRun> runs;
  std::vector<QString> titles;  // of the visible windows, topmost first
};

class Desktop {
 public:
  Desktop(Random& random, Split split, View view);
  ~Desktop();

  Screen render();

  // Used by the events.
  Context& context() { return context_; }
  std::vector<Layer>& layers() { return layers_; }
  QSize size_pt() const { return size_; }
  double scale() const { return scale_; }  // of the boxes: their px per layout pt
  void open_window(Window window, bool centred);
  void open_popup(std::unique_ptr<QWidget> popup, QPoint at_pt);
  void close_layer(int layer);
  void raise_layer(int layer);
  void set_pointer(QPoint at_pt) { pointer_ = at_pt; }
  void focus(QWidget* field);

 private:
  struct Icon {
    QString name, text;
    QRect box;
  };
  void place_panel();
  void place_icons();
  void choose_size(Split split, View view);
  void choose_crop();
  void paint(QPainter& painter, class TextRecorder* recorder, std::vector<Item>* items);
  void paint_wallpaper(QPainter& painter);
  void paint_panel(QPainter& painter, std::vector<Item>* items);
  void paint_icons(QPainter& painter, std::vector<Item>* items);
  void paint_frame(QPainter& painter, int layer, std::vector<Item>* items);
  void paint_focus(QPainter& painter);
  void paint_pointer(QPainter& painter);

  Random& random_;
  TextSource text_;
  Theme theme_;
  Context context_;
  double scale_ = 1;
  QSize size_;
  QSize picture_px_{kWidth, kHeight};
  QRectF shown_;  // what the picture shows of the screen; null: all
  QRect panel_;   // null: none
  QString clock_;
  std::vector<Icon> icons_;
  std::vector<Layer> layers_;
  QPoint pointer_;
  QWidget* focused_ = nullptr;
  int wallpaper_kind_ = 0;
  QColor wallpaper_[3];
};

}  // namespace screens
