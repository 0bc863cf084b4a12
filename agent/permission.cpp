#include "agent/permission.h"

#include <QRegularExpression>
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <optional>

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

struct DangerRow {
  Danger danger;
  std::string_view name;
  const char* what;
  QRegularExpression pattern;
};

QRegularExpression pattern(const char* text) {
  return QRegularExpression(text,
                            QRegularExpression::CaseInsensitiveOption | QRegularExpression::DotMatchesEverythingOption);
}

// Deliberately broad: a needless question costs less than a lost folder.
const std::vector<DangerRow>& dangers() {
  static const std::vector<DangerRow> all = {
      {Danger::Destructive, "destructive", "destroys",
       pattern(
           R"(\brm\s+(-\w*\s+)*-\w*[rf]|\bmkfs|\bdd\s+.*of=|\bshred\b|\bgit\s+(push\s+.*--force|reset\s+--hard|clean\s+-\w*f)|>\s*/dev/(sd|nvme|vd))")},
      {Danger::Credentials, "credentials", "touches credentials",
       pattern(R"(\.ssh/|\.gnupg/|\.netrc|id_(rsa|ed25519)|\bpasswd\b|/etc/shadow|keyring|api[_-]?key)")},
      {Danger::Money, "money", "spends money",
       pattern(R"(\b(buy now|place (the )?order|pay now|checkout|confirm (the )?payment)\b)")},
      {Danger::Rights, "rights", "gains rights", pattern(R"(\b(sudo|pkexec|doas)\b|\bsu\s+-)")}};
  return all;
}

// All names and texts of the arguments as they will be used, one a line: escaped, a line's end would hide a word's
// start.
void append_texts(const nlohmann::json& value, std::string& texts) {
  if (value.is_string()) texts += value.get_ref<const std::string&>() + "\n";
  if (!value.is_structured()) return;
  for (const auto& [key, item] : value.items()) {
    if (value.is_object()) texts += key + "\n";
    append_texts(item, texts);
  }
}

// Also true of a text too tangled to be searched through.
bool may_contain(const QString& text, const QRegularExpression& pattern) {
  const QRegularExpressionMatch match = pattern.match(text);
  return match.hasMatch() || !match.isValid();
}

// The remembered rule for this name: one for the very subject before one for all, else one with this decision.
Rule remembered(const Policy& policy, std::string_view name, const std::string& subject, Decision otherwise) {
  Rule general = {std::string(name), "", otherwise};
  for (const Rule& rule : policy.remembered) {
    if (rule.name != name) continue;
    if (rule.subject.empty()) general = rule;
    if (!subject.empty() && rule.subject == subject) return rule;
  }
  return general;
}

Rule rule_for(Effect effect, const std::string& subject, const Policy& policy) {
  const auto rule = policy.rules.find(effect);
  if (rule != policy.rules.end()) return {std::string(name_of(effect)), "", rule->second};
  return remembered(policy, name_of(effect), subject, default_decision(effect));
}

Rule rule_for(const DangerRow& row, const std::string& subject, const Policy& policy) {
  const auto rule = policy.dangers.find(row.danger);
  if (rule != policy.dangers.end()) return {std::string(row.name), "", rule->second};
  return remembered(policy, row.name, subject, Decision::Ask);
}

bool types_a_secret(const std::string& written, const Policy& policy) {
  return std::any_of(policy.secrets.begin(), policy.secrets.end(),
                     [&](const std::string& name) { return written.find("{{" + name + "}}") != std::string::npos; });
}

std::string host_of(const std::string& url) {
  const std::size_t start = url.find("://");
  if (start == std::string::npos) return url;
  return url.substr(start + 3, url.find_first_of("/?#", start + 3) - start - 3);
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

std::string_view name_of(Danger danger) {
  return std::find_if(dangers().begin(), dangers().end(), [&](const DangerRow& row) { return row.danger == danger; })
      ->name;
}

bool set_rule(Policy& policy, const std::string& name, Decision decision) {
  for (const EffectRow& row : kEffects) {
    if (row.name == name) policy.rules[row.effect] = decision;
    if (row.name == name) return true;
  }
  for (const DangerRow& row : dangers()) {
    if (row.name == name) policy.dangers[row.danger] = decision;
    if (row.name == name) return true;
  }
  return false;
}

std::optional<Effect> effect_named(std::string_view name) {
  for (const EffectRow& row : kEffects) {
    if (row.name == name) return row.effect;
  }
  return std::nullopt;
}

std::vector<std::string> rule_names() {
  std::vector<std::string> names;
  for (const EffectRow& row : kEffects) names.emplace_back(row.name);
  for (const DangerRow& row : dangers()) names.emplace_back(row.name);
  return names;
}

std::string subject_of(const tools::ToolCall& call, Effect effect) {
  const auto argument = [&](const char* key) {
    const auto found = call.arguments.find(key);
    return found != call.arguments.end() && found->is_string() ? found->get<std::string>() : std::string();
  };
  switch (effect) {
    case Effect::Shell: {
      const std::string command = argument("command").empty() ? argument("program") : argument("command");
      // Only of a plain command does the first word say what is run.
      if (command.find_first_of("|&;<>()$`\\\"'*?[#~=%\n{}!") != std::string::npos) return command;
      return command.substr(0, command.find(' '));
    }
    case Effect::Network:
      return argument("url").empty() ? argument("command") : host_of(argument("url"));
    case Effect::ReadElsewhere:
    case Effect::WriteElsewhere:
    case Effect::WriteWorkspace:
    case Effect::Read:
      return argument("path");
    default:
      return "";
  }
}

Permission permission_for(const tools::ToolCall& call, Effect effect, const Policy& policy) {
  const std::string subject = subject_of(call, effect);
  const std::string name(name_of(effect));
  const Rule general = rule_for(effect, subject, policy);
  Permission permission = {general.decision, "", {name, subject, Decision::Ask}, {general}};
  permission.reason = name + " is set to " + std::string(name_of(permission.decision));
  if (permission.decision == Decision::Deny) return {permission.decision, permission.reason, permission.rule};
  std::string written;
  append_texts(call.arguments, written);
  const QString searched = QString::fromStdString(written);
  for (const DangerRow& row : dangers()) {
    const bool is_secret = row.danger == Danger::Credentials && types_a_secret(written, policy);
    if (!is_secret && !may_contain(searched, row.pattern)) continue;
    const Rule rule = rule_for(row, subject, policy);
    permission.allowed_by.push_back(rule);
    if (rule.decision == Decision::Allow) continue;
    const std::string looks = is_secret ? "it types a secret" : std::string("it looks like it ") + row.what;
    permission = {rule.decision, looks, {std::string(row.name), subject, Decision::Ask}};
    if (rule.decision == Decision::Deny) return permission;
  }
  if (permission.decision != Decision::Allow) permission.allowed_by.clear();
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
