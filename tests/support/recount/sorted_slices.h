#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/recount/raw_trace.h"
#include "tests/support/recount/spans.h"

namespace strobe::recount {

using ThreadKey = std::pair<std::string, std::string>;  // its process, its own number

// Places in the file of the slices of a thread.
struct Thread {
  std::vector<std::size_t> ranges;
  std::vector<std::size_t> calls;
  std::vector<std::size_t> frames;  // of the interpreter, and slices of unknown kinds
  std::int64_t steps = 0;
};

inline ThreadKey thread_of(const RawSlice& slice) { return {slice.process, slice.thread}; }
inline Span span_of(const RawSlice& slice) { return {slice.start_ns, slice.end_ns}; }
inline std::int64_t duration_ns(const RawSlice& slice) { return slice.end_ns - slice.start_ns; }

// The slices of a trace, by thread and by the ids that launches have.
struct SortedSlices {
  explicit SortedSlices(const RawTrace& trace);

  const RawSlice& operator[](std::size_t place) const { return all[place]; }

  // The call that launched a work, or without one the operator of its external id; else null.
  const RawSlice* launch_of(const RawSlice& work) const;

  const std::vector<RawSlice>& all;
  std::map<ThreadKey, Thread> threads;            // those with ranges or calls
  std::map<std::int64_t, std::size_t> calls;      // by correlation: the last in the file
  std::map<std::int64_t, std::size_t> operators;  // by external id: the last in the file
};

}  // namespace strobe::recount
