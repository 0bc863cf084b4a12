// Whatever a program writes to its terminal: the cleaned text is the same for any chunking, valid UTF-8, and free of
// control characters.

#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "tools/output_cleaner.h"
#include "tools/text_lines.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  tools::OutputCleaner whole, pieces;
  whole.feed(bytes);
  std::string text = whole.take() + whole.finish(), other;
  const size_t step = size > 0 ? 1 + data[0] % 7 : 1;
  for (size_t start = 0; start < size; start += step) {
    pieces.feed(bytes.substr(start, step));
    other += pieces.take();
  }
  other += pieces.finish();
  if (text != other || !tools::is_utf8(text)) std::abort();
  for (const unsigned char c : text)
    if ((c < 0x20 && c != '\n' && c != '\t') || c == 0x7F) std::abort();
  if (!tools::is_utf8(pieces.full_screen())) std::abort();
  return 0;
}
