#include "strobe/readers/paddle_order.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace strobe::readers::paddle {
namespace {

// A microsecond, because memory events know no finer clock, and the steps of two 32-bit floats.
constexpr std::int64_t kMicrosecond_ns = 1'000;
std::int64_t tolerance_ns(std::int64_t relative_ns) {
  constexpr std::int64_t kFloatSteps = std::int64_t{1} << 22;
  return kMicrosecond_ns + (relative_ns == kNoTime ? 0 : relative_ns / kFloatSteps);
}

// Walks the file once and hands out owners as long as every one of them makes sense.
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
  // False if the thread was left before: then the file is not written thread by thread.
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
    // A range of a kind we do not know stands in no tree, so nothing can hang on it.
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
