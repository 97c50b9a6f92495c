#include "tests/support/recount/sorted_slices.h"

#include "tests/support/recount/meaning.h"

namespace strobe::recount {

SortedSlices::SortedSlices(const RawTrace& trace) : all(trace.slices) {
  for (std::size_t i = 0; i < all.size(); ++i) {
    const RawSlice& slice = all[i];
    const What what = what_is(slice);
    if (what == What::kRange) {
      Thread& thread = threads[thread_of(slice)];
      thread.ranges.push_back(i);
      if (is_step(slice)) ++thread.steps;
      if (slice.external > 0 && is_operator(slice)) operators[slice.external] = i;
    }
    if (what == What::kCall) {
      threads[thread_of(slice)].calls.push_back(i);
      if (slice.correlation > 0) calls[slice.correlation] = i;
    }
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    const What what = what_is(all[i]);
    if (what != What::kFrame && what != What::kOther) continue;
    const auto thread = threads.find(thread_of(all[i]));
    if (thread != threads.end()) thread->second.frames.push_back(i);
  }
}

const RawSlice* SortedSlices::launch_of(const RawSlice& work) const {
  if (const auto call = calls.find(work.correlation); call != calls.end()) {
    return &all[call->second];
  }
  const auto op = operators.find(work.external);
  return op == operators.end() ? nullptr : &all[op->second];
}

}  // namespace strobe::recount
