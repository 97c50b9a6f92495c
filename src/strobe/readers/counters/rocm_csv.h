#pragma once

#include <string_view>

#include "strobe/base/csv.h"
#include "strobe/base/result.h"
#include "strobe/readers/counters/launch_rows.h"

// Tables of kernels with AMD's counters: a row per dispatch (rocprof, rocprofv2, rocprof-compute),
// or a row per dispatch and counter (rocprofv3).
namespace strobe::readers {

// Whether a line is the header of one.
bool is_rocm_kernel_header(std::string_view line);
// The same, cheap, for every line that a program printed before its kernels.
bool may_be_rocm_kernel_header(std::string_view line);

// Reads the rows below a header, which is the current record.
Result<void> read_rocm_kernels(CsvRecords& records, LaunchRows& rows);

}  // namespace strobe::readers
