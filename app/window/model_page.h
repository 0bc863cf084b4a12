#pragma once
// The mind at work: what runs where, how full its memory is, how fast it reads and writes, and what it looked at.

#include <QHash>
#include <QWidget>

#include "agent/model_watch.h"

class QCheckBox;
class QComboBox;
class QLabel;
class QProgressBar;
class QVBoxLayout;

namespace app {

// The blocks of the timeline as a row of cells, warm where the model looked.
class BlockStrip : public QWidget {
  Q_OBJECT

 public:
  explicit BlockStrip(QWidget* parent = nullptr);
  void show_weights(const std::vector<float>& weights, int block_size);
  QSize sizeHint() const override { return {200, 30}; }

 protected:
  void paintEvent(QPaintEvent* event) override;
  bool event(QEvent* event) override;

 private:
  QRectF cell(std::size_t block) const;
  std::vector<float> weights_;
  int block_size_ = 0;
};

class ModelPage : public QWidget {
  Q_OBJECT

 public:
  explicit ModelPage(QWidget* parent = nullptr);
  void show_name(const QString& name);
  void show_status(const agent::ModelStatus& status);
  void show_blocks(const agent::BlockWeights& blocks, int turn);  // while it wrote this turn

 Q_SIGNALS:
  // Where on the desktop of the newest picture it looked, weight 0 … 1 each; empty: not wanted any more.
  void heat_changed(const QList<std::pair<QRectF, double>>& areas_pt);
  // How much it looked at each turn of the conversation, 0 … 1; empty: not wanted any more.
  void turn_heat_changed(const QHash<int, double>& by_turn);

 private:
  QLabel* add_value(QVBoxLayout* column, const QString& title);
  void show_chosen_layer();
  std::vector<float> chosen_weights() const;
  void show_parts(const std::vector<float>& weights);
  void send_heat(const std::vector<float>& weights);
  void send_turn_heat(const std::vector<float>& weights);

  agent::BlockWeights blocks_;
  QLabel *name_, *phase_, *device_, *context_, *cache_, *prefill_, *decode_, *pictures_;
  QProgressBar *progress_, *context_bar_;
  QComboBox* layer_;
  QCheckBox *on_screen_, *on_transcript_;
  int turn_ = -1;
  BlockStrip* strip_;
  QVBoxLayout* parts_;
  QWidget* looked_;
};

// How far the weights are read, how fast, and how long it will take.
QString loading_text(const agent::ModelStatus& status);

}  // namespace app
