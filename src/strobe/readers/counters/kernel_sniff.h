#pragma once

#include <string_view>

namespace strobe::readers {

// Whether a file that begins like this lists kernels with what was counted of them: the text table,
// a profiler's CSV or report, strobe's own JSON; plain, gzip or zstd. The first kSniffBytes are
// enough. Traces, samples over time and other tables are told apart.
bool looks_like_kernels(std::string_view first_bytes);

}  // namespace strobe::readers
