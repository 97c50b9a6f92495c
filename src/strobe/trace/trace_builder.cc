#include "strobe/trace/trace_builder.h"

#include "strobe/base/check.h"
#include "strobe/trace/extent.h"

namespace strobe {
namespace {

template <template <template <class> class> class Table>
void freeze(Table<Vector>& from, Table<Column>& to) {
  std::apply(
      [&](auto&... vectors) {
        std::apply([&](auto&... columns) { ((columns = Column(std::move(vectors))), ...); },
                   columns_of(to));
      },
      columns_of(from));
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
  return SliceId(slices_.size() - 1);
}

Trace TraceBuilder::build() && {
  const std::size_t rows = slices_.size();
  STROBE_CHECK(has_rows(slices_, rows), "every slice column has one entry per slice");
  STROBE_CHECK((nesting_hints_.ends_ns.empty() || nesting_hints_.ends_ns.size() == rows) &&
                   (nesting_hints_.owners.empty() || nesting_hints_.owners.size() == rows),
               "nesting hints are absent or complete");
  STROBE_CHECK(has_rows(sequences_, sequences_.slices.size()) &&
                   has_rows(instants_, instants_.size()) && has_rows(flows_, flows_.size()) &&
                   has_rows(counters_, counters_.size()) && has_rows(memory_, memory_.size()),
               "the columns of a table have the same length");
  trace_.extent_ = extent_of_kinds(slices_, stretches_extent);
  freeze(slices_, trace_.slices_);
  freeze(nesting_hints_, trace_.nesting_hints_);
  freeze(sequences_, trace_.sequences_);
  freeze(instants_, trace_.instants_);
  freeze(flows_, trace_.flows_);
  freeze(counters_, trace_.counters_);
  freeze(memory_, trace_.memory_);
  trace_.memory_.owners_are_known = memory_.owners_are_known;
  return std::move(trace_);
}

}  // namespace strobe
