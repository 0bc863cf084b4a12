// What stands inside the cards of calls: code, terminals, changes, where things come from.

#include <QCoreApplication>
#include <algorithm>

#include "app/window/call_text.h"
#include "app/window/row_layout.h"
#include "app/window/terminal_text.h"

namespace app {
namespace {

struct PartWords {
  Q_DECLARE_TR_FUNCTIONS(Transcript)
};

// The end of a long text is what matters of an output, its beginning of everything else.
QString cut_lines(const QString& text, int most) {
  const QStringList lines = text.split('\n');
  if (lines.size() <= most) return text;
  const int head = most / 2;
  return lines.mid(0, head).join('\n') + "\n" +
         PartWords::tr("… %n more lines …", nullptr, static_cast<int>(lines.size()) - most) + "\n" +
         lines.mid(lines.size() - (most - head)).join('\n');
}

}  // namespace

double RowLayout::code_box(const QString& text, double x, double y, double width, int most_lines) {
  const std::size_t box = boxes_.size();
  boxes_.push_back({});
  QString lines = cut_lines(shown(text), most_lines);
  lines.replace('\n', QChar::LineSeparator);
  const double height = add_text(lines, {code_font(), theme().text}, x + 9, y + 7, width - 18);
  boxes_[box] = {QRectF(x, y, width, height + 14), theme().sunken, Qt::transparent, 6};
  return height + 14;
}

double RowLayout::terminal_box(double x, double y, double width) {
  const std::size_t box = boxes_.size();
  boxes_.push_back({});
  TerminalText terminal = terminal_text(output_);
  while (terminal.text.endsWith('\n')) terminal.text.chop(1);
  terminal.text.replace('\n', QChar::LineSeparator);
  const double height = add_text(terminal.text, {code_font(), theme().text, kMostCodeLines, true, terminal.formats},
                                 x + 9, y + 7, width - 18);
  boxes_[box] = {QRectF(x, y, width, height + 14), theme().sunken, Qt::transparent, 6};
  return height + 14;
}

// The lines of a change one below the other; the review has them side by side.
double RowLayout::diff_box(const std::vector<tools::FilePatch>& files, double x, double y, double width,
                           int most_lines) {
  const double top = y;
  QString run;  // lines of one kind
  tools::LineKind kind = tools::LineKind::Context;
  const auto finish = [&] {
    if (run.isEmpty()) return;
    const bool is_context = kind == tools::LineKind::Context, comes = kind == tools::LineKind::Added;
    const std::size_t box = boxes_.size();
    boxes_.push_back({});
    const QColor ink = is_context ? theme().text_dim : comes ? theme().good : theme().bad;
    const double height = add_text(run, {code_font(), ink, 0, false}, x + 9, y + 2, width - 18);
    const QColor ground = is_context ? theme().sunken : comes ? theme().good_soft : theme().bad_soft;
    boxes_[box] = {QRectF(x, y, width, height + 4), ground, Qt::transparent, 4};
    y += height + 5;
    run.clear();
  };
  int n_lines = 0, n_left_out = 0;
  for (const tools::FilePatch& file : files) {
    for (const tools::Hunk& hunk : file.hunks) {
      for (const tools::PatchLine& line : hunk.lines) {
        if (++n_lines > most_lines) {
          ++n_left_out;
          continue;
        }
        if (line.kind != kind) finish();
        kind = line.kind;
        static constexpr const char* kSigns[] = {"  ", "− ", "+ "};
        if (!run.isEmpty()) run += QChar::LineSeparator;
        run += QString::fromUtf8(kSigns[static_cast<int>(line.kind)]) + shown(QString::fromStdString(line.text));
      }
      finish();
    }
  }
  if (n_left_out > 0) {
    y += add_text(PartWords::tr("… %n more lines …", nullptr, n_left_out),
                  {text_font(TextSize::Small), theme().text_faint, 1}, x, y, width);
  }
  return y - top;
}

// Parts of the command that were read somewhere.
double RowLayout::origins(const SessionItem& item, double x, double y, double width) {
  const double top = y;
  for (const OriginNote& origin : item.origins) {
    const QString text =
        PartWords::tr("“%1” was read by %2").arg(shown(origin.quote.simplified()), shown(origin.source));
    add_icon(origin.is_active ? "warning" : "info", origin.is_active ? IconColour::Bad : IconColour::Dim, x, y + 1, 13);
    y += add_text(text, {text_font(TextSize::Small), origin.is_active ? theme().bad : theme().text_dim, 3}, x + 20, y,
                  width - 20) +
         2;
  }
  return y - top;
}

// Sentences of the last words that their results don't prove.
double RowLayout::claims(const SessionItem& item, double x, double y, double width) {
  const double top = y;
  const auto is_unproven = [](const ClaimNote& claim) { return !claim.problem.isEmpty(); };
  if (!item.claims.isEmpty() && std::none_of(item.claims.begin(), item.claims.end(), is_unproven)) {
    add_icon("check", IconColour::Good, x, y + 3, 13);
    return 4 + add_text(PartWords::tr("Every claim that cites results is proven by them."),
                        {text_font(TextSize::Small), theme().good, 0}, x + 20, y + 2, width - 20);
  }
  for (const ClaimNote& claim : item.claims) {
    if (!is_unproven(claim)) continue;
    add_icon("warning", IconColour::Warn, x, y + 5, 13);
    y += 4 +
         add_text(PartWords::tr("Not proven: “%1” (%2)").arg(shown(claim.sentence.simplified()), shown(claim.problem)),
                  {text_font(TextSize::Small), theme().warn, 0}, x + 20, y + 4, width - 20);
  }
  return y - top;
}

}  // namespace app
