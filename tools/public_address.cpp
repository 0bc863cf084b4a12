#include "tools/public_address.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <array>
#include <cstdint>
#include <cstring>

namespace tools {
namespace {

struct Range4 {
  uint32_t network;
  int bits;
};

constexpr uint32_t ip(uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
  return a << 24 | b << 16 | c << 8 | d;
}

// IANA's registry of special-purpose IPv4 addresses, and multicast.
constexpr std::array<Range4, 16> kSpecial4 = {{{ip(0, 0, 0, 0), 8},
                                               {ip(10, 0, 0, 0), 8},
                                               {ip(100, 64, 0, 0), 10},
                                               {ip(127, 0, 0, 0), 8},
                                               {ip(169, 254, 0, 0), 16},
                                               {ip(172, 16, 0, 0), 12},
                                               {ip(192, 0, 0, 0), 24},
                                               {ip(192, 0, 2, 0), 24},
                                               {ip(192, 31, 196, 0), 24},
                                               {ip(192, 88, 99, 0), 24},
                                               {ip(192, 168, 0, 0), 16},
                                               {ip(198, 18, 0, 0), 15},
                                               {ip(198, 51, 100, 0), 24},
                                               {ip(203, 0, 113, 0), 24},
                                               {ip(224, 0, 0, 0), 4},
                                               {ip(240, 0, 0, 0), 4}}};

bool is_public4(uint32_t address) {
  for (const Range4& range : kSpecial4)
    if ((address ^ range.network) >> (32 - range.bits) == 0) return false;
  return true;
}

uint32_t word_at(const uint8_t* bytes) {
  return ip(bytes[0], bytes[1], bytes[2], bytes[3]);
}

bool is_public6(const uint8_t* bytes) {
  const uint32_t first = word_at(bytes), second = word_at(bytes + 4), third = word_at(bytes + 8),
                 last = word_at(bytes + 12);
  if (first == 0 && second == 0 && third == 0xFFFF) return is_public4(last);      // ::ffff:a.b.c.d
  if (first == 0x0064FF9B && second == 0 && third == 0) return is_public4(last);  // NAT64
  if (first >> 16 == 0x2002) return is_public4(first << 16 | second >> 16);       // 6to4
  // Only 2000::/3 is handed out; of it Teredo, documentation and other special uses (2001::/23, 2001:db8::/32) aren't.
  if (first >> 29 != 1) return false;
  return first >> 9 != 0x20010000u >> 9 && first != 0x20010DB8;
}

}  // namespace

bool is_public_address(const sockaddr& address) {
  if (address.sa_family == AF_INET) {
    sockaddr_in v4;
    std::memcpy(&v4, &address, sizeof v4);
    return is_public4(ntohl(v4.sin_addr.s_addr));
  }
  if (address.sa_family == AF_INET6) {
    sockaddr_in6 v6;
    std::memcpy(&v6, &address, sizeof v6);
    return is_public6(v6.sin6_addr.s6_addr);
  }
  return false;
}

std::string address_text(const sockaddr& address) {
  char text[INET6_ADDRSTRLEN] = "";
  if (address.sa_family == AF_INET) {
    sockaddr_in v4;
    std::memcpy(&v4, &address, sizeof v4);
    inet_ntop(AF_INET, &v4.sin_addr, text, sizeof text);
    return std::string(text) + ":" + std::to_string(ntohs(v4.sin_port));
  }
  if (address.sa_family == AF_INET6) {
    sockaddr_in6 v6;
    std::memcpy(&v6, &address, sizeof v6);
    inet_ntop(AF_INET6, &v6.sin6_addr, text, sizeof text);
    return std::string("[").append(text).append("]:").append(std::to_string(ntohs(v6.sin6_port)));
  }
  return "";
}

}  // namespace tools
