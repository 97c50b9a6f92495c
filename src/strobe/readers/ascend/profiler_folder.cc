#include "strobe/readers/ascend/profiler_folder.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "strobe/base/json_value.h"
#include "strobe/base/text.h"

namespace strobe::readers {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kOutput = "ASCEND_PROFILER_OUTPUT";

bool begins_and_ends(std::string_view name, std::string_view begin, std::string_view end) {
  for (const std::string_view packed : {".gz", ".zst"}) {
    if (name.ends_with(packed)) name.remove_suffix(packed.size());
  }
  return name.starts_with(begin) && name.ends_with(end) && name.size() >= begin.size() + end.size();
}

std::vector<fs::path> files_named(const fs::path& folder, std::string_view begin,
                                  std::string_view end) {
  std::vector<fs::path> found;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), last; !error && at != last; at.increment(error)) {
    std::error_code ignored;
    if (!at->is_regular_file(ignored)) continue;
    if (begins_and_ends(at->path().filename().string(), begin, end)) found.push_back(at->path());
  }
  std::ranges::sort(found);
  return found;
}

// The folder with the files of the trace: below the given one, or itself.
fs::path output_of(const fs::path& folder) {
  std::error_code ignored;
  const fs::path below = folder / kOutput;
  return fs::is_directory(below, ignored) ? below : folder;
}

// The richest of them. Several of one kind are no folder of one rank.
std::optional<fs::path> trace_in(const fs::path& output) {
  struct Kind {
    std::string_view begin;
    std::string_view end;
  };
  constexpr std::array kKinds = {Kind{"trace_view", ".json"},
                                 Kind{"ascend_pytorch_profiler", ".db"},
                                 Kind{"kernel_details", ".csv"}};
  for (const Kind& kind : kKinds) {
    const std::vector<fs::path> found = files_named(output, kind.begin, kind.end);
    if (found.size() == 1) return found.front();
  }
  return std::nullopt;
}

bool is_ascend_folder(const fs::path& folder) {
  const std::optional<fs::path> trace = trace_in(output_of(folder));
  if (!trace) return false;
  if (output_of(folder) != folder || folder.filename() == kOutput) return true;
  // Elsewhere such a file may stand among others.
  return !files_named(folder, "profiler_info", ".json").empty() ||
         !files_named(folder, "step_trace_time", ".csv").empty() ||
         !files_named(folder, "analysis", ".db").empty();
}

// "profiler_info_3.json" stands beside the folder of the output, and has a copy of the number.
std::optional<std::int32_t> rank_beside(const fs::path& folder) {
  const bool is_output = output_of(folder) == folder;
  for (const fs::path& around : {folder, is_output ? folder.parent_path() : folder}) {
    for (const fs::path& info : files_named(around, "profiler_info", ".json")) {
      const Result<TraceInput> input = TraceInput::open(info);
      if (!input) continue;
      const auto rank = find(input->first(), "rank_id").unquoted().as_int64();
      const bool fits = rank && *rank >= 0 && *rank < std::numeric_limits<std::int32_t>::max();
      if (fits) return static_cast<std::int32_t>(*rank);
    }
  }
  return std::nullopt;
}

Result<LoadedTrace> read_ascend_folder(const fs::path& folder, const LoadOptions& options) {
  const std::optional<fs::path> trace = trace_in(output_of(folder));
  if (!trace) {
    return Error{ErrorCode::kNotFound, "the folder changed while it was opened", folder.string(),
                 ""};
  }
  LoadOptions own = options;
  own.add_facts = [rank = rank_beside(folder)](Metadata& metadata) {
    if (rank && !metadata.distributed.rank) metadata.distributed.rank = rank;
  };
  STROBE_TRY(LoadedTrace loaded, read_trace(*trace, own));
  loaded.path = folder.string();
  return loaded;
}

}  // namespace

const FolderFormat kAscendFolder{"folder of an NPU profiler", is_ascend_folder, read_ascend_folder};

}  // namespace strobe::readers
