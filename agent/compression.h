#pragma once
// zstd as this module uses it: whole byte strings, with a checksum, so that damage never passes as data.

#include <string>
#include <string_view>

namespace agent {

std::string compress(std::string_view bytes);
std::string decompress(std::string_view packed);  // throws Error when the bytes are damaged

}  // namespace agent
