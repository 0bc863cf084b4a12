#pragma once
// Texts for widgets: labels, names, files, numbers, sentences in several Latin languages, code and shell lines.
// The evaluation split draws its words from lists that training never sees.

#include <QString>
#include <QStringList>

#include "inference/training/screens/random.h"

namespace screens {

enum class Split { Train, HeldOut };

class TextSource {
 public:
  TextSource(Random& random, Split split);

  QString word();      // one content word, or an invented one
  QString invented();  // letters that are no word: makes reading mean reading
  QString odd();       // chance letters, digits and signs
  QString label();     // what a button, check box or tab says
  QString menu_title();
  QString menu_item();
  QString phrase(int n_words);  // "Word word word"
  QString sentence(int n_words);
  QString file_name();
  QString path();
  QString number();
  QString identifier();
  QString date();
  QString size();
  QString person();
  QString email();
  QString value();  // what a field or a table cell may hold
  QString code_line();
  QString shell_line();
  QString shortcut();
  QString application();

 private:
  QString harder(QString word);

  Random& random_;
  Split split_;
  QStringList words_;  // of this split and this scene's language
  QStringList ui_;
};

}  // namespace screens
