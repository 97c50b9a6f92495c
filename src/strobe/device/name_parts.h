#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

// Parses C++ names as demanglers write them: brackets, where `<` may be an operator, `>` the end of
// an arrow, and some stay open because the name was cut; scopes; template arguments; words.
namespace strobe::device {

// Demangles an ABI name (`_Z6k_copyPK6float4`); anything else is returned unchanged.
std::string demangled(std::string_view name);

// A kernel's name for people: demangled, and without the kind of symbol that one vendor's loader
// appends (`f.kd`, `f(int) [clone .kd]`).
std::string readable_name(std::string_view name);
bool is_readable_name(std::string_view name);  // readable_name would return it unchanged

// Walks over a text from left to right and tracks the open brackets.
class BracketWalk {
 public:
  explicit BracketWalk(std::string_view text) : text_(text) {}

  // Call it for each index of the text, in order.
  void step(std::size_t index);
  bool is_outside() const { return open_.empty(); }

 private:
  void close(char opening);

  std::string_view text_;
  std::string open_;
  std::array<std::size_t, 3> count_{};  // open ( [ {
};

// The index after the bracket that closes the one at `open`; npos if the text ends first.
std::size_t after_bracket(std::string_view text, std::size_t open);

// `int, Array<char*, 2>` has two. Blanks around them are removed; an empty text has none.
std::vector<std::string_view> split_arguments(std::string_view text);

// The parts of a function's name: `void a::b<int>::f<4, (anonymous namespace)::T>(float*)`. The
// views point into the text. A lambda is represented by the function around it.
struct QualifiedName {
  std::string_view scope;  // "a::b<int>::"
  std::string_view base;   // "f"; never empty if the text is not
  std::string_view
      arguments;  // "4, (anonymous namespace)::T"; to the end if the name is cut inside
};

// Accepts the spellings of the ABI library and of vendors' tools (`<unnamed>`, `[lambda(int)
// (instance 1)]`, `operator ()`), truncated names, and texts that are not C++ at all.
QualifiedName qualified_name(std::string_view text);

// The digits of a number in template arguments: "4" for `4`, `(int)4`, `4ul` and `(ns::Order)4`,
// "-2" for `-2`. Booleans are "1" and "0", as some tools write them. Empty for anything else.
std::string_view template_number(std::string_view argument);

// strobe's name of a number type, whatever a library calls it: `c10::Half` is "f16", `unsigned int`
// "u32". Empty for anything else.
std::string type_word(std::string_view type);

// A name's words in lower case between underscores, so that one search finds them however they were
// joined: "RMSNormKernel", "rms_norm_kernel" and "rms::norm kernel" are all "^_rms_norm_kernel_$".
// Digits belong to the word before them ("conv2d"). `^` and `$` are the ends of the name.
std::string name_words(std::string_view name);

}  // namespace strobe::device
