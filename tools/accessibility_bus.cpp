#include "tools/accessibility_bus.h"

#include <poll.h>

#include <QDBusArgument>
#include <QDBusError>
#include <QDBusObjectPath>
#include <QDBusPendingCall>
#include <QDBusVariant>
#include <atomic>

#include "capture/error.h"
#include "tools/session_bus.h"
#include "tools/x11_atoms.h"

namespace tools {
namespace {

using namespace std::chrono_literals;

constexpr int kCallLimitMs = 3000;
constexpr int kAddressLimitMs = 5000;
// Programs answer one question after the other; more on the way would only fill their queues.
constexpr size_t kMostOnTheWay = 512;

// The bus tells its address on the root window of its desktop; without that, the session bus knows.
QString address_of_bus(const std::string& display) {
  const auto x = capture::X11Connection::open(display);
  X11Atoms atoms(x);
  const PropertyReply reply(xcb_get_property_reply(
      x->get(), xcb_get_property(x->get(), 0, x->root(), atoms["AT_SPI_BUS"], XCB_GET_PROPERTY_TYPE_ANY, 0, 1024),
      nullptr));
  const std::string address = property_text(reply);
  if (!address.empty()) return QString::fromStdString(address.substr(0, address.find('\0')));
  if (has_session_bus()) {
    const QDBusConnection session = QDBusConnection::connectToBus(QDBusConnection::SessionBus, "deskhand-session");
    const QDBusMessage answer =
        session.call(QDBusMessage::createMethodCall("org.a11y.Bus", "/org/a11y/bus", "org.a11y.Bus", "GetAddress"),
                     QDBus::Block, kAddressLimitMs);
    QDBusConnection::disconnectFromBus("deskhand-session");
    if (answer.type() == QDBusMessage::ReplyMessage && !answer.arguments().isEmpty())
      return answer.arguments()[0].toString();
  }
  throw capture::Error(
      "the desktop " + x->display() +
      " has no accessibility bus, so its widgets can't be read: install at-spi2-core and start a new session");
}

AccessibleId id_from(const QDBusArgument& argument) {
  AccessibleId id;
  QDBusObjectPath path;
  argument.beginStructure();
  argument >> id.bus >> path;
  argument.endStructure();
  id.path = path.path();
  return id;
}

std::vector<AccessibleId> ids_from(const QDBusArgument& argument) {
  std::vector<AccessibleId> ids;
  argument.beginArray();
  while (!argument.atEnd()) ids.push_back(id_from(argument));
  argument.endArray();
  return ids;
}

std::uint64_t states_from(const QDBusArgument& argument) {
  std::uint64_t states = 0;
  int shift = 0;
  argument.beginArray();
  while (!argument.atEnd()) {
    unsigned word = 0;
    argument >> word;
    if (shift < 64) states |= std::uint64_t{word} << shift;
    shift += 32;
  }
  argument.endArray();
  return states;
}

// The only argument as a structure or array that Qt leaves to us; none when the answer is of another kind.
std::optional<QDBusArgument> argument_in(const QDBusMessage& answer, const char* signature) {
  if (answer.type() != QDBusMessage::ReplyMessage || answer.signature() != signature) return std::nullopt;
  return answer.arguments()[0].value<QDBusArgument>();
}

QVariant value_in(const QDBusMessage& answer) {
  if (answer.type() != QDBusMessage::ReplyMessage || answer.arguments().isEmpty()) return {};
  const QVariant value = answer.arguments()[0];
  return value.canConvert<QDBusVariant>() ? value.value<QDBusVariant>().variant() : value;
}

}  // namespace

std::unique_ptr<AccessibilityBus> AccessibilityBus::open(const std::string& display) {
  static std::atomic<int> n_opened = 0;
  const QString address = address_of_bus(display);
  const QDBusConnection connection =
      QDBusConnection::connectToBus(address, "deskhand-accessibility-" + QString::number(++n_opened));
  if (!connection.isConnected())
    throw capture::Error("the accessibility bus at " + address.toStdString() + " can't be reached: " +
                         connection.lastError().message().toStdString() + "; start a new private desktop or session");
  return std::unique_ptr<AccessibilityBus>(new AccessibilityBus(connection));
}

AccessibilityBus::~AccessibilityBus() {
  QDBusConnection::disconnectFromBus(connection_.name());
}

QDBusMessage AccessibilityBus::method(const AccessibleId& object, const char* interface, const char* name,
                                      const QVariantList& arguments) {
  QDBusMessage message = QDBusMessage::createMethodCall(object.bus, object.path, interface, name);
  message.setArguments(arguments);
  return message;
}

QDBusMessage AccessibilityBus::property(const AccessibleId& object, const char* interface, const char* name) {
  return method(object, "org.freedesktop.DBus.Properties", "Get", {QString(interface), QString(name)});
}

std::vector<QDBusMessage> AccessibilityBus::ask(const std::vector<QDBusMessage>& questions, const Patience& patience) {
  std::vector<QDBusMessage> answers(questions.size());
  for (size_t begin = 0; begin < questions.size() && !patience.is_over(); begin += kMostOnTheWay) {
    const size_t end = std::min(begin + kMostOnTheWay, questions.size());
    std::vector<QDBusPendingCall> calls;
    for (size_t i = begin; i < end; ++i) calls.push_back(connection_.asyncCall(questions[i], kCallLimitMs));
    for (size_t i = begin; i < end; ++i) {
      // Answers are taken in by QtDBus's own thread; a blocking wait could not be stopped.
      while (!calls[i - begin].isFinished() && !patience.is_over()) poll(nullptr, 0, 1);
      if (calls[i - begin].isFinished()) answers[i] = calls[i - begin].reply();
    }
  }
  return answers;
}

QDBusMessage AccessibilityBus::ask(const QDBusMessage& question, const Patience& patience) {
  return ask(std::vector<QDBusMessage>{question}, patience)[0];
}

pid_t AccessibilityBus::pid_of(const QString& bus, const Patience& patience) {
  const AccessibleId daemon{"org.freedesktop.DBus", "/org/freedesktop/DBus"};
  return number_in(ask(method(daemon, "org.freedesktop.DBus", "GetConnectionUnixProcessID", {bus}), patience))
      .value_or(0);
}

std::vector<AccessibleId> ids_in(const QDBusMessage& answer) {
  const std::optional<QDBusArgument> argument = argument_in(answer, "a(so)");
  return argument ? ids_from(*argument) : std::vector<AccessibleId>();
}

AccessibleId id_in(const QDBusMessage& answer) {
  const std::optional<QDBusArgument> argument = argument_in(answer, "(so)");
  return argument ? id_from(*argument) : AccessibleId();
}

std::optional<std::uint64_t> states_in(const QDBusMessage& answer) {
  const std::optional<QDBusArgument> argument = argument_in(answer, "au");
  if (!argument) return std::nullopt;
  return states_from(*argument);
}

std::optional<Extents> extents_in(const QDBusMessage& answer) {
  const std::optional<QDBusArgument> argument = argument_in(answer, "(iiii)");
  if (!argument) return std::nullopt;
  Extents extents;
  argument->beginStructure();
  *argument >> extents.x >> extents.y >> extents.width >> extents.height;
  argument->endStructure();
  return extents;
}

QString string_in(const QDBusMessage& answer) {
  return value_in(answer).toString();
}

std::optional<int> number_in(const QDBusMessage& answer) {
  const QVariant value = value_in(answer);
  if (!value.isValid() || !value.canConvert<int>()) return std::nullopt;
  return value.toInt();
}

std::vector<CacheItem> cache_items_in(const QDBusMessage& answer) {
  const bool has_counts = answer.signature() == "a((so)(so)(so)iiassusau)";
  const bool has_children = answer.signature() == "a((so)(so)(so)a(so)assusau)";
  const std::optional<QDBusArgument> argument = argument_in(answer, answer.signature().toLatin1().constData());
  std::vector<CacheItem> items;
  if (!argument || (!has_counts && !has_children)) return items;
  argument->beginArray();
  while (!argument->atEnd()) {
    CacheItem item;
    QString description;
    argument->beginStructure();
    item.id = id_from(*argument);
    id_from(*argument);  // the application
    item.parent = id_from(*argument);
    if (has_counts) {
      *argument >> item.index >> item.n_children;
    } else {
      item.n_children = static_cast<int>(ids_from(*argument).size());
    }
    *argument >> item.interfaces >> item.name >> item.role >> description;
    item.states = states_from(*argument);
    argument->endStructure();
    items.push_back(std::move(item));
  }
  argument->endArray();
  return items;
}

}  // namespace tools
