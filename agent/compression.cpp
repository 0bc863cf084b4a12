#include "agent/compression.h"

#include <zstd.h>

#include <memory>

#include "agent/error.h"

namespace agent {
namespace {

// On screens of text at 1280x800, level 9 makes what is new in a step about 30 % smaller than level 3 and takes a few
// milliseconds more; level 19 takes twenty times as long for another 10 %.
constexpr int kLevel = 9;

[[noreturn]] void fail(const std::string& what) {
  throw Error("the record holds damaged data (" + what + "); what it belongs to can't be read back");
}

}  // namespace

std::string compress(std::string_view bytes) {
  const std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> context(ZSTD_createCCtx(), ZSTD_freeCCtx);
  if (!context) throw Error("out of memory while packing data for the record; close other programs and try again");
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel, kLevel);
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_checksumFlag, 1);
  std::string packed(ZSTD_compressBound(bytes.size()), '\0');
  const std::size_t n_bytes = ZSTD_compress2(context.get(), packed.data(), packed.size(), bytes.data(), bytes.size());
  if (ZSTD_isError(n_bytes)) throw Error(std::string("can't pack data for the record: ") + ZSTD_getErrorName(n_bytes));
  packed.resize(n_bytes);
  return packed;
}

std::string decompress(std::string_view packed) {
  constexpr unsigned long long kMostBytes = 1ull << 32;  // a wild size in damaged data must not take all memory
  const unsigned long long size = ZSTD_getFrameContentSize(packed.data(), packed.size());
  if (size == ZSTD_CONTENTSIZE_ERROR || size == ZSTD_CONTENTSIZE_UNKNOWN || size > kMostBytes) fail("no size");
  std::string bytes(size, '\0');
  const std::size_t n_bytes = ZSTD_decompress(bytes.data(), bytes.size(), packed.data(), packed.size());
  if (ZSTD_isError(n_bytes)) fail(ZSTD_getErrorName(n_bytes));
  if (n_bytes != size) fail("too short");
  return bytes;
}

}  // namespace agent
