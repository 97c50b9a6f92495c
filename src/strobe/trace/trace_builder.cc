#include "strobe/trace/trace_builder.h"

#include <algorithm>
#include <limits>

#include "strobe/base/check.h"

namespace strobe {
namespace {

Interval extent_of(const SliceColumns& slices) {
  Interval extent{std::numeric_limits<std::int64_t>::max(),
                  std::numeric_limits<std::int64_t>::min()};
  for (std::size_t row = 0; row < slices.size(); ++row) {
    const SliceKind kind = slices.kinds[row];
    if (!is_tree_kind(kind) && !is_device_work(kind) && kind != SliceKind::kRuntimeCall &&
        kind != SliceKind::kOther) {
      continue;
    }
    extent.start_ns = std::min(extent.start_ns, slices.starts_ns[row]);
    extent.end_ns = std::max(extent.end_ns, slices.starts_ns[row] + slices.durations_ns[row]);
  }
  return extent.start_ns > extent.end_ns ? Interval{} : extent;
}

}  // namespace

CategoryId TraceBuilder::category(std::string_view name) {
  const StringId text = intern(name);
  auto& categories = trace_.categories_;
  const auto found = std::find_if(categories.begin(), categories.end(),
                                  [&](const Category& category) { return category.name == text; });
  if (found != categories.end())
    return CategoryId(static_cast<std::size_t>(found - categories.begin()));
  categories.push_back({text});
  return CategoryId(categories.size() - 1);
}

TrackId TraceBuilder::add_track(Track track) {
  trace_.tracks_.push_back(track);
  return TrackId(trace_.tracks_.size() - 1);
}

SliceId TraceBuilder::add_slice(const SliceRow& row) {
  auto& slices = trace_.slices_;
  slices.starts_ns.push_back(row.start_ns);
  slices.durations_ns.push_back(row.duration_ns);
  slices.names.push_back(row.name);
  slices.tracks.push_back(row.track);
  slices.categories.push_back(row.category);
  slices.kinds.push_back(row.kind);
  slices.flags.push_back(row.flags);
  slices.correlations.push_back(row.correlation);
  slices.externals.push_back(row.external);
  slices.args.push_back(row.args);
  return SliceId(slices.size() - 1);
}

Trace TraceBuilder::build() && {
  const auto& slices = trace_.slices_;
  const std::size_t rows = slices.size();
  STROBE_CHECK(slices.durations_ns.size() == rows && slices.names.size() == rows &&
                   slices.tracks.size() == rows && slices.categories.size() == rows &&
                   slices.kinds.size() == rows && slices.flags.size() == rows &&
                   slices.correlations.size() == rows && slices.externals.size() == rows &&
                   slices.args.size() == rows,
               "every slice column has one entry per slice");
  const auto& hints = trace_.nesting_hints_;
  STROBE_CHECK((hints.ends_ns.empty() || hints.ends_ns.size() == rows) &&
                   (hints.owners.empty() || hints.owners.size() == rows),
               "nesting hints are absent or complete");
  trace_.extent_ = extent_of(slices);
  return std::move(trace_);
}

}  // namespace strobe
