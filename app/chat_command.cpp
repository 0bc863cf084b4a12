#include "app/chat_command.h"

#include <unistd.h>

#include <QImage>
#include <array>
#include <cstdio>
#include <iostream>
#include <optional>

#include "agent/error.h"
#include "agent/permission.h"
#include "agent/whole_file.h"
#include "app/model_choice.h"
#include "app/signal_stop.h"

namespace app {
namespace {

agent::Picture read_picture(const std::string& path) {
  require_file(path);
  const QByteArray bytes = QByteArray::fromStdString(agent::read_file(path, agent::kMostPictures_bytes));
  const QImage image = QImage::fromData(bytes).convertToFormat(QImage::Format_RGB32);
  if (image.isNull()) throw agent::Error(path + ": is no picture that can be read (PNG, JPEG)");
  const capture::Size size{image.width(), image.height()};
  const cv::Mat pixels(size.height, size.width, CV_8UC4, const_cast<uchar*>(image.constBits()),
                       static_cast<std::size_t>(image.bytesPerLine()));
  const capture::ScreenMap map({0, 0, size.width, size.height}, size);
  return std::make_shared<capture::Frame>(pixels.clone(), map);
}

class Chat {
 public:
  Chat(agent::Model& model, std::stop_token stop) : model_(model), stop_(std::move(stop)) {}

  // False: it broke off or was stopped.
  bool say(const std::string& text, std::vector<agent::Picture> pictures) {
    transcript_.append(agent::UserMessage{text, std::move(pictures), false});
    const agent::Reply reply = model_.reply(
        transcript_, {}, [this](const agent::ReplyPiece& piece) { print(piece); }, stop_);
    std::fputs(last_ == '\n' ? "" : "\n", stdout);
    std::fflush(stdout);
    transcript_.append(reply.message);
    if (reply.end == agent::Reply::End::Turn) return true;
    if (reply.end == agent::Reply::End::Length) std::fputs("(cut off: too long)\n", stderr);
    if (reply.end == agent::Reply::End::Malformed) std::fprintf(stderr, "(%s)\n", reply.problem.c_str());
    return false;
  }

 private:
  // Thoughts and notices are for people who watch, not for a pipe.
  void print(const agent::ReplyPiece& piece) {
    const bool is_text = piece.kind == agent::ReplyPiece::Kind::Text;
    const std::string shown = agent::visible(piece.text);
    if (is_text) {
      std::fputs(shown.c_str(), stdout);
      if (!shown.empty()) last_ = shown.back();
    } else if (isatty(STDOUT_FILENO) != 0) {
      std::fprintf(stdout, "\x1b[2m%s\x1b[0m", shown.c_str());
    } else if (piece.kind == agent::ReplyPiece::Kind::Notice) {
      std::fprintf(stderr, "deskhand: %s\n", shown.c_str());
    }
    std::fflush(stdout);
  }

  agent::Model& model_;
  std::stop_token stop_;
  agent::Transcript transcript_;
  char last_ = '\n';
};

// One line on a terminal, all there is from a pipe. Empty: nothing more comes.
std::optional<std::string> read_message(bool is_terminal) {
  std::string text;
  if (is_terminal) {
    std::fputs("> ", stderr);
    if (!std::getline(std::cin, text)) return std::nullopt;
    return text;
  }
  std::array<char, 65536> piece{};
  while (std::cin.read(piece.data(), piece.size()), std::cin.gcount() > 0) {
    text.append(piece.data(), static_cast<std::size_t>(std::cin.gcount()));
    if (text.size() > agent::kMostText_bytes) throw UsageError("the standard input has more than a message can be");
  }
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text.empty() ? std::nullopt : std::optional(text);
}

int chat(const CommandLine& line) {
  std::vector<agent::Picture> pictures;
  for (const std::string& path : line.values("image")) pictures.push_back(read_picture(path));
  const std::stop_token stop = stop_on_signals();
  const std::unique_ptr<agent::Model> model = load_model(checked_model(line.value("model")), stop);
  Chat chat(*model, stop);
  std::optional<std::string> message;
  if (!line.rest(0).empty()) message = line.rest(0);
  const bool is_conversation = !message && isatty(STDIN_FILENO) != 0;
  bool is_whole = true;
  if (!message) message = read_message(is_conversation);
  if (!message) throw UsageError("there is nothing to say: give a message, or write one to the standard input");
  while (message && !stop.stop_requested()) {
    if (!message->empty()) is_whole = chat.say(*message, std::move(pictures));
    pictures.clear();
    message = is_conversation ? read_message(true) : std::nullopt;
  }
  return stop.stop_requested() ? kExitStopped : is_whole ? kExitDone : kExitFailed;
}

}  // namespace

Command chat_command() {
  return {
      .name = "chat",
      .summary = "Talks with the model, with pictures; without tools.",
      .arguments = {{.name = "message",
                     .help = "what to say (default: line by line on a terminal, or all that comes from a pipe)",
                     .is_optional = true,
                     .is_rest = true}},
      .options = {model_option(), {"image", "file", "A picture for the first message; may be repeated."}},
      .run = chat,
  };
}

}  // namespace app
