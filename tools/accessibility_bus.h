#pragma once
// A connection to the accessibility bus of a desktop: many questions at once, answers in C++ types. Needs no event
// loop.

#include <QDBusConnection>
#include <QDBusMessage>
#include <QString>
#include <QVariantList>
#include <chrono>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace tools {

// One object on the bus.
struct AccessibleId {
  QString bus;   // the program's unique name
  QString path;  // the object in that program

  bool operator<(const AccessibleId& other) const { return bus == other.bus ? path < other.path : bus < other.bus; }
};

// When to give up, and who may ask to.
struct Patience {
  std::chrono::steady_clock::time_point deadline;
  std::stop_token stop;

  bool is_over() const { return stop.stop_requested() || std::chrono::steady_clock::now() >= deadline; }
};

// Used by one thread.
class AccessibilityBus {
 public:
  // Throws capture::Error when the desktop has none or it can't be reached.
  static std::unique_ptr<AccessibilityBus> open(const std::string& display);
  ~AccessibilityBus();
  AccessibilityBus(const AccessibilityBus&) = delete;
  AccessibilityBus& operator=(const AccessibilityBus&) = delete;

  static QDBusMessage method(const AccessibleId& object, const char* interface, const char* name,
                             const QVariantList& arguments = {});
  static QDBusMessage property(const AccessibleId& object, const char* interface, const char* name);

  // Sends all and waits for all. An answer that did not come, or is an error, is a message without arguments.
  std::vector<QDBusMessage> ask(const std::vector<QDBusMessage>& questions, const Patience& patience);
  QDBusMessage ask(const QDBusMessage& question, const Patience& patience);

  // 0: unknown.
  pid_t pid_of(const QString& bus, const Patience& patience);

 private:
  explicit AccessibilityBus(const QDBusConnection& connection) : connection_(connection) {}

  QDBusConnection connection_;
};

// What an answer holds; an empty value when it holds something else.
std::vector<AccessibleId> ids_in(const QDBusMessage& answer);        // a(so)
AccessibleId id_in(const QDBusMessage& answer);                      // (so)
std::optional<std::uint64_t> states_in(const QDBusMessage& answer);  // au
struct Extents {
  int x = 0, y = 0, width = 0, height = 0;
};
std::optional<Extents> extents_in(const QDBusMessage& answer);  // (iiii)
QString string_in(const QDBusMessage& answer);                  // s, or a variant of it
std::optional<int> number_in(const QDBusMessage& answer);       // i or u, or a variant of it

// One entry of org.a11y.atspi.Cache.GetItems, in both forms that toolkits send.
struct CacheItem {
  AccessibleId id, parent;
  int index = -1;  // among its parent's children
  int n_children = 0;
  QStringList interfaces;
  QString name;
  unsigned role = 0;
  std::uint64_t states = 0;
};
std::vector<CacheItem> cache_items_in(const QDBusMessage& answer);

}  // namespace tools
