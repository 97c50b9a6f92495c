#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include "strobe/analysis/launches/attribution.h"
#include "strobe/analysis/waits/cause_list.h"
#include "strobe/analysis/waits/idle_gaps.h"
#include "strobe/analysis/waits/interval_parts.h"
#include "strobe/analysis/waits/thread_activity.h"
#include "strobe/analysis/waits/waits.h"
#include "strobe/base/interval.h"
#include "strobe/base/row_index.h"
#include "strobe/device/vendor_names.h"

// Sums over the stretches of all gaps, which come by ascending time.
namespace strobe::analysis {

// Idle time by cause.
class IdleCauses {
 public:
  // `causes` numbers those of the stretches; it and `steps` must outlive this.
  IdleCauses(const CauseList& causes, const IntervalSet& steps)
      : causes_(causes), in_steps_(steps) {}

  // A part of a gap begins. `gap`: its number; equal for all parts of one gap. Returns how much of
  // the part is inside steps.
  std::int64_t start(std::uint32_t gap, Interval part) {
    gap_ = gap;
    const std::int64_t in_steps_ns = in_steps_.overlap_ns(part);
    is_in_steps_ = in_steps_ns == part.length_ns();
    is_cut_ = in_steps_ns > 0 && !is_in_steps_;
    return in_steps_ns;
  }
  // A stretch of the part.
  void add(const IdleStretch& stretch) {
    if (stretch.cause.index() >= known_causes_) add_causes();
    Sum& sum = sums_[stretch.cause.index()];
    const std::int64_t length_ns = stretch.interval.length_ns();
    if (sum.gap != gap_) sum.open_gap(gap_);
    sum.in_gap_ns += length_ns;
    sum.in_steps_ns += is_in_steps_ ? length_ns : 0;
    if (is_cut_) sum.in_steps_ns += in_steps_.overlap_ns(stretch.interval);
    if (length_ns > sum.longest_ns) keep_longest(stretch, sum);
  }

  struct Table {
    std::vector<IdleRow> rows;           // most time first, without their source
    std::vector<std::uint32_t> threads;  // per row: the one of the longest stretch
  };
  Table take(const StringPool& strings);

 private:
  static constexpr std::uint32_t kNoGap = std::numeric_limits<std::uint32_t>::max();
  struct Sum {
    std::int64_t in_gap_ns = 0;  // of the current gap, not yet in `idle`
    std::int64_t in_steps_ns = 0;
    std::int64_t longest_ns = 0;
    std::uint32_t gap = kNoGap;
    std::uint32_t longest_thread = OpTree::kNoThread;
    Interval longest;
    TimeStat idle;

    void open_gap(std::uint32_t next) {
      if (in_gap_ns > 0) idle.add(in_gap_ns);
      in_gap_ns = 0;
      gap = next;
    }
  };
  void add_causes();
  void keep_longest(const IdleStretch& stretch, Sum& sum);

  const CauseList& causes_;
  OverlapCursor in_steps_;
  std::uint32_t gap_ = kNoGap;
  bool is_in_steps_ = false;  // the part, all of it
  bool is_cut_ = false;       // a step begins or ends in the part
  std::vector<Sum> sums_;     // per cause
  std::size_t known_causes_ = 0;
  std::vector<CauseId> met_;  // in the order of their first stretches
};

// The part of idle time that the pace of launching sets: see Waits::paced_idle_ns.
class PacedIdle {
 public:
  // Looks inside `steps`, or everywhere if there are none.
  PacedIdle(const AttributedTrace& input, const IntervalSet& steps);

  // A part of a gap begins; the parts of one gap come one after the other. `launch`: of the work
  // that ends the gap; `in_steps_ns`: the time of the part inside steps.
  void start(Interval gap, const LaunchEnd& launch, Interval part, std::int64_t in_steps_ns);
  // A stretch of the part.
  void add(const IdleStretch& stretch) {
    static_assert(IdleKind::kOverhead < IdleKind::kDataLoading &&
                      IdleKind::kRuntimeCall < IdleKind::kDataLoading &&
                      IdleKind::kDataLoading < IdleKind::kOperator,
                  "what may block comes first");
    if (stretch.kind <= IdleKind::kDataLoading) add_blocked(stretch);
  }
  void finish();  // the part

  struct Answer {
    std::int64_t idle_ns = 0;
    std::uint64_t gaps = 0;
  };
  Answer take();

 private:
  // Shorter than 2 ms, so small numbers will do: there are as many as gaps.
  struct Candidate {
    std::uint32_t length_ns = 0;  // of the whole gap
    std::uint32_t paced_ns = 0;   // what counts of it
  };
  void add_blocked(const IdleStretch& stretch);
  bool is_blocking_call(const IdleStretch& stretch);

  const AttributedTrace& input_;
  bool everywhere_;
  OverlapCursor in_steps_;
  OncePerName<device::RuntimeCall (*)(std::string_view)> purpose_of_;
  std::vector<Candidate> candidates_;
  Interval latest_;  // the gap of the last candidate
  // Of the current part.
  Interval gap_;
  Interval part_;
  std::int64_t paced_ns_ = 0;
  std::int64_t blocked_ns_ = 0;
  bool is_cut_ = false;  // a step begins or ends in it
};

}  // namespace strobe::analysis
