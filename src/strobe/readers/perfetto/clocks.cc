#include "strobe/readers/perfetto/clocks.h"

#include <algorithm>
#include <limits>

#include "strobe/base/protobuf.h"
#include "strobe/readers/perfetto/packet_fields.h"

namespace strobe::readers::perfetto {
namespace {

std::int64_t whole_ns(std::uint64_t value, std::uint64_t unit_ns) {
  std::uint64_t ns = 0;
  constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();
  if (__builtin_mul_overflow(value, unit_ns, &ns) || ns > kMost) ns = kMost;
  return static_cast<std::int64_t>(ns);
}

// Wraps: no time of a file is trusted.
std::int64_t sum(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}
std::int64_t difference(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
}

}  // namespace

void Clocks::add_snapshot(std::uint32_t sequence, std::string_view message) {
  std::vector<std::pair<Key, std::int64_t>> readings;
  for (ProtobufFields fields(message); fields.next();) {
    if (fields.is_number(kSnapshotPrimary) && fields.number() != 0) trace_clock_ = fields.number();
    if (!fields.is_bytes(kSnapshotClocks)) continue;
    std::uint64_t id = 0;
    std::uint64_t time = 0;
    std::uint64_t unit_ns = 1;
    bool is_incremental = false;
    for (ProtobufFields clock(fields.bytes()); clock.next();) {
      if (clock.is_number(kClockId)) id = clock.number();
      if (clock.is_number(kClockTime)) time = clock.number();
      if (clock.is_number(kClockIsIncremental)) is_incremental = clock.number() != 0;
      if (clock.is_number(kClockUnit_ns)) unit_ns = std::max<std::uint64_t>(1, clock.number());
    }
    const Key key = key_of(sequence, id);
    Clock& clock = clocks_[key];
    clock.unit_ns = unit_ns;
    clock.is_incremental = is_incremental;
    clock.latest_ns = whole_ns(time, unit_ns);
    readings.emplace_back(key, clock.latest_ns);
  }
  if (readings.empty()) return;
  const auto trace =
      std::ranges::find(readings, Key{0, trace_clock_}, &std::pair<Key, std::int64_t>::first);
  const auto& common = trace == readings.end() ? readings.front() : *trace;
  for (const auto& [key, own_ns] : readings) {
    if (key == common.first) continue;
    Clock& clock = clocks_[key];
    if (trace == readings.end()) clock.other = common.first;
    (trace == readings.end() ? clock.to_other : clock.to_trace).push_back({own_ns, common.second});
  }
}

// By the latest reading that is not later; before the first one, by that.
std::int64_t Clocks::convert(const std::vector<Reading>& readings, std::int64_t own_ns) {
  const auto later = std::ranges::upper_bound(readings, own_ns, {}, &Reading::own_ns);
  const Reading& reading = later == readings.begin() ? *later : *(later - 1);
  return sum(reading.other_ns, difference(own_ns, reading.own_ns));
}

std::optional<std::int64_t> Clocks::time_of(std::uint32_t sequence, std::uint64_t id,
                                            std::uint64_t value) {
  if (id == trace_clock_) return static_cast<std::int64_t>(value);
  const bool is_of_sequence = id >= 64 && id < 128;
  const auto found = clocks_.find(key_of(sequence, id));
  if (found == clocks_.end()) {
    if (is_of_sequence) return std::nullopt;
    took_other_clock_ = took_other_clock_ || id != kBootTime;
    return static_cast<std::int64_t>(value);
  }
  Clock& clock = found->second;
  std::int64_t own_ns = whole_ns(value, clock.unit_ns);
  if (clock.is_incremental) own_ns = clock.latest_ns = sum(clock.latest_ns, own_ns);
  if (!clock.to_trace.empty()) return convert(clock.to_trace, own_ns);
  if (clock.other) {
    const std::int64_t other_ns = convert(clock.to_other, own_ns);
    const Clock& other = clocks_[*clock.other];
    if (!other.to_trace.empty()) return convert(other.to_trace, other_ns);
  }
  if (is_of_sequence) return std::nullopt;
  took_other_clock_ = true;
  return own_ns;
}

}  // namespace strobe::readers::perfetto
