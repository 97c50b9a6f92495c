#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// One page: a reason, the input, the command, and what it must answer. tests/golden/README.md shows
// the form.
namespace strobe::test {

struct InputFile {
  std::string name;                // a trailing '/' makes it a folder
  std::vector<std::string> words;  // gzip, zstd, expand, no-newline, cut N; or from PATH
  std::string content;             // as it stands on the page
};

struct Mask {  // for what changes from run to run, such as times
  std::string pattern;
  std::string replacement;
};

struct Expectation {
  std::string out;
  std::string err;
  int exit_code = 0;
  std::optional<std::string> files;             // what the folder holds afterwards
  std::map<std::string, std::string> contents;  // of files written by the run
  bool operator==(const Expectation&) const = default;
};

struct PageRun {
  std::string command;
  std::string stdin_file;                  // "" for none
  std::optional<std::int64_t> peak_bytes;  // the most memory it may take
  Expectation expected;
};

struct GoldenPage {
  std::vector<std::string> reason;  // the comment lines, with their '#'
  std::vector<InputFile> inputs;
  std::vector<Mask> masks;
  std::vector<PageRun> runs;
};

// A page, or what is wrong with it.
struct ParsedPage {
  GoldenPage page;
  std::string problem;
};
ParsedPage parse_page(std::string_view text);
std::string page_text(const GoldenPage& page);

// Writes one input into `folder`; returns what is wrong with it, or "".
std::string write_input(const InputFile& input, const std::filesystem::path& folder);

// The words of a command line: blanks separate, '...' and "..." hold together, no shell.
std::vector<std::string> command_words(std::string_view line);

// "" if equal; else the lines that differ, '-' expected and '+' seen, with a few around them.
std::string line_difference(std::string_view expected, std::string_view seen);

}  // namespace strobe::test
