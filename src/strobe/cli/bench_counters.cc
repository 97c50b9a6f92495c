#include "strobe/cli/bench_counters.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "strobe/base/file.h"
#include "strobe/device/name_parts.h"
#include "strobe/readers/counters/kernel_recording.h"
#include "strobe/record/launcher.h"
#include "strobe/record/library_finder.h"
#include "strobe/record/obstacles.h"

namespace strobe::cli {
namespace {

using bench::CountedLaunch;
using readers::RecordedLaunch;
using readers::RecordedObstacle;
using readers::RecordedProcess;

Error nothing(ErrorCode code, std::string what, std::string hint = "") {
  return {.code = code, .what = std::move(what), .where = "", .hint = std::move(hint)};
}

std::array<std::int64_t, 3> sizes_of(const std::uint32_t (&size)[3]) {
  return {size[0], size[1], size[2]};
}

CountedLaunch counted_launch(const RecordedLaunch& launch, const RecordedProcess& process) {
  CountedLaunch counted{.name = device::demangled(launch.name),
                        .grid = sizes_of(launch.facts.grid),
                        .block = sizes_of(launch.facts.block)};
  for (std::size_t i = 0; i < process.metrics.size(); ++i) {
    if (std::isnan(launch.values[i])) continue;
    counted.counters[std::string(process.metrics[i])] = launch.values[i];
  }
  return counted;
}

// An error of the machine if the recorder gave up for good; otherwise of this call only.
std::optional<Error> trouble_of(const RecordedProcess& process) {
  std::optional<Error> worst;
  for (const RecordedObstacle& obstacle : process.obstacles) {
    const wire::Obstacle what = obstacle.facts.what;
    if (what == wire::Obstacle::kNote || what == wire::Obstacle::kUnknownMetric) continue;
    Error error = record::explain(what, obstacle.text, process.program);
    if (obstacle.facts.is_fatal != 0) return error;
    error.code = ErrorCode::kTooLittleData;
    if (!worst) worst = std::move(error);
  }
  return worst;
}

}  // namespace

Result<Variables> RecordedCalls::environment(const std::vector<std::string>& command) {
  record::RecordSettings settings;
  settings.metrics = passes_;
  settings.has_windows = true;
  STROBE_TRY(settings.library, record::find_injection_library());
  if (!folder_) {
    STROBE_TRY(record::SectionFolder folder, record::SectionFolder::make());
    folder_.emplace(std::move(folder));
  }
  return record::recording_environment(settings, folder_->path(), command.front());
}

Result<std::vector<std::vector<CountedLaunch>>> RecordedCalls::take() {
  std::vector<std::vector<CountedLaunch>> calls;
  if (!folder_) return calls;
  STROBE_TRY(const record::Sections sections, folder_->collect());
  if (sections.processes == 0) {
    return nothing(ErrorCode::kTooLittleData, "its process never opened the CUDA driver",
                   "a worker must pass CUDA_INJECTION64_PATH on to what it starts");
  }
  STROBE_TRY(const readers::KernelRecording recording,
             in_file(readers::decode_kernel_recording(sections.bytes), folder_->path().string()));
  std::optional<Error> trouble;
  for (const RecordedProcess& process : recording.processes) {
    std::uint32_t& taken = taken_[process.header.process_id];
    const std::uint32_t before = taken;
    for (const RecordedLaunch& launch : process.launches) {
      const std::uint32_t window = launch.facts.window;
      if (window <= before) continue;
      if (window > taken) calls.emplace_back();
      taken = std::max(taken, window);
      calls.back().push_back(counted_launch(launch, process));
    }
    if (std::optional<Error> found = trouble_of(process); found && !trouble) {
      trouble = std::move(found);
    }
  }
  if (calls.size() < passes_.size() && trouble) return *trouble;
  return calls;
}

}  // namespace strobe::cli
