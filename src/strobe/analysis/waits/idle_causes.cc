#include "strobe/analysis/waits/idle_causes.h"

#include <algorithm>
#include <string>
#include <tuple>

namespace strobe::analysis {

void IdleCauses::add_causes() {
  known_causes_ = causes_.size();
  sums_.resize(known_causes_);
}

void IdleCauses::keep_longest(const IdleStretch& stretch, Sum& sum) {
  if (sum.longest_ns == 0) met_.push_back(stretch.cause);
  sum.longest_ns = stretch.interval.length_ns();
  sum.longest = stretch.interval;
  sum.longest_thread = stretch.thread;
}

IdleCauses::Table IdleCauses::take(const StringPool& strings) {
  const auto text_of = [&](StringId id) {
    return id.valid() ? std::string(strings[id]) : std::string();
  };
  for (const CauseId cause : met_) sums_[cause.index()].open_gap(kNoGap);
  std::stable_sort(met_.begin(), met_.end(), [&](CauseId a, CauseId b) {
    return std::tuple(-sums_[a.index()].idle.total_ns, causes_[a].kind) <
           std::tuple(-sums_[b.index()].idle.total_ns, causes_[b].kind);
  });
  Table table;
  table.rows.reserve(met_.size());
  table.threads.reserve(met_.size());
  for (const CauseId id : met_) {
    const Cause& cause = causes_[id];
    const Sum& sum = sums_[id.index()];
    table.rows.push_back({cause.kind, text_of(cause.name), text_of(cause.inside), "", sum.idle,
                          sum.in_steps_ns, sum.longest});
    table.threads.push_back(sum.longest_thread);
  }
  return table;
}

namespace {

constexpr std::int64_t kRightAfterLaunchNs = 20'000;
constexpr std::int64_t kBlockingCallNs = 100'000;
constexpr std::int64_t kLongestPacedGapNs = 2'000'000;
constexpr std::int64_t kMostTimesTheMedian = 20;

bool may_be_paced(Interval gap, const LaunchEnd& launch) {
  return gap.length_ns() < kLongestPacedGapNs && launch.is_exact && launch.end_ns > gap.start_ns &&
         gap.end_ns - launch.end_ns <= kRightAfterLaunchNs;
}

}  // namespace

PacedIdle::PacedIdle(const AttributedTrace& input, const IntervalSet& steps)
    : input_(input),
      everywhere_(steps.empty()),
      in_steps_(steps),
      purpose_of_(input.trace.strings(), &device::runtime_call) {}

// In such a call the host does not work towards the next launch.
bool PacedIdle::is_blocking_call(const IdleStretch& stretch) {
  const SliceId slice = input_.attribution.calls.slices[stretch.call.index()];
  return input_.trace.duration_ns(slice) > kBlockingCallNs &&
         purpose_of_(input_.trace.slices().names[slice.index()]) != device::RuntimeCall::kLaunch;
}

void PacedIdle::start(Interval gap, const LaunchEnd& launch, Interval part,
                      std::int64_t in_steps_ns) {
  gap_ = gap;
  part_ = part;
  paced_ns_ = 0;
  blocked_ns_ = 0;
  if (!may_be_paced(gap, launch)) return;
  paced_ns_ = everywhere_ ? part.length_ns() : in_steps_ns;
  is_cut_ = paced_ns_ < part.length_ns();
}

void PacedIdle::add_blocked(const IdleStretch& stretch) {
  if (paced_ns_ == 0) return;
  if (stretch.kind == IdleKind::kRuntimeCall && !is_blocking_call(stretch)) return;
  const std::int64_t length_ns = stretch.interval.length_ns();
  blocked_ns_ += length_ns;
  paced_ns_ -= is_cut_ ? in_steps_.overlap_ns(stretch.interval) : length_ns;
}

void PacedIdle::finish() {
  if (paced_ns_ == 0 || 2 * blocked_ns_ >= part_.length_ns()) return;
  const auto paced_ns = static_cast<std::uint32_t>(paced_ns_);
  if (!candidates_.empty() && latest_ == gap_) {
    candidates_.back().paced_ns += paced_ns;
    return;
  }
  latest_ = gap_;
  candidates_.push_back({static_cast<std::uint32_t>(gap_.length_ns()), paced_ns});
}

PacedIdle::Answer PacedIdle::take() {
  if (candidates_.empty()) return {};
  const auto middle = candidates_.begin() + static_cast<std::ptrdiff_t>(candidates_.size() / 2);
  std::nth_element(
      candidates_.begin(), middle, candidates_.end(),
      [](const Candidate& a, const Candidate& b) { return a.length_ns < b.length_ns; });
  const std::int64_t limit_ns = kMostTimesTheMedian * middle->length_ns;
  Answer answer;
  for (const Candidate& gap : candidates_) {
    if (gap.length_ns > limit_ns) continue;
    answer.idle_ns += gap.paced_ns;
    ++answer.gaps;
  }
  return answer;
}

}  // namespace strobe::analysis
