// A window with one field of real Qt widgets for tests of typing, named by the argument: "short" takes five characters,
// "completed" finishes words by itself, "password" hides what it holds, "plain" and "lines" take everything.

#include <QAccessibleWidget>
#include <QApplication>
#include <QCompleter>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QStringList>
#include <QVBoxLayout>

namespace {

// As programs of a toolkit do that was drawn by somebody else.
class Placeless : public QAccessibleWidget {
 public:
  explicit Placeless(QWidget* widget) : QAccessibleWidget(widget) {}
  QRect rect() const override { return {}; }
};

QWidget* make_field(const QString& kind) {
  if (kind == "lines") return new QPlainTextEdit;
  auto* line = new QLineEdit;
  if (kind == "short") line->setMaxLength(5);
  if (kind == "password") line->setEchoMode(QLineEdit::Password);
  if (kind == "completed") {
    auto* completer = new QCompleter(QStringList{"Hamburg", "Hannover", "Heidelberg"}, line);
    completer->setCompletionMode(QCompleter::InlineCompletion);
    line->setCompleter(completer);
  }
  return line;
}

}  // namespace

int main(int argc, char** argv) {
  QApplication application(argc, argv);
  const QString kind = application.arguments().value(1);
  if (kind == "placeless") {
    QAccessible::installFactory([](const QString&, QObject* object) -> QAccessibleInterface* {
      return object != nullptr && object->isWidgetType() ? new Placeless(static_cast<QWidget*>(object)) : nullptr;
    });
  }
  QWidget form;
  QVBoxLayout layout(&form);
  QWidget* field = make_field(kind);
  layout.addWidget(field);
  form.setWindowTitle("Form");
  form.resize(400, 200);
  form.show();
  field->setFocus();
  return application.exec();
}
