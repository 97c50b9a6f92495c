#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace strobe {

struct SmallText {
  std::string bytes;      // what could be unpacked
  bool is_whole = false;  // false: damaged, or longer than allowed
};

// A small text packed by zlib, gzip or zstd; at most `most_bytes` come out of it.
SmallText unpack_small(std::string_view packed, std::size_t most_bytes);

}  // namespace strobe
