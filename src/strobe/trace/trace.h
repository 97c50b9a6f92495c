#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "strobe/base/interval.h"
#include "strobe/base/string_pool.h"
#include "strobe/trace/args_store.h"
#include "strobe/trace/ids.h"
#include "strobe/trace/metadata.h"
#include "strobe/trace/slice_kind.h"
#include "strobe/trace/track.h"

namespace strobe {

inline constexpr std::uint32_t kNoLaunchId = 0xFFFFFFFFu;

// One row per slice, in file order: 40 bytes. Some writers encode ownership in the order, so it is
// never lost; who needs time order sorts row numbers.
struct SliceColumns {
  std::vector<std::int64_t> starts_ns;
  std::vector<std::int64_t> durations_ns;  // >= 0
  std::vector<StringId> names;
  std::vector<TrackId> tracks;
  std::vector<CategoryId> categories;
  std::vector<SliceKind> kinds;
  std::vector<std::uint8_t> flags;  // SliceFlag bits
  std::vector<std::uint32_t>
      correlations;  // joins a runtime call with its device work, or kNoLaunchId
  std::vector<std::uint32_t>
      externals;  // joins device work and runtime calls with an operator, or kNoLaunchId
  std::vector<ArgsId> args;

  std::size_t size() const { return starts_ns.size(); }
};

// Only in traces whose times were rounded: where a slice ends for the purpose of nesting, and what
// the file's order says about owners. Empty otherwise.
struct NestingHints {
  std::vector<std::int64_t> ends_ns;  // per slice
  // Per slice: of a runtime call the host range around it (invalid = the thread itself), of device
  // work the runtime call that launched it (invalid = the order does not say).
  std::vector<SliceId> owners;
};

// Ties an operator to its backward: same number, other thread. Ascending by slice.
struct SequenceColumns {
  std::vector<SliceId> slices;
  std::vector<std::int64_t> sequence_numbers;
  std::vector<std::int64_t> forward_threads;  // 0 on the forward side
};

struct InstantColumns {
  std::vector<std::int64_t> times_ns;
  std::vector<StringId> names;
  std::vector<TrackId> tracks;
  std::vector<CategoryId> categories;
  std::vector<ArgsId> args;

  std::size_t size() const { return times_ns.size(); }
};

enum class FlowPhase : std::uint8_t { kStart, kStep, kEnd };

struct FlowColumns {
  std::vector<std::int64_t> times_ns;
  std::vector<std::uint64_t> ids;  // equal on both ends, within one category
  std::vector<TrackId> tracks;
  std::vector<CategoryId> categories;
  std::vector<FlowPhase> phases;

  std::size_t size() const { return times_ns.size(); }
};

struct CounterColumns {
  std::vector<std::int64_t> times_ns;
  std::vector<TrackId> tracks;
  std::vector<StringId> names;
  std::vector<StringId> series;  // the key inside args
  std::vector<double> values;

  std::size_t size() const { return times_ns.size(); }
};

enum class MemoryAction : std::uint8_t { kAllocate, kFree, kReserve, kUnreserve };

// Allocator events. They are also instants; here are their numbers.
struct MemoryColumns {
  std::vector<std::int64_t> times_ns;
  std::vector<TrackId> tracks;
  std::vector<MemoryAction> actions;
  std::vector<StringId> places;               // "Place(cpu)", "Place(gpu:0)"
  std::vector<std::int64_t> bytes;            // signed: negative when freed
  std::vector<std::uint64_t> addresses;       // 0 if unknown
  std::vector<std::int64_t> allocated_bytes;  // after the event, -1 if unknown
  std::vector<std::int64_t> reserved_bytes;
  std::vector<std::int64_t> peak_allocated_bytes;
  std::vector<std::int64_t> peak_reserved_bytes;
  std::vector<SliceId> owners;  // from the file's order where that is known, else invalid
  bool owners_are_known = false;

  std::size_t size() const { return times_ns.size(); }
};

struct Category {
  StringId name;
};

// One capture of one process: columns, filled once by TraceBuilder, const and free to share between
// threads ever after.
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

  // From the first start to the last end of host ranges, runtime calls and device work; {0, 0} if
  // there are none.
  Interval extent() const { return extent_; }

 private:
  friend class TraceBuilder;

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
