#include "agent/permission.h"

#include <array>
#include <cstdint>
#include <cstdio>
#include <regex>

namespace agent {
namespace {

using tools::Effect;

struct EffectRow {
  Effect effect;
  std::string_view name;
  Decision by_default;
};

constexpr std::array<EffectRow, 9> kEffects = {{{Effect::Observe, "observe", Decision::Allow},
                                                {Effect::Read, "read", Decision::Allow},
                                                {Effect::ReadElsewhere, "read_elsewhere", Decision::Ask},
                                                {Effect::InputPrivate, "input_private", Decision::Allow},
                                                {Effect::InputUser, "input_user", Decision::Ask},
                                                {Effect::WriteWorkspace, "write_workspace", Decision::Allow},
                                                {Effect::WriteElsewhere, "write_elsewhere", Decision::Ask},
                                                {Effect::Shell, "shell", Decision::Ask},
                                                {Effect::Network, "network", Decision::Ask}}};

const EffectRow& row_of(Effect effect) {
  for (const EffectRow& row : kEffects) {
    if (row.effect == effect) return row;
  }
  return kEffects.back();
}

struct Danger {
  const char* what;
  std::regex pattern;
};

// Deliberately broad: a needless question costs less than a lost folder.
const std::vector<Danger>& dangers() {
  const auto flags = std::regex::ECMAScript | std::regex::icase | std::regex::optimize;
  static const std::vector<Danger> all = {
      {"destroys",
       std::regex(
           R"(\brm\s+(-\w*\s+)*-\w*[rf]|\bmkfs|\bdd\s+.*of=|\bshred\b|\bgit\s+(push\s+.*--force|reset\s+--hard|clean\s+-\w*f)|>\s*/dev/(sd|nvme|vd))",
           flags)},
      {"touches credentials",
       std::regex(R"(\.ssh/|\.gnupg/|\.netrc|id_(rsa|ed25519)|\bpasswd\b|/etc/shadow|keyring|api[_-]?key)", flags)},
      {"spends money",
       std::regex(R"(\b(buy now|place (the )?order|pay now|checkout|confirm (the )?payment)\b)", flags)},
      {"gains rights", std::regex(R"(\b(sudo|pkexec|doas)\b|\bsu\s+-)", flags)}};
  return all;
}

bool is_invisible(std::uint32_t c) {
  return (c < 0x20 && c != '\n' && c != '\t') || (c >= 0x7F && c < 0xA0) || c == 0xAD || c == 0x61C || c == 0x180E ||
         (c >= 0x200B && c <= 0x200F) || (c >= 0x2028 && c <= 0x202E) || (c >= 0x2060 && c <= 0x206F) || c == 0x3164 ||
         c == 0xFEFF || (c >= 0xFE00 && c <= 0xFE0F) || (c >= 0xE0000 && c <= 0xE01EF);
}

// The character that starts at `at` and its length in bytes; an invalid byte counts as one character.
std::pair<std::uint32_t, std::size_t> character_at(const std::string& utf8, std::size_t at) {
  const auto lead = static_cast<unsigned char>(utf8[at]);
  const std::size_t n = lead < 0x80 ? 1 : lead >> 5 == 6 ? 2 : lead >> 4 == 14 ? 3 : lead >> 3 == 30 ? 4 : 1;
  if (n == 1 || at + n > utf8.size()) return {lead, 1};
  std::uint32_t c = lead & (0x7FU >> n);
  for (std::size_t i = 1; i < n; ++i) {
    const auto next = static_cast<unsigned char>(utf8[at + i]);
    if (next >> 6 != 2) return {lead, 1};
    c = c << 6 | (next & 0x3F);
  }
  return {c, n};
}

}  // namespace

Decision default_decision(Effect effect) {
  return row_of(effect).by_default;
}
std::string_view name_of(Effect effect) {
  return row_of(effect).name;
}

std::string_view name_of(Decision decision) {
  return decision == Decision::Allow ? "allow" : decision == Decision::Ask ? "ask" : "deny";
}

Permission permission_for(const tools::ToolCall& call, Effect effect, const Policy& policy) {
  const auto rule = policy.rules.find(effect);
  Permission permission = {rule == policy.rules.end() ? default_decision(effect) : rule->second, ""};
  permission.reason = std::string(name_of(effect)) + " is set to " + std::string(name_of(permission.decision));
  if (permission.decision != Decision::Allow) return permission;
  const std::string written = call.arguments.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  for (const Danger& danger : dangers()) {
    if (std::regex_search(written, danger.pattern))
      return {Decision::Ask, std::string("it looks like it ") + danger.what};
  }
  return permission;
}

std::string visible(const std::string& utf8) {
  std::string shown;
  for (std::size_t at = 0; at < utf8.size();) {
    const auto [c, n] = character_at(utf8, at);
    if (is_invisible(c)) {
      std::array<char, 16> escape{};
      std::snprintf(escape.data(), escape.size(), "\\u{%x}", static_cast<unsigned>(c));
      shown += escape.data();
    } else {
      shown += utf8.substr(at, n);
    }
    at += n;
  }
  return shown;
}

}  // namespace agent
