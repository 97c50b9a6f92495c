#include "strobe/readers/paddle_order.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace strobe::readers::paddle {
namespace {

constexpr std::int64_t kMicrosecond_ns = 1'000;
// From here on a float of microseconds has steps of 0.5 us and more: `ts` is more precise.
constexpr std::int64_t kTrusted_ns = 8'000'000'000;
constexpr std::int64_t kFloatSteps = std::int64_t{1} << 22;  // a float has one bit more
// A call before the first host event has a negative relative start, which was printed as unsigned.
constexpr std::int64_t kWrapped_ns = 9'000'000'000'000'000'000;

bool is_usable(std::int64_t relative_ns) {
  return relative_ns != kNoTime && relative_ns >= 0 && relative_ns < kWrapped_ns;
}

std::int64_t at_row(const std::vector<std::int64_t>& column, std::size_t row) {
  return row < column.size() ? column[row] : kNoTime;
}

// The clock at relative time 0, truncated to microseconds like every `ts`.
std::optional<std::int64_t> base_of(const SliceVectors& slices, const FileOrder& order) {
  std::optional<std::int64_t> base_ns;
  for (std::size_t row = 0; row < slices.size(); ++row) {
    const std::int64_t relative_ns = at_row(order.relative_starts_ns, row);
    if (relative_ns == 0) return slices.starts_ns[row];
    // The first event may be missing in a cut file; any early one gives the base to a microsecond.
    if (!base_ns && is_usable(relative_ns) && relative_ns <= kTrusted_ns) {
      base_ns = slices.starts_ns[row] - relative_ns;
    }
  }
  return base_ns;
}

std::int64_t start_of(std::int64_t clock_ns, std::int64_t base_ns, std::int64_t relative_ns) {
  if (!is_usable(relative_ns)) return clock_ns;
  if (relative_ns <= kTrusted_ns) return base_ns + relative_ns;
  const std::int64_t by_clock_ns = clock_ns - base_ns;
  if (by_clock_ns < 0 || by_clock_ns >= kWrapped_ns) return clock_ns;
  return base_ns + std::clamp(relative_ns, by_clock_ns, by_clock_ns + kMicrosecond_ns - 1);
}

// Late starts are exact to a microsecond, durations to 23 bits, so a child may seem to end after
// its parent by both errors. Such a child ends with its parent.
void keep_children_inside(const SliceVectors& slices, std::vector<std::int64_t>& ends_ns) {
  std::vector<std::uint32_t> rows;
  for (std::size_t row = 0; row < slices.size(); ++row) {
    if (is_tree_kind(slices.kinds[row])) rows.push_back(static_cast<std::uint32_t>(row));
  }
  std::stable_sort(rows.begin(), rows.end(), [&](std::uint32_t a, std::uint32_t b) {
    if (slices.tracks[a] != slices.tracks[b]) return slices.tracks[a] < slices.tracks[b];
    if (slices.starts_ns[a] != slices.starts_ns[b]) {
      return slices.starts_ns[a] < slices.starts_ns[b];
    }
    return ends_ns[a] > ends_ns[b];
  });
  std::vector<std::uint32_t> open;
  for (const std::uint32_t row : rows) {
    while (!open.empty() && (slices.tracks[open.back()] != slices.tracks[row] ||
                             slices.starts_ns[row] >= ends_ns[open.back()])) {
      open.pop_back();
    }
    while (!open.empty() && ends_ns[row] > ends_ns[open.back()]) {
      const std::uint32_t parent = open.back();
      const std::int64_t outside_ns = ends_ns[row] - ends_ns[parent];
      const std::int64_t inside_ns = ends_ns[parent] - slices.starts_ns[row];
      const std::int64_t rounding_ns =
          2 * kMicrosecond_ns + slices.durations_ns[parent] / kFloatSteps;
      if (outside_ns <= rounding_ns && inside_ns >= outside_ns) {
        ends_ns[row] = ends_ns[parent];
      } else {
        open.pop_back();
      }
    }
    open.push_back(row);
  }
}

}  // namespace

void restore_times(TraceBuilder& builder, const FileOrder& order) {
  SliceVectors& slices = builder.slices();
  const std::optional<std::int64_t> base_ns = base_of(slices, order);
  if (!base_ns) return;
  std::vector<std::int64_t>& ends_ns = builder.nesting_hints().ends_ns;
  ends_ns.resize(slices.size());
  bool has_late_times = false;
  for (std::size_t row = 0; row < slices.size(); ++row) {
    const std::int64_t relative_end_ns = at_row(order.relative_ends_ns, row);
    std::int64_t& start_ns = slices.starts_ns[row];
    start_ns = start_of(start_ns, *base_ns, at_row(order.relative_starts_ns, row));
    const bool is_early = is_usable(relative_end_ns) && relative_end_ns <= kTrusted_ns;
    ends_ns[row] = is_early ? std::max(start_ns, *base_ns + relative_end_ns)
                            : start_ns + slices.durations_ns[row];
    has_late_times = has_late_times || (!is_early && is_tree_kind(slices.kinds[row]));
  }
  if (has_late_times) keep_children_inside(slices, ends_ns);
}

namespace {

// A microsecond, because memory events have no finer clock, plus the steps of two 32-bit floats.
std::int64_t tolerance_ns(std::int64_t relative_ns) {
  return kMicrosecond_ns + (relative_ns == kNoTime ? 0 : relative_ns / kFloatSteps);
}

// Walks over the file once and assigns owners while all of them are plausible.
class OrderWalk {
 public:
  OrderWalk(TraceBuilder& builder, const FileOrder& order)
      : slices_(builder.slices()),
        ends_ns_(builder.nesting_hints().ends_ns),
        memory_(builder.memory()),
        order_(order),
        thread_is_over_(builder.tracks().size()) {}

  bool run() {
    slice_owners_.resize(slices_.size());
    memory_owners_.resize(memory_.size());
    if (order_.slices_before_memory.size() != memory_.size()) return false;
    for (std::size_t row = 0; row < slices_.size(); ++row) {
      if (!take_memory_before(row) || !take_slice(row)) return false;
    }
    return take_memory_before(slices_.size()) && next_memory_ == memory_.size();
  }

  std::vector<SliceId> slice_owners() && { return std::move(slice_owners_); }
  std::vector<SliceId> memory_owners() && { return std::move(memory_owners_); }

 private:
  // False if the thread has occurred before: then the file is not written thread by thread.
  bool enter_thread(TrackId track) {
    if (track == thread_) return true;
    if (thread_.valid()) thread_is_over_[thread_.index()] = true;
    if (thread_is_over_[track.index()]) return false;
    thread_ = track;
    last_range_ = SliceId();
    return true;
  }

  std::int64_t end_ns(std::size_t row) const {
    return ends_ns_.empty() ? slices_.starts_ns[row] + slices_.durations_ns[row] : ends_ns_[row];
  }

  bool is_inside_last_range(std::int64_t from_ns, std::int64_t to_ns) const {
    if (!last_range_.valid()) return true;
    const std::size_t owner = last_range_.index();
    const std::int64_t relative_ns =
        owner < order_.relative_ends_ns.size() ? order_.relative_ends_ns[owner] : kNoTime;
    const std::int64_t slack_ns = tolerance_ns(relative_ns);
    return from_ns >= slices_.starts_ns[owner] - slack_ns && to_ns <= end_ns(owner) + slack_ns;
  }

  bool take_slice(std::size_t row) {
    const SliceKind kind = slices_.kinds[row];
    if (is_on_device(kind)) {
      const std::uint32_t correlation = slices_.correlations[row];
      const bool is_of_last_call = correlation != kNoLaunchId && last_call_.valid() &&
                                   correlation == slices_.correlations[last_call_.index()];
      if (is_of_last_call) slice_owners_[row] = last_call_;
      return true;
    }
    if (!enter_thread(slices_.tracks[row])) return false;
    if (kind == SliceKind::kRuntimeCall) {
      last_call_ = SliceId(row);
      slice_owners_[row] = last_range_;
      return is_inside_last_range(slices_.starts_ns[row], end_ns(row));
    }
    last_range_ = SliceId(row);
    // A range of unknown kind is not in the tree, so it cannot own anything.
    return is_tree_kind(kind);
  }

  bool take_memory_before(std::size_t row) {
    for (; next_memory_ < memory_.size() && order_.slices_before_memory[next_memory_] <= row;
         ++next_memory_) {
      if (!enter_thread(memory_.tracks[next_memory_])) return false;
      const std::int64_t time_ns = memory_.times_ns[next_memory_];
      memory_owners_[next_memory_] = last_range_;
      if (!is_inside_last_range(time_ns, time_ns)) return false;
    }
    return true;
  }

  const SliceVectors& slices_;
  const std::vector<std::int64_t>& ends_ns_;
  const MemoryVectors& memory_;
  const FileOrder& order_;
  std::vector<bool> thread_is_over_;
  TrackId thread_;
  SliceId last_range_;
  SliceId last_call_;
  std::size_t next_memory_ = 0;
  std::vector<SliceId> slice_owners_;
  std::vector<SliceId> memory_owners_;
};

}  // namespace

void take_owners_from_order(TraceBuilder& builder, const FileOrder& order) {
  OrderWalk walk(builder, order);
  if (!walk.run()) return;
  builder.nesting_hints().owners = std::move(walk).slice_owners();
  builder.memory().owners = std::move(walk).memory_owners();
  builder.memory().owners_are_known = true;
}

}  // namespace strobe::readers::paddle
