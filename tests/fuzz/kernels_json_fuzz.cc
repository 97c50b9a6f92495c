// Any bytes as strobe's own list of kernels: reading ends, and every column fulfils the contract of
// the table.
#include "strobe/readers/counters/kernels_json.h"
#include "tests/fuzz/kernel_promises.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > kMostBytes) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto table = strobe::readers::read_kernels_json(bytes);
  if (table) {
    check_promises(*table);
  } else {
    FUZZ_CHECK(!table.error().what.empty(), "an error is told");
  }
  return 0;
}
