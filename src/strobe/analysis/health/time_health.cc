#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <tuple>
#include <vector>

#include "strobe/analysis/health/health_rules.h"
#include "strobe/analysis/launches/op_tree.h"
#include "strobe/base/natural_sort.h"
#include "strobe/base/text.h"

namespace strobe::analysis {
namespace {

// Writers round times to whole microseconds, so by up to this much two times prove nothing.
constexpr std::int64_t kRoundedNs = 1'000;

HealthVerdict verdict_of_part(std::uint64_t count, std::uint64_t of) {
  const bool matters = static_cast<double>(count) >= kMatteringShare * static_cast<double>(of);
  return matters ? HealthVerdict::kUsable : HealthVerdict::kComplete;
}

MaybeRemark clocks_apart(const HealthEvidence& e) {
  std::uint64_t early = 0;
  std::uint64_t joined = 0;
  std::int64_t most_ns = 0;
  for (const JudgedWork& work : e.works) {
    if (!work.call.valid()) continue;
    ++joined;
    const std::int64_t ahead_ns = e.trace.start_ns(work.call) - e.trace.start_ns(work.slice);
    if (ahead_ns <= kRoundedNs) continue;
    ++early;
    most_ns = std::max(most_ns, ahead_ns);
  }
  if (early == 0) return {};
  return HealthRemark{
      .code = "clocks_apart",
      .verdict = verdict_of_part(early, joined),
      .seen = fmt::format("{} with a known launch {} before the call that launched {} began, by up "
                          "to {}: the clocks of host and {} are apart",
                          part_of_text(early, joined, kWorkWords), plural(early, "starts", "start"),
                          plural(early, "it", "them"), duration_text(most_ns), e.device),
      .consequence = fmt::format("launch delays are too short by up to that much, and idle time of "
                                 "the {} may be blamed on the wrong code; times on either side are "
                                 "right",
                                 e.device),
      .count = early,
      .of = joined};
}

// Correlations are given out as calls begin, so on one thread they rise with time. They need not
// where a reader made them up, and then nearly nothing is in order.
MaybeRemark time_runs_backwards(const HealthEvidence& e) {
  const auto& slices = e.trace.slices();
  struct Call {
    TrackId track;
    std::uint32_t id;
    std::int64_t start_ns;
  };
  std::vector<Call> calls;
  for (std::size_t row = 0; row < slices.size(); ++row) {
    if (slices.kinds[row] != SliceKind::kRuntimeCall) continue;
    if (slices.correlations[row] == kNoLaunchId) continue;
    calls.push_back({slices.tracks[row], slices.correlations[row], slices.starts_ns[row]});
  }
  natural_sort(calls, [](const Call& a, const Call& b) {
    return std::tie(a.track, a.id) < std::tie(b.track, b.id);
  });
  std::uint64_t jumps = 0;
  std::int64_t most_ns = 0;
  for (std::size_t i = 1; i < calls.size(); ++i) {
    if (calls[i].track != calls[i - 1].track || calls[i].id == calls[i - 1].id) continue;
    const std::int64_t back_ns = calls[i - 1].start_ns - calls[i].start_ns;
    if (back_ns <= kRoundedNs) continue;
    ++jumps;
    most_ns = std::max(most_ns, back_ns);
  }
  const bool is_in_order =
      static_cast<double>(jumps) < kMatteringShare * static_cast<double>(calls.size());
  if (jumps == 0 || !is_in_order) return {};
  return HealthRemark{
      .code = "time_runs_backwards",
      .verdict = HealthVerdict::kUsable,
      .seen = fmt::format("time runs backwards on a thread: {} of {} begin earlier than the one "
                          "before, by up to {}",
                          count_text(jumps), counted(calls.size(), "numbered call"),
                          duration_text(most_ns)),
      .consequence =
          "the clock was set while the program ran: durations and idle time at these "
          "moments are wrong by that much",
      .count = jumps,
      .of = calls.size()};
}

// Slices of one track that start inside another one and end after it. Ranges on asynchronous tracks
// may do so.
struct Crossings {
  std::uint64_t slices = 0;
  std::uint64_t of = 0;
  std::uint64_t tracks = 0;
};

Crossings count_crossings(const Trace& trace) {
  const auto& slices = trace.slices();
  std::vector<std::vector<Interval>> tracks(trace.tracks().size());
  Crossings crossings;
  for (std::size_t row = 0; row < slices.size(); ++row) {
    const SliceKind kind = slices.kinds[row];
    if (!is_tree_kind(kind) && !is_device_work(kind)) continue;
    const TrackId track = slices.tracks[row];
    if (trace.tracks()[track.index()].kind == TrackKind::kAsync) continue;
    tracks[track.index()].push_back({slices.starts_ns[row], nest_end_ns(trace, SliceId(row))});
    ++crossings.of;
  }
  std::vector<std::int64_t> open_ends_ns;
  for (std::vector<Interval>& track : tracks) {
    natural_sort(track, [](const Interval& a, const Interval& b) {
      return a.start_ns != b.start_ns ? a.start_ns < b.start_ns : a.end_ns > b.end_ns;
    });
    open_ends_ns.clear();
    const std::uint64_t before = crossings.slices;
    for (const Interval& slice : track) {
      while (!open_ends_ns.empty() && open_ends_ns.back() <= slice.start_ns + kRoundedNs) {
        open_ends_ns.pop_back();
      }
      if (!open_ends_ns.empty() && slice.end_ns > open_ends_ns.back() + kRoundedNs) {
        ++crossings.slices;
        while (!open_ends_ns.empty() && open_ends_ns.back() < slice.end_ns) open_ends_ns.pop_back();
      }
      open_ends_ns.push_back(slice.end_ns);
    }
    crossings.tracks += crossings.slices > before ? 1 : 0;
  }
  return crossings;
}

MaybeRemark crossing_slices(const HealthEvidence& e) {
  const Crossings crossings = count_crossings(e.trace);
  if (crossings.slices == 0) return {};
  return HealthRemark{
      .code = "crossing_slices",
      .verdict = HealthVerdict::kComplete,
      .seen = fmt::format("{} on {} {} inside another slice and {} after it",
                          part_of_text(crossings.slices, crossings.of, "slices"),
                          counted(crossings.tracks, "track"),
                          plural(crossings.slices, "begins", "begin"),
                          plural(crossings.slices, "ends", "end")),
      .consequence =
          "strobe keeps them, and the timeline gives them rows of their own; some other "
          "viewers leave them out",
      .count = crossings.slices,
      .of = crossings.of};
}

// The numbers that the steps of one process skip.
struct SkippedSteps {
  std::uint64_t count = 0;
  std::uint64_t recorded = 0;
  std::int64_t before = 0;  // the number after the largest gap
  std::int64_t after = 0;   // and the one before it
};

// Scripts may mark every tenth step only: the usual distance is no gap.
SkippedSteps find_skipped(const std::vector<std::int64_t>& numbers) {
  SkippedSteps skipped;
  skipped.recorded = numbers.size();
  std::int64_t stride = 0;
  std::size_t usual = 0;
  for (std::size_t i = 1; i < numbers.size(); ++i) {
    const std::int64_t distance = numbers[i] - numbers[i - 1];
    if (distance <= 0) continue;
    if (stride == 0 || distance < stride) {
      stride = distance;
      usual = 0;
    }
    usual += distance == stride ? 1 : 0;
  }
  if (numbers.size() < 3 || 2 * usual < numbers.size() - 1) return skipped;
  std::int64_t largest = stride;
  for (std::size_t i = 1; i < numbers.size(); ++i) {
    const std::int64_t distance = numbers[i] - numbers[i - 1];
    if (distance <= stride || distance % stride != 0) continue;
    skipped.count += static_cast<std::uint64_t>(distance / stride - 1);
    if (distance > largest) {
      largest = distance;
      skipped.after = numbers[i - 1];
      skipped.before = numbers[i];
    }
  }
  return skipped;
}

MaybeRemark steps_missing(const HealthEvidence& e) {
  std::map<StringId, std::vector<std::int64_t>> numbers;
  for (const Step& step : e.steps) {
    if (step.number) numbers[step.process].push_back(*step.number);
  }
  SkippedSteps most;
  for (const auto& [process, own] : numbers) {
    const SkippedSteps skipped = find_skipped(own);
    if (skipped.count > most.count) most = skipped;
  }
  if (most.count == 0) return {};
  const std::uint64_t all = most.count + most.recorded;
  // Who records a few steps now and then leaves out more than is recorded.
  const bool are_windows = most.count > most.recorded;
  return HealthRemark{
      .code = "steps_missing",
      .verdict = are_windows ? HealthVerdict::kComplete : HealthVerdict::kUsable,
      .seen = fmt::format("{} {} missing, the most between step {} and step {}",
                          part_of_text(most.count, all, "steps"), plural(most.count, "is", "are"),
                          most.after, most.before),
      .consequence =
          are_windows ? "the steps were recorded in parts: what lies between them is no part of "
                        "the program's usual time"
                      : "averages per step leave them out, and time outside of steps is too high",
      .count = most.count,
      .of = all};
}

constexpr std::array<HealthRule, 4> kTimeRules = {clocks_apart, time_runs_backwards, steps_missing,
                                                  crossing_slices};

}  // namespace

std::span<const HealthRule> time_health_rules() { return kTimeRules; }

}  // namespace strobe::analysis
