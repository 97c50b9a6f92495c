#pragma once

#include <string_view>

#include "strobe/base/byte_stream.h"
#include "strobe/base/result.h"
#include "strobe/trace/kernel_table.h"

namespace strobe::readers {

// Whether a line is the header `Kernel Latency Tensor DRAM`. Each line after it has a name, `|` or
// `: `, nanoseconds and two fractions of the peak.
bool is_text_table_header(std::string_view line);

// A text that contains a table of kernels: after the profiler's log and the program's output, it
// begins with a header that shows its layout.
Result<KernelTable> read_kernel_text(ByteStream& stream);

}  // namespace strobe::readers
