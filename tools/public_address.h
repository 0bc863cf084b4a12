#pragma once
// Which network addresses lie in the open internet.

#include <sys/socket.h>

#include <string>

namespace tools {

// False for this machine, private and link-local networks, carriers' inner networks, multicast, reserved ranges, and
// for IPv6 addresses that carry such an IPv4 address inside.
bool is_public_address(const sockaddr& address);

// "127.0.0.1:8080", "[::1]:80"; "" for other families.
std::string address_text(const sockaddr& address);

}  // namespace tools
