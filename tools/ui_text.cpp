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

std::optional<std::string> UiTree::insert_text(const UiNode& node, const std::string& text, std::stop_token stop) {
  if (!node.is_editable) return "the " + described(node) + " takes no text this way: click it and type";
  const Patience patience{.deadline = Clock::now() + kLimit, .stop = std::move(stop)};
  const AccessibleId id = id_of(node);
  const std::optional<std::string> before = text_of(node, patience);
  const std::optional<int> caret = number_in(bus_->ask(AccessibilityBus::property(id, kText, "CaretOffset"), patience));
  if (!before || !caret) return "the program of the " + described(node) + " does not tell what it holds; type instead";
  const AccessibleId application{id.bus, "/org/a11y/atspi/accessible/root"};
  const QString toolkit = string_in(
      bus_->ask(AccessibilityBus::property(application, "org.a11y.atspi.Application", "ToolkitName"), patience));
  const bool counts_utf16 = toolkit.startsWith("Qt", Qt::CaseInsensitive);
  QString expected = QString::fromStdString(*before);
  const auto index_of = [&](int offset) { return counts_utf16 ? qsizetype{offset} : utf16_index(expected, offset); };
  int start = *caret;
  if (const std::optional<std::pair<int, int>> selected = selection_of(*bus_, id, patience)) {
    start = selected->first;
    const qsizetype first = index_of(selected->first), last = index_of(selected->second);
    bus_->ask(AccessibilityBus::method(id, kEditableText, "DeleteText", {selected->first, selected->second}), patience);
    expected.remove(first, last - first);
  }
  const QString added = QString::fromStdString(text);
  const int length = counts_utf16 ? static_cast<int>(added.size()) : static_cast<int>(text.size());
  expected.insert(index_of(start), added);
  bus_->ask(AccessibilityBus::method(id, kEditableText, "InsertText", {start, added, length}), patience);
  return verify_text(node, expected.toStdString(), patience);
}

std::optional<std::string> UiTree::replace_text(const UiNode& node, const std::string& text, std::stop_token stop) {
  if (!node.is_editable) return "the " + described(node) + " takes no text this way: click it, select all and type";
  const Patience patience{.deadline = Clock::now() + kLimit, .stop = std::move(stop)};
  bus_->ask(AccessibilityBus::method(id_of(node), kEditableText, "SetTextContents", {QString::fromStdString(text)}),
            patience);
  return verify_text(node, text, patience);
}

}  // namespace tools
