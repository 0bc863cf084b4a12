#include "tools/input_protocol.h"

#include <sys/socket.h>

#include <cerrno>
#include <cstring>

namespace tools::input_protocol {
namespace {

class Writer {
 public:
  void number(std::int64_t value) {
    const auto narrow = static_cast<std::uint32_t>(value);
    bytes_.append(reinterpret_cast<const char*>(&narrow), sizeof narrow);
  }
  void text(const std::string& value) {
    number(static_cast<std::int64_t>(value.size()));
    bytes_ += value;
  }
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

class Reader {
 public:
  explicit Reader(const std::string& bytes) : bytes_(bytes) {}
  std::uint32_t number() {
    std::uint32_t value = 0;
    if (at_ + sizeof value > bytes_.size()) {
      broken_ = true;
      return 0;
    }
    std::memcpy(&value, bytes_.data() + at_, sizeof value);
    at_ += sizeof value;
    return value;
  }
  int signed_number() { return static_cast<int>(number()); }
  std::string text() {
    const std::size_t size = number();
    if (broken_ || size > bytes_.size() - at_) {
      broken_ = true;
      return {};
    }
    at_ += size;
    return bytes_.substr(at_ - size, size);
  }
  bool whole() const { return !broken_ && at_ == bytes_.size(); }
  bool broken() const { return broken_; }

 private:
  const std::string& bytes_;
  std::size_t at_ = 0;
  bool broken_ = false;
};

void write_step(Writer& out, const InputStep& step) {
  out.number(static_cast<std::int64_t>(step.index()));
  if (const auto* move = std::get_if<MoveTo>(&step)) {
    out.number(move->x_pt);
    out.number(move->y_pt);
  } else if (const auto* button = std::get_if<ButtonChange>(&step)) {
    out.number(button->button);
    out.number(button->down);
  } else if (const auto* key = std::get_if<KeyChange>(&step)) {
    out.number(key->keysym);
    out.number(key->down);
  } else if (const auto* type = std::get_if<TypeText>(&step)) {
    out.text(type->utf8);
  } else {
    out.number(std::get<Pause>(step).duration_ms);
  }
}

std::optional<InputStep> read_step(Reader& in) {
  switch (in.number()) {
    case 0: {
      const int x = in.signed_number();
      return MoveTo{x, in.signed_number()};
    }
    case 1: {
      const int button = in.signed_number();
      return ButtonChange{button, in.number() != 0};
    }
    case 2: {
      const std::uint32_t keysym = in.number();
      return KeyChange{keysym, in.number() != 0};
    }
    case 3:
      return TypeText{in.text()};
    case 4:
      return Pause{in.signed_number()};
    default:
      return std::nullopt;
  }
}

}  // namespace

std::string encode(const Message& message) {
  Writer out;
  out.number(static_cast<std::int64_t>(message.kind));
  for (const std::uint32_t value :
       {message.serial, message.status, message.steps_done, message.characters_typed, message.any_held})
    out.number(value);
  out.text(message.text);
  out.number(static_cast<std::int64_t>(message.steps.size()));
  for (const InputStep& step : message.steps) write_step(out, step);
  return out.take();
}

std::optional<Message> decode(const std::string& bytes) {
  Reader in(bytes);
  Message message;
  const std::uint32_t kind = in.number();
  if (kind > static_cast<std::uint32_t>(Kind::Interrupted)) return std::nullopt;
  message.kind = static_cast<Kind>(kind);
  for (std::uint32_t* field :
       {&message.serial, &message.status, &message.steps_done, &message.characters_typed, &message.any_held})
    *field = in.number();
  message.text = in.text();
  const std::uint32_t n_steps = in.number();
  for (std::uint32_t step_idx = 0; step_idx < n_steps && !in.broken(); ++step_idx) {
    std::optional<InputStep> step = read_step(in);
    if (!step) return std::nullopt;
    message.steps.push_back(std::move(*step));
  }
  if (!in.whole()) return std::nullopt;
  return message;
}

bool send(int fd, const Message& message, Wait wait) {
  const std::string bytes = encode(message);
  const int flags = MSG_NOSIGNAL | (wait == Wait::No ? MSG_DONTWAIT : 0);
  ssize_t sent;
  do {
    sent = ::send(fd, bytes.data(), bytes.size(), flags);
  } while (sent < 0 && errno == EINTR);
  return sent == static_cast<ssize_t>(bytes.size());
}

std::optional<Message> receive(int fd, Wait wait, bool& gone) {
  thread_local std::string buffer(kMaxPacketBytes, '\0');
  ssize_t received;
  do {
    received = ::recv(fd, buffer.data(), buffer.size(), wait == Wait::No ? MSG_DONTWAIT : 0);
  } while (received < 0 && errno == EINTR);
  if (received > 0) return decode(buffer.substr(0, static_cast<std::size_t>(received)));
  gone = received == 0 || (errno != EAGAIN && errno != EWOULDBLOCK);
  return std::nullopt;
}

}  // namespace tools::input_protocol
