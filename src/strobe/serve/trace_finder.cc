#include "strobe/serve/trace_finder.h"

#include <algorithm>
#include <utility>

#include "strobe/readers/recording/run_files.h"

namespace strobe::serve {
namespace {

constexpr std::size_t kMostRemembered = 100'000;

}  // namespace

TraceFinder::TraceFinder(RunFolder folder, RecordedRuns::IsAlive is_alive, std::int64_t quiet_ns)
    : folder_(std::move(folder)), recorded_(std::move(is_alive), quiet_ns) {}

SeenFolder TraceFinder::scan() {
  if (run_files_.size() > kMostRemembered) run_files_.clear();
  SeenFolder seen;
  for (FoundTrace& trace : folder_.scan()) {
    seen.traces.push_back(with_run(std::move(trace), seen.recorded));
  }
  recorded_.forget_others();
  looks_.clear();
  seen.kernel_files = folder_.kernel_files();
  seen.bench_files = folder_.bench_files();
  return seen;
}

const RecordedRuns::Look& TraceFinder::look_at(const std::filesystem::path& folder) {
  const auto [look, is_new] = looks_.try_emplace(folder);
  if (is_new) look->second = recorded_.look_at(folder);
  return look->second;
}

// A file that is no run file yet may be one that has just been created.
SeenTrace TraceFinder::with_run(FoundTrace trace, RunsByName& recorded) {
  SeenTrace seen{.trace = std::move(trace)};
  const RecordedRuns::Look& look = look_at(seen.trace.path.parent_path());
  if (look.run == nullptr) return seen;
  recorded.emplace(seen.trace.run, look.run);
  bool& is_known = run_files_[seen.trace.path];
  is_known = is_known || readers::is_run_file(seen.trace.path);
  if (!is_known) return seen;
  seen.is_of_run = true;
  seen.is_recording = look.run->state == RunState::kRecording;
  seen.trace.stamp.changed_ns = std::max(seen.trace.stamp.changed_ns, look.newest_change_ns);
  return seen;
}

}  // namespace strobe::serve
