#pragma once

#include <string>

#include "strobe/base/byte_stream.h"
#include "strobe/base/result.h"
#include "strobe/trace/kernel_table.h"

namespace strobe::readers {

// A text that holds a table of kernels somewhere: behind the profiler's log and whatever the
// program printed, it begins with a header that tells its layout. Errors leave `where` empty.
Result<KernelTable> read_kernel_text(ByteStream& stream, const std::string& path);

}  // namespace strobe::readers
