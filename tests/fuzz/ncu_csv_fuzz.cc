// Any bytes as a table of kernels in text: reading ends, and every column keeps what the table
// promises.
#include "tests/fuzz/kernel_promises.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return read_as_kernels(data, size);
}
