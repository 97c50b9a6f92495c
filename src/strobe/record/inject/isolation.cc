#include "strobe/record/inject/isolation.h"

#include <functional>

namespace strobe::record {
namespace {

constexpr double kShortNs = 20'000;  // a longer one has traffic enough of its own
// Launches behind such long ones; on an H200 those behind shorter ones agree with Nsight Compute to
// a point of DRAM use.
constexpr double kDeepShadow = 4;
constexpr double kShadow = 2;
constexpr double kOneIn = 16;   // 2 ms a launch on average, as much as recording it
constexpr double kReserve = 3;  // launches, kept for those in deep shadow

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
  const auto known = shadows_.find(both(previous_, next));
  previous_ = next;
  if (known == shadows_.end() || known->second < kShadow) return false;
  const double allowed = static_cast<double>(launches_) / kOneIn - static_cast<double>(set_apart_);
  if (allowed < (known->second < kDeepShadow ? kReserve : 1)) return false;
  ++set_apart_;
  return true;
}

void Isolation::learn(LaunchKind kind, double duration_ns) noexcept {
  const Learned before = last_;
  last_ = {.kind = kind, .duration_ns = duration_ns};
  if (!(before.duration_ns > 0 && duration_ns > 0)) return;
  shadows_[both(before.kind, kind)] = duration_ns > kShortNs ? 0 : before.duration_ns / duration_ns;
}

}  // namespace strobe::record
