#include "strobe/record/inject/isolation.h"

#include <algorithm>
#include <functional>

namespace strobe::record {
namespace {

constexpr double kShortNs = 20'000;   // a longer one has traffic enough of its own
constexpr double kAlwaysBehind = 10;  // times as long
constexpr std::uint64_t kOneIn = 16;  // 2 ms a launch on average, as much as recording it

LaunchKind both(LaunchKind first, LaunchKind second) noexcept {
  return first * 0x9e3779b97f4a7c15 + second;
}

}  // namespace

LaunchKind kind_of_launch(std::string_view name,
                          const std::array<std::uint32_t, 3>& grid) noexcept {
  LaunchKind kind = std::hash<std::string_view>()(name);
  for (const std::uint32_t axis : grid) kind = both(kind, axis);
  return kind;
}

bool Isolation::is_due(LaunchKind next) noexcept {
  ++launches_;
  const auto known = pairs_.find(both(previous_, next));
  previous_ = next;
  if (known == pairs_.end()) return false;
  Pair& pair = known->second;
  pair.claim = std::min(1.0, pair.claim + pair.share);
  if (pair.claim < 1 || (set_apart_ + 1) * kOneIn > launches_) return false;
  pair.claim = 0;
  ++set_apart_;
  return true;
}

void Isolation::learn(LaunchKind kind, double duration_ns) noexcept {
  const Learned before = last_;
  last_ = {.kind = kind, .duration_ns = duration_ns};
  if (!(before.duration_ns > 0 && duration_ns > 0)) return;
  const double depth = before.duration_ns / duration_ns / kAlwaysBehind;
  pairs_[both(before.kind, kind)].share = duration_ns > kShortNs ? 0 : std::min(1.0, depth * depth);
}

}  // namespace strobe::record
