#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

// The brackets of C++ names, as demanglers write them: `<` may be an operator, `>` the end of an
// arrow, and a name cut short leaves some open.
namespace strobe::device {

// Follows a text from left to right and knows the brackets that are open.
class BracketWalk {
 public:
  explicit BracketWalk(std::string_view text) : text_(text) {}

  // To be called for each index of the text, in order.
  void step(std::size_t index);
  bool is_outside() const { return open_.empty(); }

 private:
  void close(char opening);

  std::string_view text_;
  std::string open_;
  std::array<std::size_t, 3> count_{};  // open ( [ {
};

// The index behind the bracket that closes the one at `open`; npos if the text ends before.
std::size_t after_bracket(std::string_view text, std::size_t open);

// `int, Array<char*, 2>` are two. Blanks around them are gone; an empty text has none.
std::vector<std::string_view> split_arguments(std::string_view text);

std::string_view without_blanks_around(std::string_view text);

}  // namespace strobe::device
