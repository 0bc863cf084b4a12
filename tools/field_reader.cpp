#include "tools/field_reader.h"

#include <poll.h>

#include <algorithm>
#include <chrono>

#include "tools/utf8.h"

namespace tools {
namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr auto kLimit = 600ms;  // for a program that takes the text in after the screen is quiet
constexpr int kPoll_ms = 20;
constexpr std::size_t kExcerptContext = 40;  // characters before and after the first difference

// The part of `text` around its first difference from `other`, with "…" where it is cut.
std::string around_difference(const std::string& text, const std::string& other) {
  const std::u32string found = decode_utf8(text).value_or(U""), wanted = decode_utf8(other).value_or(U"");
  const auto at = static_cast<std::size_t>(
      std::mismatch(found.begin(), found.end(), wanted.begin(), wanted.end()).first - found.begin());
  const std::size_t begin = at - std::min(at, kExcerptContext), end = std::min(found.size(), at + kExcerptContext);
  std::string excerpt = begin > 0 ? "…" : "";
  for (std::size_t i = begin; i < end; ++i) excerpt += encode_utf8(found[i]);
  return excerpt + (end < found.size() ? "…" : "");
}

}  // namespace

void FieldReader::expect(const std::string& utf8, std::stop_token stop) {
  expected_.reset();
  const std::optional<Window> window = windows_.active();
  if (!window) return;
  std::optional<UiNode> field = tree_->focused_field(*window, stop);
  if (!field) return;
  std::string typed;
  for (const char32_t character : typeable(utf8).value_or(U"")) typed += encode_utf8(character);
  const bool acts = typed.find_first_of("\n\t") != std::string::npos;
  // There, Return sends the line off.
  if (field->is_single_line && typed.ends_with('\n')) typed.pop_back();
  const std::optional<UiTree::Typing> typing = tree_->typing(*field, typed, std::move(stop));
  if (typing) expected_ = Expected{std::move(*field), typing->before, typing->after, acts};
}

std::optional<FieldText> FieldReader::check(std::stop_token stop) {
  if (!expected_) return std::nullopt;
  const auto deadline = Clock::now() + kLimit;
  std::optional<std::string> now;
  do {
    now = tree_->read_text(expected_->field, stop);
    if (now == expected_->after) return FieldText{};
    poll(nullptr, 0, kPoll_ms);
  } while (now && !stop.stop_requested() && Clock::now() < deadline);
  if (!now) return std::nullopt;
  const bool is_unchanged = *now == expected_->before && !expected_->acts;
  return FieldText{.state = is_unchanged ? FieldText::State::Unchanged : FieldText::State::Different,
                   .excerpt = around_difference(*now, expected_->after)};
}

}  // namespace tools
