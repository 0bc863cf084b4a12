#include "app/window/terminal_text.h"

#include <algorithm>

#include "app/window/call_text.h"
#include "app/window/theme.h"

namespace app {
namespace {

// The 16 colours of a terminal, dark ones for light ground and light ones for dark ground.
QColor palette_colour(int n) {
  static const QColor on_light[] = {"#1b1f27", "#be2f38", "#157f4c", "#8a6100",
                                    "#2f55c8", "#95359c", "#0f7482", "#5c6473"};
  static const QColor on_dark[] = {"#a3abba", "#ff8087", "#57cf93", "#e6b455",
                                   "#8aa0ff", "#dd90e2", "#5cc9d8", "#e8eaef"};
  return (theme().is_dark ? on_dark : on_light)[n % 8];
}

// Of 256: 16 of the palette, a cube of 6×6×6, 24 greys.
QColor indexed_colour(int n) {
  if (n < 16) return palette_colour(n);
  if (n >= 232) return QColor::fromRgb((n - 232) * 10 + 8, (n - 232) * 10 + 8, (n - 232) * 10 + 8);
  const auto level = [](int part) { return part == 0 ? 0 : 55 + 40 * part; };
  return QColor::fromRgb(level((n - 16) / 36), level((n - 16) / 6 % 6), level((n - 16) % 6));
}

class Reader {
 public:
  TerminalText read(const QString& written) {
    for (qsizetype at = 0; at < written.size();) at = take(written, at);
    close_format();
    return std::move(result_);
  }

 private:
  qsizetype take(const QString& written, qsizetype at) {
    const QChar c = written[at];
    if (c == u'\x1b') return skip_escape(written, at + 1);
    if (c == u'\r') {
      const bool is_line_end = at + 1 < written.size() && written[at + 1] == u'\n';
      if (!is_line_end) restart_line();
      return at + 1;
    }
    if (c == u'\b') {
      if (result_.text.size() > line_start_) result_.text.chop(1);
      return at + 1;
    }
    result_.text += c == u'\n' || c == u'\t' ? QString(c) : c < u' ' ? shown(QString(c)) : QString(c);
    if (c == u'\n') line_start_ = result_.text.size();
    return at + 1;
  }

  // What was on the line is written over: progress bars.
  void restart_line() {
    close_format();
    result_.text.truncate(line_start_);
    while (!result_.formats.isEmpty() && result_.formats.last().start >= line_start_) result_.formats.removeLast();
    if (!result_.formats.isEmpty()) {
      QTextLayout::FormatRange& last = result_.formats.last();
      last.length = std::min<int>(last.length, static_cast<int>(line_start_) - last.start);
    }
    format_start_ = line_start_;
  }

  qsizetype skip_escape(const QString& written, qsizetype at) {
    if (at >= written.size()) return at;
    if (written[at] == u']') {  // a title or a link: until BEL or ESC backslash
      while (at < written.size() && written[at] != u'\a' && written[at] != u'\x1b') ++at;
      return at < written.size() && written[at] == u'\x1b' ? at + 2 : at + 1;
    }
    if (written[at] != u'[') return at + 1;
    const qsizetype first = ++at;
    while (at < written.size() && (written[at] < u'@' || written[at] > u'~')) ++at;
    if (at < written.size() && written[at] == u'm') set_style(written.mid(first, at - first));
    return at + 1;
  }

  void set_style(const QString& codes) {
    close_format();
    QList<int> n;
    for (const QString& code : codes.split(u';')) n.append(code.toInt());
    for (qsizetype i = 0; i < n.size(); ++i) {
      if (n[i] == 0) format_ = {};
      if (n[i] == 1) format_.setFontWeight(QFont::Bold);
      if (n[i] == 22) format_.setFontWeight(QFont::Normal);
      if (n[i] == 39) format_.clearForeground();
      if (n[i] >= 30 && n[i] <= 37) format_.setForeground(palette_colour(n[i] - 30));
      if (n[i] >= 90 && n[i] <= 97) format_.setForeground(palette_colour(n[i] - 90));
      if (n[i] == 38 && n.value(i + 1) == 5) format_.setForeground(indexed_colour(std::clamp(n.value(i + 2), 0, 255)));
      if (n[i] == 38 && n.value(i + 1) == 2) {
        format_.setForeground(QColor::fromRgb(n.value(i + 2) & 255, n.value(i + 3) & 255, n.value(i + 4) & 255));
      }
      if (n[i] == 38 || n[i] == 48) i += n.value(i + 1) == 5 ? 2 : 4;
    }
    format_start_ = result_.text.size();
  }

  void close_format() {
    const auto length = result_.text.size() - format_start_;
    if (length > 0 && !format_.isEmpty()) {
      result_.formats.append({static_cast<int>(format_start_), static_cast<int>(length), format_});
    }
    format_start_ = result_.text.size();
  }

  TerminalText result_;
  QTextCharFormat format_;
  qsizetype format_start_ = 0, line_start_ = 0;
};

}  // namespace

TerminalText terminal_text(const QByteArray& written) {
  return Reader().read(QString::fromUtf8(written));
}

}  // namespace app
