// Any bytes as a table of kernels in text: reading ends, and every column fulfils the contract of
// the table.
#include "tests/fuzz/kernel_promises.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return read_as_kernels(data, size);
}
