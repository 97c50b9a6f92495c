#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "strobe/cli/help.h"

// Completion scripts for shells.
namespace strobe::cli {
namespace {

// The cases of a bash script for one command. The pattern of a verb with actions also serves its
// usual action, whose first word is a file, or the verb itself.
struct BashCases {
  std::string actions;
  std::string values;
  std::string flags;

  void add(const std::string& pattern, const Command& command) {
    std::string words;
    for (const Flag& flag : all_flags(command)) {
      words += fmt::format(" --{}", flag.name);
      if (flag.is_negatable) words += fmt::format(" --no-{}", flag.name);
      if (flag.target.choices.empty()) continue;
      values +=
          fmt::format("    {}:--{}) COMPREPLY=($(compgen -W \"{}\" -- \"$word\")); return ;;\n",
                      pattern, flag.name, joined(flag.target.choices, " "));
    }
    flags += fmt::format("    {}) flags=\"{}\" ;;\n", pattern, words.substr(1));
  }

  void add_actions(const Command& verb) {
    std::vector<std::string_view> words;
    for (const Command& action : shown_actions(verb)) {
      words.push_back(action_word(action));
      add(fmt::format("{}/{}", verb.name, words.back()), action);
    }
    for (const Command& action : shown_actions(verb)) {
      if (action_word(action) == verb.usual_action) {
        add(fmt::format("{}/*", verb.name), action);
      }
    }
    if (verb.run) add(fmt::format("{}/*", verb.name), verb);
    actions += fmt::format(
        "    {0})\n"
        "      if [ \"$COMP_CWORD\" -eq 2 ] && [ \"${{word#-}}\" = \"$word\" ]; then\n"
        "        COMPREPLY=($(compgen -W \"{1}\" -- \"$word\") $(compgen -f -- \"$word\")); "
        "return\n"
        "      fi\n"
        "      verb={0}/${{COMP_WORDS[2]}} ;;\n",
        verb.name, joined(words, " "));
  }
};

}  // namespace

std::string bash_completion(const std::vector<Command>& commands) {
  std::vector<std::string_view> verbs;
  BashCases cases;
  for (const Command& command : commands) {
    verbs.push_back(command.name);
    if (command.actions.empty()) {
      cases.add(std::string(command.name), command);
    } else {
      cases.add_actions(command);
    }
  }
  const std::string choose_action =
      cases.actions.empty() ? "" : fmt::format("  case $verb in\n{}  esac\n", cases.actions);
  return fmt::format(
      "_strobe() {{\n"
      "  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}}\n"
      "  local verb=${{COMP_WORDS[1]}} flags=\n"
      "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
      "    COMPREPLY=($(compgen -W \"{}\" -- \"$word\")); return\n"
      "  fi\n"
      "{}"
      "  case $verb:$before in\n{}  esac\n"
      "  case $verb in\n{}  esac\n"
      "  case $word in\n"
      "    -*) COMPREPLY=($(compgen -W \"$flags\" -- \"$word\")) ;;\n"
      "    *) COMPREPLY=($(compgen -f -- \"$word\")) ;;\n"
      "  esac\n"
      "}}\n"
      "complete -o filenames -F _strobe strobe\n",
      joined(verbs, " "), choose_action, cases.values, cases.flags);
}

namespace {

// In single quotes of a shell, with a backslash before each of `special`.
std::string shell_quoted(std::string_view text, std::string_view special = {}) {
  std::string out;
  for (const char c : text) {
    if (special.find(c) != std::string_view::npos) out += '\\';
    if (c == '\'') {
      out += "'\\''";
    } else {
      out += c;
    }
  }
  return fmt::format("'{}'", out);
}

// The first words of a help text: shells show it in one line.
std::string_view brief(std::string_view help) {
  std::size_t end = help.size();
  for (const std::string_view sign : {"; ", " (", ": ", ", e.g."}) {
    end = std::min(end, help.find(sign));
  }
  return help.substr(0, end);
}

bool takes_files(const Flag& flag) {
  for (const std::string_view word : {"FILE", "FOLDER", "DIR", "PATH", "LIBRARY", "PROGRAM"}) {
    if (flag.value.find(word) != std::string_view::npos) return true;
  }
  return false;
}

// A flag as an argument of _arguments: '(-o --output)'{-o,--output=}'[help]:FILE:_files'.
std::string zsh_flag(const Flag& flag) {
  const auto inside = [](std::string_view text) {  // of quotes
    const std::string whole = shell_quoted(text, "\\[]:");
    return whole.substr(1, whole.size() - 2);
  };
  std::string rest = fmt::format("'[{}]", inside(brief(flag.help)));
  if (!flag.value.empty()) {
    rest += fmt::format(":{}:", inside(flag.value));
    if (!flag.target.choices.empty()) {
      rest += fmt::format("({})", joined(flag.target.choices, " "));
    } else {
      rest += takes_files(flag) ? "_files" : " ";
    }
  }
  rest += '\'';
  const std::string_view sign = flag.value.empty() ? "" : "=";
  const std::string repeats = flag.target.is_list ? "\\*" : "";
  std::string text = flag.letter == 0 ? fmt::format("{}--{}{}{}", repeats, flag.name, sign, rest)
                                      : fmt::format("'(-{0} --{1})'{{-{0},--{1}{2}}}{3}",
                                                    flag.letter, flag.name, sign, rest);
  if (flag.is_negatable) text += fmt::format(" --no-{}{}", flag.name, rest);
  return text;
}

std::string zsh_case(std::string_view pattern, const Command& command) {
  std::string text = fmt::format("    {})\n      _arguments -s", pattern);
  for (const Flag& flag : all_flags(command)) {
    text += fmt::format(" \\\n        {}", zsh_flag(flag));
  }
  return text + " \\\n        '*:file:_files' ;;\n";
}

// "'summary:where the time went'", one for each command.
std::string zsh_words(const std::vector<Command>& commands) {
  std::vector<std::string> words;
  for (const Command& command : commands) {
    words.push_back(
        shell_quoted(fmt::format("{}:{}", action_word(command), command.summary), "\\"));
  }
  return fmt::format("{}", fmt::join(words, " "));
}

}  // namespace

std::string zsh_completion(const std::vector<Command>& commands) {
  std::string actions;
  std::string cases;
  for (const Command& verb : commands) {
    if (verb.actions.empty()) {
      cases += zsh_case(verb.name, verb);
      continue;
    }
    const std::vector<Command> shown = shown_actions(verb);
    actions += fmt::format(
        "    {0})\n"
        "      if (( CURRENT == 2 )) && [[ $words[2] != -* ]]; then\n"
        "        choices=({1})\n"
        "        _describe -t actions 'action of strobe {0}' choices\n"
        "        _files\n"
        "        return\n"
        "      fi\n"
        "      command={0}/$words[2] ;;\n",
        verb.name, zsh_words(shown));
    for (const Command& action : shown) {
      cases += zsh_case(fmt::format("{}/{}", verb.name, action_word(action)), action);
    }
    for (const Command& action : shown) {
      if (action_word(action) == verb.usual_action) {
        cases += zsh_case(fmt::format("{}/*", verb.name), action);
      }
    }
    if (verb.run) cases += zsh_case(fmt::format("{}/*", verb.name), verb);
  }
  return fmt::format(
      "#compdef strobe\n"
      "_strobe() {{\n"
      "  local -a choices\n"
      "  if (( CURRENT == 2 )); then\n"
      "    choices=({})\n"
      "    _describe -t commands 'command of strobe' choices\n"
      "    return\n"
      "  fi\n"
      "  shift words\n"
      "  (( CURRENT-- ))\n"
      "  local command=$words[1]\n"
      "{}"
      "  case $command in\n{}  esac\n"
      "}}\n"
      "if [[ $funcstack[1] == _strobe ]]; then\n"
      "  _strobe \"$@\"\n"
      "else\n"
      "  compdef _strobe strobe\n"
      "fi\n",
      zsh_words(commands),
      actions.empty() ? "" : fmt::format("  case $command in\n{}  esac\n", actions), cases);
}

namespace {

std::string fish_flag(std::string_view condition, const Flag& flag) {
  std::string text =
      fmt::format("complete -c strobe -n {} -l {}", shell_quoted(condition), flag.name);
  if (flag.letter != 0) text += fmt::format(" -s {}", flag.letter);
  if (!flag.target.choices.empty()) {
    text += fmt::format(" -x -a {}", shell_quoted(joined(flag.target.choices, " ")));
  } else if (!flag.value.empty()) {
    text += takes_files(flag) ? " -r -F" : " -x";
  }
  text += fmt::format(" -d {}\n", shell_quoted(brief(flag.help), "\\"));
  if (flag.is_negatable) {
    text += fmt::format("complete -c strobe -n {} -l no-{} -d {}\n", shell_quoted(condition),
                        flag.name, shell_quoted(brief(flag.help), "\\"));
  }
  return text;
}

std::string fish_flags(const std::string& condition, const Command& command) {
  std::string text;
  for (const Flag& flag : all_flags(command)) text += fish_flag(condition, flag);
  return text;
}

std::string fish_word(const std::string& condition, const Command& command) {
  return fmt::format("complete -c strobe -n {} -a {} -d {}\n", shell_quoted(condition),
                     action_word(command), shell_quoted(command.summary, "\\"));
}

std::string fish_actions(const Command& verb) {
  std::vector<std::string_view> words;
  for (const Command& action : shown_actions(verb)) words.push_back(action_word(action));
  const std::string others =
      fmt::format("__strobe_is {0}; and not __strobe_is {0} {1}", verb.name, joined(words, " "));
  std::string text;
  for (const Command& action : shown_actions(verb)) {
    text += fish_word(others, action);
    text += fish_flags(fmt::format("__strobe_is {} {}", verb.name, action_word(action)), action);
    if (action_word(action) == verb.usual_action) text += fish_flags(others, action);
  }
  if (verb.run) text += fish_flags(others, verb);
  return text;
}

}  // namespace

std::string fish_completion(const std::vector<Command>& commands) {
  std::string text =
      "# Whether the command line is of this verb, and of one of these actions if any are given.\n"
      "function __strobe_is\n"
      "    set -l typed (commandline -opc)\n"
      "    test (count $typed) -ge 2; and test $typed[2] = $argv[1]; or return 1\n"
      "    test (count $argv) -eq 1; and return 0\n"
      "    test (count $typed) -ge 3; and contains -- $typed[3] $argv[2..-1]\n"
      "end\n"
      "function __strobe_has_no_verb\n"
      "    test (count (commandline -opc)) -eq 1\n"
      "end\n"
      "complete -c strobe -n __strobe_has_no_verb -f\n";
  for (const Command& verb : commands) {
    text += fish_word("__strobe_has_no_verb", verb);
    text += verb.actions.empty() ? fish_flags(fmt::format("__strobe_is {}", verb.name), verb)
                                 : fish_actions(verb);
  }
  return text;
}

}  // namespace strobe::cli
