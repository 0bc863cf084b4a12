#include "app/window/edit_review.h"

#include <QButtonGroup>
#include <QCheckBox>
#include <QHBoxLayout>
#include <QScrollArea>
#include <algorithm>

#include "app/window/call_text.h"
#include "app/window/widgets.h"

namespace app {
namespace {

int n_new_lines(const tools::Hunk& hunk) {
  return static_cast<int>(std::count_if(hunk.lines.begin(), hunk.lines.end(), [](const tools::PatchLine& line) {
    return line.kind != tools::LineKind::Removed;
  }));
}

int n_old_lines(const tools::Hunk& hunk) {
  return static_cast<int>(std::count_if(hunk.lines.begin(), hunk.lines.end(), [](const tools::PatchLine& line) {
    return line.kind != tools::LineKind::Added;
  }));
}

}  // namespace

EditReview::EditReview(QWidget* parent) : QFrame(parent) {
  setProperty("role", "panel");
  setAccessibleName(tr("Changes of files"));
  auto* all = new QVBoxLayout(this);
  all->setContentsMargins(12, 8, 12, 8);
  all->setSpacing(6);
  auto* bar = new QHBoxLayout;
  bar->setSpacing(4);
  title_ = new ElidedLabel;
  title_->setFont(text_font(TextSize::Body, QFont::DemiBold));
  bar->addWidget(title_, 1);
  side_by_side_ = make_button(tr("Side by side"), "quiet");
  inline_ = make_button(tr("Inline"), "quiet");
  close_ = make_button(tr("Back to the screen"), "quiet", "desktop", IconColour::Dim);
  auto* forms = new QButtonGroup(this);
  for (QPushButton* button : {side_by_side_, inline_}) {
    button->setCheckable(true);
    forms->addButton(button);
    bar->addWidget(button);
  }
  side_by_side_->setChecked(true);
  bar->addWidget(close_);
  all->addLayout(bar);
  auto* scroll = new QScrollArea(this);
  scroll->setWidgetResizable(true);
  scroll->setFrameShape(QFrame::NoFrame);
  scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  auto* content = new QWidget;
  column_ = new QVBoxLayout(content);
  column_->setContentsMargins(0, 0, 6, 0);
  column_->setSpacing(8);
  scroll->setWidget(content);
  all->addWidget(scroll, 1);
  connect(side_by_side_, &QPushButton::clicked, this, [this] { set_form(DiffForm::SideBySide); });
  connect(inline_, &QPushButton::clicked, this, [this] { set_form(DiffForm::Inline); });
  connect(close_, &QPushButton::clicked, this, &EditReview::closed);
}

void EditReview::show_edits(const std::vector<tools::FilePatch>& files, Use use) {
  files_ = files;
  use_ = use;
  boxes_.clear();
  views_.clear();
  while (QLayoutItem* item = column_->takeAt(0)) {
    delete item->widget();
    delete item;
  }
  for (const tools::FilePatch& file : files) add_file(file);
  column_->addStretch();
  title_->set_text(use == Use::Choose ? tr("Changes to %n files: untick what should be left out", nullptr,
                                           static_cast<int>(files.size()))
                                      : tr("Changes to %n files", nullptr, static_cast<int>(files.size())));
  close_->setVisible(use == Use::Look);
  set_form(form_);
}

void EditReview::add_file(const tools::FilePatch& file) {
  using Kind = tools::FilePatch::Kind;
  auto* row = new QWidget;
  auto* across = new QHBoxLayout(row);
  across->setContentsMargins(0, 6, 0, 0);
  across->setSpacing(8);
  across->addWidget(new Mark(15, "file", IconColour::Dim));
  auto* path = new ElidedLabel;
  path->setFont(code_font());
  path->set_text(shown(QString::fromStdString(file.path)));
  across->addWidget(path, 1);
  const QString what = file.kind == Kind::Add      ? tr("new file")
                       : file.kind == Kind::Delete ? tr("will be deleted")
                       : !file.new_path.empty()    ? tr("moves to %1").arg(QString::fromStdString(file.new_path))
                                                   : QString();
  if (!what.isEmpty()) across->addWidget(make_label(what, "dim", TextSize::Small));
  column_->addWidget(row);
  int shift = 0;
  for (const tools::Hunk& hunk : file.hunks) {
    const int first_old = static_cast<int>(hunk.old_line.value_or(0));
    const int first_new = file.kind == Kind::Add ? 1 : first_old > 0 ? first_old + shift : 0;
    add_hunk(file, hunk, first_new);
    shift += n_new_lines(hunk) - n_old_lines(hunk);
  }
}

void EditReview::add_hunk(const tools::FilePatch& file, const tools::Hunk& hunk, int first_new) {
  auto* box = new QFrame;
  box->setProperty("role", "code");
  auto* all = new QVBoxLayout(box);
  all->setContentsMargins(1, 1, 1, 5);
  all->setSpacing(0);
  auto* view = new HunkView(hunk, first_new);
  const int last_new = first_new + std::max(0, n_new_lines(hunk) - 1);
  const QString lines = first_new > 0 ? tr("Lines %1 to %2").arg(first_new).arg(last_new) : QString();
  if (use_ == Use::Choose) {
    auto* take = new QCheckBox(lines.isEmpty() ? tr("This change") : lines);
    take->setChecked(true);
    take->setAccessibleName(tr("Take the change of %1, %2").arg(QString::fromStdString(file.path), take->text()));
    take->setContentsMargins(8, 6, 8, 6);
    take->setStyleSheet("padding: 6px 8px;");
    all->addWidget(take);
    connect(take, &QCheckBox::toggled, this, [this, view](bool is_taken) {
      view->set_taken(is_taken);
      count();
    });
    boxes_.push_back(take);
  } else if (!lines.isEmpty()) {
    auto* label = make_label(lines, "dim", TextSize::Small);
    label->setContentsMargins(8, 5, 8, 5);
    all->addWidget(label);
  }
  all->addWidget(view);
  views_.push_back(view);
  column_->addWidget(box);
}

std::vector<bool> EditReview::taken() const {
  std::vector<bool> taken(views_.size(), true);
  for (std::size_t n = 0; n < boxes_.size(); ++n) taken[n] = boxes_[n]->isChecked();
  return taken;
}

void EditReview::count() {
  const std::vector<bool> all = taken();
  Q_EMIT choice_changed(static_cast<int>(std::count(all.begin(), all.end(), true)), static_cast<int>(all.size()));
}

void EditReview::set_form(DiffForm form) {
  form_ = form;
  side_by_side_->setChecked(form == DiffForm::SideBySide);
  inline_->setChecked(form == DiffForm::Inline);
  for (HunkView* view : views_) view->set_form(form);
}

}  // namespace app
