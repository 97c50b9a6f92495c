#include "strobe/cli/help.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "strobe/base/version.h"
#include "strobe/cli/command_line.h"
#include "strobe/cli/output.h"
#include "strobe/report/render/display_text.h"

namespace strobe::cli {

std::string shown_name(const Flag& flag) {
  std::string text = flag.letter != 0 ? fmt::format("-{}, ", flag.letter) : std::string("    ");
  text += flag.is_negatable ? fmt::format("--[no-]{}", flag.name) : fmt::format("--{}", flag.name);
  if (!flag.value.empty()) text += fmt::format(" {}", flag.value);
  return text;
}

std::string usage(const Command& command) {
  std::string text = fmt::format("strobe {}", command.name);
  if (!command.actions.empty() && !command.run) {
    text += command.usual_action.empty() ? " ACTION" : " [ACTION]";
  }
  const bool has_flags = !command.flags.empty() || !command.actions.empty();
  const bool ends_flags = command.positionals.starts_with("-- ");
  if (has_flags && ends_flags) text += " [flags]";
  if (!command.positionals.empty()) text += fmt::format(" {}", command.positionals);
  if (has_flags && !ends_flags) text += " [flags]";
  return text;
}

std::vector<Flag> flags_in_every_verb() {
  CommonOptions unused;
  std::vector<Flag> flags = common_flags(unused);
  for (Flag& flag : flags) flag.target.take = {};
  return flags;
}

std::vector<Flag> common_flags_of(const Command& command) {
  std::vector<Flag> flags = flags_in_every_verb();
  if (command.verbose_adds.empty()) return flags;
  const auto verbose = std::ranges::find(flags, "verbose", &Flag::name);
  verbose->help += fmt::format("; {}", command.verbose_adds);
  return flags;
}

std::vector<Flag> all_flags(const Command& command) {
  std::vector<Flag> flags = command.flags;
  std::ranges::copy(common_flags_of(command), std::back_inserter(flags));
  return flags;
}

std::string columns_help() {
  return fmt::format("the width of text (default: that of the terminal; {} in a file or a pipe)",
                     Terminal::kColumnsOfAFile);
}

std::string hanging_lines(std::string front, std::size_t indent, std::string_view text,
                          int columns) {
  const auto width = static_cast<std::size_t>(std::max(columns, 0));
  constexpr std::size_t kLeast = 18;  // however narrow the page is
  std::vector<std::string> lines =
      report::wrap(text, std::max(kLeast, width - std::min(width, indent)));
  if (lines.empty()) lines.emplace_back();
  std::string out;
  for (const std::string& line : lines) {
    out += fmt::format("{}{}\n", std::exchange(front, std::string(indent, ' ')), line);
  }
  return out;
}

namespace {

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

// A name, and its explanation in a column of its own.
std::string explained(std::string_view name, std::string_view help, std::size_t columns) {
  constexpr std::size_t kHelpColumn = 28;
  std::string text = fmt::format("  {}", name);
  if (text.size() + 2 > kHelpColumn) {
    text += fmt::format("\n{:{}}", "", kHelpColumn);
  } else {
    text.resize(kHelpColumn, ' ');
  }
  return text + wrapped(help, kHelpColumn, columns) + "\n";
}

std::string flag_lines(const std::vector<Flag>& flags, std::size_t columns) {
  std::string text;
  for (const Flag& flag : flags) text += explained(shown_name(flag), flag.help, columns);
  return text;
}

// The words of a command line; a space in quotes is part of a word.
std::vector<std::string> shell_words(std::string_view command) {
  std::vector<std::string> words(1);
  char quote = 0;
  for (const char c : command) {
    if (c == ' ' && quote == 0) {
      words.emplace_back();
      continue;
    }
    words.back() += c;
    if (c == quote) {
      quote = 0;
    } else if (quote == 0 && (c == '\'' || c == '"')) {
      quote = c;
    }
  }
  return words;
}

// A command line that can be copied into a shell: a line that goes on ends with a backslash.
std::string shell_lines(std::string_view command, std::size_t indent, std::size_t columns) {
  constexpr std::string_view kGoesOn = " \\";
  std::string text(indent, ' ');
  std::size_t used = indent;
  bool is_first = true;
  for (const std::string& word : shell_words(command)) {
    if (is_first) {
      is_first = false;
    } else if (used + 1 + word.size() + kGoesOn.size() > columns) {
      text += fmt::format("{}\n{:{}}", kGoesOn, "", indent + 2);
      used = indent + 2;
    } else {
      text += ' ';
      ++used;
    }
    text += word;
    used += word.size();
  }
  return text;
}

// Side by side if all examples fit; otherwise the effect is below its command.
std::string example_lines(const std::vector<Example>& examples, std::size_t columns) {
  constexpr std::size_t kMargin = 2;
  constexpr std::size_t kGap = 3;
  std::size_t longest = 0;
  std::size_t longest_effect = 0;
  for (const Example& example : examples) {
    longest = std::max(longest, example.command.size());
    longest_effect = std::max(longest_effect, example.effect.size());
  }
  const bool are_side_by_side = kMargin + longest + kGap + longest_effect <= columns;
  std::string text;
  for (const Example& example : examples) {
    if (are_side_by_side) {
      text += fmt::format("{:{}}{:<{}}{}\n", "", kMargin, example.command, longest + kGap,
                          example.effect);
    } else {
      text += fmt::format("{}\n{:{}}{}\n", shell_lines(example.command, kMargin, columns), "",
                          3 * kMargin, wrapped(example.effect, 3 * kMargin, columns));
    }
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

}  // namespace

std::vector<ExitCode> exit_codes() {
  return {{0, "success"},
          {1, "a --fail-on check failed or a benchmark gave wrong values"},
          {2, "bad command line"},
          {3, "input unusable or output not writable"},
          {4, "this machine lacks something (a GPU, a library, a permission)"},
          {70, "a bug in strobe"},
          {130, "interrupted"}};
}

std::string overview_help(const std::vector<Command>& commands) {
  std::string text =
      "strobe finds out where the time goes on AI accelerators. It reads traces (PyTorch,\n"
      "JAX and XLA, Nsight Systems, ROCm, Ascend, Cambricon MLU, Paddle, Perfetto, any other\n"
      "Chrome trace), PyTorch's memory snapshots, and kernel counters (Nsight Compute, ROCm);\n"
      "files may be plain, .gz or .zst. It also records programs and benchmarks kernels.\n"
      "\n"
      "  strobe summary trace.json.gz            where the time went, and what to do about it\n"
      "  strobe compare before/ after/           what changed, how sure that is, and the likely "
      "cause\n"
      "  strobe record -- python3 train.py       record a run, to be opened as a trace\n"
      "  strobe kernels report.ncu-rep           how near each kernel is to the limits of the "
      "chip\n"
      "  strobe query trace.json.gz gaps         any question in SQL; this is a built-in one\n"
      "  strobe serve logs                       a web page with all traces below logs/\n"
      "  strobe doctor                           what this machine offers, and what is missing\n"
      "\n"
      "Commands:\n";
  for (const Command& command : commands) {
    text += fmt::format("  {:<10}  {}\n", command.name, command.summary);
  }
  text +=
      "\n"
      "`strobe help COMMAND` explains a command. Results go to stdout, messages to stderr.\n";
  text += wrapped(fmt::format("The environment variable COLUMNS sets {}.", columns_help()), 0, 84);
  text += '\n';
  std::string codes;
  for (const ExitCode& exit : exit_codes()) {
    codes += fmt::format("{}{} {}", codes.empty() ? "Exit codes: " : ", ", exit.code, exit.meaning);
  }
  text += wrapped(codes + ".", 0, 84) + "\n";
  return text + "`strobe record` ends with the exit code of its program.\n";
}

std::string command_help(const Command& command, int columns) {
  const auto width = static_cast<std::size_t>(std::clamp(columns, 60, 100));
  std::string text = example_lines(command.examples, width);
  text += fmt::format("\nUsage: {}\n{}\n", usage(command),
                      wrapped(as_sentence(command.summary), 0, width));
  if (!command.positionals_help.empty()) {
    text += fmt::format("\n  {}   {}\n", command.positionals,
                        wrapped(command.positionals_help, command.positionals.size() + 5, width));
  }
  if (!command.actions.empty()) text += "\nActions:\n" + action_lines(command, width);
  if (!command.flags.empty()) text += "\nFlags:\n" + flag_lines(command.flags, width);
  text += "\nIn every command:\n" + flag_lines(common_flags_of(command), width);
  text += explained("    COLUMNS=N", "environment variable: " + columns_help(), width);
  if (!command.actions.empty()) {
    text += fmt::format("\n`strobe {} ACTION --help` explains an action.\n", command.name);
  }
  for (const std::string_view note : command.notes) text += "\n" + wrapped(note, 0, width) + "\n";
  return text;
}

namespace {

enum class Shell : std::uint8_t { kBash, kZsh, kFish };

struct HelpRequest {
  std::vector<std::string> words;  // a verb, and one of its actions
  bool is_manual_page = false;
  std::optional<Shell> completion;
};

std::vector<Flag> help_flags(HelpRequest& request) {
  static constexpr Word<Shell> kShells[] = {
      {"bash", Shell::kBash}, {"zsh", Shell::kZsh}, {"fish", Shell::kFish}};
  return {flag("--man",
               "print a manual page, for `man -l -`: of the command, or of all if none is given",
               to(request.is_manual_page)),
          flag("--completion SHELL",
               "print a completion script for bash, zsh or fish: source <(strobe help --completion "
               "bash)",
               to_choice(request.completion, kShells))};
}

Result<void> complete_help(HelpRequest& request, const Arguments& arguments) {
  request.words = arguments.positionals;
  return {};
}

std::string completion_for(Shell shell) {
  switch (shell) {
    case Shell::kZsh:
      return zsh_completion(commands());
    case Shell::kFish:
      return fish_completion(commands());
    case Shell::kBash:
      break;
  }
  return bash_completion(commands());
}

Result<void> explain(const HelpRequest& request, const Terminal& terminal) {
  if (request.completion) return write_to_stdout(completion_for(*request.completion));
  if (request.words.empty()) {
    return write_to_stdout(request.is_manual_page ? manual(commands()) : overview_help(commands()));
  }
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
