#include "app/window/model_page.h"

#include <QCheckBox>
#include <QComboBox>
#include <QHelpEvent>
#include <QLocale>
#include <QPainter>
#include <QProgressBar>
#include <QScrollArea>
#include <QToolTip>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "app/window/call_text.h"
#include "app/window/widgets.h"

namespace app {
namespace {

QColor heat(float weight) {
  const QColor cold = theme().sunken, warm("#f08a24");
  const double w = std::sqrt(std::clamp(weight, 0.0F, 1.0F));
  return QColor::fromRgbF(static_cast<float>(cold.redF() + (warm.redF() - cold.redF()) * w),
                          static_cast<float>(cold.greenF() + (warm.greenF() - cold.greenF()) * w),
                          static_cast<float>(cold.blueF() + (warm.blueF() - cold.blueF()) * w));
}

QString count(std::int64_t n) {
  return QLocale().toString(static_cast<qlonglong>(n));
}

// Of a part of the timeline: the mean of its blocks' weights, by how much of each lies in it.
double weight_of(const std::vector<float>& weights, int block_size, std::int64_t first_token, std::int64_t n_tokens) {
  double sum = 0;
  for (std::int64_t token = first_token; token < first_token + n_tokens;) {
    const auto block = static_cast<std::size_t>(token / block_size);
    const std::int64_t end = std::min<std::int64_t>(first_token + n_tokens, (token / block_size + 1) * block_size);
    if (block < weights.size()) sum += weights[block] * static_cast<double>(end - token);
    token = end;
  }
  return n_tokens > 0 ? sum / static_cast<double>(n_tokens) : 0;
}

}  // namespace

BlockStrip::BlockStrip(QWidget* parent) : QWidget(parent) {
  setFixedHeight(30);
  setAccessibleName(tr("Blocks that the model chose"));
}

void BlockStrip::show_weights(const std::vector<float>& weights, int block_size) {
  weights_ = weights;
  block_size_ = block_size;
  update();
}

QRectF BlockStrip::cell(std::size_t block) const {
  const double step = static_cast<double>(width()) / static_cast<double>(std::max<std::size_t>(weights_.size(), 1));
  return {static_cast<double>(block) * step, 2, std::max(1.0, step - (step > 4 ? 1.5 : 0)), height() - 4.0};
}

void BlockStrip::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(Qt::NoPen);
  for (std::size_t block = 0; block < weights_.size(); ++block) {
    painter.setBrush(heat(weights_[block]));
    painter.drawRoundedRect(cell(block), 2, 2);
  }
}

bool BlockStrip::event(QEvent* event) {
  if (event->type() == QEvent::ToolTip && !weights_.empty()) {
    const auto* help = static_cast<QHelpEvent*>(event);
    const auto block = static_cast<std::size_t>(std::clamp<double>(
        help->pos().x() * static_cast<double>(weights_.size()) / std::max(1, width()), 0, weights_.size() - 1.0));
    const auto first = static_cast<std::int64_t>(block) * block_size_;
    QToolTip::showText(help->globalPos(), tr("Tokens %1 to %2: chosen by %3 %")
                                              .arg(count(first), count(first + block_size_ - 1))
                                              .arg(std::lround(weights_[block] * 100)));
    return true;
  }
  return QWidget::event(event);
}

ModelPage::ModelPage(QWidget* parent) : QWidget(parent) {
  auto* scroll = new QScrollArea(this);
  scroll->setWidgetResizable(true);
  scroll->setFrameShape(QFrame::NoFrame);
  scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  auto* content = new QWidget;
  auto* column = new QVBoxLayout(content);
  column->setContentsMargins(16, 14, 16, 14);
  column->setSpacing(7);
  scroll->setWidget(content);
  auto* all = new QVBoxLayout(this);
  all->setContentsMargins(0, 0, 0, 0);
  all->addWidget(scroll);
  name_ = make_label(tr("No model yet"), "title", TextSize::Title, QFont::DemiBold);
  column->addWidget(name_);
  phase_ = make_label("", "dim");
  phase_->setWordWrap(true);
  column->addWidget(phase_);
  progress_ = new QProgressBar;
  progress_->setTextVisible(false);
  progress_->setAccessibleName(tr("Progress"));
  column->addWidget(progress_);
  column->addSpacing(6);
  context_ = add_value(column, tr("Context"));
  context_bar_ = new QProgressBar;
  context_bar_->setTextVisible(false);
  context_bar_->setAccessibleName(tr("Context used"));
  column->addWidget(context_bar_);
  pictures_ = add_value(column, tr("Pictures in mind"));
  prefill_ = add_value(column, tr("Reading"));
  decode_ = add_value(column, tr("Writing"));
  cache_ = add_value(column, tr("Memory"));
  device_ = add_value(column, tr("Runs on"));
  looked_ = new QWidget(content);
  auto* looked = new QVBoxLayout(looked_);
  looked->setContentsMargins(0, 12, 0, 0);
  looked->setSpacing(7);
  auto* head = new QHBoxLayout;
  head->addWidget(make_label(tr("What it looked at"), "title", TextSize::Body, QFont::DemiBold), 1);
  layer_ = new QComboBox;
  layer_->setAccessibleName(tr("Layer"));
  head->addWidget(layer_);
  looked->addLayout(head);
  strip_ = new BlockStrip;
  looked->addWidget(strip_);
  on_screen_ = new QCheckBox(tr("Draw it over the screen"));
  looked->addWidget(on_screen_);
  on_transcript_ = new QCheckBox(tr("Draw it over the transcript"));
  on_transcript_->setChecked(true);
  looked->addWidget(on_transcript_);
  parts_ = new QVBoxLayout;
  parts_->setSpacing(3);
  looked->addLayout(parts_);
  column->addWidget(looked_);
  column->addStretch();
  progress_->hide();
  looked_->hide();
  connect(layer_, &QComboBox::activated, this, &ModelPage::show_chosen_layer);
  connect(on_screen_, &QCheckBox::toggled, this, &ModelPage::show_chosen_layer);
  connect(on_transcript_, &QCheckBox::toggled, this, &ModelPage::show_chosen_layer);
}

QLabel* ModelPage::add_value(QVBoxLayout* column, const QString& title) {
  auto* row = new QHBoxLayout;
  row->addWidget(make_label(title, "dim"));
  row->addStretch();
  auto* value = make_label(QStringLiteral("–"));
  value->setAccessibleDescription(title);
  value->setAlignment(Qt::AlignRight);
  row->addWidget(value);
  column->addLayout(row);
  return value;
}

void ModelPage::show_name(const QString& name) {
  name_->setText(name);
}

// "Loads 12.3 GB of 228 GB, 2.1 GB/s, 1:42 left"
QString loading_text(const agent::ModelStatus& status) {
  const QLocale locale;
  QString text = ModelPage::tr("Loads %1 of %2")
                     .arg(locale.formattedDataSize(status.done_bytes), locale.formattedDataSize(status.total_bytes));
  if (status.bytes_per_s <= 0) return text;
  const double left_seconds = static_cast<double>(status.total_bytes - status.done_bytes) / status.bytes_per_s;
  return text + ModelPage::tr(", %1/s, %2 left")
                    .arg(locale.formattedDataSize(static_cast<qint64>(status.bytes_per_s)),
                         duration_text(std::max(0.0, left_seconds)));
}

void ModelPage::show_status(const agent::ModelStatus& status) {
  using Phase = agent::ModelStatus::Phase;
  const QLocale locale;
  switch (status.phase) {
    case Phase::Loading:
      phase_->setText(status.total_bytes > 0 ? loading_text(status)
                                             : tr("Loading: %1").arg(QString::fromStdString(status.what)));
      break;
    case Phase::Reading:
      phase_->setText(status.total_tokens > 0
                          ? tr("Reads %1 of %2 new tokens").arg(count(status.done_tokens), count(status.total_tokens))
                          : tr("Reads"));
      break;
    case Phase::Writing:
      phase_->setText(tr("Writes"));
      break;
    case Phase::Resting:
      phase_->setText(tr("Rests"));
      break;
  }
  progress_->setVisible(status.phase == Phase::Loading || status.phase == Phase::Reading);
  const bool loads = status.phase == Phase::Loading;
  const double whole = static_cast<double>(loads ? status.total_bytes : status.total_tokens),
               done = static_cast<double>(loads ? status.done_bytes : status.done_tokens);
  progress_->setRange(0, whole > 0 ? 1000 : 0);
  progress_->setValue(whole > 0 ? static_cast<int>(1000 * std::min(1.0, done / whole)) : 0);
  context_->setText(tr("%1 of %2 tokens").arg(count(status.context_tokens), count(status.max_context_tokens)));
  context_bar_->setRange(0, 1000);
  context_bar_->setValue(
      status.max_context_tokens > 0 ? static_cast<int>(1000 * status.context_tokens / status.max_context_tokens) : 0);
  pictures_->setText(tr("%1, %2 tokens").arg(count(status.n_pictures), count(status.picture_tokens)));
  const auto speed = [&](double value) {
    return value > 0 ? tr("%1 tokens/s").arg(locale.toString(value, 'f', value < 10 ? 1 : 0)) : QStringLiteral("–");
  };
  prefill_->setText(speed(status.prefill_tokens_per_s));
  decode_->setText(speed(status.decode_tokens_per_s));
  cache_->setText(
      tr("%1 weights, %2 cache")
          .arg(locale.formattedDataSize(status.weight_bytes), locale.formattedDataSize(status.cache_bytes)));
  device_->setText(status.device.empty() ? QStringLiteral("–") : QString::fromStdString(status.device));
}

void ModelPage::show_blocks(const agent::BlockWeights& blocks, int turn) {
  blocks_ = blocks;
  turn_ = turn;
  looked_->setVisible(!blocks.layers.empty());
  if (layer_->count() != static_cast<int>(blocks.layers.size()) + 1) {
    layer_->clear();
    layer_->addItem(tr("All layers"));
    for (const auto& layer : blocks.layers) layer_->addItem(tr("Layer %1").arg(layer.layer_idx));
  }
  show_chosen_layer();
}

std::vector<float> ModelPage::chosen_weights() const {
  if (blocks_.layers.empty()) return {};
  if (layer_->currentIndex() > 0) return blocks_.layers[static_cast<std::size_t>(layer_->currentIndex() - 1)].weights;
  std::vector<float> sum(blocks_.layers.front().weights.size());
  for (const auto& layer : blocks_.layers) {
    for (std::size_t block = 0; block < sum.size(); ++block) {
      sum[block] += layer.weights[block] / static_cast<float>(blocks_.layers.size());
    }
  }
  return sum;
}

void ModelPage::show_chosen_layer() {
  const std::vector<float> weights = chosen_weights();
  strip_->show_weights(weights, blocks_.block_size);
  show_parts(weights);
  send_heat(weights);
  send_turn_heat(weights);
}

// The last part is the turn that it wrote; the others lie before it, one after the other.
void ModelPage::send_turn_heat(const std::vector<float>& weights) {
  QHash<int, double> by_turn;
  const auto n_parts = static_cast<int>(blocks_.parts.size());
  for (int n = 0; n < n_parts && on_transcript_->isChecked(); ++n) {
    const agent::PromptPart& part = blocks_.parts[static_cast<std::size_t>(n)];
    const int turn = turn_ - (n_parts - 1 - n);
    const double weight = weight_of(weights, blocks_.block_size, part.first_token, part.n_tokens);
    if (turn >= 0 && weight > 0) by_turn[turn] = weight;
  }
  Q_EMIT turn_heat_changed(by_turn);
}

// The messages that it looked at most.
void ModelPage::show_parts(const std::vector<float>& weights) {
  constexpr std::size_t kMostParts = 8;
  while (QLayoutItem* item = parts_->takeAt(0)) {
    delete item->widget();
    delete item;
  }
  std::vector<std::pair<double, const agent::PromptPart*>> ranked;
  for (const agent::PromptPart& part : blocks_.parts) {
    ranked.emplace_back(weight_of(weights, blocks_.block_size, part.first_token, part.n_tokens), &part);
  }
  std::sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  for (std::size_t n = 0; n < std::min(ranked.size(), kMostParts); ++n) {
    const auto& [weight, part] = ranked[n];
    auto* row = new QWidget;
    auto* across = new QHBoxLayout(row);
    across->setContentsMargins(0, 0, 0, 0);
    auto* swatch = new QLabel;
    swatch->setFixedSize(10, 10);
    swatch->setStyleSheet(QString("background: %1; border-radius: 5px;").arg(heat(static_cast<float>(weight)).name()));
    across->addWidget(swatch);
    auto* text = new ElidedLabel;
    text->setFont(text_font(TextSize::Small));
    text->set_text(QString::fromStdString(part->beginning));
    across->addWidget(text, 1);
    across->addWidget(make_label(QString("%1 %").arg(std::lround(weight * 100)), "dim", TextSize::Small));
    parts_->addWidget(row);
  }
}

void ModelPage::send_heat(const std::vector<float>& weights) {
  QList<std::pair<QRectF, double>> areas;
  const auto newest = std::find_if(blocks_.parts.rbegin(), blocks_.parts.rend(),
                                   [](const agent::PromptPart& part) { return part.picture_columns > 0; });
  if (on_screen_->isChecked() && newest != blocks_.parts.rend()) {
    const capture::Rect& area = newest->picture->screen_map.area_pt();
    const QSizeF cell(static_cast<double>(area.width) / newest->picture_columns,
                      static_cast<double>(area.height) / newest->picture_rows);
    for (int n = 0; n < newest->picture_columns * newest->picture_rows; ++n) {
      const double weight = weight_of(weights, blocks_.block_size, newest->picture_first_token + n, 1);
      if (weight <= 0) continue;
      const QPointF corner(area.x + n % newest->picture_columns * cell.width(),
                           area.y + n / newest->picture_columns * cell.height());
      areas.append({QRectF(corner, cell), weight});
    }
  }
  Q_EMIT heat_changed(areas);
}

}  // namespace app
