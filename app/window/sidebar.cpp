#include "app/window/sidebar.h"

#include <QHBoxLayout>
#include <QLineEdit>
#include <QListView>
#include <QPainter>
#include <QSortFilterProxyModel>
#include <QVBoxLayout>

#include "app/window/call_text.h"
#include "app/window/session_list.h"
#include "app/window/widgets.h"

namespace app {

void SessionDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const {
  const QString status = index.data(SessionList::StatusRole).toString();
  const bool is_selected = option.state.testFlag(QStyle::State_Selected);
  painter->save();
  painter->setRenderHint(QPainter::Antialiasing);
  const QRectF row = QRectF(option.rect).adjusted(2, 1, -2, -1);
  if (is_selected || option.state.testFlag(QStyle::State_MouseOver)) {
    painter->setPen(Qt::NoPen);
    painter->setBrush(is_selected ? theme().accent_soft : theme().hover);
    painter->drawRoundedRect(row, 8, 8);
  }
  if (option.state.testFlag(QStyle::State_HasFocus) && option.state.testFlag(QStyle::State_KeyboardFocusChange)) {
    painter->setPen(theme().accent);
    painter->setBrush(Qt::NoBrush);
    painter->drawRoundedRect(row, 8, 8);
  }
  const IconColour colour = status == "done"      ? IconColour::Good
                            : status == "running" ? IconColour::Accent
                            : status == "failed"  ? IconColour::Bad
                                                  : IconColour::Dim;
  icon(ending_icon(status), colour).paint(painter, QRect(option.rect.left() + 10, option.rect.top() + 10, 15, 15));
  const QRect text = option.rect.adjusted(34, 7, -10, -7);
  const QFont title = text_font(TextSize::Body, is_selected ? QFont::DemiBold : QFont::Normal);
  const QFont detail = text_font(TextSize::Small);
  painter->setFont(title);
  painter->setPen(theme().text);
  const QFontMetrics title_metrics(title);
  painter->drawText(text, Qt::AlignTop | Qt::AlignLeft,
                    title_metrics.elidedText(index.data().toString(), Qt::ElideRight, text.width()));
  painter->setFont(detail);
  painter->setPen(theme().text_faint);
  painter->drawText(
      text, Qt::AlignBottom | Qt::AlignLeft,
      QFontMetrics(detail).elidedText(index.data(SessionList::DetailRole).toString(), Qt::ElideRight, text.width()));
  painter->restore();
}

QSize SessionDelegate::sizeHint(const QStyleOptionViewItem&, const QModelIndex&) const {
  const int height =
      QFontMetrics(text_font(TextSize::Body)).height() + QFontMetrics(text_font(TextSize::Small)).height();
  return {100, height + 18};
}

Sidebar::Sidebar(SessionList* sessions, QWidget* parent) : QFrame(parent) {
  setProperty("role", "sidebar");
  setFixedWidth(252);
  auto* all = new QVBoxLayout(this);
  all->setContentsMargins(12, 14, 12, 12);
  all->setSpacing(8);
  auto* head = new QHBoxLayout;
  head->setSpacing(9);
  auto* logo = new QLabel;
  logo->setPixmap(QIcon(":/icons/deskhand.svg").pixmap(QSize(26, 26), devicePixelRatioF()));
  head->addWidget(logo);
  head->addWidget(make_label("Deskhand", "title", TextSize::Title, QFont::DemiBold), 1);
  all->addLayout(head);
  all->addSpacing(6);
  auto* fresh = make_button(tr("New task"), "", "plus");
  fresh->setToolTip(tr("Ctrl+N"));
  connect(fresh, &QPushButton::clicked, this, &Sidebar::new_task);
  all->addWidget(fresh);
  filter_ = new QLineEdit;
  filter_->setPlaceholderText(tr("Search sessions"));
  filter_->setAccessibleName(tr("Search sessions"));
  filter_->addAction(icon("search", IconColour::Dim), QLineEdit::LeadingPosition);
  filter_->setClearButtonEnabled(true);
  all->addWidget(filter_);
  filtered_ = new QSortFilterProxyModel(this);
  filtered_->setSourceModel(sessions);
  filtered_->setFilterCaseSensitivity(Qt::CaseInsensitive);
  connect(filter_, &QLineEdit::textChanged, filtered_, &QSortFilterProxyModel::setFilterFixedString);
  list_ = new QListView;
  list_->setModel(filtered_);
  list_->setItemDelegate(new SessionDelegate(list_));
  list_->setAccessibleName(tr("Sessions"));
  list_->setMouseTracking(true);
  list_->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
  list_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  list_->setUniformItemSizes(true);
  const auto choose = [this](const QModelIndex& index) {
    Q_EMIT session_chosen(index.data(SessionList::IdRole).toLongLong());
  };
  connect(list_, &QListView::clicked, this, choose);
  connect(list_, &QListView::activated, this, choose);
  all->addWidget(list_, 1);
  settings_ = make_button(tr("Settings"), "nav", "gear", IconColour::Dim);
  settings_->setCheckable(true);
  connect(settings_, &QPushButton::clicked, this, &Sidebar::settings_chosen);
  all->addWidget(settings_);
}

void Sidebar::mark(qint64 session) {
  list_->selectionModel()->clear();
  for (int row = 0; row < filtered_->rowCount(); ++row) {
    const QModelIndex index = filtered_->index(row, 0);
    if (session != 0 && index.data(SessionList::IdRole).toLongLong() == session) {
      list_->selectionModel()->setCurrentIndex(index, QItemSelectionModel::SelectCurrent);
    }
  }
}

void Sidebar::mark_settings(bool is_shown) {
  settings_->setChecked(is_shown);
}

}  // namespace app
