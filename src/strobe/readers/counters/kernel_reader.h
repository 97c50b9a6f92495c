#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "strobe/base/result.h"
#include "strobe/readers/trace_reader.h"
#include "strobe/trace/kernel_table.h"

namespace strobe::readers {

// Whether a file that begins like this lists kernels with their counters: the text table, a
// profiler's CSV or report, strobe's own JSON; plain, gzip or zstd. The first kSniffBytes are
// enough. False for traces, samples over time and other tables.
bool looks_like_kernels(std::string_view first_bytes);

// Opens anything that lists kernels, recognised by content: the text table, a profiler's CSV in any
// of its layouts, its binary report, strobe's JSON, or a trace; plain, gzip or zstd. Unusable parts
// of a file are left out, with a remark. A file without a kernel is kTooLittleData.
Result<KernelTable> read_kernels(const std::filesystem::path& path,
                                 const LoadOptions& options = {});

// The same from memory; `name` is used as the path.
Result<KernelTable> read_kernels_bytes(std::string_view bytes, const std::string& name,
                                       const LoadOptions& options = {});

// The kernels of a trace, by device, then start.
KernelTable kernels_of(const Trace& trace, const std::string& path);

}  // namespace strobe::readers
