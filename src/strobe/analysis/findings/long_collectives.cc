#include "strobe/analysis/findings/long_collectives.h"

#include <algorithm>
#include <cstddef>
#include <span>

namespace strobe::analysis {
namespace {

constexpr std::int64_t kFarLonger = 10;
constexpr std::uint64_t kFew = 20;  // one in so many

using NamedDuration = std::pair<StringId, std::int64_t>;

// `durations_ns`: of one name, ascending.
LongCollectives long_ones_of(std::span<const NamedDuration> durations_ns) {
  LongCollectives found;
  found.of_calls = durations_ns.size();
  found.median_ns = durations_ns[durations_ns.size() / 2].second;
  for (const auto& [name, duration_ns] : durations_ns) {
    if (duration_ns < kFarLonger * found.median_ns) continue;
    ++found.calls;
    found.total_ns += duration_ns;
    found.longest_ns = std::max(found.longest_ns, duration_ns);
  }
  if (kFew * found.calls > found.of_calls) return {};
  return found;
}

}  // namespace

LongCollectives find_long_collectives(std::vector<NamedDuration> durations_ns) {
  std::sort(durations_ns.begin(), durations_ns.end());
  LongCollectives worst;
  std::int64_t all_ns = 0;
  for (std::size_t begin = 0; begin < durations_ns.size();) {
    std::size_t end = begin;
    for (; end < durations_ns.size() && durations_ns[end].first == durations_ns[begin].first;
         ++end) {
      all_ns += durations_ns[end].second;
    }
    const LongCollectives next = long_ones_of(std::span(durations_ns).subspan(begin, end - begin));
    if (next.total_ns > worst.total_ns) worst = next;
    begin = end;
  }
  worst.all_ns = all_ns;
  return worst;
}

}  // namespace strobe::analysis
