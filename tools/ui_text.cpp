// The text half of ui_tree.h: EditableText in, Text back out. Toolkits count differently: a length is bytes for GTK and
// UTF-16 units for Qt, an offset characters for GTK and UTF-16 units for Qt.

#include <poll.h>

#include <algorithm>

#include "tools/accessibility_bus.h"
#include "tools/ui_tree.h"

namespace tools {
namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr char kText[] = "org.a11y.atspi.Text";
constexpr char kEditableText[] = "org.a11y.atspi.EditableText";
constexpr auto kLimit = 5s;
constexpr auto kVerifyLimit = 1s;
constexpr int kLongestRead = 200'000;  // characters; a longer document would take the bus for too long

AccessibleId id_of(const UiNode& node) {
  return {QString::fromStdString(node.bus), QString::fromStdString(node.path)};
}

std::string described(const UiNode& node) {
  return node.role + " \"" + node.name + "\"";
}

// QString index of an offset that the program counts in characters.
qsizetype utf16_index(const QString& text, int n_characters) {
  qsizetype index = 0;
  for (; n_characters > 0 && index < text.size(); --n_characters)
    index += text[index].isHighSurrogate() && index + 1 < text.size() ? 2 : 1;
  return index;
}

// Start and end of what is selected, if anything is.
std::optional<std::pair<int, int>> selection_of(AccessibilityBus& bus, const AccessibleId& id,
                                                const Patience& patience) {
  if (number_in(bus.ask(AccessibilityBus::method(id, kText, "GetNSelections"), patience)).value_or(0) < 1) return {};
  const QVariantList ends = bus.ask(AccessibilityBus::method(id, kText, "GetSelection", {0}), patience).arguments();
  if (ends.size() != 2 || ends[0].toInt() == ends[1].toInt()) return {};
  const int first = ends[0].toInt(), second = ends[1].toInt();
  return std::pair(std::min(first, second), std::max(first, second));
}

}  // namespace

// Start and end are equal where nothing is selected; offsets as the program counts them.
struct UiTree::Place {
  QString before;
  int start = 0, end = 0;
  bool counts_utf16 = false;

  qsizetype index_of(int offset) const { return counts_utf16 ? qsizetype{offset} : utf16_index(before, offset); }
  QString with(const QString& text) const {
    QString after = before;
    return after.replace(index_of(start), index_of(end) - index_of(start), text);
  }
};

std::optional<std::string> UiTree::text_of(const UiNode& node, const Patience& patience) {
  if (!node.has_text) return std::nullopt;
  const QDBusMessage answer = bus_->ask(AccessibilityBus::method(id_of(node), kText, "GetText", {0, -1}), patience);
  if (answer.signature() != "s") return std::nullopt;
  return answer.arguments()[0].toString().toStdString();
}

std::optional<std::string> UiTree::read_text(const UiNode& node, std::stop_token stop) {
  return text_of(node, {.deadline = Clock::now() + kLimit, .stop = std::move(stop)});
}

// Programs may take the text in after they have answered.
std::optional<std::string> UiTree::verify_text(const UiNode& node, const std::string& expected,
                                               const Patience& patience) {
  const auto deadline = std::min(patience.deadline, Clock::now() + kVerifyLimit);
  std::optional<std::string> now;
  do {
    now = text_of(node, patience);
    if (now == expected) return std::nullopt;
    poll(nullptr, 0, 5);
  } while (!patience.is_over() && Clock::now() < deadline);
  if (patience.stop.stop_requested()) return "stopped before the text could be read back";
  if (!now) return "the text of the " + described(node) + " can't be read back, so it is unknown what it holds";
  return "the " + described(node) + " holds something else than what was put in (" + std::to_string(now->size()) +
         " bytes instead of " + std::to_string(expected.size()) + "): look at it before going on";
}

std::optional<UiTree::Place> UiTree::place_in(const UiNode& node, const Patience& patience) {
  const AccessibleId id = id_of(node);
  if (number_in(bus_->ask(AccessibilityBus::property(id, kText, "CharacterCount"), patience)).value_or(0) >
      kLongestRead)
    return std::nullopt;
  const std::optional<std::string> before = text_of(node, patience);
  const std::optional<int> caret = number_in(bus_->ask(AccessibilityBus::property(id, kText, "CaretOffset"), patience));
  if (!before || !caret) return std::nullopt;
  const AccessibleId application{id.bus, "/org/a11y/atspi/accessible/root"};
  const QString toolkit = string_in(
      bus_->ask(AccessibilityBus::property(application, "org.a11y.atspi.Application", "ToolkitName"), patience));
  const auto [start, end] = selection_of(*bus_, id, patience).value_or(std::pair(*caret, *caret));
  return Place{.before = QString::fromStdString(*before),
               .start = start,
               .end = end,
               .counts_utf16 = toolkit.startsWith("Qt", Qt::CaseInsensitive)};
}

std::optional<UiNode> UiTree::focused_field(const Window& window, std::stop_token stop) {
  UiSnapshot snapshot = read(window, {}, std::move(stop));
  for (auto node = snapshot.nodes.rbegin(); node != snapshot.nodes.rend(); ++node)
    if (node->is_editable && node->has_state("focused")) return std::move(*node);
  return std::nullopt;
}

std::optional<UiTree::Typing> UiTree::typing(const UiNode& node, const std::string& text, std::stop_token stop) {
  if (!node.has_text) return std::nullopt;
  const std::optional<Place> place = place_in(node, {.deadline = Clock::now() + kLimit, .stop = std::move(stop)});
  if (!place) return std::nullopt;
  return Typing{place->before.toStdString(), place->with(QString::fromStdString(text)).toStdString()};
}

std::optional<std::string> UiTree::insert_text(const UiNode& node, const std::string& text, std::stop_token stop) {
  if (!node.is_editable) return "the " + described(node) + " takes no text this way: click it and type";
  const Patience patience{.deadline = Clock::now() + kLimit, .stop = std::move(stop)};
  const AccessibleId id = id_of(node);
  const std::optional<Place> place = place_in(node, patience);
  if (!place) return "the program of the " + described(node) + " does not tell what it holds; type instead";
  if (place->end > place->start)
    bus_->ask(AccessibilityBus::method(id, kEditableText, "DeleteText", {place->start, place->end}), patience);
  const QString added = QString::fromStdString(text);
  const int length = place->counts_utf16 ? static_cast<int>(added.size()) : static_cast<int>(text.size());
  bus_->ask(AccessibilityBus::method(id, kEditableText, "InsertText", {place->start, added, length}), patience);
  return verify_text(node, place->with(added).toStdString(), patience);
}

std::optional<std::string> UiTree::replace_text(const UiNode& node, const std::string& text, std::stop_token stop) {
  if (!node.is_editable) return "the " + described(node) + " takes no text this way: click it, select all and type";
  const Patience patience{.deadline = Clock::now() + kLimit, .stop = std::move(stop)};
  bus_->ask(AccessibilityBus::method(id_of(node), kEditableText, "SetTextContents", {QString::fromStdString(text)}),
            patience);
  return verify_text(node, text, patience);
}

}  // namespace tools
