// Any bytes as a pickle: reading ends, in little memory, runs nothing, and what it keeps is a
// snapshot whose parts fit together.
#include <cstdint>
#include <string_view>

#include "strobe/analysis/memory/allocator_study.h"
#include "strobe/readers/trace_reader.h"
#include "tests/fuzz/fuzz_check.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto loaded = strobe::readers::read_trace_bytes(bytes, "fuzz.pickle");
  if (!loaded || !loaded->snapshot) return 0;
  const auto study = strobe::analysis::study_allocator(*loaded->snapshot, true);
  for (const auto& device : study.devices) {
    std::int64_t held = 0;
    for (const auto& holding : device.at_peak) held += holding.bytes;
    FUZZ_CHECK(held == device.peak_bytes, "holders add up to the peak");
    FUZZ_CHECK(device.curve.size() == device.events, "a curve has a point per event");
  }
  return 0;
}
