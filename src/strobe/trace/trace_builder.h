#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "strobe/trace/table_pages.h"
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

  // Packs slices that nobody changes any more: whole pages of the first `count` in slices(). These
  // keep their row numbers; slices() then begins with row packed_slices(). The same with flows().
  void pack_slices(std::size_t count) { packed_slices_.take_pages(slices_, count); }
  void pack_flows() { packed_flows_.take_pages(flows_, flows_.size()); }
  std::size_t packed_slices() const { return packed_slices_.size(); }
  std::size_t slice_count() const { return packed_slices_.size() + slices_.size(); }
  std::int64_t slice_start_ns(std::size_t row) const {
    return row < packed_slices() ? packed_slices_.columns().starts_ns[row]
                                 : slices_.starts_ns[row - packed_slices()];
  }
  // The slices from row `first` on, and those before it on its page, are in slices() again.
  void unpack_slices(std::size_t first) { packed_slices_.give_back(first, slices_); }
  // Calls change(slices, first, end) with tables that have the rows [first, end), packed or not.
  template <class Change>
  void change_slices(std::size_t first, std::size_t end, Change change) {
    const std::size_t packed = packed_slices();
    packed_slices_.change(first, end, change);
    if (end > packed) change(slices_, std::max(first, packed) - packed, end - packed);
  }

  Trace build() &&;

 private:
  Trace trace_;  // everything but the tables
  std::unordered_map<StringId, CategoryId> category_ids_;
  TablePages<SliceTable> packed_slices_;
  SliceVectors slices_;
  NestingHintVectors nesting_hints_;
  SequenceVectors sequences_;
  InstantVectors instants_;
  TablePages<FlowTable> packed_flows_;
  FlowVectors flows_;
  CounterVectors counters_;
  MemoryVectors memory_;
};

}  // namespace strobe
