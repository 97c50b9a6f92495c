#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "strobe/base/result.h"
#include "strobe/readers/trace_reader.h"
#include "strobe/trace/kernel_table.h"

namespace strobe::readers {

// Whether a file that begins like this lists kernels with what was counted of them: the text table,
// a profiler's CSV or report, strobe's own JSON; plain, gzip or zstd. The first kSniffBytes are
// enough. Traces, samples over time and other tables are told apart.
bool looks_like_kernels(std::string_view first_bytes);

// Opens anything that lists kernels, recognised by content: the text table, a profiler's CSV in its
// layouts, its binary report, strobe's JSON, or a trace; plain, gzip or zstd. What cannot be used
// of a file is left out and remarked on. A file without a kernel is kTooLittleData.
Result<KernelTable> read_kernels(const std::filesystem::path& path,
                                 const LoadOptions& options = {});

// The same from memory; `name` stands for the path.
Result<KernelTable> read_kernels_bytes(std::string_view bytes, const std::string& name,
                                       const LoadOptions& options = {});

// The kernels of a trace, by device, then start.
KernelTable kernels_of(const Trace& trace, const std::string& path);

}  // namespace strobe::readers
