#pragma once

#include <string_view>

namespace strobe::device {

// A function's name taken apart: `void a::b<int>::f<4, (anonymous namespace)::T>(float*)`. The
// views point into the text. A lambda is spoken for by the function around it.
struct QualifiedName {
  std::string_view scope;  // "a::b<int>::"
  std::string_view base;   // "f"; never empty if the text is not
  std::string_view
      arguments;  // "4, (anonymous namespace)::T"; to the end if the name is cut inside
};

// Knows the spellings of the ABI library, of vendors' tools (`<unnamed>`, `[lambda(int) (instance
// 1)]`, `operator ()`), names that were cut, and texts that are no C++ at all.
QualifiedName qualified_name(std::string_view text);

}  // namespace strobe::device
