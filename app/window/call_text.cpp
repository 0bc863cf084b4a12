#include "app/window/call_text.h"

#include <QCoreApplication>
#include <QJsonArray>
#include <QJsonDocument>
#include <QLocale>
#include <cmath>

#include "agent/permission.h"

namespace app {
namespace {

class Words {
  Q_DECLARE_TR_FUNCTIONS(Calls)

 public:
  static QString pointer(const QJsonObject& a) {
    const QString action = a["action"].toString(), at = point(a);
    if (action == "click") return click(a, at);
    if (action == "move") return tr("Move to %1").arg(at);
    if (action == "press") return tr("Press the button at %1").arg(at);
    if (action == "release") return tr("Release the button at %1").arg(at);
    if (action == "drag") {
      const QJsonArray path = a["path"].toArray();
      return tr("Drag from %1 to %2").arg(point(path.first().toArray()), point(path.last().toArray()));
    }
    const double down = a["down"].toDouble();
    if (down != 0) return down > 0 ? tr("Scroll down") : tr("Scroll up");
    return a["right"].toDouble() > 0 ? tr("Scroll right") : tr("Scroll left");
  }

  static QString keyboard(const QJsonObject& a) {
    const QString action = a["action"].toString();
    if (action == "type") return tr("Type “%1”").arg(short_text(a["text"].toString()));
    if (action == "hold") return tr("Hold %1").arg(a["keys"].toString());
    if (action == "release") return tr("Release %1").arg(a["keys"].toString());
    return tr("Press %1").arg(a["keys"].toString());
  }

  static QString windows(const QJsonObject& a) {
    const QString action = a["action"].toString();
    const QString which = short_text(a["title"].toString());
    if (action == "list") return tr("List the windows");
    if (action == "wait") return tr("Wait for the window %1").arg(which);
    if (action == "close") return tr("Close the window %1").arg(which);
    if (action == "activate") return tr("Switch to the window %1").arg(which);
    return tr("Arrange the window %1").arg(which);
  }

  static QString other(const QString& tool, const QJsonObject& a) {
    if (tool == "shell") return tr("Run a command");
    if (tool == "shell_job") return tr("Look after a running command");
    if (tool == "launch" || tool == "open") return tr("Open %1").arg(first_text(a, {"program", "application"}));
    if (tool == "zoom" || (tool == "screenshot" && a.contains("region"))) return tr("Look closer");
    if (tool == "screenshot") return tr("Look at the screen");
    if (tool == "wait") return tr("Wait");
    if (tool == "ui_tree") return tr("Read the widgets");
    if (tool == "clipboard") return tr("Use the clipboard");
    if (tool == "plan") return tr("Make a plan");
    if (tool == "ask") return tr("Ask you");
    if (tool == "give_up") return tr("Give up");
    if (tool == "web") return tr("Fetch %1").arg(first_text(a, {"url"}));
    const QString path = first_text(a, {"path", "file", "pattern", "query"});
    if (tool.startsWith("read")) return tr("Read %1").arg(path);
    if (tool.startsWith("write")) return tr("Write %1").arg(path);
    if (tool.startsWith("edit")) return tr("Edit %1").arg(path);
    if (tool.startsWith("list")) return tr("List %1").arg(path);
    if (tool.startsWith("find") || tool.startsWith("search")) return tr("Search %1").arg(path);
    if (tool.contains("patch")) return tr("Change files");
    if (tool.contains("undo")) return tr("Undo an edit");
    return path.isEmpty() ? tool : tool + " " + path;
  }

  static QString effect(const QString& effect) {
    if (effect == "observe") return tr("only looks");
    if (effect == "read") return tr("reads files of the workspace");
    if (effect == "read_elsewhere") return tr("reads files outside the workspace");
    if (effect == "input_private") return tr("works its own desktop");
    if (effect == "input_user") return tr("works your desktop");
    if (effect == "write_workspace") return tr("changes files of the workspace");
    if (effect == "write_elsewhere") return tr("changes files outside the workspace");
    if (effect == "shell") return tr("runs a command");
    if (effect == "network") return tr("uses the network");
    if (effect == "destructive") return tr("destroys something");
    if (effect == "credentials") return tr("touches credentials");
    if (effect == "money") return tr("spends money");
    if (effect == "rights") return tr("gains more rights");
    return effect;
  }

  static QString verdict(const QString& verdict) {
    if (verdict == "confirmed") return tr("confirmed");
    if (verdict == "partial") return tr("partly seen");
    if (verdict == "no_op") return tr("no effect");
    if (verdict == "unverifiable") return tr("not verifiable");
    if (verdict == "refused") return tr("refused");
    return verdict;
  }

  static QString ending(const QString& status) {
    if (status == "done") return tr("Done");
    if (status == "gave up") return tr("Gave up");
    if (status == "stuck") return tr("Stuck");
    if (status == "refused") return tr("Not allowed");
    if (status == "stopped") return tr("Stopped");
    if (status == "failed") return tr("Failed");
    if (status == "running") return tr("Running");
    if (status == "interrupted") return tr("Interrupted");
    return status;
  }

  static QString short_text(QString text) {
    text = shown(text.simplified());
    return text.size() > 60 ? text.left(59) + "…" : text;
  }

 private:
  static QString click(const QJsonObject& a, const QString& at) {
    const QString button = a["button"].toString();
    if (a["count"].toInt(1) > 1) return tr("Double click at %1").arg(at);
    if (button == "right") return tr("Right click at %1").arg(at);
    if (button == "middle") return tr("Middle click at %1").arg(at);
    return at.isEmpty() ? tr("Click") : tr("Click at %1").arg(at);
  }
  static QString number(const QJsonValue& value) { return QString::number(std::lround(value.toDouble())); }
  static QString point(const QJsonObject& a) {
    return a.contains("x") ? number(a["x"]) + ", " + number(a["y"]) : QString();
  }
  static QString point(const QJsonArray& point) { return number(point.at(0)) + ", " + number(point.at(1)); }
  static QString first_text(const QJsonObject& a, std::initializer_list<const char*> keys) {
    for (const char* key : keys) {
      if (a[QLatin1String(key)].isString()) return short_text(a[QLatin1String(key)].toString());
    }
    return {};
  }
};

}  // namespace

QString call_title(const QString& tool, const QJsonObject& arguments) {
  static const QHash<QString, QString> short_calls = {{"click", "click"}, {"drag", "drag"}, {"scroll", "scroll"}};
  QJsonObject a = arguments;
  if (short_calls.contains(tool)) {  // a small model's own words, before the loop has translated them
    a["action"] = tool;
    if (a.contains("dy")) a["down"] = a["dy"];
    return Words::pointer(tool == "click" ? QJsonObject{{"action", tool}} : a);
  }
  if (tool == "pointer") return Words::pointer(a);
  if (tool == "type" || tool == "key") a["action"] = tool;
  if (tool == "keyboard" || tool == "type" || tool == "key") return Words::keyboard(a);
  if (tool == "windows") return Words::windows(a);
  return Words::other(tool, a);
}

QString call_icon(const QString& tool, const QJsonObject& arguments) {
  static const QHash<QString, QString> icons = {{"pointer", "pointer"},
                                                {"click", "pointer"},
                                                {"drag", "pointer"},
                                                {"scroll", "pointer"},
                                                {"keyboard", "keyboard"},
                                                {"type", "keyboard"},
                                                {"key", "keyboard"},
                                                {"shell", "terminal"},
                                                {"shell_job", "terminal"},
                                                {"launch", "window"},
                                                {"open", "window"},
                                                {"windows", "window"},
                                                {"screenshot", "eye"},
                                                {"zoom", "eye"},
                                                {"ui_tree", "eye"},
                                                {"wait", "clock"},
                                                {"clipboard", "clipboard"},
                                                {"plan", "plan"},
                                                {"ask", "help"},
                                                {"give_up", "cross"},
                                                {"web", "globe"}};
  if (icons.contains(tool)) return icons[tool];
  const bool writes = tool.startsWith("write") || tool.startsWith("edit") || tool.contains("patch");
  return writes || arguments.contains("old") ? "edit" : "file";
}

QString effect_text(const QString& effect) {
  return Words::effect(effect);
}
QString verdict_text(const QString& verdict) {
  return Words::verdict(verdict);
}
QString ending_text(const QString& status) {
  return Words::ending(status);
}

QString ending_icon(const QString& status) {
  if (status == "done") return "check";
  if (status == "stopped" || status == "interrupted") return "stop";
  return status == "running" ? "dot" : "warning";
}

QString duration_text(double seconds) {
  if (seconds < 0) return {};
  if (seconds < 60) return QLocale().toString(seconds, 'f', seconds < 10 ? 1 : 0) + QStringLiteral("\u202fs");
  const int whole = static_cast<int>(seconds);
  return QString("%1:%2").arg(whole / 60).arg(whole % 60, 2, 10, QChar('0'));
}

QString plain_line(const SessionItem& item) {
  switch (item.kind) {
    case SessionItem::Kind::Call: {
      QString line = call_title(item.tool, item.arguments);
      if (!item.verdict.isEmpty()) line += " · " + verdict_text(item.verdict);
      return line;
    }
    case SessionItem::Kind::Ending:
      return ending_text(item.status) + (item.text.isEmpty() ? "" : ": " + Words::short_text(item.text));
    default:
      return Words::short_text(item.text);
  }
}

QString whole_text(const SessionItem& item) {
  if (item.kind != SessionItem::Kind::Call)
    return item.kind == SessionItem::Kind::Ending ? plain_line(item) : item.text;
  const QString arguments = QString::fromUtf8(QJsonDocument(item.arguments).toJson(QJsonDocument::Compact));
  return plain_line(item) + "\n" + item.tool + " " + arguments + "\n" + item.text;
}

QString shown(const QString& text) {
  return QString::fromStdString(agent::visible(text.toStdString()));
}

}  // namespace app
