#pragma once

#include <string>
#include <vector>

#include "strobe/bench/providers/cuda/device.h"

// Compiled code in a folder, by what it was made from and by whom. Anything odd about a file and it
// is compiled anew and written over.
namespace strobe::bench {

struct StoredCode {
  std::vector<char> image;
  bool is_cached = false;
};

// `folder` may be empty: nothing is kept. A folder that cannot be written to is no error.
Result<StoredCode> compile_or_find(CudaDevice& device, const std::string& source,
                                   const std::string& name, const std::string& folder);

// The name of its file: source, chip, driver and compiler make it.
std::string code_key(const CudaDevice& device, const std::string& source);

}  // namespace strobe::bench
