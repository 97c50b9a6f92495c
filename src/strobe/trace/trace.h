#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "strobe/base/interval.h"
#include "strobe/base/string_pool.h"
#include "strobe/trace/args_store.h"
#include "strobe/trace/ids.h"
#include "strobe/trace/slice_kind.h"
#include "strobe/trace/tables.h"

namespace strobe {

struct Category {
  StringId name;
};

// One capture of one process: columns, filled once by TraceBuilder or mapped from a trace file,
// then const and free to share between threads.
class Trace {
 public:
  Trace() = default;
  Trace(Trace&&) noexcept = default;
  Trace& operator=(Trace&&) noexcept = default;

  const SliceColumns& slices() const { return slices_; }
  const NestingHints& nesting_hints() const { return nesting_hints_; }
  const SequenceColumns& sequences() const { return sequences_; }
  const InstantColumns& instants() const { return instants_; }
  const FlowColumns& flows() const { return flows_; }
  const CounterColumns& counters() const { return counters_; }
  const MemoryColumns& memory() const { return memory_; }
  const std::vector<Track>& tracks() const { return tracks_; }
  const std::vector<Category>& categories() const { return categories_; }
  const StringPool& strings() const { return strings_; }
  const ArgsStore& args() const { return args_; }
  const Metadata& metadata() const { return metadata_; }
  const TraceTraits& traits() const { return metadata_.traits; }

  std::size_t slice_count() const { return slices_.size(); }
  std::string_view name(SliceId slice) const { return strings_[slices_.names[slice.index()]]; }
  SliceKind kind(SliceId slice) const { return slices_.kinds[slice.index()]; }
  std::int64_t start_ns(SliceId slice) const { return slices_.starts_ns[slice.index()]; }
  std::int64_t duration_ns(SliceId slice) const { return slices_.durations_ns[slice.index()]; }
  std::int64_t end_ns(SliceId slice) const { return start_ns(slice) + duration_ns(slice); }
  Interval interval(SliceId slice) const { return {start_ns(slice), end_ns(slice)}; }
  const Track& track(SliceId slice) const { return tracks_[slices_.tracks[slice.index()].index()]; }

  // From the first start to the last end of all slices, interpreter frames too, except the
  // profiler's own slices and ranges projected onto a device; {0, 0} if there are none.
  Interval extent() const { return extent_; }

 private:
  friend class TraceBuilder;
  friend class TraceFileReader;

  std::shared_ptr<const void> mapping_;  // memory of borrowed columns, texts and arguments
  SliceColumns slices_;
  NestingHints nesting_hints_;
  SequenceColumns sequences_;
  InstantColumns instants_;
  FlowColumns flows_;
  CounterColumns counters_;
  MemoryColumns memory_;
  std::vector<Track> tracks_;
  std::vector<Category> categories_;
  StringPool strings_;
  ArgsStore args_;
  Metadata metadata_;
  Interval extent_;
};

}  // namespace strobe
