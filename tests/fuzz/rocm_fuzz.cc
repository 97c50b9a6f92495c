// Any bytes as a file of AMD's profilers, recognised by content: text tables, JSON records, JSON
// events or a database. The reader answers or refuses; what it answers holds together, and leaving
// out the arguments changes nothing else.
#include <cstdint>
#include <string_view>

#include "strobe/readers/counters/kernel_reader.h"
#include "strobe/readers/trace_reader.h"
#include "tests/fuzz/fuzz_check.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  strobe::readers::LoadOptions options;
  options.threads = 1;
  (void)strobe::readers::read_kernels_bytes(bytes, "input", options);
  const auto whole = strobe::readers::read_trace_bytes(bytes, "input", options);
  if (!whole) return 0;
  const strobe::Trace& trace = whole->trace;
  for (std::size_t row = 0; row < trace.slice_count(); ++row) {
    const strobe::SliceId slice(row);
    FUZZ_CHECK(trace.duration_ns(slice) >= 0, "a slice never ends before it starts");
    FUZZ_CHECK(trace.end_ns(slice) >= trace.start_ns(slice), "no time overflows");
    FUZZ_CHECK(trace.slices().tracks[row].index() < trace.tracks().size(), "a slice has a track");
    (void)trace.name(slice).size();
  }
  options.keep_args = false;
  const auto core = strobe::readers::read_trace_bytes(bytes, "input", options);
  FUZZ_CHECK(core.has_value() && core->trace.slices().starts_ns == trace.slices().starts_ns &&
                 core->trace.slices().kinds == trace.slices().kinds,
             "dropping the arguments changes no slice");
  return 0;
}
