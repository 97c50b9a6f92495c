#include "perf/columns.h"

namespace strobe::perf {

Checksum checksum_of(const Columns& columns) {
  std::vector<std::uint64_t> hashes(columns.strings.size());
  for (std::size_t id = 0; id < hashes.size(); ++id) {
    hashes[id] = Checksum::hash_of(columns.strings[StringId(id)]);
  }
  constexpr auto kNoId = static_cast<std::uint32_t>(kAbsent);
  Checksum checksum;
  for (std::size_t row = 0; row < columns.size(); ++row) {
    if (columns.phases[row] != 'X' || columns.times_ns[row] == kAbsent) continue;
    const std::int64_t duration_ns = columns.durations_ns[row];
    checksum.add(columns.names[row].valid() ? hashes[columns.names[row].index()] : 0,
                 columns.times_ns[row], duration_ns == kAbsent ? 0 : duration_ns);
    if (columns.correlations[row] != kNoId) checksum.add_correlation(columns.correlations[row]);
    if (columns.externals[row] != kNoId) checksum.add_external(columns.externals[row]);
  }
  return checksum;
}

}  // namespace strobe::perf
