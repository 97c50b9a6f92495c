#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "strobe/base/text.h"

namespace strobe::readers {

// A number, word or string inside a small JSON text, with the key it stands under and the key of
// the object around that. Elements of an array have the array's own key.
struct JsonLeaf {
  std::string_view parent;
  std::string_view key;
  std::string_view text;  // a string without its quotes, escapes as they stand
  bool is_string = false;
};

// f(const JsonLeaf&), for each in one pass. The depth is limited: what lies deeper has the keys of
// the last level. False if the text is not closed.
// PERF: the records of a profile have twenty leaves each, and there are millions of them.
template <class Function>
bool for_each_leaf(std::string_view json, Function&& f) {
  constexpr std::size_t kMostDepth = 8;
  struct Keys {
    std::string_view parent;
    std::string_view key;
  };
  std::array<Keys, kMostDepth> around{};  // of the open objects and arrays
  std::size_t depth = 0;
  JsonLeaf leaf;
  const char* p = json.data();
  const char* const end = p + json.size();
  const auto level = [&] { return depth < kMostDepth ? depth : kMostDepth - 1; };
  while (p < end) {
    const char c = *p;
    if (c == '"') {
      const char* const begin = ++p;
      while (p < end && *p != '"') p += *p == '\\' ? 2 : 1;
      if (p >= end) return false;
      const std::string_view text(begin, static_cast<std::size_t>(p - begin));
      ++p;
      while (p < end && is_space(*p)) ++p;
      if (p < end && *p == ':') {
        leaf.key = text;
        ++p;
      } else {
        leaf.text = text;
        leaf.is_string = true;
        f(leaf);
      }
    } else if (c == '{' || c == '[') {
      around[level()] = {leaf.parent, leaf.key};
      ++depth;
      if (c == '{') leaf.parent = leaf.key;
      ++p;
    } else if (c == '}' || c == ']') {
      if (depth == 0) return false;
      --depth;
      leaf.parent = around[level()].parent;
      leaf.key = around[level()].key;
      ++p;
    } else if (c == ',' || c == ':' || is_space(c)) {
      ++p;
    } else {
      const char* const begin = p;
      while (p < end && *p != ',' && *p != '}' && *p != ']' && !is_space(*p)) ++p;
      leaf.text = {begin, static_cast<std::size_t>(p - begin)};
      leaf.is_string = false;
      f(leaf);
    }
  }
  return depth == 0;
}

}  // namespace strobe::readers
