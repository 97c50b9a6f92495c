#include <algorithm>

#include <fmt/format.h>

#include "strobe/base/version.h"
#include "strobe/cli/help.h"

// Manual pages in the language of roff.
namespace strobe::cli {
namespace {

// "kernels-show": the name of an action's manual page.
std::string page_name(const Command& command) {
  std::string name(command.name);
  std::ranges::replace(name, ' ', '-');
  return name;
}

// roff reads a leading dot or quote as a command, a bare dash as a hyphen, and quotes around the
// words of a command as its own.
std::string roff(std::string_view text) {
  std::string out;
  if (text.starts_with('.') || text.starts_with('\'')) out += "\\&";
  for (const char c : text) {
    switch (c) {
      case '-':
        out += "\\-";
        break;
      case '\\':
        out += "\\e";
        break;
      case '"':
        out += "\\(dq";
        break;
      case '\'':
        out += "\\(aq";
        break;
      case '`':
        out += "\\(ga";
        break;
      case '^':
        out += "\\(ha";
        break;
      case '~':
        out += "\\(ti";
        break;
      default:
        out += c;
    }
  }
  return out;
}

// A term in bold, and its explanation.
std::string entry(std::string_view term, std::string_view explanation) {
  return fmt::format(".TP\n.B {}\n{}\n", roff(term), roff(explanation));
}

std::string flag_entries(const std::vector<Flag>& flags) {
  std::string text;
  for (const Flag& flag : flags) {
    const std::string name = shown_name(flag);
    text += entry(std::string_view(name).substr(name.find_first_not_of(' ')), flag.help);
  }
  return text;
}

std::string paragraphs(const std::vector<std::string_view>& texts) {
  std::string text;
  for (const std::string_view one : texts) text += fmt::format(".PP\n{}\n", roff(one));
  return text;
}

// One command in the page about all of them.
std::string subsection(const Command& command) {
  std::string text = fmt::format(".SS {}\n{}.\n", roff(usage(command)), roff(command.summary));
  if (!command.positionals_help.empty()) {
    text += entry(command.positionals, command.positionals_help);
  }
  text += flag_entries(command.flags);
  if (!command.verbose_adds.empty()) text += entry("-v, --verbose", command.verbose_adds);
  text += paragraphs(command.notes);
  if (!command.usual_action.empty()) {
    text += fmt::format(".PP\n{}\n",
                        roff(fmt::format("`strobe {0} FILE` is short for `strobe {0} {1} FILE`.",
                                         command.name, command.usual_action)));
  }
  for (const Command& action : shown_actions(command)) text += subsection(action);
  return text;
}

std::string example_entries(const Command& command) {
  std::string text;
  for (const Example& example : command.examples) text += entry(example.command, example.effect);
  return text;
}

}  // namespace

std::string manual_page(const Command& command) {
  std::string text = fmt::format(".TH STROBE\\-{} 1 \"\" \"strobe {}\"\n.SH NAME\n",
                                 roff(page_name(command)), kVersion);
  text += fmt::format("strobe\\-{} \\- {}\n.SH SYNOPSIS\n.B {}\n", roff(page_name(command)),
                      roff(command.summary), roff(usage(command)));
  text += ".SH EXAMPLES\n" + example_entries(command);
  if (!command.actions.empty()) text += ".SH ACTIONS\n";
  for (const Command& action : shown_actions(command)) {
    text += entry(action_word(action), action.summary);
  }
  text += ".SH OPTIONS\n" + flag_entries(all_flags(command));
  if (!command.notes.empty()) text += ".SH NOTES\n" + paragraphs(command.notes);
  return text;
}

std::string manual(const std::vector<Command>& commands) {
  std::string text = fmt::format(
      ".TH STROBE 1 \"\" \"strobe {}\"\n"
      ".SH NAME\n"
      "strobe \\- finds out where the time goes on AI accelerators\n"
      ".SH SYNOPSIS\n"
      ".B strobe COMMAND [flags]\n"
      ".SH DESCRIPTION\n",
      kVersion);
  text += paragraphs(
      {"strobe reads traces of profilers and tables of kernel counters, says where the time went "
       "and what to do about it, compares runs and benchmarks kernels. Files may be plain, .gz or "
       ".zst. Results go to stdout, messages to stderr."});
  text += ".SH EXAMPLES\n";
  for (const Command& command : commands) text += example_entries(command);
  text += ".SH OPTIONS OF EVERY COMMAND\n" + flag_entries(flags_in_every_verb());
  text += ".SH COMMANDS\n";
  for (const Command& command : commands) text += subsection(command);
  text += ".SH EXIT STATUS\n";
  for (const ExitCode& exit : exit_codes()) text += entry(std::to_string(exit.code), exit.meaning);
  text += paragraphs({"`strobe record` ends with the exit code of its program."});
  text += ".SH ENVIRONMENT\n";
  text += entry("NO_COLOR", "if it is set, text has no colours");
  text += entry("COLUMNS", columns_help());
  text += entry("STROBE_INJECT",
                "the library that `strobe record` and `strobe kernels record` load into programs, "
                "if it is neither beside strobe nor in ../lib/strobe");
  return text;
}

}  // namespace strobe::cli
