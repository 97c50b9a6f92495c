#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

// A good file with edits that a fuzzer chooses, four bytes each: where, what, and whether it
// replaces a byte or is inserted before it.
inline std::string with_edits(std::string content, const std::uint8_t* data, std::size_t size) {
  for (; size >= 4; data += 4, size -= 4) {
    const std::size_t where = (data[0] | std::size_t{data[1]} << 8) % content.size();
    if (data[3] % 2 == 0) {
      content[where] = static_cast<char>(data[2]);
    } else {
      content.insert(where, 1, static_cast<char>(data[2]));
    }
  }
  return content;
}
