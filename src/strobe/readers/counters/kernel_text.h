#pragma once

#include <string_view>

#include "strobe/base/byte_stream.h"
#include "strobe/base/result.h"
#include "strobe/trace/kernel_table.h"

namespace strobe::readers {

// Whether a line is the header `Kernel Latency Tensor DRAM`. The lines below it are a name, `|` or
// `: `, nanoseconds and two fractions of the peak.
bool is_text_table_header(std::string_view line);

// A text that holds a table of kernels somewhere: behind the profiler's log and whatever the
// program printed, it begins with a header that tells its layout.
Result<KernelTable> read_kernel_text(ByteStream& stream);

}  // namespace strobe::readers
