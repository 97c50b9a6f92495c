#pragma once

#include <string_view>

#include "strobe/base/result.h"
#include "strobe/trace/kernel_table.h"

namespace strobe::readers {

// Whether a JSON text that begins like this is strobe's own list of kernels.
bool looks_like_kernels_json(std::string_view first);

// docs/formats/kernels_json.md.
Result<KernelTable> read_kernels_json(std::string_view text);

}  // namespace strobe::readers
