#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
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
  // keep their row numbers; slices() then begins with row packed_slices(). The same with flows(),
  // memory() and sequences().
  void pack_slices(std::size_t count) { packed_slices_.take_pages(slices_, count); }
  void pack_flows() { packed_flows_.take_pages(flows_, flows_.size()); }
  void pack_memory() { packed_memory_.take_pages(memory_, memory_.size()); }
  void pack_sequences() { packed_sequences_.take_pages(sequences_, sequences_.size()); }
  // Packs all of them; no slice and no sequence is added afterwards.
  void pack_all_slices();
  // Row order[i] becomes row i, and the sequences follow their slices, each of which has one at
  // most. After pack_all_slices().
  void reorder_slices(std::span<const std::uint32_t> order);
  const SliceTable<PackedColumn>& all_packed_slices() const { return packed_slices_.columns(); }
  std::size_t packed_slices() const { return packed_slices_.size(); }
  std::size_t slice_count() const { return packed_slices_.size() + slices_.size(); }
  // A value of a slice, packed or not. `column` is one of SliceColumn.
  template <class Of>
  auto slice(Of column, std::size_t row) const {
    const std::size_t packed = packed_slices();
    return row < packed ? column(packed_slices_.columns())[row] : column(slices_)[row - packed];
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

  // The same for the values of one column: change(row, value).
  template <class Of, class Change>
  void change_slices(Of column, std::size_t first, std::size_t end, Change change) {
    const std::size_t packed = packed_slices();
    packed_slices_.change_column(column, first, end, change);
    for (std::size_t row = std::max(first, packed); row < end; ++row) {
      change(row, column(slices_)[row - packed]);
    }
  }

  Trace build() &&;

 private:
  Trace trace_;  // everything but the tables
  std::unordered_map<StringId, CategoryId> category_ids_;
  TablePages<SliceTable> packed_slices_;
  SliceVectors slices_;
  NestingHintVectors nesting_hints_;
  TablePages<SequenceTable> packed_sequences_;
  SequenceVectors sequences_;
  InstantVectors instants_;
  TablePages<FlowTable> packed_flows_;
  FlowVectors flows_;
  CounterVectors counters_;
  TablePages<MemoryTable> packed_memory_;
  MemoryVectors memory_;
};

}  // namespace strobe
