#pragma once

#include <cstddef>
#include <limits>
#include <string>

#include <gtest/gtest.h>

#include "strobe/readers/trace_reader.h"

// A small file, cut at 200 places and with 200 bytes flipped: reading ends, with an answer or an
// error, and no more rows than there can be, each with a place.
namespace strobe::readers {

inline void expect_survives(const std::string& bytes,
                            std::size_t most_slices = std::numeric_limits<std::size_t>::max()) {
  const auto read = [&](const std::string& text) {
    const auto loaded = read_trace_bytes(text, "damaged", {.threads = 1});
    if (!loaded) return;
    EXPECT_LE(loaded->trace.slice_count(), most_slices);
    for (const TrackId track : loaded->trace.slices().tracks) {
      ASSERT_LT(track.index(), loaded->trace.tracks().size());
    }
  };
  for (std::size_t i = 0; i < 200; ++i) read(bytes.substr(0, bytes.size() * i / 200));
  for (std::size_t i = 0; i < 200; ++i) {
    std::string flipped = bytes;
    char& byte = flipped[(bytes.size() * i / 200 + i * 7) % bytes.size()];
    byte = static_cast<char>(byte ^ (1 << (i % 8)));
    read(flipped);
  }
}

}  // namespace strobe::readers
