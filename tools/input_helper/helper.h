#pragma once
// The helper's loop: performs one script at a time, one step at a time, and between any two steps hears the program's
// beat, its abort, and the human.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tools/input_helper/app_ping.h"
#include "tools/input_helper/human_watch.h"
#include "tools/input_helper/injector.h"
#include "tools/input_helper/keymap.h"
#include "tools/input_helper/text_typer.h"
#include "tools/input_protocol.h"

namespace tools::input_helper {

class Helper {
 public:
  struct Setup {
    Display* display;
    HeldState& held;
    int program_fd;
    int guardian_fd;
    std::vector<KeySym> panic_chord;
  };
  explicit Helper(const Setup& setup);
  // Until the program or the guardian is gone; everything is released then.
  void run();

 private:
  using Ending = InputOutcome::Ending;

  void hear_program();
  void hear_display();
  void on_message(input_protocol::Message& message);
  void check_beat();
  void begin(input_protocol::Message& message);
  void perform_due_step();
  void perform(const MoveTo& move);
  void perform(const ButtonChange& button);
  void perform(const KeyChange& key);
  void perform(const TypeText& text);
  void perform(const Pause& pause);
  bool is_free_to_start();
  void step_done(Clock::time_point next_due);
  void press_keysym(const KeyChange& key);
  void lift_keysym(KeySym keysym);
  std::string with_secrets(const std::string& text);
  std::size_t characters_to_tell() const;
  void interrupt(Interruption interruption);
  void finish(Ending ending, const std::string& text);
  void answer(std::uint32_t serial, Ending ending, const std::string& text);
  void give_back_when_due();
  int wait_ms() const;
  bool is_program_stopped() const;

  Display* display_;
  HeldState& held_;
  int program_fd_, guardian_fd_;
  bool program_gone_ = false;
  Window unmapped_window_;
  int xkb_event_ = 0;
  Injector injector_;
  Keymap keymap_;
  AppPing ping_;
  HumanWatch human_;

  bool running_ = false;
  std::uint32_t serial_ = 0;
  std::vector<InputStep> steps_;
  std::size_t step_idx_ = 0;
  std::size_t characters_typed_ = 0;
  std::string note_;
  Clock::time_point due_{}, last_beat_{}, last_progress_{}, started_{};
  bool checked_free_ = false;
  std::optional<TextTyper> typer_;
  bool types_secret_ = false;                   // in the text that is being typed
  std::map<std::string, std::string> secrets_;  // values by name
  // Keys pressed by name: the keysym, its key, and whether Shift went down with it.
  struct PressedKey {
    KeySym keysym;
    KeyPlace place;
  };
  std::vector<PressedKey> pressed_;
  std::optional<Interruption> interruption_;
};

}  // namespace tools::input_helper
