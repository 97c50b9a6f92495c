#include "strobe/readers/paddle_times.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

namespace strobe::readers::paddle {
namespace {

constexpr std::int64_t kMicrosecond_ns = 1'000;
// From here on a float of microseconds steps by half a microsecond and more: `ts` knows better.
constexpr std::int64_t kTrusted_ns = 8'000'000'000;
constexpr std::int64_t kFloatSteps = std::int64_t{1} << 22;  // a float's, with one bit to spare
// A call before the first host event has a negative relative start, which was printed as unsigned.
constexpr std::int64_t kWrapped_ns = 9'000'000'000'000'000'000;

bool is_usable(std::int64_t relative_ns) {
  return relative_ns != kNoTime && relative_ns >= 0 && relative_ns < kWrapped_ns;
}

std::int64_t at_row(const std::vector<std::int64_t>& column, std::size_t row) {
  return row < column.size() ? column[row] : kNoTime;
}

// The clock at relative time 0, cut to microseconds as every `ts` is.
std::optional<std::int64_t> base_of(const SliceVectors& slices, const FileOrder& order) {
  std::optional<std::int64_t> base_ns;
  for (std::size_t row = 0; row < slices.size(); ++row) {
    const std::int64_t relative_ns = at_row(order.relative_starts_ns, row);
    if (relative_ns == 0) return slices.starts_ns[row];
    // The first event may be missing from a cut file; any early one tells the base to a
    // microsecond.
    if (!base_ns && is_usable(relative_ns) && relative_ns <= kTrusted_ns) {
      base_ns = slices.starts_ns[row] - relative_ns;
    }
  }
  return base_ns;
}

std::int64_t start_of(std::int64_t clock_ns, std::int64_t base_ns, std::int64_t relative_ns) {
  if (!is_usable(relative_ns)) return clock_ns;
  if (relative_ns <= kTrusted_ns) return base_ns + relative_ns;
  const std::int64_t by_clock_ns = clock_ns - base_ns;
  if (by_clock_ns < 0 || by_clock_ns >= kWrapped_ns) return clock_ns;
  return base_ns + std::clamp(relative_ns, by_clock_ns, by_clock_ns + kMicrosecond_ns - 1);
}

// Late starts are good to a microsecond, durations to 23 bits, so a child may seem to outlive its
// parent by the errors of both. Such a child ends with its parent.
void keep_children_inside(const SliceVectors& slices, std::vector<std::int64_t>& ends_ns) {
  std::vector<std::uint32_t> rows;
  for (std::size_t row = 0; row < slices.size(); ++row) {
    if (is_tree_kind(slices.kinds[row])) rows.push_back(static_cast<std::uint32_t>(row));
  }
  std::stable_sort(rows.begin(), rows.end(), [&](std::uint32_t a, std::uint32_t b) {
    if (slices.tracks[a] != slices.tracks[b]) return slices.tracks[a] < slices.tracks[b];
    if (slices.starts_ns[a] != slices.starts_ns[b]) {
      return slices.starts_ns[a] < slices.starts_ns[b];
    }
    return ends_ns[a] > ends_ns[b];
  });
  std::vector<std::uint32_t> open;
  for (const std::uint32_t row : rows) {
    while (!open.empty() && (slices.tracks[open.back()] != slices.tracks[row] ||
                             slices.starts_ns[row] >= ends_ns[open.back()])) {
      open.pop_back();
    }
    while (!open.empty() && ends_ns[row] > ends_ns[open.back()]) {
      const std::uint32_t parent = open.back();
      const std::int64_t outside_ns = ends_ns[row] - ends_ns[parent];
      const std::int64_t inside_ns = ends_ns[parent] - slices.starts_ns[row];
      const std::int64_t rounding_ns =
          2 * kMicrosecond_ns + slices.durations_ns[parent] / kFloatSteps;
      if (outside_ns <= rounding_ns && inside_ns >= outside_ns) {
        ends_ns[row] = ends_ns[parent];
      } else {
        open.pop_back();
      }
    }
    open.push_back(row);
  }
}

}  // namespace

void restore_times(TraceBuilder& builder, const FileOrder& order) {
  SliceVectors& slices = builder.slices();
  const std::optional<std::int64_t> base_ns = base_of(slices, order);
  if (!base_ns) return;
  std::vector<std::int64_t>& ends_ns = builder.nesting_hints().ends_ns;
  ends_ns.resize(slices.size());
  bool has_late_times = false;
  for (std::size_t row = 0; row < slices.size(); ++row) {
    const std::int64_t relative_end_ns = at_row(order.relative_ends_ns, row);
    std::int64_t& start_ns = slices.starts_ns[row];
    start_ns = start_of(start_ns, *base_ns, at_row(order.relative_starts_ns, row));
    const bool is_early = is_usable(relative_end_ns) && relative_end_ns <= kTrusted_ns;
    ends_ns[row] = is_early ? std::max(start_ns, *base_ns + relative_end_ns)
                            : start_ns + slices.durations_ns[row];
    has_late_times = has_late_times || (!is_early && is_tree_kind(slices.kinds[row]));
  }
  if (has_late_times) keep_children_inside(slices, ends_ns);
}

}  // namespace strobe::readers::paddle
