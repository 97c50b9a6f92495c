#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "strobe/analysis/findings/idle_rules.h"
#include "strobe/analysis/findings/idle_words.h"
#include "strobe/base/text.h"
#include "strobe/device/vendor_names.h"

// The recording, or the way the program was started for it, keeps the device idle.
namespace strobe::analysis {

std::optional<Finding> profiler_overhead(const Evidence& e) {
  const auto is_overhead = [](const IdleCause& cause) { return cause.kind == IdleKind::kOverhead; };
  const auto largest = std::find_if(e.idle_causes.begin(), e.idle_causes.end(), is_overhead);
  if (largest == e.idle_causes.end()) return {};
  std::int64_t idle_ns = 0;
  for (const IdleCause& cause : e.idle_causes) idle_ns += is_overhead(cause) ? cause.inside_ns : 0;
  const double share = e.share_of_ns(idle_ns);
  if (share < kWorthTelling) return {};
  const bool is_all = largest->inside_ns == idle_ns;
  Finding finding{
      "profiler_overhead", weight_of(share, kIdleMatters), share,
      fmt::format("the profiler itself held up the program for {}: {} idle {} of {}, {}in {}, {}",
                  duration_text(idle_ns), e.device, share_text(share), e.whole_text(),
                  is_all ? "" : "mostly ", short_name(largest->name),
                  times_text(stall_of(*largest))),
      "leave this time out: without the profiler the program does not spend it; to have less of "
      "it, record fewer activities (no shapes, stacks or memory) and fewer steps"};
  add_warm_up(e, *largest, finding);
  return finding;
}

bool launches_block(const Evidence& e) {
  constexpr std::uint64_t kEnoughKernels = 10;
  const LaunchCalls& launches = e.launches;
  return launches.known_kernels >= kEnoughKernels &&
         20 * launches.kernels_inside >= 19 * launches.known_kernels;
}

std::optional<Finding> blocking_launches(const Evidence& e) {
  if (!launches_block(e)) return {};
  const LaunchCalls& launches = e.launches;
  return Finding{
      "blocking_launches", FindingWeight::kMatters, e.share_of_ns(e.idle_ns),
      fmt::format("launches wait for their kernels (a setting for debugging?): {} of {} run "
                  "inside the call that launches them, so the host is never ahead, and the {} "
                  "is idle {}",
                  count_text(launches.kernels_inside), counted(launches.known_kernels, "kernel"),
                  e.device, part_text(e, e.idle_ns)),
      fmt::format(
          "record again without {}, a debugger or a sanitizer: this trace does not show how "
          "the program runs otherwise",
          device::kBlockingLaunchSettings)};
}

}  // namespace strobe::analysis
