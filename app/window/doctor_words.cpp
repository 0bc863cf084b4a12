#include "app/window/doctor_words.h"

#include <QCoreApplication>
#include <QRegularExpression>

namespace app {
namespace {

// As app/doctor_checks.cpp writes them; %1, %2: what differs from machine to machine.
constexpr const char* kSaid[] = {
    QT_TRANSLATE_NOOP("Checks", "log in to an X11 session"),
    QT_TRANSLATE_NOOP("Checks", "log in to an X11 session for --desktop mine"),
    QT_TRANSLATE_NOOP("Checks", "a Wayland session without X11"),
    QT_TRANSLATE_NOOP("Checks", "no display here"),
    QT_TRANSLATE_NOOP("Checks", "private desktops work all the same; --desktop mine needs an X11 session"),
    QT_TRANSLATE_NOOP("Checks", "X11 programs of a Wayland session (%1, %2)"),
    QT_TRANSLATE_NOOP("Checks", "only X11 windows can be seen and worked; log in to an X11 session for --desktop mine"),
    QT_TRANSLATE_NOOP("Checks", "X11 display %1, %2"),
    QT_TRANSLATE_NOOP("Checks", "no display to try it on"),
    QT_TRANSLATE_NOOP("Checks", "work on a private desktop, which has a window manager and no input method"),
    QT_TRANSLATE_NOOP("Checks", "the input helper works %1 through XTest"),
    QT_TRANSLATE_NOOP("Checks", "install xvfb, xauth, openbox, dbus, dbus-x11, at-spi2-core and x11-xkb-utils"),
    QT_TRANSLATE_NOOP("Checks", "starts, is seen, and takes keys (%1)"),
    QT_TRANSLATE_NOOP("Checks", "install at-spi2-core and libatk-adaptor"),
    QT_TRANSLATE_NOOP("Checks", "the accessibility bus of a private desktop answers"),
    QT_TRANSLATE_NOOP("Checks", "install bubblewrap, and allow user namespaces"),
    QT_TRANSLATE_NOOP("Checks", "a command ran in bubblewrap"),
    QT_TRANSLATE_NOOP("Checks", "mousepad, mate-calc, Xephyr and ripgrep are there"),
    QT_TRANSLATE_NOOP("Checks", "missing: %1"),
    QT_TRANSLATE_NOOP(
        "Checks", "install mousepad, mate-calc (demonstration, calibrate), xserver-xephyr (--watch), ripgrep (search)"),
    QT_TRANSLATE_NOOP("Checks", "no NVIDIA GPU: models run on the processor"),
    QT_TRANSLATE_NOOP("Checks",
                      "the small model needs none; for MiniMax-M3 use a GPU, or a server by --model http://…"),
    QT_TRANSLATE_NOOP("Checks", "an NVIDIA GPU, but Deskhand was built without CUDA"),
    QT_TRANSLATE_NOOP("Checks", "install the CUDA toolkit (nvcc) and build again"),
    QT_TRANSLATE_NOOP("Checks", "an NVIDIA GPU and the kernels for it"),
    QT_TRANSLATE_NOOP("Checks", "%1 loads from %2"),
    QT_TRANSLATE_NOOP("Checks", "install Deskhand again"),
    QT_TRANSLATE_NOOP("Checks", "no D-Bus session"),
    QT_TRANSLATE_NOOP("Checks", "only needed for Wayland desktops"),
    QT_TRANSLATE_NOOP("Checks", "no desktop portal runs"),
    QT_TRANSLATE_NOOP("Checks", "only needed for Wayland desktops: install xdg-desktop-portal"),
    QT_TRANSLATE_NOOP("Checks", "a desktop portal runs"),
    QT_TRANSLATE_NOOP("Checks", "%1 can be read and written"),
    QT_TRANSLATE_NOOP("Checks", "see the message"),
    QT_TRANSLATE_NOOP("Checks", "%1 can't be looked at"),
    QT_TRANSLATE_NOOP("Checks", "make it a folder of yours"),
    QT_TRANSLATE_NOOP("Checks", "%1 GiB free in %2"),
    QT_TRANSLATE_NOOP("Checks", "free some: sessions record what was seen"),
    QT_TRANSLATE_NOOP("Checks", "free some space"),
    QT_TRANSLATE_NOOP("Checks", "secret-tool is there for keys and passwords"),
    QT_TRANSLATE_NOOP("Checks", "no secret-tool: keys and passwords come from files (mode 0600) or the environment"),
    QT_TRANSLATE_NOOP("Checks", "install libsecret-tools to keep them in the keyring"),
};

QRegularExpression form_of(const char* said) {
  QString form = QRegularExpression::escape(QString::fromUtf8(said));
  form.replace("\\%1", "(.+)").replace("\\%2", "(.+)");
  return QRegularExpression(QRegularExpression::anchoredPattern(form), QRegularExpression::DotMatchesEverythingOption);
}

}  // namespace

QString doctor_words(const QString& english) {
  for (const char* said : kSaid) {
    const QRegularExpressionMatch match = form_of(said).match(english);
    if (!match.hasMatch()) continue;
    const QString translated = QCoreApplication::translate("Checks", said);
    const QString first = match.captured(1), second = match.captured(2);
    if (second.isEmpty()) return first.isEmpty() ? translated : translated.arg(first);
    return translated.arg(first, second);
  }
  return english;
}

}  // namespace app
