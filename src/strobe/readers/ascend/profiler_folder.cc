#include "strobe/readers/ascend/profiler_folder.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "strobe/base/json_value.h"
#include "strobe/base/text.h"
#include "strobe/readers/folder_files.h"

namespace strobe::readers {
namespace {

namespace fs = std::filesystem;

// What the frameworks' profilers call their output, and what the vendor's own does.
constexpr std::string_view kOutputs[] = {"ASCEND_PROFILER_OUTPUT", "mindstudio_profiler_output"};

bool begins_and_ends(std::string_view name, std::string_view begin, std::string_view end) {
  for (const std::string_view packed : {".gz", ".zst"}) {
    if (name.ends_with(packed)) name.remove_suffix(packed.size());
  }
  return name.starts_with(begin) && name.ends_with(end) && name.size() >= begin.size() + end.size();
}

std::vector<fs::path> files_named(const fs::path& folder, std::string_view begin,
                                  std::string_view end) {
  std::vector<fs::path> found = files_in(folder);
  std::erase_if(found, [&](const fs::path& file) {
    return !begins_and_ends(file.filename().string(), begin, end);
  });
  return found;
}

// The folder with the files of the trace: below the given one, or itself.
fs::path output_of(const fs::path& folder) {
  std::error_code ignored;
  for (const std::string_view output : kOutputs) {
    const fs::path below = folder / output;
    if (fs::is_directory(below, ignored)) return below;
  }
  return folder;
}

// Users may type a slash at its end.
fs::path without_last_slash(const fs::path& folder) {
  return folder.has_filename() ? folder : folder.parent_path();
}

bool is_output(const fs::path& folder) {
  const std::string name = without_last_slash(folder).filename().string();
  return std::ranges::find(kOutputs, name) != std::end(kOutputs);
}

struct Kind {
  std::string_view begin;
  std::string_view end;
};

// The richest of them. Several of one kind are no folder of one rank.
std::optional<fs::path> trace_in(const fs::path& output) {
  constexpr std::array kKinds = {Kind{"trace_view", ".json"},
                                 Kind{"ascend_pytorch_profiler", ".db"},
                                 Kind{"ascend_mindspore_profiler", ".db"},
                                 Kind{"msprof", ".json"},
                                 Kind{"msprof", ".db"},
                                 Kind{"kernel_details", ".csv"},
                                 Kind{"op_summary", ".csv"}};
  for (const Kind& kind : kKinds) {
    const std::vector<fs::path> found = files_named(output, kind.begin, kind.end);
    if (found.size() == 1) return found.front();
  }
  return std::nullopt;
}

bool is_ascend_folder(const fs::path& folder) {
  const std::optional<fs::path> trace = trace_in(output_of(folder));
  if (!trace) return false;
  if (output_of(folder) != folder || is_output(folder)) return true;
  // Elsewhere such a file may stand among others.
  constexpr std::array kBeside = {Kind{"profiler_info", ".json"}, Kind{"step_trace_time", ".csv"},
                                  Kind{"analysis", ".db"}, Kind{"api_statistic", ".csv"},
                                  Kind{"task_time", ".csv"}};
  return std::ranges::any_of(kBeside, [&](const Kind& kind) {
    return !files_named(folder, kind.begin, kind.end).empty();
  });
}

// The folder that has what describes the recording: the one around the output.
fs::path home_of(const fs::path& folder) {
  return is_output(folder) ? without_last_slash(folder).parent_path() : folder;
}

// "profiler_info_3.json" stands beside the folder of the output.
std::vector<fs::path> infos_beside(const fs::path& folder) {
  return files_named(home_of(folder), "profiler_info", ".json");
}

// The number in the file's name is a copy of the one in it.
std::optional<std::int32_t> rank_told_by(const std::vector<fs::path>& infos) {
  for (const fs::path& info : infos) {
    const Result<TraceInput> input = TraceInput::open(info);
    if (!input) continue;
    const auto rank = find(input->first(), "rank_id").unquoted().as_int64();
    const bool fits = rank && *rank >= 0 && *rank < std::numeric_limits<std::int32_t>::max();
    if (fits) return static_cast<std::int32_t>(*rank);
  }
  return std::nullopt;
}

std::vector<fs::path> npu_files_of(const fs::path& folder) {
  const std::optional<fs::path> trace = trace_in(output_of(folder));
  if (!trace) return {};
  std::vector<fs::path> files = infos_beside(folder);
  files.push_back(*trace);
  return files;
}

Result<LoadedTrace> read_ascend_folder(const fs::path& folder, const LoadOptions& options) {
  const std::optional<fs::path> trace = trace_in(output_of(folder));
  if (!trace) {
    return Error{ErrorCode::kNotFound, "the folder changed while it was opened", folder.string(),
                 ""};
  }
  LoadOptions own = options;
  own.add_facts = [rank = rank_told_by(infos_beside(folder))](Metadata& metadata) {
    if (rank && !metadata.distributed.rank) metadata.distributed.rank = rank;
  };
  STROBE_TRY(LoadedTrace loaded, read_trace(*trace, own));
  loaded.path = folder.string();
  std::vector<fs::path> folders = {output_of(folder)};
  if (home_of(folder) != folders.front()) folders.push_back(home_of(folder));
  report_unread_files(folders, npu_files_of(folder), loaded.report);
  return loaded;
}

}  // namespace

const FolderFormat kAscendFolder{.name = "folder of an NPU profiler",
                                 .owns_folders = true,
                                 .recognises = is_ascend_folder,
                                 .files = npu_files_of,
                                 .read = read_ascend_folder};

}  // namespace strobe::readers
