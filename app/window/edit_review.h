#pragma once
// The changes of an edit, hunk by hunk, in the place of the screen: to look at, or to choose from before they are made.

#include <QFrame>
#include <vector>

#include "app/window/hunk_view.h"

class QCheckBox;
class QLabel;
class QPushButton;
class QVBoxLayout;

namespace app {

class ElidedLabel;

class EditReview : public QFrame {
  Q_OBJECT

 public:
  explicit EditReview(QWidget* parent = nullptr);

  enum class Use { Look, Choose };
  void show_edits(const std::vector<tools::FilePatch>& files, Use use);
  const std::vector<tools::FilePatch>& files() const { return files_; }
  Use use() const { return use_; }
  std::vector<bool> taken() const;  // of each hunk of all files
  void set_form(DiffForm form);

 Q_SIGNALS:
  void choice_changed(int n_taken, int n_hunks);
  void closed();

 private:
  void add_file(const tools::FilePatch& file);
  void add_hunk(const tools::FilePatch& file, const tools::Hunk& hunk, int first_new);
  void count();

  std::vector<tools::FilePatch> files_;
  Use use_ = Use::Look;
  DiffForm form_ = DiffForm::SideBySide;
  ElidedLabel* title_;
  QPushButton *inline_, *side_by_side_, *close_;
  QVBoxLayout* column_;
  std::vector<QCheckBox*> boxes_;
  std::vector<HunkView*> views_;
};

}  // namespace app
