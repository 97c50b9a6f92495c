#include "strobe/readers/formats.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

#include "strobe/readers/ascend/kernel_details.h"
#include "strobe/readers/ascend/profiler_folder.h"
#include "strobe/readers/databases/database_format.h"
#include "strobe/readers/perfetto/perfetto_reader.h"
#include "strobe/readers/rocm/rocm_formats.h"
#include "strobe/readers/snapshot/snapshot_reader.h"
#include "strobe/readers/xplane/xplane_reader.h"

namespace strobe::readers {
namespace {

// In the order in which they are asked.
constexpr std::array kFileFormats = {
    &kDatabases,  &kXplane,        &kPerfetto,           &kRocprofSdkJson,
    &kRocprofCsv, &kKernelDetails, &kAllocatorSnapshots,
};
constexpr std::array kFolderFormats = {
    &kRocprofCsvFolder,
    &kAscendFolder,
};

template <class Format, class Input>
const Format* first_that_recognises(const auto& formats, const Input& input) {
  const auto found =
      std::ranges::find_if(formats, [&](const Format* one) { return one->recognises(input); });
  return found == formats.end() ? nullptr : *found;
}

}  // namespace

const FileFormat* find_format(const TraceInput& input) {
  return first_that_recognises<FileFormat>(kFileFormats, input);
}

const FolderFormat* find_folder_format(const std::filesystem::path& folder) {
  return first_that_recognises<FolderFormat>(kFolderFormats, folder);
}

std::optional<TraceFolder> find_trace_folder(const std::filesystem::path& folder) {
  const FolderFormat* format = find_folder_format(folder);
  if (format == nullptr) return std::nullopt;
  TraceFolder found{format->files(folder), format->owns_folders};
  if (found.files.empty()) return std::nullopt;
  return found;
}

Result<LoadedTrace> read_format(const FileFormat& format, const TraceInput& input,
                                const LoadOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  TraceSink sink(options, input.file_bytes());
  STROBE_TRY_VOID(in_file(format.read(input, sink), input.name()));
  if (options.add_facts) options.add_facts(sink.builder.metadata());
  LoadedTrace loaded;
  loaded.path = input.name();
  loaded.trace = sink.finish();
  loaded.report = std::move(sink.report);
  loaded.snapshot = std::move(sink.snapshot);
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  loaded.stages.push_back({"read", elapsed.count()});
  return loaded;
}

}  // namespace strobe::readers
