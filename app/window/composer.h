#pragma once
// Where a task is written: in words, with files dropped on it, and the choice of where it is done and by which model.

#include <QFrame>
#include <filesystem>

class QPlainTextEdit;
class QPushButton;
class QHBoxLayout;
class QMenu;

namespace app {

enum class Place { Private, Mine, FilesOnly };

struct ModelChoice {
  QString name;
  std::filesystem::path dir;
  QString server = {};  // instead of it: "http://host:8000/v1#name"
};

struct TaskChoice {
  QString task;  // with the dropped files named in it
  Place place = Place::Private;
  ModelChoice model;
  QString workspace;  // a folder; empty: the private desktop's home
};

class Composer : public QFrame {
  Q_OBJECT

 public:
  enum class Form { Full, FollowUp };  // a follow-up has its place and model already
  explicit Composer(Form form, QWidget* parent = nullptr);

  void set_models(const QList<ModelChoice>& models, int chosen);
  void set_text(const QString& text);
  void set_place(Place place);
  void set_workspace(const QString& folder);
  void take(const QStringList& paths);  // files and folders that were dropped
  void focus();

 Q_SIGNALS:
  void submitted(const app::TaskChoice& choice);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dragLeaveEvent(QDragLeaveEvent* event) override;
  void dropEvent(QDropEvent* event) override;

 private:
  void add_chips(QHBoxLayout* row);
  void show_choices();
  void show_attachments();
  void choose_folder();
  void fit_height();
  void submit();
  void set_active(bool is_active);

  Form form_;
  TaskChoice choice_;
  QList<ModelChoice> models_;
  QStringList files_;
  QPlainTextEdit* text_;
  QPushButton* send_;
  QPushButton* place_chip_ = nullptr;
  QPushButton* model_chip_ = nullptr;
  QPushButton* folder_chip_ = nullptr;
  QMenu* models_menu_ = nullptr;
  QWidget* attachments_;
};

}  // namespace app

Q_DECLARE_METATYPE(app::TaskChoice)
