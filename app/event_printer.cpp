#include "app/event_printer.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>
#include <nlohmann/json.hpp>
#include <utility>

#include "agent/screen_boxes.h"
#include "tools/output_excerpt.h"

namespace app {
namespace {

using nlohmann::json;

constexpr const char* kDim = "\x1b[2m";
constexpr const char* kGreen = "\x1b[32m";
constexpr const char* kRed = "\x1b[31m";
constexpr const char* kYellow = "\x1b[33m";

std::string seconds_text(double seconds) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.1f s", seconds);
  return text;
}

std::string call_text(const tools::ToolCall& call) {
  std::string arguments = agent::visible(call.arguments.dump(-1, ' ', false, json::error_handler_t::replace));
  if (arguments.size() > 160) arguments = std::string(tools::utf8_prefix(arguments, 157)) + "...";
  return call.name + " " + arguments;
}

// The first line of a text, cut to a terminal's width.
std::string first_line(const std::string& text) {
  std::string first = text.substr(0, text.find('\n'));
  if (first.size() > 160) first = std::string(tools::utf8_prefix(first, 157)) + "...";
  return agent::visible(first);
}

const char* verdict_name(tools::Verdict verdict) {
  constexpr const char* kNames[] = {"confirmed", "partial", "no-op", "unverifiable", "refused"};
  return kNames[static_cast<int>(verdict)];
}

json to_json(const tools::ToolResult& result) {
  json object = {{"ok", result.ok}, {"text", result.text}};
  if (result.evidence) object["verdict"] = verdict_name(result.evidence->verdict);
  return object;
}

std::string rate_text(double tokens_per_s) {
  return tokens_per_s > 0 ? ", " + std::to_string(static_cast<int>(tokens_per_s + 0.5)) + " tokens/s" : "";
}

std::string describe(const agent::ModelStatus& status) {
  using Phase = agent::ModelStatus::Phase;
  switch (status.phase) {
    case Phase::Loading:
      return status.total_bytes > 0
                 ? "loads the model, " + std::to_string(100 * status.done_bytes / status.total_bytes) + " % of " +
                       std::to_string(status.total_bytes >> 20) + " MiB"
                 : "loads the model";
    case Phase::Reading:
      if (status.total_tokens == 0) return "reads";
      return "reads " + std::to_string(status.done_tokens) + " of " + std::to_string(status.total_tokens) + " tokens" +
             rate_text(status.prefill_tokens_per_s);
    case Phase::Writing:
      return "writes" + rate_text(status.decode_tokens_per_s);
    case Phase::Resting:
      return "";
  }
  return "";
}

std::size_t terminal_columns() {
  winsize size{};
  return ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1 ? size.ws_col : 80;
}

template <typename... Kinds>
struct Overloaded : Kinds... {
  using Kinds::operator()...;
};
template <typename... Kinds>
Overloaded(Kinds...) -> Overloaded<Kinds...>;

}  // namespace

void EventPrinter::line(const std::string& text, const char* colour) {
  end_piece();
  const bool is_coloured = style_ == Style::Terminal && *colour != '\0';
  std::printf("%s%s%s\n", is_coloured ? colour : "", text.c_str(), is_coloured ? "\x1b[0m" : "");
  std::fflush(stdout);
}

void EventPrinter::progress(const agent::ModelStatus& status) {
  const std::string text = describe(status);
  if (text.empty()) return clear_progress();
  if (!in_piece_) show_progress(text);
}

void EventPrinter::show_progress(const std::string& text) {
  if (style_ != Style::Terminal) return;
  clear_progress();
  const std::string whole = (step_ > 0 ? "step " + std::to_string(step_) + ": " : "") + text;
  std::printf("%s%s\x1b[0m", kDim, std::string(tools::utf8_prefix(whole, terminal_columns() - 1)).c_str());
  std::fflush(stdout);
  has_progress_ = true;
}

void EventPrinter::clear_progress() {
  if (has_progress_) std::fputs("\r\x1b[2K", stdout);
  has_progress_ = false;
}

// Of a box, its label alone: what may be a box yet waits for its end.
void EventPrinter::add_piece(const std::string& text) {
  clear_progress();
  held_back_ += text;
  const agent::MarkedText marked = agent::read_boxes(held_back_, agent::Written::SoFar);
  held_back_.erase(0, held_back_.size() - marked.n_open_bytes);
  std::fputs(agent::visible(marked.text).c_str(), stdout);
  std::fflush(stdout);
  in_piece_ = true;
}

void EventPrinter::end_piece() {
  clear_progress();
  if (in_piece_) std::printf("%s\n", agent::visible(std::exchange(held_back_, {})).c_str());
  in_piece_ = false;
}

void EventPrinter::begin(agent::SessionId session) {
  if (style_ != Style::Json) return line("Session " + std::to_string(session), kDim);
  std::printf("%s\n", json{{"event", "session"}, {"id", session}}.dump().c_str());
  std::fflush(stdout);
}

void EventPrinter::print(const agent::AgentEvent& event) {
  if (style_ == Style::Json) return print_json(event);
  std::visit(
      Overloaded{
          [&](const agent::StepStarted& started) {
            step_ = started.step;
            show_progress("waits for the model");
          },
          [&](const agent::ReplyPiece& piece) {
            if (piece.kind == agent::ReplyPiece::Kind::Notice) return line("! " + first_line(piece.text), kYellow);
            add_piece(piece.text);
          },
          [&](const agent::ReplyEvent&) {
            end_piece();
            std::fflush(stdout);
          },
          [&](const agent::CallStarted& started) {
            line("> " + call_text(started.call));
            for (const agent::Origin& origin : started.origins) {
              line("  \"" + first_line(origin.quote) + "\" was read by " + first_line(origin.source), kYellow);
            }
            show_progress(started.call.name + " runs");
          },
          [&](const agent::CallFinished& finished) {
            const bool is_good = finished.result.ok && (!finished.result.evidence ||
                                                        finished.result.evidence->verdict == tools::Verdict::Confirmed);
            line("  " + first_line(finished.result.text) + " (" + seconds_text(finished.seconds) + ")",
                 is_good ? kGreen : kYellow);
          },
          [&](const agent::CallDenied& denied) { line("x " + call_text(denied.call) + ": " + denied.reason, kRed); },
          [&](const agent::PlanChanged& changed) { line("Plan:\n" + changed.plan.describe(), kDim); },
          [&](const agent::HintGiven& hint) { line("! " + first_line(hint.text), kYellow); },
          [&](const agent::SessionFinished& finished) {
            const agent::Outcome& outcome = finished.outcome;
            const bool is_proven = !outcome.has_unverified_claims();
            line(std::string(agent::name_of(outcome.ending)) + (is_proven ? "" : ", but not verified") + ": " +
                     agent::visible(outcome.text),
                 outcome.ending != agent::Ending::Done ? kRed
                 : is_proven                           ? kGreen
                                                       : kYellow);
            for (const agent::Claim& claim : outcome.claims) {
              if (!claim.problem.empty()) line("  \"" + first_line(claim.sentence) + "\": " + claim.problem, kYellow);
            }
            if (outcome.n_unverified > 0) {
              line(std::to_string(outcome.n_unverified) + " of " + std::to_string(outcome.n_actions) +
                       " actions showed no clear effect",
                   kYellow);
            }
          },
      },
      event);
}

void EventPrinter::review(const std::string& diff) {
  if (diff.empty()) return;
  if (style_ == Style::Json) {
    const json object = {{"event", "review"}, {"diff", diff}};
    std::printf("%s\n", object.dump(-1, ' ', false, json::error_handler_t::replace).c_str());
  } else {
    line("What changed in the workspace:", kDim);
    line(agent::visible(diff));
  }
  std::fflush(stdout);
}

void EventPrinter::print_json(const agent::AgentEvent& event) {
  const json object = std::visit(
      Overloaded{
          [](const agent::StepStarted& started) {
            return json{{"event", "step"}, {"step", started.step}};
          },
          [](const agent::ReplyPiece& piece) {
            constexpr const char* kKinds[] = {"thought", "text", "notice"};
            return json{{"event", kKinds[static_cast<int>(piece.kind)]}, {"text", piece.text}};
          },
          [](const agent::ReplyEvent& reply) {
            const agent::Usage& usage = reply.reply.usage;
            return json{{"event", "reply"},
                        {"prompt_tokens", usage.prompt_tokens},
                        {"reused_tokens", usage.reused_tokens},
                        {"reply_tokens", usage.reply_tokens},
                        {"prefill_seconds", usage.prefill_seconds},
                        {"decode_seconds", usage.decode_seconds}};
          },
          [](const agent::CallStarted& started) {
            json origins = json::array();
            for (const agent::Origin& origin : started.origins) {
              origins.push_back({{"quote", origin.quote}, {"source", origin.source}});
            }
            json call = {{"event", "call"},
                         {"tool", started.call.name},
                         {"arguments", started.call.arguments},
                         {"effect", agent::name_of(started.effect)}};
            if (!origins.empty()) call["origins"] = origins;
            return call;
          },
          [](const agent::CallFinished& finished) {
            json result = to_json(finished.result);
            result["event"] = "result";
            result["tool"] = finished.call.name;
            result["seconds"] = finished.seconds;
            return result;
          },
          [](const agent::CallDenied& denied) {
            return json{{"event", "denied"}, {"tool", denied.call.name}, {"reason", denied.reason}};
          },
          [](const agent::PlanChanged& changed) {
            return json{{"event", "plan"}, {"steps", changed.plan.to_json()}};
          },
          [](const agent::HintGiven& hint) {
            return json{{"event", "hint"}, {"text", hint.text}};
          },
          [](const agent::SessionFinished& finished) {
            json claims = json::array();
            for (const agent::Claim& claim : finished.outcome.claims) {
              claims.push_back({{"sentence", claim.sentence}, {"cited", claim.cited}, {"problem", claim.problem}});
            }
            return json{{"event", "finished"},
                        {"ending", agent::name_of(finished.outcome.ending)},
                        {"text", finished.outcome.text},
                        {"actions", finished.outcome.n_actions},
                        {"unverified", finished.outcome.n_unverified},
                        {"claims", claims},
                        {"is_verified",
                         finished.outcome.ending == agent::Ending::Done && !finished.outcome.has_unverified_claims()}};
          },
      },
      event);
  std::printf("%s\n", object.dump(-1, ' ', false, json::error_handler_t::replace).c_str());
  std::fflush(stdout);
}

}  // namespace app
