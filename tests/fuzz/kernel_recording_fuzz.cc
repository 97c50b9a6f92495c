// Any bytes as a recording: reading ends, and every launch has what its process announced.
#include <cstdint>
#include <string>
#include <string_view>

#include "strobe/readers/counters/kernel_recording.h"
#include "tests/fuzz/fuzz_check.h"

namespace {

bool lies_in(std::string_view part, std::string_view whole) {
  return part.empty() ||
         (part.data() >= whole.data() && part.data() + part.size() <= whole.data() + whole.size());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace strobe;
  if (size > kMostBytes) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto recording = readers::decode_kernel_recording(bytes);
  const auto table = readers::read_kernel_recording(bytes);
  if (!recording) {
    FUZZ_CHECK(!table, "what cannot be taken apart has no kernels");
    return 0;
  }
  std::size_t launches = 0;
  for (const readers::RecordedProcess& process : recording->processes) {
    for (const readers::RecordedLaunch& launch : process.launches) {
      FUZZ_CHECK(launch.values.size() == process.metrics.size(), "a value for every metric");
      FUZZ_CHECK(lies_in(launch.name, bytes), "names lie in the bytes");
    }
    for (const readers::RecordedObstacle& obstacle : process.obstacles) {
      FUZZ_CHECK(lies_in(obstacle.text, bytes), "texts lie in the bytes");
    }
    launches += process.launches.size();
  }
  if (table) {
    FUZZ_CHECK(table->size() <= launches, "no kernel is invented");
    FUZZ_CHECK(table->size() == table->durations_ns.size(), "a duration for every kernel");
  }
  return 0;
}
