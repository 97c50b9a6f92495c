// Any bytes after the mark of a binary report: reading ends, in little memory, and every column
// fulfils the contract of the table.
#include <string>

#include "tests/fuzz/kernel_promises.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string bytes(reinterpret_cast<const char*>(data), size);
  if (size >= 4) bytes.replace(0, 4, std::string("NVR\0", 4));
  return read_as_kernels(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
}
