#include "strobe/analysis/findings/host_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "strobe/analysis/findings/host_gaps.h"
#include "strobe/analysis/findings/idle_words.h"
#include "strobe/base/text.h"

namespace strobe::analysis {
namespace {

bool is_of_host_alone(const Evidence& e) { return e.device_slices == 0 && !e.context.is_cut_off; }

// Shorter times are no place to start.
constexpr std::int64_t kLongTimeNs = 1'000'000;

std::string neighbours_text(const Trace& trace, const HostGap& gap) {
  const auto name_of = [&](SliceId slice) { return short_name(std::string(trace.name(slice))); };
  if (gap.before.valid() && gap.after.valid()) {
    return fmt::format("between {} and {}", name_of(gap.before), name_of(gap.after));
  }
  return gap.before.valid() ? "after " + name_of(gap.before) : "before " + name_of(gap.after);
}

// ", in Step#3"
std::string step_around_text(const Summary& summary, Interval interval) {
  if (!summary.has_steps) return "";
  for (const StepRow& step : summary.steps) {
    const bool is_inside =
        step.interval.start_ns <= interval.start_ns && interval.end_ns <= step.interval.end_ns;
    if (is_inside && !step.name.empty()) return ", in " + short_name(step.name);
  }
  return "";
}

// What one name takes by itself.
struct OwnTime {
  std::string name;
  TimeStat host;
  std::int64_t self_ns = 0;
};

template <class Row>
std::vector<OwnTime> own_times_of(const std::vector<ThreadGroup<Row>>& groups) {
  std::map<std::string_view, OwnTime> by_name;
  for (const ThreadGroup<Row>& group : groups) {
    for (const Row& row : group.rows) {
      OwnTime& sum = by_name[row.name];
      sum.name = row.name;
      sum.host.add(row.host);
      sum.self_ns += row.self_host_ns;
    }
  }
  std::vector<OwnTime> times;
  for (auto& [name, time] : by_name) times.push_back(std::move(time));
  return times;
}

// A trace without operators has only ranges.
std::vector<OwnTime> own_times_of(const Summary& summary) {
  std::vector<OwnTime> times = own_times_of(summary.operators);
  return times.empty() ? own_times_of(summary.user_ranges) : times;
}

// What shares of host time are shares of, as in the tables.
std::int64_t all_host_time_ns(const Summary& summary) {
  std::int64_t sum_ns = 0;
  for (const HostThreadRow& thread : summary.threads) {
    if (!thread.is_async) sum_ns += thread.host_time_ns;
  }
  return sum_ns;
}

}  // namespace

std::optional<Finding> host_only(const Evidence& e) {
  if (!is_of_host_alone(e)) return {};
  // That device work is missing is told by the health of the recording.
  if (e.launches.time.calls > 0) return {};
  // Only a framework's trace is expected to contain device work.
  if (!e.has_operators) return {};
  return Finding{"host_only_trace", FindingWeight::kNote, 0,
                 "no device work was recorded: these tables show the host only",
                 "record device activities too, if there were any"};
}

std::optional<Finding> host_gap(const Evidence& e) {
  if (!is_of_host_alone(e)) return {};
  const HostGap gap = find_longest_host_gap(e.trace, e.summary.extent);
  const double share = ratio_ns(gap.interval.length_ns(), e.summary.extent.length_ns());
  if (share < 0.1 || gap.interval.length_ns() < kLongTimeNs) return {};
  if (!gap.before.valid() && !gap.after.valid()) return {};
  return Finding{
      "host_gap", FindingWeight::kWorthALook, share,
      fmt::format("no thread shows anything for {} at once, {} of the span: {}{}, {} after the "
                  "start",
                  duration_text(gap.interval.length_ns()), share_text(share),
                  neighbours_text(e.trace, gap), step_around_text(e.summary, gap.interval),
                  duration_text(gap.interval.start_ns - e.summary.extent.start_ns)),
      host_code_advice(IdleKind::kNothing)};
}

std::optional<Finding> host_self_time(const Evidence& e) {
  if (!is_of_host_alone(e)) return {};
  const std::vector<OwnTime> times = own_times_of(e.summary);
  if (times.size() < 2) return {};
  const OwnTime& largest =
      *std::max_element(times.begin(), times.end(),
                        [](const OwnTime& a, const OwnTime& b) { return a.self_ns < b.self_ns; });
  const double share = std::min(1.0, ratio_ns(largest.self_ns, all_host_time_ns(e.summary)));
  if (share < 0.4 || largest.self_ns < kLongTimeNs) return {};
  const bool is_one_call = 2 * largest.host.max_ns > largest.host.total_ns;
  return Finding{
      "host_self_time", FindingWeight::kWorthALook, e.share_of_ns(largest.self_ns),
      fmt::format("{} by itself takes {} of the host time ({}): {}, the longest {}",
                  short_name(largest.name), share_text(share), duration_text(largest.self_ns),
                  counted(largest.host.calls, "call"), duration_text(largest.host.max_ns)),
      is_one_call
          ? "look at its longest call: if it is the first, it may load or tune something; run it "
            "once before the recording starts"
          : "start here: make it faster, call it less often, or give it more threads"};
}

}  // namespace strobe::analysis
