#pragma once

#include <cstddef>
#include <filesystem>
#include <string_view>

#include "strobe/base/file.h"
#include "strobe/base/result.h"

// Recognises a file by its name and its first bytes.
namespace strobe::readers {

// A name that traces have, such as *.json.gz or *.sqlite. The content decides: *.strobe may also be
// a recording of kernels, *.csv anything.
bool has_trace_name(const std::filesystem::path& path);

// Opens a file that may be a trace. The hint of the error for a folder names the traces in it.
Result<File> open_input(const std::filesystem::path& path);

// Enough of a file, compressed or not, for looks_like_trace.
inline constexpr std::size_t kSniffBytes = 256 << 10;

// Whether a file that begins like this may be a trace: one that strobe recorded, or JSON with an
// array of events, plain, gzip or zstd. False for other JSON (settings, tables).
bool looks_like_trace(std::string_view first_bytes);

// Whether what lies in a folder may be a trace, in any format: a file, or a folder that is one
// trace.
bool is_trace(const std::filesystem::path& path);

// What a file that is not a trace, or has no table of kernels, seems to be, and what to do with it.
// `first` are its first bytes, decompressed; `where` stays empty.
Error explain_not_a_trace(std::string_view first);
Error explain_not_kernels(std::string_view first);
// The error of a file of which only the name, or what lies beside it, says what it is.
Error explain_by_name(const std::filesystem::path& path, Error error);

}  // namespace strobe::readers
