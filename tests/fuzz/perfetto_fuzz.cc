// Any bytes as a Perfetto trace.
#include "strobe/readers/perfetto/perfetto_reader.h"
#include "tests/fuzz/profile_messages.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  strobe::fuzz::read_as(strobe::readers::kPerfetto, data, size);
  return 0;
}
