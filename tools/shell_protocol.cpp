#include "tools/shell_protocol.h"

#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace tools::shell_protocol {
namespace {

constexpr size_t kMaxFds = 4;

struct Header {
  Kind kind;
  int32_t job;
  int64_t value;
};

union Control {
  cmsghdr align;
  char bytes[CMSG_SPACE(sizeof(int) * kMaxFds) + CMSG_SPACE(sizeof(ucred))];
};

void take_control(msghdr& packet, Message& message) {
  for (cmsghdr* part = CMSG_FIRSTHDR(&packet); part; part = CMSG_NXTHDR(&packet, part)) {
    if (part->cmsg_level != SOL_SOCKET) continue;
    if (part->cmsg_type == SCM_RIGHTS) {
      message.fds.resize((part->cmsg_len - CMSG_LEN(0)) / sizeof(int));
      std::memcpy(message.fds.data(), CMSG_DATA(part), message.fds.size() * sizeof(int));
    } else if (part->cmsg_type == SCM_CREDENTIALS) {
      ucred sender;
      std::memcpy(&sender, CMSG_DATA(part), sizeof sender);
      message.sender = sender.pid;
    }
  }
}

}  // namespace

std::string encode(const Request& request) {
  std::string bytes = request.directory + '\0' + request.command + '\0';
  for (const std::string& variable : request.environment) bytes += variable + '\0';
  return bytes;
}

std::optional<Request> decode_request(std::string_view bytes) {
  std::vector<std::string> parts;
  while (!bytes.empty()) {
    const size_t end = bytes.find('\0');
    if (end == std::string_view::npos) return std::nullopt;
    parts.emplace_back(bytes.substr(0, end));
    bytes.remove_prefix(end + 1);
  }
  if (parts.size() < 2) return std::nullopt;
  Request request{parts[0], parts[1], {}};
  request.environment.assign(parts.begin() + 2, parts.end());
  return request;
}

bool send(int socket, const Message& message, Delivery delivery) {
  Header header{message.kind, message.job, message.value};
  iovec parts[2] = {{&header, sizeof header}, {const_cast<char*>(message.text.data()), message.text.size()}};
  msghdr packet{};
  packet.msg_iov = parts;
  packet.msg_iovlen = 2;
  Control control{};
  if (!message.fds.empty()) {
    const size_t size = message.fds.size() * sizeof(int);
    packet.msg_control = control.bytes;
    packet.msg_controllen = CMSG_SPACE(size);
    cmsghdr* rights = CMSG_FIRSTHDR(&packet);
    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(size);
    std::memcpy(CMSG_DATA(rights), message.fds.data(), size);
  }
  ssize_t sent;
  do sent = sendmsg(socket, &packet, delivery == Delivery::MayDrop ? MSG_NOSIGNAL | MSG_DONTWAIT : MSG_NOSIGNAL);
  while (sent < 0 && errno == EINTR);
  return sent >= 0;
}

std::optional<Message> receive(int socket) {
  Header header{};
  std::array<char, kMaxText> text;
  iovec parts[2] = {{&header, sizeof header}, {text.data(), text.size()}};
  Control control{};
  msghdr packet{};
  packet.msg_iov = parts;
  packet.msg_iovlen = 2;
  packet.msg_control = control.bytes;
  packet.msg_controllen = sizeof control.bytes;
  ssize_t size;
  do size = recvmsg(socket, &packet, MSG_CMSG_CLOEXEC);
  while (size < 0 && errno == EINTR);
  if (size <= 0) return std::nullopt;
  Message message{header.kind, header.job, header.value, {}, {}, 0};
  take_control(packet, message);
  if (static_cast<size_t>(size) < sizeof header || (packet.msg_flags & (MSG_TRUNC | MSG_CTRUNC))) {
    for (int fd : message.fds) close(fd);
    return std::nullopt;
  }
  message.text.assign(text.data(), static_cast<size_t>(size) - sizeof header);
  return message;
}

}  // namespace tools::shell_protocol
