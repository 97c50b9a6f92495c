// Any bytes as a profiler's database: its rows are read or left out, once each, and arguments
// change nothing else.
#include <cstdint>
#include <string_view>

#include "strobe/readers/trace_reader.h"
#include "tests/fuzz/fuzz_check.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  strobe::readers::LoadOptions options;
  options.threads = 1;
  const auto whole = strobe::readers::read_trace_bytes(bytes, "input", options);
  options.keep_args = false;
  const auto core = strobe::readers::read_trace_bytes(bytes, "input", options);
  FUZZ_CHECK(whole.has_value() == core.has_value(), "arguments never change an answer");
  if (!whole) return 0;
  const strobe::Trace& trace = whole->trace;
  FUZZ_CHECK(trace.slices().starts_ns == core->trace.slices().starts_ns, "nor a slice");
  FUZZ_CHECK(trace.slice_count() <= size, "every row lies somewhere in the file");
  for (std::size_t row = 0; row < trace.slice_count(); ++row) {
    const strobe::SliceId slice(row);
    FUZZ_CHECK(trace.duration_ns(slice) >= 0, "a slice never ends before it starts");
    FUZZ_CHECK(trace.end_ns(slice) >= trace.start_ns(slice), "no time overflows");
    FUZZ_CHECK(trace.slices().tracks[row].index() < trace.tracks().size(), "a slice has a track");
    (void)trace.name(slice).size();
  }
  return 0;
}
