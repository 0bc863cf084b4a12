#include "tools/input_helper/helper.h"

#include <X11/XKBlib.h>
#include <X11/keysym.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <string>

#include "tools/input_helper/display_check.h"
#include "tools/utf8.h"

namespace tools::input_helper {
namespace {

namespace wire = input_protocol;
using std::chrono::milliseconds;

// How long another program may go on holding pointer or keyboard before the script is given up.
constexpr milliseconds kGrabPatience{1000};
constexpr milliseconds kLendDelay{50};

bool wants_pointer(const InputStep& step) {
  return std::holds_alternative<ButtonChange>(step);
}
bool wants_keyboard(const InputStep& step) {
  return std::holds_alternative<KeyChange>(step) || std::holds_alternative<TypeText>(step);
}

}  // namespace

Helper::Helper(const Setup& setup)
    : display_(setup.display),
      held_(setup.held),
      program_fd_(setup.program_fd),
      guardian_fd_(setup.guardian_fd),
      unmapped_window_(XCreateSimpleWindow(display_, DefaultRootWindow(display_), -1, -1, 1, 1, 0, 0, 0)),
      injector_(display_, held_),
      keymap_(display_, held_),
      ping_(display_),
      human_(display_, injector_, setup.panic_chord) {
  int opcode = 0, error = 0, major = XkbMajorVersion, minor = XkbMinorVersion;
  XkbQueryExtension(display_, &opcode, &xkb_event_, &error, &major, &minor);
  XkbSelectEvents(display_, XkbUseCoreKbd, XkbMapNotifyMask | XkbNewKeyboardNotifyMask,
                  XkbMapNotifyMask | XkbNewKeyboardNotifyMask);
  XkbSelectEventDetails(display_, XkbUseCoreKbd, XkbStateNotify, XkbGroupStateMask, XkbGroupStateMask);
  XSelectInput(display_, DefaultRootWindow(display_), SubstructureNotifyMask | StructureNotifyMask);
  wire::Message ready{.kind = wire::Kind::Ready};
  for (const std::string& warning : display_warnings(display_)) ready.text += warning + "\n";
  if (!human_.works())
    ready.text += "The X server lacks XInput 2.2: the panic chord and a human's hand are not seen.\n";
  wire::send(program_fd_, ready, wire::Wait::Yes);
}

void Helper::run() {
  while (!program_gone_) {
    pollfd polled[] = {{program_fd_, POLLIN, 0}, {ConnectionNumber(display_), POLLIN, 0}, {guardian_fd_, 0, 0}};
    if (XEventsQueued(display_, QueuedAfterFlush) == 0) ::poll(polled, 3, wait_ms());
    hear_display();
    hear_program();
    check_beat();
    perform_due_step();
    give_back_when_due();
    if (polled[2].revents & (POLLHUP | POLLERR)) break;  // nobody would clean up after us
  }
  injector_.release_all();
}

int Helper::wait_ms() const {
  Clock::time_point until = Clock::now() + milliseconds(60'000);
  if (running_) until = std::min(until, due_);
  if (running_ || held_.any_held()) {
    const Clock::time_point first_look = last_beat_ + milliseconds(wire::kStoppedLimit_ms);
    until = std::min(until, Clock::now() < first_look ? first_look : last_beat_ + milliseconds(wire::kBeatLimit_ms));
  }
  if (!running_ && held_.owes_keymap()) until = std::min(until, held_.give_back_at());
  const auto wait = std::chrono::ceil<milliseconds>(until - Clock::now()).count();
  return static_cast<int>(std::max<std::int64_t>(wait, 0));
}

void Helper::hear_display() {
  while (XPending(display_) > 0) {
    XEvent event;
    XNextEvent(display_, &event);
    ping_.look(event);
    if (event.type == xkb_event_ || event.type == MappingNotify) {
      if (event.type == MappingNotify) XRefreshKeyboardMapping(&event.xmapping);
      keymap_.set_stale();
      human_.find_chord_keys();
    } else if (event.type == ConfigureNotify && event.xconfigure.window == DefaultRootWindow(display_)) {
      injector_.set_screen_size(event.xconfigure.width, event.xconfigure.height);
    }
    const HumanWatch::Sight sight = human_.look(event);
    if (sight == HumanWatch::Sight::PanicChord) interrupt(Interruption::Panicked);
    if (sight == HumanWatch::Sight::Touched && !interruption_) interrupt(Interruption::TakenOver);
  }
}

void Helper::hear_program() {
  while (!program_gone_) {
    std::optional<wire::Message> message = wire::receive(program_fd_, wire::Wait::No, program_gone_);
    if (!message) return;
    last_beat_ = Clock::now();
    on_message(*message);
  }
}

void Helper::on_message(wire::Message& message) {
  switch (message.kind) {
    case wire::Kind::Perform:
      begin(message);
      return;
    case wire::Kind::Abort:
      if (running_ && message.serial == serial_) finish(Ending::Stopped, "stopped");
      return;
    case wire::Kind::ReleaseAll:
      if (running_) finish(Ending::Stopped, "stopped");
      injector_.release_all();
      pressed_.clear();
      return answer(message.serial, Ending::Done, "");
    case wire::Kind::Resume:
      interruption_.reset();
      return answer(message.serial, Ending::Done, "");
    case wire::Kind::Secret:
      if (message.steps.size() == 1) secrets_[message.text] = std::get<TypeText>(message.steps[0]).utf8;
      return answer(message.serial, Ending::Done, "");
    default:
      return;  // a beat
  }
}

// By SIGSTOP or a debugger: "pid (name) state …"; the name may hold anything.
bool Helper::is_program_stopped() const {
  std::ifstream file("/proc/" + std::to_string(::getppid()) + "/stat");
  std::string stat;
  std::getline(file, stat, '\0');
  const std::size_t end_of_name = stat.rfind(')');
  if (end_of_name == std::string::npos || end_of_name + 2 >= stat.size()) return false;
  return stat[end_of_name + 2] == 'T' || stat[end_of_name + 2] == 't';
}

void Helper::check_beat() {
  if (!running_ && !held_.any_held()) return;
  const auto silence = Clock::now() - last_beat_;
  if (silence < milliseconds(wire::kStoppedLimit_ms)) return;
  if (silence < milliseconds(wire::kBeatLimit_ms) && !is_program_stopped()) return;
  if (running_) return finish(Ending::Failed, "the program gave no sign of life; everything was released");
  injector_.release_all();
  pressed_.clear();
}

void Helper::begin(wire::Message& message) {
  if (running_) return answer(message.serial, Ending::Failed, "an input script is still running");
  serial_ = message.serial;
  steps_ = std::move(message.steps);
  step_idx_ = 0;
  characters_typed_ = 0;
  note_.clear();
  checked_free_ = false;
  started_ = due_ = last_progress_ = Clock::now();
  running_ = true;
  if (interruption_)
    finish(*interruption_ == Interruption::Panicked ? Ending::Panicked : Ending::TakenOver,
           "the human has the desktop; nothing was done");
}

// A program that holds the pointer or the keyboard would get the events meant for another window.
bool Helper::is_free_to_start() {
  if (checked_free_) return true;
  const bool button = std::any_of(steps_.begin(), steps_.end(), wants_pointer);
  const bool key = std::any_of(steps_.begin(), steps_.end(), wants_keyboard);
  // While our own button is down the window under it holds the pointer, as it should.
  const bool held = held_.any_held();
  const bool pointer_taken = button && !held && is_pointer_grabbed(display_, unmapped_window_);
  const bool keyboard_taken = key && !held && is_keyboard_grabbed(display_, unmapped_window_);
  if (!pointer_taken && !keyboard_taken) return checked_free_ = true;
  if (Clock::now() - started_ > kGrabPatience)
    finish(Ending::Failed, std::string("another program holds the ") + (pointer_taken ? "pointer" : "keyboard") +
                               " (an X grab), so no window would get this; close its dialog or lock screen first");
  else
    due_ = Clock::now() + milliseconds(50);
  return false;
}

void Helper::perform_due_step() {
  const auto now = Clock::now();
  if (!running_) return;
  if (now - last_progress_ > milliseconds(wire::kProgressInterval_ms)) {
    wire::send(program_fd_, {.kind = wire::Kind::Progress, .serial = serial_}, wire::Wait::No);
    last_progress_ = now;
  }
  if (now < due_ || !is_free_to_start()) return;
  if (step_idx_ == steps_.size()) {
    XSync(display_, False);  // the server has it all before the program looks at the screen
    return finish(Ending::Done, note_);
  }
  std::visit([this](const auto& step) { perform(step); }, steps_[step_idx_]);
  XFlush(display_);
}

void Helper::step_done(Clock::time_point next_due) {
  ++step_idx_;
  due_ = next_due;
}

void Helper::perform(const MoveTo& move) {
  const Point to{move.x_pt, move.y_pt};
  if (!injector_.contains(to))
    return finish(Ending::Failed, "the point " + std::to_string(to.x_pt) + ", " + std::to_string(to.y_pt) +
                                      " lies outside the desktop");
  injector_.move(to);
  step_done(Clock::now());
}

void Helper::perform(const ButtonChange& button) {
  if (button.button < 1 || button.button > kMaxButton)
    return finish(Ending::Failed, "there is no button " + std::to_string(button.button));
  const bool just_moved = step_idx_ > 0 && std::holds_alternative<MoveTo>(steps_[step_idx_ - 1]);
  if (button.down && just_moved && injector_.last_move()) {
    Window root = None, child = None;
    int x = 0, y = 0, window_x = 0, window_y = 0;
    unsigned mask = 0;
    XQueryPointer(display_, DefaultRootWindow(display_), &root, &child, &x, &y, &window_x, &window_y, &mask);
    const Point wanted = *injector_.last_move();
    if (std::abs(x - wanted.x_pt) > 1 || std::abs(y - wanted.y_pt) > 1)
      return finish(Ending::Failed, "the pointer could not get to " + std::to_string(wanted.x_pt) + ", " +
                                        std::to_string(wanted.y_pt) + "; it is at " + std::to_string(x) + ", " +
                                        std::to_string(y) + " (no monitor there, or a program confines it)");
  }
  injector_.button(static_cast<unsigned>(button.button), button.down);
  step_done(Clock::now());
}

void Helper::perform(const KeyChange& key) {
  if (key.down)
    press_keysym(key);
  else
    lift_keysym(key.keysym);
}

void Helper::press_keysym(const KeyChange& key) {
  std::optional<KeyPlace> place = keymap_.find_keysym(key.keysym);
  if (!place && keymap_.lendable() > 0 && !held_.any_lent()) {
    keymap_.lend({key.keysym});
    due_ = Clock::now() + kLendDelay;
    return;  // and again with the key in place
  }
  if (!place) place = keymap_.find_in_other_groups(key.keysym);
  if (!place && held_.any_lent()) {
    if (Clock::now() >= held_.give_back_at()) give_back_keycodes(display_, held_);
    due_ = Clock::now() + milliseconds(10);
    return;
  }
  if (!place) {
    const char* name = XKeysymToString(key.keysym);  // null: it has none
    return finish(Ending::Failed,
                  "no key on this keyboard gives " + (name != nullptr ? name : "keysym " + std::to_string(key.keysym)));
  }
  if (place->shift) injector_.key(keymap_.shift_keycode(), true);
  injector_.key(place->keycode, true);
  pressed_.push_back({key.keysym, *place});
  step_done(Clock::now());
}

void Helper::lift_keysym(KeySym keysym) {
  const auto pressed = std::find_if(pressed_.rbegin(), pressed_.rend(),
                                    [keysym](const PressedKey& key) { return key.keysym == keysym; });
  if (pressed != pressed_.rend()) {
    const KeyPlace place = pressed->place;
    pressed_.erase(std::next(pressed).base());
    injector_.key(place.keycode, false);
    const bool shift_wanted =
        std::any_of(pressed_.begin(), pressed_.end(), [](const PressedKey& key) { return key.place.shift; });
    if (place.shift && !shift_wanted) injector_.key(keymap_.shift_keycode(), false);
  }
  step_done(Clock::now());
}

void Helper::perform(const TypeText& text) {
  if (!typer_) {
    const std::optional<std::u32string> characters = typeable(with_secrets(text.utf8));
    if (!characters) return finish(Ending::Failed, "the text has bytes or control characters that no key gives");
    if (const std::string method = input_method(display_); !method.empty())
      note_ = "the input method " + method + " runs and may have changed the text: check it";
    typer_.emplace(TextTyper::Tools{injector_, keymap_, ping_, held_}, *characters);
  }
  const std::optional<Clock::time_point> next = typer_->advance();
  if (next) {
    due_ = *next;
    return;
  }
  if (!typer_->error().empty())
    return finish(Ending::Failed, types_secret_ ? "a character of the secret can't be typed here" : typer_->error());
  characters_typed_ += types_secret_ ? typeable(text.utf8)->size() : typer_->characters_typed();
  typer_.reset();
  step_done(Clock::now());
}

// Says nothing about the length of a secret.
std::size_t Helper::characters_to_tell() const {
  return types_secret_ ? 0 : typer_->characters_typed();
}

std::string Helper::with_secrets(const std::string& text) {
  std::string whole;
  types_secret_ = false;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t open = text.find("{{", at), close = text.find("}}", open == std::string::npos ? at : open);
    if (open == std::string::npos || close == std::string::npos) return whole + text.substr(at);
    const auto secret = secrets_.find(text.substr(open + 2, close - open - 2));
    const std::size_t end = secret == secrets_.end() ? open + 1 : close + 2;  // other braces are typed as they are
    whole += text.substr(at, open - at) + (secret == secrets_.end() ? "{" : secret->second);
    types_secret_ = types_secret_ || secret != secrets_.end();
    at = end;
  }
  return whole;
}

void Helper::perform(const Pause& pause) {
  step_done(Clock::now() + milliseconds(std::max(0, pause.duration_ms)));
}

void Helper::interrupt(Interruption interruption) {
  const bool is_new = interruption_ != interruption;
  interruption_ = interruption;
  const Ending ending = interruption == Interruption::Panicked ? Ending::Panicked : Ending::TakenOver;
  if (running_)
    finish(ending, interruption == Interruption::Panicked ? "the panic keys were pressed" : "a human took over");
  injector_.release_all();
  pressed_.clear();
  if (is_new)
    wire::send(program_fd_, {.kind = wire::Kind::Interrupted, .status = static_cast<std::uint32_t>(ending)},
               wire::Wait::No);
}

void Helper::finish(Ending ending, const std::string& text) {
  if (typer_) characters_typed_ += characters_to_tell();
  typer_.reset();
  running_ = false;
  if (ending != Ending::Done) {
    injector_.release_all();
    pressed_.clear();
  }
  answer(serial_, ending, text);
}

void Helper::answer(std::uint32_t serial, Ending ending, const std::string& text) {
  wire::send(program_fd_,
             {.kind = wire::Kind::Done,
              .serial = serial,
              .status = static_cast<std::uint32_t>(ending),
              .steps_done = static_cast<std::uint32_t>(step_idx_),
              .characters_typed = static_cast<std::uint32_t>(characters_typed_),
              .any_held = held_.any_held(),
              .text = text},
             wire::Wait::Yes);
}

void Helper::give_back_when_due() {
  if (running_ || !held_.owes_keymap() || held_.any_held() || Clock::now() < held_.give_back_at()) return;
  give_back_keycodes(display_, held_);
  keymap_.set_stale();
}

}  // namespace tools::input_helper
