#pragma once

#include <filesystem>
#include <string_view>

#include "strobe/base/result.h"
#include "strobe/readers/trace_reader.h"

// From a file that `strobe record` wrote to a Trace.
namespace strobe::readers {

// A file of a recorded run, with the samples of its process from the files beside it. A recording
// in progress gives what is there.
Result<LoadedTrace> read_recording(const std::filesystem::path& path, const LoadOptions& options);

// The same from memory, without the files beside it; errors do not name a file.
Result<LoadedTrace> read_recording_bytes(std::string_view bytes, const LoadOptions& options);

// The only trace in the folder of a run; an error that names them if there are several.
Result<std::filesystem::path> only_trace_of_run(const std::filesystem::path& folder);

}  // namespace strobe::readers
