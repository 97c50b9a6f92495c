#pragma once

#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

#include "strobe/base/result.h"
#include "strobe/readers/trace_input.h"
#include "strobe/readers/trace_reader.h"
#include "strobe/readers/trace_sink.h"

// The formats of traces that are not arrays of JSON events. A new one is a file or folder that
// defines it, and a line in formats.cc.
namespace strobe::readers {

struct FileFormat {
  std::string_view name;  // for people
  bool (*recognises)(const TraceInput& input);
  // Puts the rows of the file into the sink, which already has the report of its own. An error
  // means that there is nothing to keep; damage belongs into the report.
  Result<void> (*read)(const TraceInput& input, TraceSink& sink);
};

// Nullptr if it is none of them: it may be JSON events then.
const FileFormat* find_format(const TraceInput& input);

Result<LoadedTrace> read_format(const FileFormat& format, const TraceInput& input,
                                const LoadOptions& options);

// A folder that is one trace in several files.
struct FolderFormat {
  std::string_view name;
  bool owns_folders;  // the folders in it belong to the trace
  // Whether it holds nothing but this format; those of several traces too, which `read` refuses.
  bool (*recognises)(const std::filesystem::path& folder);
  // What `read` reads; nothing if that is not one trace.
  std::vector<std::filesystem::path> (*files)(const std::filesystem::path& folder);
  Result<LoadedTrace> (*read)(const std::filesystem::path& folder, const LoadOptions& options);
};

// What opens the folder, or says why it cannot be opened.
const FolderFormat* find_folder_format(const std::filesystem::path& folder);

// A folder that stands for its one trace wherever traces are listed.
struct TraceFolder {
  std::vector<std::filesystem::path> files;
  bool owns_folders = false;
};
std::optional<TraceFolder> find_trace_folder(const std::filesystem::path& folder);

}  // namespace strobe::readers
