#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "strobe/trace/trace.h"

namespace strobe {

// The mutable counterpart of a Trace. Readers fill the columns, tests sketch them; build() checks
// that they are consistent, computes derived data, and freezes them.
class TraceBuilder {
 public:
  static constexpr std::string_view kOtherCategory = "other";
  static constexpr std::size_t kMostCategories = CategoryId::kNone;  // with kOtherCategory

  SliceVectors& slices() { return slices_; }
  NestingHintVectors& nesting_hints() { return nesting_hints_; }
  SequenceVectors& sequences() { return sequences_; }
  InstantVectors& instants() { return instants_; }
  FlowVectors& flows() { return flows_; }
  CounterVectors& counters() { return counters_; }
  MemoryVectors& memory() { return memory_; }
  std::vector<Track>& tracks() { return trace_.tracks_; }
  std::vector<Category>& categories() { return trace_.categories_; }
  StringPool& strings() { return trace_.strings_; }
  ArgsStore& args() { return trace_.args_; }
  Metadata& metadata() { return trace_.metadata_; }

  StringId intern(std::string_view text) { return trace_.strings_.intern(text); }
  // Finds or adds; when only one id is left, every further category becomes kOtherCategory.
  CategoryId category(std::string_view name);
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
  Trace trace_;  // everything but the tables
  std::unordered_map<StringId, CategoryId> category_ids_;
  SliceVectors slices_;
  NestingHintVectors nesting_hints_;
  SequenceVectors sequences_;
  InstantVectors instants_;
  FlowVectors flows_;
  CounterVectors counters_;
  MemoryVectors memory_;
};

}  // namespace strobe
