#pragma once

#include <optional>
#include <string>

namespace strobe::cli {

enum class ColorChoice { kAuto, kAlways, kNever };

// Raw facts about the process: a parameter, so that tests need no terminal.
struct TerminalFacts {
  bool stdout_is_terminal = false;
  bool stderr_is_terminal = false;
  int stdout_columns = 0;  // as reported by the terminal, 0 if unknown
  std::string columns;     // environment variables, "" if unset
  std::string no_color;
  std::string term;
  std::string locale;  // the first non-empty of LC_ALL, LC_CTYPE, LANG
};

// How to write for the user.
struct Terminal {
  bool stdout_is_terminal = false;
  bool stderr_is_terminal = false;
  int columns = kColumnsOfAFile;
  bool color = false;        // on stdout
  bool color_error = false;  // on stderr
  bool unicode = false;
  bool quiet = false;
  bool verbose = false;

  static constexpr int kColumnsOfAFile = 100;  // when the text goes to a file or a pipe
  static constexpr int kMostColumns = 1000;

  bool warns() const { return !quiet; }
  bool shows_progress() const { return stderr_is_terminal && !quiet; }
};

// "" if it is not set.
std::string environment_variable(const char* name);

TerminalFacts terminal_facts();
Terminal judge(const TerminalFacts& facts, ColorChoice color);

}  // namespace strobe::cli
