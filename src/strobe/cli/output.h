#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "strobe/base/result.h"
#include "strobe/cli/terminal.h"

namespace strobe::report {
struct Document;
}

namespace strobe::cli {

enum class Format : std::uint8_t;

// Where an answer is written: stdout, or a file that appears complete or not at all. It is written
// under a temporary name in the same folder and renamed by commit(); without commit() nothing
// remains. Pipes and devices cannot be renamed and are written to directly.
//
// If the reader of a pipe has gone away (`strobe ... | head`), the rest is dropped without an
// error: the reader has seen what it needed, and the exit code stays 0.
class Output {
 public:
  // "" and "-" are stdout. Open the output before the work, so that a bad path is reported early.
  static Result<Output> open(const std::string& path);

  Output(Output&& other) noexcept;
  Output& operator=(Output&&) = delete;
  ~Output();

  Result<void> write(std::string_view text);
  Result<void> commit();

  // For a library that writes the file by itself, instead of write(); "" if nothing is replaced.
  const std::string& temporary() const { return temporary_; }

 private:
  Output(std::string path, std::string temporary, int descriptor)
      : path_(std::move(path)), temporary_(std::move(temporary)), descriptor_(descriptor) {}

  std::string path_;       // "" for stdout; links resolved
  std::string temporary_;  // "" when written to directly
  int descriptor_ = -1;
  bool reader_is_gone_ = false;
};

// Whether an output at `path` replaces a regular file or makes a new one. Others (stdout, pipes,
// devices) are written to directly.
bool is_replaced(const std::string& path);

// Reports before the work that nothing can be written to `path`. A pipe is not opened: opening
// waits for its reader, and closing would end it.
Result<void> check_writable(const std::string& path);

// The format that the ending of a file's name means, as --format spells it: "json" for "x.json",
// "markdown" for "x.md"; "" if it means none.
std::string_view format_word(std::string_view path);

// Writes a whole answer, unless Ctrl-C came first.
Result<void> give(Output& output, std::string_view text);
Result<void> write_whole(const std::string& path, std::string_view text);  // open, then give
Result<void> write_to_stdout(std::string_view text);

// A document formatted for this terminal, with at most this width.
std::string terminal_text(const report::Document& document, const Terminal& terminal,
                          int most_columns = Terminal::kMostColumns);
// A document in a format; text is as above.
std::string document_text(const report::Document& document, Format format, const Terminal& terminal,
                          int most_columns = Terminal::kMostColumns);

}  // namespace strobe::cli
