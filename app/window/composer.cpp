#include "app/window/composer.h"

#include <QApplication>
#include <QDragEnterEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QMenu>
#include <QMimeData>
#include <QPlainTextEdit>
#include <QStyle>
#include <QTextBlock>
#include <QVBoxLayout>

#include "app/window/widgets.h"

namespace app {
namespace {

constexpr int kMostLines = 8;

}  // namespace

Composer::Composer(Form form, QWidget* parent) : QFrame(parent), form_(form) {
  setProperty("role", "composer");
  setAcceptDrops(true);
  auto* all = new QVBoxLayout(this);
  all->setContentsMargins(14, 12, 10, 10);
  all->setSpacing(8);
  attachments_ = new QWidget;
  auto* files = new QHBoxLayout(attachments_);
  files->setContentsMargins(0, 0, 0, 0);
  attachments_->hide();
  all->addWidget(attachments_);
  text_ = new QPlainTextEdit;
  text_->setProperty("role", "bare");
  text_->setPlaceholderText(form == Form::Full ? tr("What should be done?") : tr("What should be done next?"));
  text_->setAccessibleName(tr("Task"));
  text_->setVerticalScrollBarPolicy(Qt::ScrollBarAsNeeded);
  text_->setAcceptDrops(false);
  text_->setTabChangesFocus(true);
  text_->installEventFilter(this);
  text_->document()->setDocumentMargin(2);
  all->addWidget(text_);
  auto* row = new QHBoxLayout;
  row->setSpacing(6);
  if (form == Form::Full) add_chips(row);
  row->addStretch();
  send_ = make_button(form == Form::Full ? tr("Start") : tr("Go on"), "primary", form == Form::Full ? "play" : "send",
                      IconColour::OnAccent);
  send_->setEnabled(false);
  row->addWidget(send_);
  all->addLayout(row);
  connect(send_, &QPushButton::clicked, this, &Composer::submit);
  connect(text_, &QPlainTextEdit::textChanged, this, [this] {
    send_->setEnabled(!text_->toPlainText().trimmed().isEmpty());
    fit_height();
  });
  fit_height();
  show_choices();
}

void Composer::add_chips(QHBoxLayout* row) {
  place_chip_ = make_button("", "chip", "private", IconColour::Dim);
  auto* places = new QMenu(place_chip_);
  const auto add_place = [&](Place place, const QString& name, const char* icon_name) {
    places->addAction(icon(icon_name, IconColour::Dim), name, this, [this, place] { set_place(place); });
  };
  add_place(Place::Private, tr("Its own desktop"), "private");
  add_place(Place::Mine, tr("My desktop"), "desktop");
  add_place(Place::FilesOnly, tr("Files and commands only"), "terminal");
  place_chip_->setMenu(places);
  row->addWidget(place_chip_);
  folder_chip_ = make_button("", "chip", "folder", IconColour::Dim);
  connect(folder_chip_, &QPushButton::clicked, this, &Composer::choose_folder);
  row->addWidget(folder_chip_);
  model_chip_ = make_button("", "chip", "chip", IconColour::Dim);
  models_menu_ = new QMenu(model_chip_);
  model_chip_->setMenu(models_menu_);
  row->addWidget(model_chip_);
  auto* attach = make_icon_button("attach", tr("Attach files"));
  connect(attach, &QToolButton::clicked, this,
          [this] { take(QFileDialog::getOpenFileNames(this, tr("Attach files"))); });
  row->addWidget(attach);
}

void Composer::set_models(const QList<ModelChoice>& models, int chosen) {
  models_ = models;
  choice_.model = models.value(chosen);
  if (models_menu_ != nullptr) {
    models_menu_->clear();
    for (const ModelChoice& model : models) {
      models_menu_->addAction(icon("chip", IconColour::Dim), model.name, this, [this, model] {
        choice_.model = model;
        show_choices();
      });
    }
  }
  show_choices();
}

void Composer::set_text(const QString& text) {
  text_->setPlainText(text);
  text_->moveCursor(QTextCursor::End);
}

void Composer::set_place(Place place) {
  choice_.place = place;
  show_choices();
}

void Composer::set_workspace(const QString& folder) {
  choice_.workspace = folder;
  show_choices();
}

void Composer::focus() {
  text_->setFocus();
}

void Composer::show_choices() {
  if (place_chip_ == nullptr) return;
  const char* icons[] = {"private", "desktop", "terminal"};
  const QString names[] = {tr("Its own desktop"), tr("My desktop"), tr("Files only")};
  const auto place = static_cast<std::size_t>(choice_.place);
  place_chip_->setText(names[place]);
  place_chip_->setIcon(icon(icons[place], IconColour::Dim));
  place_chip_->setAccessibleName(tr("Where: %1").arg(names[place]));
  place_chip_->setToolTip(tr("Where the task is done"));
  model_chip_->setText(choice_.model.name.isEmpty() ? tr("No model") : choice_.model.name);
  model_chip_->setAccessibleName(tr("Model: %1").arg(model_chip_->text()));
  model_chip_->setToolTip(tr("Which model does it"));
  const QString folder = QFileInfo(choice_.workspace).fileName();
  folder_chip_->setText(folder.isEmpty() ? tr("No folder") : folder);
  folder_chip_->setAccessibleName(tr("Folder: %1").arg(folder_chip_->text()));
  folder_chip_->setToolTip(choice_.workspace.isEmpty() ? tr("The folder to work in") : choice_.workspace);
}

void Composer::choose_folder() {
  set_workspace(QFileDialog::getExistingDirectory(this, tr("The folder to work in"), choice_.workspace));
}

void Composer::take(const QStringList& paths) {
  for (const QString& path : paths) {
    if (QFileInfo(path).isDir() && form_ == Form::Full) {
      set_workspace(path);
    } else if (!files_.contains(path)) {
      files_.append(path);
    }
  }
  show_attachments();
}

void Composer::show_attachments() {
  QLayout* row = attachments_->layout();
  while (QLayoutItem* item = row->takeAt(0)) {
    delete item->widget();
    delete item;
  }
  for (const QString& file : files_) {
    auto* chip = make_button(QFileInfo(file).fileName(), "chip", "file", IconColour::Dim);
    chip->setToolTip(tr("%1\nClick to remove it").arg(file));
    chip->setAccessibleName(tr("Attached: %1").arg(file));
    connect(chip, &QPushButton::clicked, this, [this, file] {
      files_.removeAll(file);
      QMetaObject::invokeMethod(this, &Composer::show_attachments, Qt::QueuedConnection);
    });
    row->addWidget(chip);
  }
  static_cast<QHBoxLayout*>(row)->addStretch();
  attachments_->setVisible(!files_.isEmpty());
}

void Composer::fit_height() {
  const int least = form_ == Form::Full ? 2 : 1;
  int n_lines = 0;
  for (QTextBlock block = text_->document()->begin(); block.isValid(); block = block.next()) {
    n_lines += std::max(1, block.layout()->lineCount());
  }
  const int line = text_->fontMetrics().lineSpacing();
  text_->setFixedHeight(std::clamp(n_lines, least, kMostLines) * line + 8);
}

bool Composer::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::KeyPress) {
    const auto* key = static_cast<QKeyEvent*>(event);
    const bool is_enter = key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter;
    if (is_enter && !key->modifiers().testFlag(Qt::ShiftModifier)) {
      submit();
      return true;
    }
  }
  if (event->type() == QEvent::FocusIn) set_active(true);
  if (event->type() == QEvent::FocusOut) set_active(false);
  if (event->type() == QEvent::Resize) QMetaObject::invokeMethod(this, &Composer::fit_height, Qt::QueuedConnection);
  return QFrame::eventFilter(watched, event);
}

void Composer::set_active(bool is_active) {
  setProperty("active", is_active);
  style()->unpolish(this);
  style()->polish(this);
}

void Composer::dragEnterEvent(QDragEnterEvent* event) {
  if (!event->mimeData()->hasUrls()) return;
  event->acceptProposedAction();
  set_active(true);
}

void Composer::dragLeaveEvent(QDragLeaveEvent*) {
  set_active(text_->hasFocus());
}

void Composer::dropEvent(QDropEvent* event) {
  QStringList paths;
  for (const QUrl& url : event->mimeData()->urls()) {
    if (url.isLocalFile()) paths.append(url.toLocalFile());
  }
  take(paths);
  set_active(text_->hasFocus());
  event->acceptProposedAction();
}

void Composer::submit() {
  choice_.task = text_->toPlainText().trimmed();
  if (choice_.task.isEmpty()) return;
  for (const QString& file : files_) choice_.task += "\n" + tr("File: %1").arg(file);
  const TaskChoice choice = choice_;
  text_->clear();
  files_.clear();
  show_attachments();
  Q_EMIT submitted(choice);
}

}  // namespace app
