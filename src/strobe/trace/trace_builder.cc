#include "strobe/trace/trace_builder.h"

#include "strobe/base/check.h"
#include "strobe/trace/extent.h"

namespace strobe {
namespace {

template <template <template <class> class> class Table, template <class> class Values>
void freeze(Table<Values>&& from, Table<Column>& to) {
  std::apply(
      [&](auto&... values) {
        std::apply([&](auto&... columns) { ((columns = Column(std::move(values))), ...); },
                   columns_of(to));
      },
      columns_of(from));
}

template <template <template <class> class> class Table>
void freeze(TablePages<Table>& packed, Table<Vector>&& rest, Table<Column>& to) {
  if (packed.size() > 0) {
    freeze(packed.finish(std::move(rest)), to);
  } else {
    freeze(std::move(rest), to);
  }
}

}  // namespace

CategoryId TraceBuilder::category(std::string_view name) {
  auto& categories = trace_.categories_;
  StringId text = intern(name);
  if (const auto found = category_ids_.find(text); found != category_ids_.end()) {
    return found->second;
  }
  if (categories.size() + 1 >= kMostCategories) text = intern(kOtherCategory);
  const auto [found, is_new] = category_ids_.try_emplace(text, categories.size());
  if (is_new) categories.push_back({text});
  return found->second;
}

TrackId TraceBuilder::add_track(Track track) {
  trace_.tracks_.push_back(track);
  return TrackId(trace_.tracks_.size() - 1);
}

SliceId TraceBuilder::add_slice(const SliceRow& row) {
  slices_.starts_ns.push_back(row.start_ns);
  slices_.durations_ns.push_back(row.duration_ns);
  slices_.names.push_back(row.name);
  slices_.tracks.push_back(row.track);
  slices_.categories.push_back(row.category);
  slices_.kinds.push_back(row.kind);
  slices_.flags.push_back(row.flags);
  slices_.correlations.push_back(row.correlation);
  slices_.externals.push_back(row.external);
  slices_.args.push_back(row.args);
  return SliceId(slice_count() - 1);
}

void TraceBuilder::pack_all_slices() {
  packed_slices_.take_all(slices_);
  packed_sequences_.take_all(sequences_);
}

void TraceBuilder::reorder_slices(std::span<const std::uint32_t> order) {
  packed_slices_.reorder(order);
  if (packed_sequences_.size() == 0) return;
  constexpr std::uint32_t kNone = SliceId::kNone;
  const auto slices_of = [](auto& sequences) -> auto& { return sequences.slices; };
  std::vector<std::uint32_t> sequence_at(order.size(), kNone);  // by the row before
  for (std::uint32_t i = 0; i < packed_sequences_.size(); ++i) {
    sequence_at[slices_of(packed_sequences_.columns())[i].index()] = i;
  }
  std::vector<std::uint32_t> sequence_order;
  sequence_order.reserve(packed_sequences_.size());
  for (const std::uint32_t before : order) {
    if (sequence_at[before] != kNone) sequence_order.push_back(sequence_at[before]);
  }
  packed_sequences_.reorder(sequence_order);
  std::size_t row = 0;
  packed_sequences_.change_column(slices_of, 0, packed_sequences_.size(),
                                  [&](std::size_t, SliceId& slice) {
                                    while (sequence_at[order[row]] == kNone) ++row;
                                    slice = SliceId(row++);
                                  });
}

Trace TraceBuilder::build() && {
  const std::size_t rows = slice_count();
  STROBE_CHECK(has_rows(slices_, slices_.size()), "every slice column has one entry per slice");
  STROBE_CHECK((nesting_hints_.ends_ns.empty() || nesting_hints_.ends_ns.size() == rows) &&
                   (nesting_hints_.owners.empty() || nesting_hints_.owners.size() == rows),
               "nesting hints are absent or complete");
  STROBE_CHECK(has_rows(sequences_, sequences_.slices.size()) &&
                   has_rows(instants_, instants_.size()) && has_rows(flows_, flows_.size()) &&
                   has_rows(counters_, counters_.size()) && has_rows(memory_, memory_.size()),
               "the columns of a table have the same length");
  freeze(packed_slices_, std::move(slices_), trace_.slices_);
  trace_.extent_ = extent_of_kinds(trace_.slices_, stretches_extent);
  freeze(std::move(nesting_hints_), trace_.nesting_hints_);
  freeze(packed_sequences_, std::move(sequences_), trace_.sequences_);
  freeze(std::move(instants_), trace_.instants_);
  freeze(packed_flows_, std::move(flows_), trace_.flows_);
  freeze(std::move(counters_), trace_.counters_);
  const bool owners_are_known = memory_.owners_are_known;
  freeze(packed_memory_, std::move(memory_), trace_.memory_);
  trace_.memory_.owners_are_known = owners_are_known;
  return std::move(trace_);
}

}  // namespace strobe
