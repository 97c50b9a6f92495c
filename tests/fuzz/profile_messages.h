#pragma once

#include <cstdint>
#include <string_view>

#include "strobe/analysis/tables/summary.h"
#include "strobe/readers/formats.h"
#include "strobe/readers/trace_reader.h"
#include "tests/fuzz/fuzz_check.h"

namespace strobe::fuzz {

// Any bytes as a file of this format: reading ends, and what is read can be summarised.
inline void read_as(const readers::FileFormat& format, const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t kMostInput = 1 << 20;
  if (size > kMostInput) return;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto input = readers::TraceInput::of(bytes, "input");
  const auto loaded = readers::read_format(format, input, {});
  if (!loaded) return;
  const Trace& trace = loaded->trace;
  for (std::size_t row = 0; row < trace.slice_count(); ++row) {
    const SliceId slice(row);
    FUZZ_CHECK(trace.end_ns(slice) >= trace.start_ns(slice), "no slice ends before it starts");
    FUZZ_CHECK(trace.slices().tracks[row].index() < trace.tracks().size(), "a slice has a track");
    (void)trace.name(slice).size();
  }
  (void)analysis::summarize(trace);
}

}  // namespace strobe::fuzz
