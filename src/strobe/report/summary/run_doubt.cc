#include "strobe/report/summary/run_doubt.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace strobe::report {
namespace {

// In the order of the traces.
std::vector<std::string> dialects_of(const std::vector<const Trace*>& traces) {
  std::vector<std::string> dialects;
  for (const Trace* trace : traces) {
    const std::string& dialect = trace->traits().dialect;
    if (std::ranges::find(dialects, dialect) == dialects.end()) dialects.push_back(dialect);
  }
  return dialects;
}

}  // namespace

std::string writers_of(const std::vector<const Trace*>& traces) {
  return fmt::format("{}", fmt::join(dialects_of(traces), ", "));
}

std::string run_doubt(const std::vector<const Trace*>& traces) {
  if (const auto dialects = dialects_of(traces); dialects.size() > 1) {
    return fmt::format("they were written by {}", fmt::join(dialects, " and "));
  }
  std::set<std::int32_t> world_sizes;
  std::map<std::int32_t, int> ranks;
  for (const Trace* trace : traces) {
    const Distributed& distributed = trace->metadata().distributed;
    if (distributed.world_size) world_sizes.insert(*distributed.world_size);
    if (distributed.rank) ++ranks[*distributed.rank];
  }
  if (world_sizes.size() > 1) {
    return fmt::format("they are from runs of {} ranks", fmt::join(world_sizes, " and "));
  }
  for (const auto& [rank, count] : ranks) {
    if (count > 1) return fmt::format("{} of them say that they are rank {}", count, rank);
  }
  return "";
}

}  // namespace strobe::report
