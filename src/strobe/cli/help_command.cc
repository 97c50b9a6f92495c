#include "strobe/cli/help.h"

#include <algorithm>
#include <cctype>
#include <iterator>

#include <fmt/format.h>

#include "strobe/base/version.h"
#include "strobe/cli/command_line.h"
#include "strobe/cli/output.h"

namespace strobe::cli {
namespace {

std::string shown_name(const Flag& flag) {
  std::string text = flag.letter != 0 ? fmt::format("-{}, ", flag.letter) : std::string("    ");
  text += flag.is_negatable ? fmt::format("--[no-]{}", flag.name) : fmt::format("--{}", flag.name);
  if (!flag.value.empty()) text += fmt::format(" {}", flag.value);
  return text;
}

// Breaks at spaces; every line but the first is indented.
std::string wrapped(std::string_view text, std::size_t indent, std::size_t columns) {
  std::string out;
  std::size_t used = indent;
  while (!text.empty()) {
    const std::size_t space = std::min(text.find(' '), text.size());
    if (used > indent && used + 1 + space > columns) {
      out += fmt::format("\n{:{}}", "", indent);
      used = indent;
    } else if (used > indent) {
      out += ' ';
      ++used;
    }
    out += text.substr(0, space);
    used += space;
    text.remove_prefix(std::min(space + 1, text.size()));
  }
  return out;
}

std::string as_sentence(std::string_view text) {
  std::string sentence = fmt::format("{}.", text);
  sentence[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(sentence[0])));
  return sentence;
}

std::string usage(const Command& command) {
  std::string text = fmt::format("strobe {}", command.name);
  if (!command.actions.empty()) {
    text += command.usual_action.empty() ? " ACTION" : " [ACTION]";
  }
  if (!command.positionals.empty()) text += fmt::format(" {}", command.positionals);
  if (!command.flags.empty() || !command.actions.empty()) text += " [flags]";
  return text;
}

// Only the text of the common flags is used here.
std::vector<Flag> flags_in_every_verb() {
  CommonOptions unused;
  std::vector<Flag> flags = common_flags(unused);
  for (Flag& flag : flags) flag.target.take = {};
  return flags;
}

// The command's own flags, then the common ones.
std::vector<Flag> all_flags(const Command& command) {
  std::vector<Flag> flags = command.flags;
  std::ranges::copy(flags_in_every_verb(), std::back_inserter(flags));
  return flags;
}

std::string flag_lines(const std::vector<Flag>& flags, std::size_t columns) {
  constexpr std::size_t kHelpColumn = 28;
  std::string text;
  for (const Flag& flag : flags) {
    const std::string name = fmt::format("  {}", shown_name(flag));
    text += name;
    if (name.size() + 2 > kHelpColumn) {
      text += fmt::format("\n{:{}}", "", kHelpColumn);
    } else {
      text += fmt::format("{:{}}", "", kHelpColumn - name.size());
    }
    text += wrapped(flag.help, kHelpColumn, columns) + "\n";
  }
  return text;
}

std::string action_lines(const Command& verb, std::size_t columns) {
  std::size_t longest = 0;
  for (const Command& action : shown_actions(verb)) {
    longest = std::max(longest, action_word(action).size());
  }
  std::string text;
  for (const Command& action : shown_actions(verb)) {
    text += fmt::format("  {:<{}}  {}\n", action_word(action), longest,
                        wrapped(action.summary, longest + 4, columns));
  }
  if (!verb.usual_action.empty()) {
    text += fmt::format("`strobe {0} FILE` is short for `strobe {0} {1} FILE`.\n", verb.name,
                        verb.usual_action);
  }
  return text;
}

// "kernels-show": the name of an action's manual page.
std::string page_name(const Command& command) {
  std::string name(command.name);
  std::ranges::replace(name, ' ', '-');
  return name;
}

// roff reads a leading dot or quote as a command and a bare dash as a hyphen.
std::string roff(std::string_view text) {
  std::string out;
  if (text.starts_with('.') || text.starts_with('\'')) out += "\\&";
  for (const char c : text) {
    if (c == '-' || c == '\\') out += '\\';
    out += c == '\\' ? 'e' : c;
  }
  return out;
}

}  // namespace

std::string overview_help(const std::vector<Command>& commands) {
  std::string text =
      "strobe finds out where the time goes on AI accelerators. It reads traces (PyTorch,\n"
      "Cambricon MLU, Paddle, any other Chrome trace) and kernel counters (Nsight Compute);\n"
      "files may be plain, .gz or .zst. It also benchmarks kernels.\n"
      "\n"
      "  strobe summary trace.json.gz            where the time went, and what to do about it\n"
      "  strobe kernels report.ncu-rep           how near each kernel is to the limits of the "
      "chip\n"
      "  strobe serve logs                       a web page with all traces below logs/\n"
      "  strobe doctor                           what this machine offers, and what is missing\n"
      "\n"
      "Commands:\n";
  for (const Command& command : commands) {
    text += fmt::format("  {:<10}  {}\n", command.name, command.summary);
  }
  text +=
      "\n"
      "`strobe help COMMAND` explains a command. Results go to stdout, messages to stderr.\n"
      "Exit codes: 0 success, 1 a --fail-on check failed or a benchmark gave wrong values,\n"
      "2 bad command line, 3 input unusable or output not writable, 4 this machine lacks\n"
      "something (a GPU, a library, a permission), 70 a bug in strobe, 130 interrupted.\n";
  return text;
}

std::string command_help(const Command& command, int columns) {
  const auto width = static_cast<std::size_t>(std::clamp(columns, 60, 100));
  std::size_t longest = 0;
  for (const Example& example : command.examples) {
    longest = std::max(longest, example.command.size());
  }
  std::string text;
  for (const Example& example : command.examples) {
    text += fmt::format("  {:<{}}   {}\n", example.command, longest, example.effect);
  }
  text += fmt::format("\nUsage: {}\n{}\n", usage(command),
                      wrapped(as_sentence(command.summary), 0, width));
  if (!command.positionals_help.empty()) {
    text += fmt::format("\n  {}   {}\n", command.positionals,
                        wrapped(command.positionals_help, command.positionals.size() + 5, width));
  }
  if (!command.actions.empty()) text += "\nActions:\n" + action_lines(command, width);
  if (!command.flags.empty()) text += "\nFlags:\n" + flag_lines(command.flags, width);
  text += "\nIn every command:\n" + flag_lines(flags_in_every_verb(), width);
  if (!command.actions.empty()) {
    text += fmt::format("\n`strobe {} ACTION --help` explains an action.\n", command.name);
  }
  for (const std::string_view note : command.notes) text += "\n" + wrapped(note, 0, width) + "\n";
  return text;
}

std::string manual_page(const Command& command) {
  std::string text = fmt::format(".TH STROBE\\-{} 1 \"\" \"strobe {}\"\n.SH NAME\n",
                                 roff(page_name(command)), kVersion);
  text += fmt::format("strobe\\-{} \\- {}\n.SH SYNOPSIS\n.B {}\n", roff(page_name(command)),
                      roff(command.summary), roff(usage(command)));
  text += ".SH EXAMPLES\n";
  for (const Example& example : command.examples) {
    text += fmt::format(".TP\n.B {}\n{}\n", roff(example.command), roff(example.effect));
  }
  if (!command.actions.empty()) text += ".SH ACTIONS\n";
  for (const Command& action : shown_actions(command)) {
    text += fmt::format(".TP\n.B {}\n{}\n", action_word(action), roff(action.summary));
  }
  text += ".SH OPTIONS\n";
  for (const Flag& flag : all_flags(command)) {
    const std::string name = shown_name(flag);
    text += fmt::format(".TP\n.B {}\n{}\n", roff(name.substr(name.find_first_not_of(' '))),
                        roff(flag.help));
  }
  if (!command.notes.empty()) text += ".SH NOTES\n";
  for (const std::string_view note : command.notes) text += fmt::format(".PP\n{}\n", roff(note));
  return text;
}

namespace {

// The cases of a completion script for one command. The pattern of a verb with actions also serves
// its usual action, whose first word is a file.
struct CompletionCases {
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
  CompletionCases cases;
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

enum class Shell : std::uint8_t { kBash };

struct HelpRequest {
  std::vector<std::string> words;  // a verb, and one of its actions
  bool is_manual_page = false;
  std::optional<Shell> completion;
};

std::vector<Flag> help_flags(HelpRequest& request) {
  static constexpr Word<Shell> kShells[] = {{"bash", Shell::kBash}};
  return {flag("--man", "print a manual page, for `man -l -`", to(request.is_manual_page)),
          flag("--completion SHELL",
               "print a completion script: source <(strobe help --completion bash)",
               to_choice(request.completion, kShells))};
}

Result<void> complete_help(HelpRequest& request, const Arguments& arguments) {
  request.words = arguments.positionals;
  if (!request.is_manual_page || !request.words.empty() || request.completion) return {};
  return bad_request("needs a command", "--man", "`strobe help --man summary | man -l -`");
}

Result<void> explain(const HelpRequest& request, const Terminal& terminal) {
  if (request.completion) return write_to_stdout(bash_completion(commands()));
  if (request.words.empty()) return write_to_stdout(overview_help(commands()));
  STROBE_TRY(const Command command, find_command(request.words, commands()));
  return write_to_stdout(request.is_manual_page ? manual_page(command)
                                                : command_help(command, terminal.columns));
}

Result<Outcome> print_version(const Arguments&, const Terminal&) {
  STROBE_TRY_VOID(write_to_stdout(fmt::format("strobe {}\n", kVersion)));
  return Outcome{};
}

}  // namespace

Command help_command() {
  Command command = {
      .name = "help",
      .summary = "about strobe, or about one command",
      .positionals = "[COMMAND [ACTION]]",
      .positionals_help = "the command to explain, and an action of it",
      .examples = {{"strobe help summary", "what `strobe summary` can do"},
                   {"strobe help kernels show", "what `strobe kernels show` can do"},
                   {"strobe help --man summary | man -l -", "the same as a manual page"}}};
  return with_request(std::move(command), help_flags, complete_help, explain);
}

Command version_command() {
  return {.name = "version",
          .summary = "the version of strobe, for bug reports",
          .examples = {{"strobe version", "one line: name and version"},
                       {"strobe --version", "the same"}},
          .run = print_version};
}

}  // namespace strobe::cli
