#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

// Lines that a person types at a prompt.
namespace strobe::cli {

struct TypedLine {
  enum class Kind : std::uint8_t { kLine, kCancelled, kEnd };  // Enter, Ctrl-C, Ctrl-D
  Kind kind = Kind::kEnd;
  std::string text = {};
};

class LineEditor {
 public:
  virtual ~LineEditor() = default;
  virtual TypedLine read(std::string_view prompt) = 0;
  // Kept for the arrow keys, now and in the next shell.
  virtual void remember(const std::string& statement) = 0;
};

// What the word before the cursor may become: whole words.
using Completions = std::function<std::vector<std::string>(std::string_view before_cursor)>;

// The start of the word that ends where the text does.
std::size_t last_word(std::string_view text);

// With libedit, which is opened now: history in a file, completion with Tab. Without it, or if
// stdout is no terminal, lines are read as the terminal gives them.
std::unique_ptr<LineEditor> open_line_editor(const std::string& history_path,
                                             Completions completions);

}  // namespace strobe::cli
