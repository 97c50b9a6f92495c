#pragma once

#include <string_view>

#include "strobe/base/byte_stream.h"
#include "strobe/base/result.h"
#include "strobe/trace/kernel_table.h"

namespace strobe::readers {

inline constexpr std::string_view kNcuReportMagic{"NVR\0", 4};

// Nsight Compute's binary report (docs/formats/ncu_report.md), one result in memory at a time. A
// truncated report keeps the results before the cut.
Result<KernelTable> read_ncu_report(ByteStream& stream);

}  // namespace strobe::readers
