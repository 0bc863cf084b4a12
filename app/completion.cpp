#include "app/completion.h"

#include <algorithm>

namespace app {
namespace {

void replace_all(std::string& text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

// The choices one a word; a choice of two words can't be completed.
std::string choices_of(const std::string& value) {
  if (value.find('|') == std::string::npos || value.find(' ') != std::string::npos) return "";
  std::string words = value;
  std::replace(words.begin(), words.end(), '|', ' ');
  return words;
}

// In single quotes, as every shell reads them.
std::string in_quotes(std::string text) {
  replace_all(text, "'", "'\\''");
  return "'" + text + "'";
}

// What bash's compgen offers for a value.
std::string bash_values(const std::string& value) {
  if (const std::string words = choices_of(value); !words.empty()) return "-W \"" + words + "\"";
  if (value == "folder") return "-d";
  if (value == "file" || value == "program") return "-f";
  return "";
}

std::string names_of(std::span<const Command> commands) {
  std::string names;
  for (const Command& command : commands) names += (names.empty() ? "" : " ") + command.name;
  return names;
}

std::string zsh_text(std::string text) {
  for (const char* special : {"\\", "[", "]", ":"}) replace_all(text, special, std::string("\\") + special);
  replace_all(text, "'", "'\\''");
  return text;
}

std::string zsh_action(const std::string& value) {
  if (const std::string words = choices_of(value); !words.empty()) return ":" + zsh_text(value) + ":(" + words + ")";
  if (value == "folder") return ":folder:_files -/";
  if (value == "file" || value == "program") return ":file:_files";
  return ":" + zsh_text(value) + ": ";
}

std::string fish_values(const std::string& value) {
  if (value.empty()) return "";
  if (const std::string words = choices_of(value); !words.empty()) return " -x -a " + in_quotes(words);
  if (value == "folder") return " -x -a '(__fish_complete_directories)'";
  if (value == "file") return " -r -F";
  return " -x";
}

// Text in roff: no line may begin with a control character, and a hyphen is to stay one.
std::string roff(std::string text) {
  replace_all(text, "\\", "\\e");
  replace_all(text, "-", "\\-");
  replace_all(text, "\n.", "\n\\&.");
  replace_all(text, "\n'", "\n\\&'");
  if (text.starts_with('.') || text.starts_with('\'')) text.insert(0, "\\&");
  return text;
}

std::string manual_entry(const Command& command) {
  std::string text =
      ".SS " + roff(command.name) + "\n.B " + roff(usage_of(command)) + "\n.PP\n" + roff(command.summary) + "\n";
  if (!command.notes.empty()) text += ".PP\n" + roff(command.notes);
  for (const CommandArgument& argument : command.arguments) {
    text += ".TP\n.I " + roff(argument.name) + "\n" + roff(argument.help) + "\n";
  }
  for (const CommandOption& option : command.options) {
    text += ".TP\n.B " + roff("--" + option.name) +
            (option.value.empty() ? "" : " \\fI" + roff(option.value) + "\\fR") + "\n" + roff(option.help) +
            (option.otherwise.empty() ? "" : " Default: " + roff(option.otherwise) + ".") + "\n";
  }
  return text;
}

}  // namespace

std::string bash_completion(std::span<const Command> commands) {
  std::string script =
      "# bash completion of deskhand\n"
      "_deskhand() {\n"
      "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}\n"
      "  COMPREPLY=()\n"
      "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
      "    COMPREPLY=($(compgen -W \"" +
      names_of(commands) +
      " --help --version\" -- \"$word\"))\n"
      "    return\n"
      "  fi\n"
      "  case \"${COMP_WORDS[1]}\" in\n";
  for (const Command& command : commands) {
    std::string options = "--help", cases;
    for (const CommandOption& option : command.options) {
      options += " --" + option.name;
      const std::string values = bash_values(option.value);
      if (option.value.empty()) continue;
      cases += "        --" + option.name + ") " +
               (values.empty() ? std::string("return") : "COMPREPLY=($(compgen " + values + " -- \"$word\")); return") +
               " ;;\n";
    }
    std::string words = "-f";
    if (!command.arguments.empty() && !bash_values(command.arguments[0].name).empty()) {
      words = bash_values(command.arguments[0].name);
    }
    script += "    " + command.name + ")\n";
    if (!cases.empty()) script += "      case \"$before\" in\n" + cases + "      esac\n";
    script += "      case \"$word\" in\n        -*) COMPREPLY=($(compgen -W \"" + options +
              "\" -- \"$word\")) ;;\n        *) COMPREPLY=($(compgen " + words + " -- \"$word\")) ;;\n      esac ;;\n";
  }
  return script + "  esac\n}\ncomplete -o filenames -F _deskhand deskhand\n";
}

std::string zsh_completion(std::span<const Command> commands) {
  std::string script =
      "#compdef deskhand\n"
      "_deskhand() {\n"
      "  local -a commands\n"
      "  commands=(\n";
  for (const Command& command : commands) {
    script += "    '" + command.name + ":" + zsh_text(command.summary) + "'\n";
  }
  script +=
      "  )\n"
      "  if (( CURRENT == 2 )); then\n"
      "    _describe command commands\n"
      "    return\n"
      "  fi\n"
      "  local command=$words[2]\n"
      "  shift words\n"
      "  (( CURRENT-- ))\n"
      "  case $command in\n";
  for (const Command& command : commands) {
    script += "    " + command.name + ")\n      _arguments \\\n        '--help[all about the command]'";
    for (const CommandOption& option : command.options) {
      script += " \\\n        '*--" + option.name + "[" + zsh_text(option.help) + "]" +
                (option.value.empty() ? "" : zsh_action(option.value)) + "'";
    }
    for (const CommandArgument& argument : command.arguments) {
      script += " \\\n        '" + std::string(argument.is_rest ? "*" : "") + zsh_action(argument.name) + "'";
    }
    script += " ;;\n";
  }
  return script + "  esac\n}\n_deskhand \"$@\"\n";
}

std::string fish_completion(std::span<const Command> commands) {
  std::string script = "# fish completion of deskhand\n";
  for (const Command& command : commands) {
    script += "complete -c deskhand -n __fish_use_subcommand -f -a " + command.name + " -d " +
              in_quotes(command.summary) + "\n";
  }
  for (const Command& command : commands) {
    const std::string here = "complete -c deskhand -n '__fish_seen_subcommand_from " + command.name + "'";
    for (const CommandOption& option : command.options) {
      script += here + " -l " + option.name + fish_values(option.value) + " -d " + in_quotes(option.help) + "\n";
    }
    for (const CommandArgument& argument : command.arguments) {
      if (const std::string words = choices_of(argument.name); !words.empty())
        script += here + " -f -a " + in_quotes(words) + "\n";
    }
  }
  return script;
}

std::string manual_page(std::span<const Command> commands, const std::string& version) {
  std::string page =
      ".TH DESKHAND 1 \"\" \"Deskhand " + version +
      "\" \"User Commands\"\n"
      ".SH NAME\ndeskhand \\- works a Linux desktop for you\n"
      ".SH SYNOPSIS\n.B deskhand\n.RI \" \\(dq\" task \\(dq\n.br\n.B deskhand\n.I command\n…\n"
      ".SH DESCRIPTION\n"
      "Looks at the screen, breaks a task down, and acts with mouse, keyboard, shell and files, on a desktop of its "
      "own\n"
      "unless told otherwise. All that happens is written down and can be shown, done again and exported.\n"
      ".SH COMMANDS\n";
  for (const Command& command : commands) page += manual_entry(command);
  page +=
      ".SH EXIT STATUS\n"
      ".TP\n.B 0\ndone\n.TP\n.B 1\nfailed\n.TP\n.B 2\nwrong usage\n.TP\n.B 3\ngave up, with the reason\n"
      ".TP\n.B 4\nstuck; of a replay: a target is gone\n.TP\n.B 5\nrefused\n.TP\n.B 130\nstopped by the user\n"
      ".SH FILES\n.TP\n.I ~/.local/share/deskhand/sessions.db\nthe record of all sessions\n";
  return page;
}

}  // namespace app
