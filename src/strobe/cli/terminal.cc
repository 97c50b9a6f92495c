#include "strobe/cli/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "strobe/base/text.h"

namespace strobe::cli {
namespace {

constexpr int kFewestColumns = 40;

std::string locale_variable() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    if (std::string value = environment_variable(name); !value.empty()) return value;
  }
  return {};
}

bool names_utf8(std::string_view name) {
  const std::string locale = lower_case(name);
  return locale.find("utf-8") != std::string::npos || locale.find("utf8") != std::string::npos;
}

}  // namespace

std::string environment_variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

TerminalFacts terminal_facts() {
  TerminalFacts facts;
  facts.stdout_is_terminal = isatty(STDOUT_FILENO) == 1;
  facts.stderr_is_terminal = isatty(STDERR_FILENO) == 1;
  winsize size{};
  if (facts.stdout_is_terminal && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0) {
    facts.stdout_columns = size.ws_col;
  }
  facts.columns = environment_variable("COLUMNS");
  facts.no_color = environment_variable("NO_COLOR");
  facts.term = environment_variable("TERM");
  facts.locale = locale_variable();
  return facts;
}

Terminal judge(const TerminalFacts& facts, ColorChoice color) {
  Terminal terminal;
  terminal.stdout_is_terminal = facts.stdout_is_terminal;
  terminal.stderr_is_terminal = facts.stderr_is_terminal;
  const auto columns = parse_whole_number(facts.columns);
  if (columns && *columns > 0) {
    terminal.columns = static_cast<int>(std::min<std::int64_t>(*columns, Terminal::kMostColumns));
  } else if (facts.stdout_columns > 0) {
    terminal.columns = facts.stdout_columns;
  }
  terminal.columns = std::clamp(terminal.columns, kFewestColumns, Terminal::kMostColumns);
  const bool wants_color = facts.no_color.empty() && facts.term != "dumb";
  const auto colors = [&](bool is_terminal) {
    return color == ColorChoice::kAlways ||
           (color == ColorChoice::kAuto && wants_color && is_terminal);
  };
  terminal.color = colors(facts.stdout_is_terminal);
  terminal.color_error = colors(facts.stderr_is_terminal);
  terminal.unicode = names_utf8(facts.locale);
  return terminal;
}

}  // namespace strobe::cli
