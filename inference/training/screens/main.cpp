// Makes screens for training: screens --seed N --count N [--stride N] [--pairs] [--split train|eval] [--icons DIR]
//                                     [--view whole|large|crop|zoom|mixed]
// Writes one record per scene to stdout, little-endian:
//   u32 magic 'DSKH', u32 frames (1 or 2), u32 json bytes, u32 0,
//   per frame: 896·504·3 bytes RGB (large: 1344·756·3), 8 bytes for each 14×14 px patch: what it holds (see PatchMap),
//   the labels as JSON.
// The two frames of a pair are the screen before and after an event; with --view zoom the screen and a closer look at a
// part of it.

#include <QApplication>
#include <QCommandLineParser>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <algorithm>
#include <cstdio>
#include <cstring>

#include "inference/training/screens/closer_look.h"
#include "inference/training/screens/events.h"
#include "inference/training/screens/icons.h"

namespace screens {
namespace {

qsizetype leading_spaces(const QString& text) {
  qsizetype n = 0;
  while (n < text.size() && text[n].isSpace()) ++n;
  return n;
}

// Dense labels for training: 8 bytes for each patch, in the vision tower's order (2×2 blocks row by row).
class PatchMap {
 public:
  static constexpr int kPatch_px = 14, kSlots = 4, kBytes = 8;

  explicit PatchMap(const Screen& screen)
      : columns_(screen.picture.width() / kPatch_px),
        rows_(screen.picture.height() / kPatch_px),
        patch_(static_cast<double>(kWidth) / columns_),
        bytes_(static_cast<std::size_t>(columns_ * rows_ * kBytes), 0) {
    for (const Item& item : screen.items) put(item);
    for (const TextRun& run : screen.runs) put(run);
  }
  const std::vector<unsigned char>& bytes() const { return bytes_; }

 private:
  unsigned char* at(int column, int row) {
    const int index = ((row / 2 * (columns_ / 2) + column / 2) * 2 + row % 2) * 2 + column % 2;
    return bytes_.data() + static_cast<std::ptrdiff_t>(index) * kBytes;
  }

  // 1 to 94: printable ASCII from '!'; to 189: Latin-1 from U+00A1; to 253: later letters; 254: anything else.
  static unsigned char character_class(QChar c) {
    const int code = c.unicode();
    if (code > 32 && code < 127) return static_cast<unsigned char>(code - 32);
    if (code > 0xA0 && code < 0x100) return static_cast<unsigned char>(code - 0xA1 + 95);
    return c.isLetter() ? static_cast<unsigned char>(190 + code % 64) : 254;
  }

  // Bytes 0 to 3: the characters whose centre is in the patch, in order; byte 4: 1 + the column where their text
  // begins; byte 7: 1 + how many characters of the text stand before the patch.
  void put(const TextRun& run) {
    const int row = static_cast<int>(run.box.center().y() / patch_);
    int first = -1;
    const qsizetype indent = leading_spaces(run.text);
    for (qsizetype i = 0; i < run.text.size(); ++i) {
      const int column = static_cast<int>(run.centers[static_cast<std::size_t>(i)] / patch_);
      if (column < 0 || column >= columns_ || row < 0 || row >= rows_) continue;
      if (first < 0) first = column;
      unsigned char* patch = at(column, row);
      patch[4] = static_cast<unsigned char>(1 + first);
      if (patch[7] == 0) patch[7] = static_cast<unsigned char>(1 + std::clamp<qsizetype>(i - indent, 0, 62));
      int slot = 0;
      while (slot < kSlots && patch[slot] != 0) ++slot;
      if (slot < kSlots && !run.text[i].isSpace()) patch[slot] = character_class(run.text[i]);
    }
  }

  // Byte 5: 1 + kind · 3 + (0 plain, 1 checked or chosen, 2 focused); byte 6: which symbol (a hash of its name).
  void put(const Item& item) {
    static const QStringList kKinds = {"text area",    "scroll bar", "group",        "progress bar",  "slider",
                                       "label",        "link",       "text field",   "combo box",     "spin box",
                                       "button",       "check box",  "radio button", "menu",          "menu item",
                                       "tab",          "cell",       "tree item",    "column header", "list item",
                                       "desktop icon", "clock",      "task button",  "title bar",     "window button"};
    const auto kind = kKinds.indexOf(item.kind);
    if (kind < 0) return;
    int hash = 0;
    for (const QChar c : item.icon)
      hash = (hash * 31 + c.unicode()) % 254;  // 255 means that nothing is known (real_rows.py)
    const int left = patch_of(item.box.left(), columns_), right = patch_of(item.box.right(), columns_),
              top = patch_of(item.box.top(), rows_), bottom = patch_of(item.box.bottom(), rows_);
    for (int row = top; row <= bottom; ++row)
      for (int column = left; column <= right; ++column) {
        const QPointF centre((column + 0.5) * patch_, (row + 0.5) * patch_);
        if (!item.box.adjusted(-5, -5, 5, 5).contains(centre)) continue;
        at(column, row)[5] = static_cast<unsigned char>(1 + kind * 3 + (item.checked ? 1 : item.focused ? 2 : 0));
        if (!item.icon.isEmpty() && item.text.isEmpty()) at(column, row)[6] = static_cast<unsigned char>(1 + hash);
      }
  }

  int patch_of(double px, int count) const { return std::clamp(static_cast<int>(px / patch_), 0, count - 1); }

  int columns_, rows_;
  double patch_;  // side, in px of an 896×504 picture
  std::vector<unsigned char> bytes_;
};

QJsonArray box_json(const QRectF& box) {
  return {qRound(box.left()), qRound(box.top()), qRound(box.width()), qRound(box.height())};
}

// Text, box and the column of each character, in px.
QJsonArray run_json(const TextRun& run) {
  const QString text = run.text.trimmed();
  const qsizetype indent = leading_spaces(run.text);
  QJsonArray columns;
  for (qsizetype i = 0; i < text.size(); ++i)
    columns.append(static_cast<int>(run.centers[static_cast<std::size_t>(indent + i)]));
  return {text, box_json(run.box), columns};
}

QJsonObject screen_json(const Screen& screen) {
  QJsonArray items, runs, titles;
  for (const Item& item : screen.items) {
    QJsonObject o{{"kind", item.kind}, {"box", box_json(item.box)}, {"layer", item.layer}};
    if (!item.text.isEmpty()) o["text"] = item.text;
    if (!item.icon.isEmpty()) o["icon"] = item.icon;
    if (!item.value.isEmpty()) o["value"] = item.value;
    if (!item.title.isEmpty()) o["title"] = item.title;
    if (item.checked) o["checked"] = true;
    if (!item.enabled) o["disabled"] = true;
    if (item.focused) o["focused"] = true;
    items.append(o);
  }
  for (const TextRun& run : screen.runs)
    if (run.whole && run.text.size() < 60) runs.append(run_json(run));
  for (const QString& title : screen.titles) titles.append(title);
  return {{"items", items}, {"runs", runs}, {"titles", titles}};
}

void write_frame(const Screen& screen) {
  const QImage& picture = screen.picture;
  for (int y = 0; y < picture.height(); ++y)
    std::fwrite(picture.constScanLine(y), 1, static_cast<std::size_t>(picture.width()) * 3, stdout);
  const PatchMap map(screen);
  std::fwrite(map.bytes().data(), 1, map.bytes().size(), stdout);
}

void write_record(std::initializer_list<const Screen*> frames, const QJsonObject& labels) {
  const QByteArray json = QJsonDocument(labels).toJson(QJsonDocument::Compact);
  const std::uint32_t header[4] = {0x484b5344, static_cast<std::uint32_t>(frames.size()),
                                   static_cast<std::uint32_t>(json.size()), 0};
  std::fwrite(header, sizeof header, 1, stdout);
  for (const Screen* frame : frames) write_frame(*frame);
  std::fwrite(json.data(), 1, static_cast<std::size_t>(json.size()), stdout);
}

bool has_marks(const QString& text) {
  return std::any_of(text.begin(), text.end(), [](QChar c) { return c.unicode() > 126; });
}

// A text, or now and then a field, that a closer look is to show; in training more often what is hard to read.
QRectF worth_reading(const Screen& screen, Random& random, Split split) {
  std::vector<QRectF> texts, hard, fields;
  for (const TextRun& run : screen.runs) {
    if (!run.whole || run.text.size() >= 60) continue;
    texts.push_back(run.box);
    if (run.box.width() <= kWidth / 2.0 && (run.text.size() > 20 || has_marks(run.text))) hard.push_back(run.box);
  }
  for (const Item& item : screen.items)  // of one line: a place in them is a place on their text
    if (!item.value.isEmpty() && (item.kind == "text field" || item.kind == "combo box" || item.kind == "spin box"))
      fields.push_back(item.box);
  if (split == Split::Train && !hard.empty() && random.chance(0.5)) return random.pick(hard);
  if (!fields.empty() && random.chance(0.2)) return random.pick(fields);
  return texts.empty() ? QRectF(kWidth / 2.0, kHeight / 2.0, 0, 0) : random.pick(texts);
}

// A closer look alone, or behind the whole screen as the second of a pair. What it is taken for and what it shows are
// in px of the whole picture.
void write_closer_look(const Screen& whole, Random& random, Split split, QJsonObject labels, bool pair) {
  constexpr double kFactor = 2;  // the agent's
  const QRectF target = worth_reading(whole, random, split);
  const QRect part = part_around(target.center(), pair || random.chance(0.85) ? kFactor : 1.2 + random.unit());
  const Screen closer = closer_look(whole, part);
  labels["zoom"] = QJsonObject{{"target", box_json(target)}, {"part", box_json(part)}};
  labels[pair ? "second" : "first"] = screen_json(closer);
  if (pair)
    write_record({&whole, &closer}, labels);
  else
    write_record({&closer}, labels);
}

void write_scene(std::uint64_t seed, Split split, const QString& view_name, bool pair) {
  Random random(seed);
  const int mixed = view_name == "mixed" ? random.weighted({58, 12, 30}) : 0;  // whole, crop, zoom
  const bool crop = view_name == "crop" || mixed == 1, zoom = view_name == "zoom" || mixed == 2;
  Desktop desktop(random, split, crop ? View::Crop : view_name == "large" ? View::Large : View::Whole);
  Screen first = desktop.render();
  if (random.chance(pair && !zoom ? 0.6 : 0.2)) {
    prepare(desktop, first);
    first = desktop.render();
  }
  QJsonObject labels{{"seed", static_cast<qint64>(seed)}, {"first", screen_json(first)}};
  if (zoom) return write_closer_look(first, random, split, std::move(labels), pair);
  if (!pair) return write_record({&first}, labels);
  const Event event = act(desktop, first);
  const Screen second = desktop.render();
  labels["second"] = screen_json(second);
  labels["event"] = QJsonObject{{"op", event.op},         {"item", event.item},     {"text", event.text},
                                {"amount", event.amount}, {"effect", event.effect}, {"detail", event.detail}};
  write_record({&first, &second}, labels);
}

}  // namespace
}  // namespace screens

int main(int argc, char** argv) {
  qputenv("QT_QPA_PLATFORM", "offscreen");
  QApplication application(argc, argv);
  QCommandLineParser parser;
  parser.addOptions({{"seed", "first scene", "N", "0"},
                     {"count", "how many scenes", "N", "1"},
                     {"stride", "distance of seeds", "N", "1"},
                     {"pairs", "two frames and an event, or what a closer look was taken for"},
                     {"icons", "folder of icon themes", "DIR", ""},
                     {"split", "train or eval", "S", "train"},
                     {"view", "whole, large (1344×756), crop, zoom or mixed (whole, crop and zoom)", "V", "whole"}});
  parser.process(application);
  const auto split = parser.value("split") == "eval" ? screens::Split::HeldOut : screens::Split::Train;
  screens::use_icon_themes(parser.value("icons"));
  const std::uint64_t seed = parser.value("seed").toULongLong(), stride = parser.value("stride").toULongLong();
  for (std::uint64_t i = 0, n = parser.value("count").toULongLong(); i < n; ++i)
    screens::write_scene(seed + i * stride, split, parser.value("view"), parser.isSet("pairs"));
  return 0;
}
