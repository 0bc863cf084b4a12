#include "inference/training/screens/harvest.h"

#include <QAbstractButton>
#include <QCheckBox>
#include <QComboBox>
#include <QFontMetricsF>
#include <QGroupBox>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QMenu>
#include <QMenuBar>
#include <QPainter>
#include <QPlainTextEdit>
#include <QProgressBar>
#include <QRadioButton>
#include <QRegularExpression>
#include <QScrollBar>
#include <QSlider>
#include <QSpinBox>
#include <QTabBar>
#include <QTableWidget>
#include <QToolButton>
#include <QTreeWidget>

namespace screens {

class RecordingEngine : public QPaintEngine {
 public:
  explicit RecordingEngine(TextRecorder* recorder) : QPaintEngine(QPaintEngine::AllFeatures), recorder_(recorder) {}
  bool begin(QPaintDevice*) override { return true; }
  bool end() override { return true; }
  Type type() const override { return User; }
  void updateState(const QPaintEngineState& state) override {
    if (state.state() & DirtyTransform) transform_ = state.transform();
    if (state.state() & DirtyPen) pen_alpha_ = state.pen().style() == Qt::NoPen ? 0 : state.pen().color().alpha();
  }
  void drawPath(const QPainterPath&) override {}
  void drawPolygon(const QPointF*, int, PolygonDrawMode) override {}
  void drawPolygon(const QPoint*, int, PolygonDrawMode) override {}
  void drawRects(const QRectF*, int) override {}
  void drawRects(const QRect*, int) override {}
  void drawLines(const QLineF*, int) override {}
  void drawLines(const QLine*, int) override {}
  void drawPoints(const QPointF*, int) override {}
  void drawPoints(const QPoint*, int) override {}
  void drawEllipse(const QRectF&) override {}
  void drawEllipse(const QRect&) override {}
  void drawPixmap(const QRectF&, const QPixmap&, const QRectF&) override {}
  void drawImage(const QRectF&, const QImage&, const QRectF&, Qt::ImageConversionFlags) override {}
  void drawTiledPixmap(const QRectF&, const QPixmap&, const QPointF&) override {}

  void drawTextItem(const QPointF& at, const QTextItem& item) override {
    const QString text = item.text();
    if (text.trimmed().isEmpty() || pen_alpha_ < 60) return;
    const QFontMetricsF metrics(item.font());
    TextRun run;
    run.layer = recorder_->layer_;
    run.text = text;
    run.box = transform_.mapRect(QRectF(at.x(), at.y() - item.ascent(), item.width(), item.ascent() + item.descent()));
    double sum = 0;
    for (const QChar& c : text) sum += metrics.horizontalAdvance(c);
    const double scale = sum > 0 ? run.box.width() / sum : 1;
    double x = run.box.left();
    for (const QChar& c : text) {
      const double advance = metrics.horizontalAdvance(c) * scale;
      run.centers.push_back(static_cast<float>(x + advance / 2));
      x += advance;
    }
    clip(run);
    if (!run.text.trimmed().isEmpty()) recorder_->runs_.push_back(std::move(run));
  }

 private:
  // Characters outside of what may be painted are not there.
  void clip(TextRun& run) const {
    QRegion region = systemClip();
    QRectF limit = region.isEmpty() ? QRectF(QPointF(0, 0), QSizeF(recorder_->size_)) : QRectF(region.boundingRect());
    if (painter()->hasClipping()) limit &= transform_.mapRect(painter()->clipBoundingRect());
    QString kept;
    std::vector<float> centers;
    for (qsizetype i = 0; i < run.text.size(); ++i) {
      if (!limit.contains(QPointF(run.centers[static_cast<std::size_t>(i)], run.box.center().y()))) {
        run.whole = false;
        continue;
      }
      kept += run.text[i];
      centers.push_back(run.centers[static_cast<std::size_t>(i)]);
    }
    if (run.box.top() < limit.top() - 3 || run.box.bottom() > limit.bottom() + 3) run.whole = false;
    run.text = kept;
    run.centers = std::move(centers);
    run.box &= limit;
  }

  TextRecorder* recorder_;
  QTransform transform_;
  int pen_alpha_ = 255;
};

TextRecorder::TextRecorder(QSize size) : size_(size), engine_(std::make_unique<RecordingEngine>(this)) {}
TextRecorder::~TextRecorder() = default;
QPaintEngine* TextRecorder::paintEngine() const {
  return engine_.get();
}

int TextRecorder::metric(PaintDeviceMetric metric) const {
  switch (metric) {
    case PdmWidth:
      return size_.width();
    case PdmHeight:
      return size_.height();
    case PdmWidthMM:
      return size_.width() * 254 / 960;
    case PdmHeightMM:
      return size_.height() * 254 / 960;
    case PdmNumColors:
      return 1 << 24;
    case PdmDepth:
      return 32;
    case PdmDevicePixelRatio:
      return 1;
    case PdmDevicePixelRatioScaled:
      return static_cast<int>(devicePixelRatioFScale());
    default:
      return 96;  // dots per inch, as the pictures have
  }
}

namespace {

class Harvester {
 public:
  Harvester(QPoint origin, int layer, QString title, std::vector<Item>& items)
      : origin_(origin), layer_(layer), title_(std::move(title)), items_(items) {}

  void walk(QWidget* widget, const QRect& clip) {
    const QRect box = QRect(widget->mapTo(widget->window(), QPoint(0, 0)), widget->size());
    const QRect visible = box & clip;
    if (visible.width() < 4 || visible.height() < 4) return;
    visible_ = visible;
    const bool inner = take(widget, visible);
    if (!inner) return;
    for (QObject* child : widget->children()) {
      auto* part = qobject_cast<QWidget*>(child);
      if (part && !part->isHidden() && !part->isWindow()) walk(part, visible);
    }
  }

 private:
  Item& add(QWidget* widget, const QString& kind, const QRect& box, const QString& text) {
    Item item;
    item.kind = kind;
    item.text = QString(text).remove('&');
    item.title = title_;
    item.box = QRectF(box.translated(origin_));
    item.enabled = widget->isEnabled();
    item.layer = layer_;
    item.widget = widget;
    item.focused = widget->property("focused").toBool();
    items_.push_back(item);
    return items_.back();
  }

  QRect from(QWidget* widget, const QRect& local) const {
    return QRect(widget->mapTo(widget->window(), local.topLeft()), local.size()) & visible_;
  }

  // Takes one widget; false: its children are parts of it.
  bool take(QWidget* widget, const QRect& box) {
    if (auto* button = qobject_cast<QAbstractButton*>(widget)) return take_button(button, box);
    if (auto* bar = qobject_cast<QMenuBar*>(widget))
      return take_actions(bar, "menu", [bar](QAction* action) { return bar->actionGeometry(action); });
    if (auto* menu = qobject_cast<QMenu*>(widget))
      return take_actions(menu, "menu item", [menu](QAction* action) { return menu->actionGeometry(action); });
    if (auto* tabs = qobject_cast<QTabBar*>(widget)) return take_tabs(tabs);
    if (auto* header = qobject_cast<QHeaderView*>(widget)) return take_header(header);
    if (auto* view = qobject_cast<QAbstractItemView*>(widget)) return take_view(view);
    if (auto* combo = qobject_cast<QComboBox*>(widget)) {
      add(combo, "combo box", box, {}).value = combo->currentText();
      return false;
    }
    if (auto* spin = qobject_cast<QSpinBox*>(widget)) {
      add(spin, "spin box", box, {}).value = spin->text();
      return false;
    }
    if (auto* slider = qobject_cast<QSlider*>(widget)) {
      add(slider, "slider", box, {}).value = QString::number(slider->value());
      return false;
    }
    if (auto* field = qobject_cast<QLineEdit*>(widget)) {
      Item& item = add(field, "text field", box, field->placeholderText());
      item.value = field->displayText();
      return false;
    }
    if (auto* area = qobject_cast<QPlainTextEdit*>(widget)) {
      add(area, "text area", from(area->viewport(), area->viewport()->rect()), {}).value =
          area->toPlainText().section('\n', 0, 0);
      return false;
    }
    if (auto* progress = qobject_cast<QProgressBar*>(widget)) {
      add(progress, "progress bar", box, {}).value = progress->text();
      return false;
    }
    if (auto* label = qobject_cast<QLabel*>(widget)) return take_label(label, box);
    if (auto* bar = qobject_cast<QScrollBar*>(widget)) {
      if (bar->maximum() > bar->minimum()) add(bar, "scroll bar", box, {});
      return false;
    }
    if (auto* group = qobject_cast<QGroupBox*>(widget))
      visible_ = box,
      add(group, "group", QRect(box.topLeft(), QSize(box.width(), std::min(box.height(), 20))), group->title());
    return true;
  }

  bool take_button(QAbstractButton* button, const QRect& box) {
    QString kind = QStringLiteral("button");
    if (qobject_cast<QCheckBox*>(button))
      kind = QStringLiteral("check box");
    else if (qobject_cast<QRadioButton*>(button))
      kind = QStringLiteral("radio button");
    QRect tight = box;
    if (kind != "button") tight.setWidth(std::min(box.width(), button->sizeHint().width()));
    Item& item = add(button, kind, tight, button->text());
    item.checked = button->isChecked();
    item.icon = button->property("icon_name").toString();
    auto* tool = qobject_cast<QToolButton*>(button);
    if (tool && tool->toolButtonStyle() == Qt::ToolButtonIconOnly) item.text.clear();
    if (item.text.isEmpty() && item.icon.isEmpty()) items_.pop_back();
    return false;
  }

  template <class Geometry>
  bool take_actions(QWidget* bar, const char* kind, Geometry geometry) {
    const QList<QAction*> actions = bar->actions();
    for (int i = 0; i < actions.size(); ++i) {
      const QRect box = from(bar, geometry(actions[i]));
      if (actions[i]->isSeparator() || box.width() < 6 || box.height() < 6) continue;
      Item& item = add(bar, kind, box, actions[i]->text());
      item.enabled = actions[i]->isEnabled();
      item.checked = actions[i]->isChecked();
      item.value = actions[i]->shortcut().toString();
      item.index = i;
    }
    return false;
  }

  bool take_tabs(QTabBar* tabs) {
    for (int i = 0; i < tabs->count(); ++i) {
      const QRect box = from(tabs, tabs->tabRect(i));
      if (box.width() < 8) continue;
      Item& item = add(tabs, "tab", box, tabs->tabText(i));
      item.checked = i == tabs->currentIndex();
      item.index = i;
    }
    return true;
  }

  bool take_header(QHeaderView* header) {
    if (header->orientation() == Qt::Vertical) return false;
    for (int i = 0; i < header->count(); ++i) {
      const QRect box = from(header->viewport(),
                             QRect(header->sectionViewportPosition(i), 0, header->sectionSize(i), header->height()));
      if (box.width() < 10) continue;
      add(header, "column header", box, header->model()->headerData(i, Qt::Horizontal).toString()).index = i;
    }
    return false;
  }

  bool take_view(QAbstractItemView* view) {
    const bool table = qobject_cast<QTableWidget*>(view) != nullptr;
    const char* kind = table ? "cell" : qobject_cast<QTreeWidget*>(view) ? "tree item" : "list item";
    const QRect viewport = from(view->viewport(), view->viewport()->rect());
    const QRect outer = visible_;
    visible_ = viewport;
    QAbstractItemModel* model = view->model();
    auto take_index = [&](const QModelIndex& at) {
      const QRect box = from(view->viewport(), view->visualRect(at));
      const QString text = at.data().toString();
      if (text.isEmpty() || box.width() < 8 || box.height() < 6) return;
      Item& item = add(view, kind, box, text);
      item.checked = view->selectionModel()->isSelected(at);
      item.index = at.row() * 1000 + at.column();
      item.widget = at.parent().isValid() ? nullptr : view;  // the events act on top-level rows only
    };
    auto take_rows = [&](auto&& self, const QModelIndex& parent) -> void {
      for (int row = 0; row < model->rowCount(parent); ++row) {
        for (int column = 0; column < model->columnCount(parent); ++column)
          take_index(model->index(row, column, parent));
        const QModelIndex child = model->index(row, 0, parent);
        auto* tree = qobject_cast<QTreeWidget*>(view);
        if (tree && tree->isExpanded(child)) self(self, child);
      }
    };
    take_rows(take_rows, QModelIndex());
    visible_ = outer;
    return true;
  }

  bool take_label(QLabel* label, const QRect& box) {
    QString text = label->text();
    if (text.isEmpty()) return false;
    const bool link = text.startsWith("<a");
    text.remove(QRegularExpression("<[^>]*>"));
    QRect tight = box;
    tight.setWidth(std::min(box.width(), label->sizeHint().width()));
    add(label, link ? "link" : "label", tight, text);
    return false;
  }

  QPoint origin_;
  int layer_;
  QString title_;
  std::vector<Item>& items_;
  QRect visible_;
};

}  // namespace

void harvest_items(QWidget* window, QRect clip, QPoint origin, int layer, const QString& title,
                   std::vector<Item>& items) {
  Harvester(origin, layer, title, items).walk(window, clip);
}

}  // namespace screens
