#pragma once
// A model server is named, asked what it has, and added.

#include <QFrame>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "agent/remote_model.h"

class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;

namespace app {

// "name (host:8000)" of "http://host:8000/v1#name".
QString server_title(const QString& choice);

class ServerForm : public QFrame {
  Q_OBJECT

 public:
  explicit ServerForm(QWidget* parent = nullptr);
  void set_address(const QString& address);
  void test();  // asks the server that is named; the answer follows

 Q_SIGNALS:
  void added(const QString& choice);  // "http://host:8000/v1#name"
  void tested(bool is_good);

 private:
  struct Answer {
    std::vector<agent::ServedModel> models;
    QString problem;
  };
  static Answer ask(agent::RemoteModelOptions options, bool has_own_key, const std::stop_token& stop);
  void show_answer(const Answer& answer);
  void add();

  QLineEdit *address_, *key_;
  QPushButton *test_, *add_;
  QComboBox* models_;
  QLabel* said_;
  agent::Endpoint endpoint_;  // that was asked
  std::jthread asking_;       // last: it uses all of it
};

}  // namespace app
