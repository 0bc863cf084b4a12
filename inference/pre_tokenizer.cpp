#include "inference/pre_tokenizer.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <algorithm>
#include <optional>

#include "inference/check.h"
#include "inference/utf8.h"

namespace inference {
namespace {

std::string pcre2_message(int code) {
  std::string message(256, '\0');
  pcre2_get_error_message(code, reinterpret_cast<PCRE2_UCHAR*>(message.data()), message.size());
  return message.substr(0, message.find('\0'));
}

// The pattern with the same meaning in PCRE2. Patterns are written for engines whose \s is Unicode's White_Space;
// PCRE2's own \s has U+180E as well. Classes that differ more (\w has other marks and connectors) are refused.
std::string in_pcre2_words(std::string_view pattern) {
  std::string result;
  for (size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] != '\\' || i + 1 == pattern.size()) {
      result += pattern[i];
      continue;
    }
    const char escaped = pattern[++i];
    if (std::string_view("wWbBhHRXKG").find(escaped) != std::string_view::npos) {
      throw Error(
          message("pattern \"", pattern, "\": \\", escaped, " differs between regex engines and isn't supported"));
    }
    if (escaped == 's') {
      result += "\\p{White_Space}";
    } else if (escaped == 'S') {
      result += "\\P{White_Space}";
    } else {
      result += {'\\', escaped};
    }
  }
  return result;
}

struct Match {
  size_t begin;
  size_t end;
};

}  // namespace

class SplitPattern {
 public:
  explicit SplitPattern(std::string pattern) : pattern_(std::move(pattern)) {
    const std::string translated = in_pcre2_words(pattern_);
    int error = 0;
    PCRE2_SIZE error_at = 0;
    code_.reset(pcre2_compile(reinterpret_cast<PCRE2_SPTR>(translated.data()), translated.size(),
                              PCRE2_UTF | PCRE2_UCP | PCRE2_NEVER_BACKSLASH_C, &error, &error_at, nullptr));
    if (code_ == nullptr) throw Error(message("pattern \"", pattern_, "\": ", pcre2_message(error)));
    uint32_t matches_nothing = 0;
    pcre2_pattern_info(code_.get(), PCRE2_INFO_MATCHEMPTY, &matches_nothing);
    if (matches_nothing != 0) throw Error(message("pattern \"", pattern_, "\" can match an empty text"));
    // Where the machine has no JIT the interpreter gives the same matches, slower.
    pcre2_jit_compile(code_.get(), PCRE2_JIT_COMPLETE);
  }

  // The first match in `subject` (valid UTF-8) at `from` or later.
  std::optional<Match> find(std::string_view subject, size_t from, pcre2_match_data* match_data) const {
    int result = match(subject, from, PCRE2_NO_UTF_CHECK, match_data);
    // The machine code has a small fixed stack; the interpreter keeps its on the heap.
    if (result == PCRE2_ERROR_JIT_STACKLIMIT) {
      result = match(subject, from, PCRE2_NO_UTF_CHECK | PCRE2_NO_JIT, match_data);
    }
    if (result == PCRE2_ERROR_NOMATCH) return std::nullopt;
    if (result < 0) {
      throw Error(message("pattern \"", pattern_, "\" failed on a text of ", subject.size(), " bytes at byte ", from,
                          ": ", pcre2_message(result)));
    }
    const PCRE2_SIZE* ends = pcre2_get_ovector_pointer(match_data);
    // \K is refused and lookbehind can't move the start, so that a match begins where it was asked to or later.
    INFERENCE_CHECK(ends[0] >= from && ends[1] > ends[0], ends[0], " to ", ends[1], " from ", from);
    return Match{.begin = ends[0], .end = ends[1]};
  }

 private:
  struct FreeCode {
    void operator()(pcre2_code* code) const { pcre2_code_free(code); }
  };

  int match(std::string_view subject, size_t from, uint32_t options, pcre2_match_data* match_data) const {
    return pcre2_match(code_.get(), reinterpret_cast<PCRE2_SPTR>(subject.data()), subject.size(), from, options,
                       match_data, nullptr);
  }

  std::string pattern_;
  std::unique_ptr<pcre2_code, FreeCode> code_;
};

namespace {

struct FreeMatchData {
  void operator()(pcre2_match_data* data) const { pcre2_match_data_free(data); }
};

// One walk over one text. The memory of a match serves all patterns: each copies its result out before the next runs.
class Splitter {
 public:
  using Patterns = std::vector<std::unique_ptr<const SplitPattern>>;

  Splitter(const Patterns& patterns, const PreTokenizer::PieceVisitor& visit)
      : patterns_(patterns), visit_(visit), match_data_(pcre2_match_data_create(1, nullptr)) {
    if (match_data_ == nullptr) throw std::bad_alloc();
  }

  // Cuts `piece` by the patterns from `pattern_idx` on.
  void cut(std::string_view piece, size_t pattern_idx) {
    if (piece.empty()) return;
    if (pattern_idx == patterns_.size()) {
      visit_(piece);
      return;
    }
    size_t done = 0;
    while (done < piece.size()) {
      const auto match = patterns_[pattern_idx]->find(piece, done, match_data_.get());
      if (!match) break;
      cut(piece.substr(done, match->begin - done), pattern_idx + 1);
      cut(piece.substr(match->begin, match->end - match->begin), pattern_idx + 1);
      done = match->end;
    }
    cut(piece.substr(done), pattern_idx + 1);
  }

 private:
  const Patterns& patterns_;
  const PreTokenizer::PieceVisitor& visit_;
  std::unique_ptr<pcre2_match_data, FreeMatchData> match_data_;
};

size_t invalid_utf8_prefix(std::string_view bytes) {
  size_t n_bytes = 0;
  while (n_bytes < bytes.size()) {
    const Utf8Char next = first_utf8_char(bytes.substr(n_bytes));
    if (next.status == Utf8Status::Valid) break;
    n_bytes += next.n_bytes;
  }
  return n_bytes;
}

}  // namespace

PreTokenizer::PreTokenizer(const std::vector<std::string>& patterns) {
  for (const std::string& pattern : patterns) patterns_.push_back(std::make_unique<SplitPattern>(pattern));
}

PreTokenizer::~PreTokenizer() = default;

void PreTokenizer::split(std::string_view text, const PieceVisitor& visit) const {
  Splitter splitter(patterns_, visit);
  while (!text.empty()) {
    const size_t n_valid = valid_utf8_prefix(text);
    splitter.cut(text.substr(0, n_valid), 0);
    text.remove_prefix(n_valid);
    const size_t n_invalid = invalid_utf8_prefix(text);
    if (n_invalid > 0) visit(text.substr(0, n_invalid));
    text.remove_prefix(n_invalid);
  }
}

}  // namespace inference
