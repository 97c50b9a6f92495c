#pragma once

#include <utility>

#include "strobe/trace/trace.h"

namespace strobe {

// The mutable half of a Trace. Readers fill the columns, tests sketch them; build() checks that
// they fit together, computes what is derived, and freezes.
class TraceBuilder {
 public:
  SliceColumns& slices() { return trace_.slices_; }
  NestingHints& nesting_hints() { return trace_.nesting_hints_; }
  SequenceColumns& sequences() { return trace_.sequences_; }
  InstantColumns& instants() { return trace_.instants_; }
  FlowColumns& flows() { return trace_.flows_; }
  CounterColumns& counters() { return trace_.counters_; }
  MemoryColumns& memory() { return trace_.memory_; }
  std::vector<Track>& tracks() { return trace_.tracks_; }
  std::vector<Category>& categories() { return trace_.categories_; }
  StringPool& strings() { return trace_.strings_; }
  ArgsStore& args() { return trace_.args_; }
  Metadata& metadata() { return trace_.metadata_; }

  StringId intern(std::string_view text) { return trace_.strings_.intern(text); }
  CategoryId category(std::string_view name);  // finds or adds; linear in the few categories
  TrackId add_track(Track track);

  struct SliceRow {
    std::int64_t start_ns = 0;
    std::int64_t duration_ns = 0;
    StringId name;
    TrackId track;
    CategoryId category;
    SliceKind kind = SliceKind::kOther;
    std::uint8_t flags = kNoFlags;
    std::uint32_t correlation = kNoLaunchId;
    std::uint32_t external = kNoLaunchId;
    ArgsId args;
  };
  SliceId add_slice(const SliceRow& row);

  Trace build() &&;

 private:
  Trace trace_;
};

}  // namespace strobe
