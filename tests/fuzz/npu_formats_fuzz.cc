// Any bytes as what the profilers of NPUs write (events, a database, a table of kernels): reading
// ends, and the trace can be summarised.
#include <cstdint>
#include <string_view>

#include "strobe/analysis/tables/summary.h"
#include "strobe/readers/trace_reader.h"
#include "tests/fuzz/fuzz_check.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  strobe::readers::LoadOptions options;
  options.threads = 1;
  const auto loaded = strobe::readers::read_trace_bytes(bytes, "input", options);
  if (!loaded) return 0;
  const strobe::Trace& trace = loaded->trace;
  for (std::size_t row = 0; row < trace.slice_count(); ++row) {
    const strobe::SliceId slice(row);
    FUZZ_CHECK(trace.duration_ns(slice) >= 0, "a slice never ends before it starts");
    FUZZ_CHECK(trace.end_ns(slice) >= trace.start_ns(slice), "no time overflows");
    FUZZ_CHECK(trace.slices().tracks[row].index() < trace.tracks().size(), "a slice has a track");
  }
  for (const strobe::SliceId owner : trace.nesting_hints().owners) {
    FUZZ_CHECK(!owner.valid() || owner.index() < trace.slice_count(), "an owner is a slice");
  }
  static_cast<void>(strobe::analysis::summarize(trace));
  return 0;
}
