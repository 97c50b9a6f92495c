#include "strobe/readers/untimed_work.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <tuple>
#include <vector>

namespace strobe::readers {
namespace {

// No device works so long before everything else that a profiler records.
constexpr std::int64_t kFarBeforeNs = 60'000'000'000;

using Rows = std::vector<std::uint32_t>;  // ascending

std::optional<std::int64_t> first_start_of_others_ns(const SliceVectors& slices,
                                                     const std::vector<EarlyWork>& early_work) {
  std::optional<std::int64_t> first_ns;
  auto early = early_work.begin();
  for (std::uint32_t row = 0; row < slices.size(); ++row) {
    if (early != early_work.end() && early->slice == row) {
      ++early;
    } else if (stretches_extent(slices.kinds[row])) {
      first_ns = std::min(first_ns.value_or(slices.starts_ns[row]), slices.starts_ns[row]);
    }
  }
  return first_ns;
}

std::uint32_t count_before(const Rows& rows, std::uint32_t row) {
  return static_cast<std::uint32_t>(std::lower_bound(rows.begin(), rows.end(), row) - rows.begin());
}

template <class T>
void erase_rows(std::vector<T>& column, const Rows& rows) {
  std::size_t kept = rows.front();
  auto erased = rows.begin();
  for (std::size_t row = kept; row < column.size(); ++row) {
    if (erased != rows.end() && *erased == row) {
      ++erased;
    } else {
      column[kept++] = column[row];
    }
  }
  column.resize(kept);
}

void renumber_sequences(SequenceVectors& sequences, const Rows& erased) {
  Rows erased_sequences;
  for (std::uint32_t i = 0; i < sequences.slices.size(); ++i) {
    SliceId& slice = sequences.slices[i];
    if (std::binary_search(erased.begin(), erased.end(), slice.value)) {
      erased_sequences.push_back(i);
    }
    slice = SliceId(slice.value - count_before(erased, slice.value));
  }
  if (erased_sequences.empty()) return;
  std::apply([&](auto&... columns) { (erase_rows(columns, erased_sequences), ...); },
             columns_of(sequences));
}

void erase_slices(const Rows& rows, TraceBuilder& builder, FileOrder& order) {
  std::apply([&](auto&... columns) { (erase_rows(columns, rows), ...); },
             columns_of(builder.slices()));
  renumber_sequences(builder.sequences(), rows);
  for (std::uint32_t& before : order.slices_before_memory) before -= count_before(rows, before);
}

}  // namespace

void leave_out_untimed_work(TraceBuilder& builder, FileOrder& order, ImportReport& report) {
  if (order.early_work.empty()) return;
  const SliceVectors& slices = builder.slices();
  const auto first_ns = first_start_of_others_ns(slices, order.early_work);
  if (!first_ns) return;
  Rows untimed;
  for (const EarlyWork& work : order.early_work) {
    if (*first_ns - slices.starts_ns[work.slice] < kFarBeforeNs) continue;
    untimed.push_back(work.slice);
    report.add(ImportIssue::kMissingTime, work.byte_offset, "device work at time 0");
  }
  if (!untimed.empty()) erase_slices(untimed, builder, order);
}

}  // namespace strobe::readers
