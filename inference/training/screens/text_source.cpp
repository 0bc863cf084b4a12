#include "inference/training/screens/text_source.h"

#include "inference/training/screens/word_lists.h"

namespace screens {
namespace {

QStringList split_words(const char* text) {
  return QString::fromUtf8(text).split(' ', Qt::SkipEmptyParts);
}

// Every sixth word belongs to the evaluation.
QStringList of_split(const QStringList& words, Split split) {
  QStringList kept;
  for (qsizetype i = 0; i < words.size(); ++i) {
    const bool held_out = i % 6 == 5;
    if (held_out == (split == Split::HeldOut)) kept.push_back(words[i]);
  }
  return kept;
}

QString capitalised(QString text) {
  if (!text.isEmpty()) text[0] = text[0].toUpper();
  return text;
}

}  // namespace

TextSource::TextSource(Random& random, Split split) : random_(random), split_(split) {
  static const QStringList ui = split_words(kUiWords);
  static const std::vector<QStringList> languages = [] {
    std::vector<QStringList> lists;
    for (const char* text : kLanguages) lists.push_back(split_words(text));
    return lists;
  }();
  ui_ = ui;
  words_ = of_split(languages[0], split);
  if (random.chance(split == Split::Train ? 0.6 : 0.4)) {  // letters with marks are hard to read
    const QStringList other = of_split(languages[static_cast<std::size_t>(random.between(1, 8))], split);
    words_ = random.chance(0.5) ? other : words_ + other;
  }
}

QString TextSource::invented() {
  static const QStringList syllables = split_words(kSyllables);
  QString text;
  for (int n = random_.between(1, 4); n > 0; --n) text += random_.pick(syllables);
  if (text.size() < 3) text += random_.pick(syllables);
  if (random_.chance(0.08)) text += QString::number(random_.between(0, 99));
  return split_ == Split::Train ? harder(text) : text;
}

// Sometimes with a letter twice or the last two again, so that the next letter is found by its place, and with a mark.
QString TextSource::harder(QString word) {
  static const QString plain = QStringLiteral("aaaaaaacccceeeeeeeegiiiilnnnooooooorssssuuuuuuyyzzz"),
                       marked = QStringLiteral("àáâãäåąçćčċèéêëęěėēğìíîïłñńňòóôõöőøřśšşșùúûüůűýÿźżž");
  const int at = random_.between(0, static_cast<int>(word.size()) - 1);
  if (random_.chance(0.12)) word.insert(at, word[at]);
  if (random_.chance(0.06) && at > 0) word.insert(at + 1, word.mid(at - 1, 2));
  if (random_.chance(0.3)) {
    QStringList kinds;
    const int letter = random_.between(0, static_cast<int>(word.size()) - 1);
    for (qsizetype i = 0; i < plain.size(); ++i)
      if (plain[i] == word[letter].toLower()) kinds << QString(marked[i]);
    if (!kinds.isEmpty())
      word.replace(letter, 1, word[letter].isUpper() ? random_.pick(kinds).toUpper() : random_.pick(kinds));
  }
  return word;
}

QString TextSource::odd() {
  static const QString letters = QStringLiteral("abcdefghijklmnopqrstuvwxyz"),
                       signs = QStringLiteral("-_./:+*=@#%&!?,();'\"<>[]{}|\\~^$");
  QString text;
  auto one_of = [&](const QString& from) { return from[random_.between(0, static_cast<int>(from.size()) - 1)]; };
  const bool upper = random_.chance(0.2), digits = random_.chance(0.2);
  for (int n = random_.between(1, 9); n > 0; --n) {
    const QChar letter = digits || random_.chance(0.08) ? QChar('0' + random_.between(0, 9)) : one_of(letters);
    text += upper || random_.chance(0.1) ? letter.toUpper() : letter;
    if (random_.chance(0.05)) text += one_of(signs);
  }
  return harder(text);
}

QString TextSource::word() {
  if (split_ == Split::Train && random_.chance(0.12)) return odd();  // read letters, don't guess words
  return random_.chance(0.45) ? invented() : random_.pick(words_);
}

QString TextSource::label() {
  QString text;
  switch (random_.weighted({30, 14, 18, 22, 6, 4, 6})) {
    case 0:
      text = random_.pick(ui_);
      break;
    case 1:
      text = random_.pick(ui_) + ' ' + random_.pick(ui_).toLower();
      break;
    case 2:
      text = random_.pick(ui_) + ' ' + word();
      break;
    case 3:
      text = capitalised(word());
      break;
    case 4:
      text = capitalised(word()) + ' ' + word() + ' ' + word();
      break;
    case 5:
      text = random_.pick(ui_) + QStringLiteral("...");
      break;
    default:
      text = capitalised(word()) + ' ' + QString::number(random_.between(1, 99));
  }
  return random_.chance(0.04) ? text.toUpper() : text;
}

QString TextSource::menu_title() {
  return random_.chance(0.75) ? random_.pick(ui_) : capitalised(word());
}

QString TextSource::menu_item() {
  return random_.chance(0.85) ? label() : label() + QStringLiteral("...");
}

QString TextSource::phrase(int n_words) {
  QStringList parts;
  for (int i = 0; i < n_words; ++i) parts << word();
  return capitalised(parts.join(' '));
}

QString TextSource::sentence(int n_words) {
  QString text = phrase(n_words);
  if (n_words > 5 && random_.chance(0.4)) text.insert(text.indexOf(' ', text.size() / 2), ',');
  return text + random_.pick({QStringLiteral("."), QStringLiteral("."), QStringLiteral("?"), QStringLiteral("!"),
                              QStringLiteral("")});
}

QString TextSource::file_name() {
  static const QStringList endings = {".txt", ".md",  ".cpp",  ".h",    ".py",   ".pdf", ".png",
                                      ".jpg", ".csv", ".json", ".html", ".odt",  ".zip", ".tar.gz",
                                      ".log", ".mp3", ".sh",   ".xml",  ".docx", ".cfg"};
  QString stem = word().toLower();
  if (random_.chance(0.3)) stem += random_.pick({'_', '-'}) + word().toLower();
  if (random_.chance(0.2)) stem += QString::number(random_.between(1, 2030));
  if (random_.chance(0.15)) stem = capitalised(stem);
  return random_.chance(0.15) ? stem : stem + random_.pick(endings);
}

QString TextSource::path() {
  QString text = random_.pick({QStringLiteral("/home/"), QStringLiteral("/usr/"), QStringLiteral("/"),
                               QStringLiteral("~/"), QStringLiteral("/media/")});
  for (int n = random_.between(1, 3); n > 0; --n) text += word().toLower() + '/';
  return random_.chance(0.5) ? text.chopped(1) : text + file_name();
}

QString TextSource::number() {
  switch (random_.weighted({4, 3, 2, 1, 1})) {
    case 0:
      return QString::number(random_.between(0, 9999));
    case 1:
      return QString::number(random_.unit() * 1000, 'f', random_.between(1, 3));
    case 2:
      return QString::number(random_.between(0, 100)) + '%';
    case 3:
      return '-' + QString::number(random_.between(1, 999));
    default:
      return random_.pick({QStringLiteral("$"), QStringLiteral("€")}) + QString::number(random_.unit() * 900, 'f', 2);
  }
}

QString TextSource::identifier() {
  QString text = word().toLower();
  for (int n = random_.between(0, 2); n > 0; --n)
    text += random_.chance(0.6) ? '_' + word().toLower() : capitalised(word());
  return text;
}

QString TextSource::date() {
  const int day = random_.between(1, 28), month = random_.between(1, 12), year = random_.between(1998, 2031);
  switch (random_.between(0, 3)) {
    case 0:
      return QString::asprintf("%04d-%02d-%02d", year, month, day);
    case 1:
      return QString::asprintf("%02d.%02d.%04d", day, month, year);
    case 2:
      return QString::asprintf("%d/%d/%d", month, day, year % 100);
    default:
      return QString::asprintf("%02d:%02d", day % 24, month * 4);
  }
}

QString TextSource::size() {
  return QString::number(random_.between(1, 999)) +
         random_.pick({QStringLiteral(" KB"), QStringLiteral(" MB"), QStringLiteral(" B"), QStringLiteral(" GB"),
                       QStringLiteral(" KiB")});
}

QString TextSource::person() {
  static const QStringList first = split_words(kPeople), last = split_words(kSurnames);
  return random_.chance(0.5) ? random_.pick(first) + ' ' + random_.pick(last) : random_.pick(first);
}

QString TextSource::email() {
  return word().toLower() + random_.pick({'.', '_', '@'}) + word().toLower() +
         random_.pick({QStringLiteral(".com"), QStringLiteral(".org"), QStringLiteral(".net"), QStringLiteral(".de")});
}

QString TextSource::value() {
  switch (random_.weighted({5, 4, 2, 2, 2, 2, 1, 1, 1})) {
    case 0:
      return capitalised(word());
    case 1:
      return number();
    case 2:
      return phrase(2);
    case 3:
      return date();
    case 4:
      return person();
    case 5:
      return file_name();
    case 6:
      return email();
    case 7:
      return path();
    default:
      return identifier();
  }
}

QString TextSource::code_line() {
  const QString a = identifier(), b = identifier();
  switch (random_.between(0, 6)) {
    case 0:
      return QStringLiteral("int %1 = %2;").arg(a, number());
    case 1:
      return QStringLiteral("if (%1 < %2) {").arg(a, b);
    case 2:
      return QStringLiteral("  return %1(%2);").arg(a, b);
    case 3:
      return QStringLiteral("def %1(%2):").arg(a, b);
    case 4:
      return QStringLiteral("// %1").arg(sentence(4));
    case 5:
      return QStringLiteral("%1 += %2[%3];").arg(a, b, number());
    default:
      return QStringLiteral("#include <%1.h>").arg(a);
  }
}

QString TextSource::shell_line() {
  switch (random_.between(0, 6)) {
    case 0:
      return QStringLiteral("user@%1:~$ ls %2").arg(word().toLower(), path());
    case 1:
      return QStringLiteral("-rw-r--r-- 1 user user %1 %2 %3")
          .arg(QString::number(random_.between(10, 99999)), date(), file_name());
    case 2:
      return QStringLiteral("$ cat %1").arg(file_name());
    case 3:
      return QStringLiteral("%1: %2").arg(file_name(), sentence(4));
    case 4:
      return QStringLiteral("$ grep -n %1 %2").arg(word(), file_name());
    case 5:
      return file_name() + QStringLiteral("  ") + file_name() + QStringLiteral("  ") + file_name();
    default:
      return sentence(random_.between(3, 8));
  }
}

QString TextSource::shortcut() {
  const QString key(QChar('A' + random_.between(0, 25)));
  return random_.pick({QStringLiteral("Ctrl+"), QStringLiteral("Ctrl+"), QStringLiteral("Ctrl+Shift+"),
                       QStringLiteral("Alt+")}) +
         key;
}

QString TextSource::application() {
  static const QStringList names = QString::fromUtf8(kApplications).split('|');
  return random_.chance(0.8) ? random_.pick(names) : capitalised(word());
}

}  // namespace screens
