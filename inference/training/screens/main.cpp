// Makes screens for training: screens --seed N --count N [--stride N] [--pairs] [--split train|eval]
// Writes one record per scene to stdout, little-endian:
//   u32 magic 'DSKH', u32 frames (1 or 2), u32 json bytes, u32 0,
//   per frame: 896·504·3 bytes RGB, 32·18·12 bytes: which characters (bits, see kCharacters) each 28×28 px cell holds,
//   the labels as JSON.

#include <QApplication>
#include <QCommandLineParser>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <cstdio>
#include <cstring>

#include "inference/training/screens/events.h"

namespace screens {
namespace {

constexpr int kCell = 28, kColumns = kWidth / kCell, kRows = kHeight / kCell, kMaskBytes = 12;
// Bit i of a cell: printable ASCII from '!'; 94 any letter beyond ASCII, 95 anything else.
int character_bit(QChar c) {
  const ushort code = c.unicode();
  if (code > 32 && code < 127) return code - 33;
  return c.isLetter() ? 94 : 95;
}

QJsonArray box_json(const QRectF& box) {
  return {qRound(box.left()), qRound(box.top()), qRound(box.width()), qRound(box.height())};
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
    if (run.whole && run.text.size() < 60) runs.append(QJsonArray{run.text.trimmed(), box_json(run.box)});
  for (const QString& title : screen.titles) titles.append(title);
  return {{"items", items}, {"runs", runs}, {"titles", titles}};
}

void write_frame(const Screen& screen) {
  for (int y = 0; y < kHeight; ++y) std::fwrite(screen.picture.constScanLine(y), 1, kWidth * 3, stdout);
  std::vector<unsigned char> mask(kColumns * kRows * kMaskBytes, 0);
  for (const TextRun& run : screen.runs)
    for (qsizetype i = 0; i < run.text.size(); ++i) {
      const int x = static_cast<int>(run.centers[static_cast<std::size_t>(i)]) / kCell,
                y = static_cast<int>(run.box.center().y()) / kCell;
      if (run.text[i].isSpace() || x < 0 || y < 0 || x >= kColumns || y >= kRows) continue;
      const int bit = character_bit(run.text[i]);
      mask[static_cast<std::size_t>((y * kColumns + x) * kMaskBytes + bit / 8)] |=
          static_cast<unsigned char>(1 << bit % 8);
    }
  std::fwrite(mask.data(), 1, mask.size(), stdout);
}

void write_scene(std::uint64_t seed, Split split, bool pair) {
  Random random(seed);
  Desktop desktop(random, split);
  Screen first = desktop.render();
  if (random.chance(pair ? 0.6 : 0.2)) {
    prepare(desktop, first);
    first = desktop.render();
  }
  QJsonObject labels{{"seed", static_cast<qint64>(seed)}, {"first", screen_json(first)}};
  Screen second;
  if (pair) {
    const Event event = act(desktop, first);
    second = desktop.render();
    labels["second"] = screen_json(second);
    labels["event"] = QJsonObject{{"op", event.op},         {"item", event.item},     {"text", event.text},
                                  {"amount", event.amount}, {"effect", event.effect}, {"detail", event.detail}};
  }
  const QByteArray json = QJsonDocument(labels).toJson(QJsonDocument::Compact);
  const std::uint32_t header[4] = {0x484b5344, pair ? 2u : 1u, static_cast<std::uint32_t>(json.size()), 0};
  std::fwrite(header, sizeof header, 1, stdout);
  write_frame(first);
  if (pair) write_frame(second);
  std::fwrite(json.data(), 1, static_cast<std::size_t>(json.size()), stdout);
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
                     {"pairs", "two frames and an event"},
                     {"split", "train or eval", "S", "train"}});
  parser.process(application);
  const auto split = parser.value("split") == "eval" ? screens::Split::HeldOut : screens::Split::Train;
  const std::uint64_t seed = parser.value("seed").toULongLong(), stride = parser.value("stride").toULongLong();
  for (std::uint64_t i = 0, n = parser.value("count").toULongLong(); i < n; ++i)
    screens::write_scene(seed + i * stride, split, parser.isSet("pairs"));
  return 0;
}
