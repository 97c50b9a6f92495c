#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "strobe/base/text.h"
#include "strobe/compare/causes/cause_rules.h"
#include "strobe/compare/causes/device_users.h"
#include "strobe/compare/causes/symptoms.h"
#include "strobe/device/vendor_names.h"

namespace strobe::compare {
namespace {

using device::MetricRole;

struct CopyRate {
  double normal_ns_per_byte = 0;
  double abnormal_ns_per_byte = 0;
  Change ms;
  double bytes_normal = 0;  // per cycle
  double bytes_abnormal = 0;
  double bytes_ratio = 1;
  double pageable_bytes_normal = 0;
  double pageable_bytes_abnormal = 0;

  // Most of what was copied from pinned memory no longer is.
  bool became_pageable() const {
    return pageable_bytes_normal < 0.5 * bytes_normal &&
           pageable_bytes_abnormal > 0.5 * bytes_abnormal;
  }
};

// Copies between host and device, as far as the trace has their bytes.
CopyRate copy_rate(const DeviceSymptoms& device) {
  double bytes[2] = {0, 0};
  double ms[2] = {0, 0};
  std::vector<const FunctionRow*> rows;
  CopyRate rate;
  for (const FunctionRow* row : device.copies) {
    const device::CopyDirection direction = device::copy_direction(row->key.name);
    if (direction != device::CopyDirection::kHostToDevice &&
        direction != device::CopyDirection::kDeviceToHost) {
      continue;
    }
    rows.push_back(row);
    bytes[0] += row->bytes_normal;
    bytes[1] += row->bytes_abnormal;
    if (device::is_pageable_copy(row->key.name)) {
      rate.pageable_bytes_normal += row->bytes_normal;
      rate.pageable_bytes_abnormal += row->bytes_abnormal;
    }
    ms[0] += row->ms.normal_core.mean;
    ms[1] += row->ms.abnormal_core.mean;
  }
  rate.ms = total_ms(rows);
  rate.bytes_normal = bytes[0];
  rate.bytes_abnormal = bytes[1];
  if (bytes[0] > 0 && bytes[1] > 0) {
    rate.normal_ns_per_byte = 1e6 * ms[0] / bytes[0];
    rate.abnormal_ns_per_byte = 1e6 * ms[1] / bytes[1];
    rate.bytes_ratio = bytes[1] / bytes[0];
  }
  return rate;
}

Evidence rate_of_copies(const CopyRate& rate) {
  return evidence(fmt::format("copies run at {:.1f} -> {:.1f} GB/s (bytes x {:.2f})",
                              1 / rate.normal_ns_per_byte, 1 / rate.abnormal_ns_per_byte,
                              rate.bytes_ratio));
}

// By how much longer the host is held in copying calls. A copy from memory that is not pinned goes
// through a buffer first, and the call returns only then.
double held_by_copies_ms(const Symptoms& symptoms, const DeviceSymptoms& device) {
  std::vector<const FunctionRow*> calls;
  for (const FunctionRow* row : symptoms.host.runtime_calls) {
    if (device::runtime_call(row->key.name) == device::RuntimeCall::kCopy) calls.push_back(row);
  }
  const Change ms = total_ms(calls);
  if (!is_real(ms)) return 0;
  return std::max(0.0, std::min(ms.core_difference(), device.row->idle_ms.core_difference()));
}

std::string bytes_text(double bytes) { return bytes == 0 ? "none" : number_text(bytes) + "B"; }

void find_pcie(const Symptoms& symptoms, std::vector<Cause>& causes) {
  for (const DeviceSymptoms& device : symptoms.devices) {
    const BusTraffic traffic = bus_traffic(symptoms, device);
    const CopyRate rate = copy_rate(device);
    const bool is_crowded = has_copying_tenant(symptoms, device);
    const double slowdown =
        rate.normal_ns_per_byte > 0 ? rate.abnormal_ns_per_byte / rate.normal_ns_per_byte : 1;
    // Copies of equal runs differ by a third or more: only a large change, in copies that matter.
    const double cycle_ms = symptoms.cycle->ms.normal_core.mean;
    const bool matters = rate.ms.abnormal_core.mean > 0.05 * cycle_ms ||
                         rate.ms.core_difference() > 0.3 * std::abs(symptoms.cycle_change_ms);
    const bool is_pageable = rate.became_pageable() && rate.ms.core_difference() > 0.02 * cycle_ms;
    const bool is_slow = rose(rate.ms, 1.3) && slowdown > 1.3 && (matters || is_pageable);
    if (!is_crowded && !is_slow) continue;
    Cause cause = {.kind = CauseKind::kPcie,
                   .score = 0,
                   .headline = is_crowded
                                   ? fmt::format("another process copies over the bus of {}{}",
                                                 device.name(), symptoms.place())
                                   : fmt::format("copies between host and {} became slower{}",
                                                 device.name(), symptoms.place()),
                   .evidence = {},
                   .against = {},
                   .advice =
                       "check the link's width and generation (nvidia-smi -q -d PCIE), other "
                       "traffic, and whether the host buffer is pinned and on the near socket"};
    if (is_crowded) cause.score = 0.95;
    if (is_slow) {
      cause.score = std::max(cause.score, std::min(0.9, 0.5 + 0.1 * (slowdown - 1.3)));
      cause.evidence.push_back(rate_of_copies(rate));
      cause.evidence.push_back(evidence("copies", rate.ms));
      if (is_pageable) {
        cause.evidence.push_back(evidence(fmt::format(
            "from or to memory that is not pinned: {} -> {} per cycle",
            bytes_text(rate.pageable_bytes_normal), bytes_text(rate.pageable_bytes_abnormal))));
        cause.score = std::max(cause.score, 0.8);
      }
    } else {
      cause.against.push_back(evidence("own copies did not get slower"));
    }
    if (traffic.is_known) {
      cause.evidence.push_back(evidence(fmt::format("traffic over the bus: {}B/s -> {}B/s",
                                                    number_text(traffic.shown_normal),
                                                    number_text(traffic.shown_abnormal))));
      if (is_slow && traffic.abnormal < 0.8 * traffic.normal) cause.score += 0.1;
    }
    if (const MetricRow* replays = symptoms.metric(MetricRole::kPcieReplays, device.name());
        replays != nullptr && rose(replays->all, 1.5) && replays->all.core_difference() >= 1) {
      cause.evidence.push_back(
          evidence("packets per second that the bus sent again", *replays, MetricTime::kCycle));
      cause.score += 0.1;
    }
    if (is_slow) cause.explains_ms = rate.ms.core_difference();
    if (is_slow && is_pageable) {
      cause.explains_ms = std::max(cause.explains_ms, held_by_copies_ms(symptoms, device));
    }
    cause.is_fact = is_crowded || (is_slow && is_pageable);
    causes.push_back(std::move(cause));
  }
}

void find_faster_copies(const Symptoms& symptoms, std::vector<Cause>& causes) {
  constexpr double kMuch = 1.3;
  if (!symptoms.is_faster()) return;
  for (const DeviceSymptoms& device : symptoms.devices) {
    const CopyRate rate = copy_rate(device);
    if (!(rate.abnormal_ns_per_byte > 0) || !fell(rate.ms, 1 / kMuch)) continue;
    const double speedup = rate.normal_ns_per_byte / rate.abnormal_ns_per_byte;
    const bool mattered = rate.ms.normal_core.mean > 0.05 * symptoms.cycle->ms.normal_core.mean;
    if (speedup < kMuch || !mattered) continue;
    causes.push_back(
        {.kind = CauseKind::kPcie,
         .score = std::min(0.9, 0.5 + 0.1 * (speedup - kMuch)),
         .headline = fmt::format("copies between host and {} became faster{}", device.name(),
                                 symptoms.place()),
         .evidence = {rate_of_copies(rate), evidence("copies", rate.ms)},
         .against = {},
         .advice =
             "see what slowed the normal run's copies: other traffic, or a host buffer that was "
             "not pinned",
         .improves = true,
         .explains_ms = rate.ms.core_difference()});
  }
}

// The program itself copies more between host and device, or less.
void find_more_copies(const Symptoms& symptoms, std::vector<Cause>& causes) {
  constexpr double kMuchMore = 1.3;
  constexpr double kLeastPart = 0.3;    // of the cycle's change
  constexpr double kLeastShare = 0.05;  // of the cycle
  // Even if equal runs differ as much: bytes are counted.
  if (!symptoms.cycle->is_changed() && !symptoms.cycle->differs_much()) return;
  for (const DeviceSymptoms& device : symptoms.devices) {
    const CopyRate rate = copy_rate(device);
    const double expected = rate.bytes_normal * symptoms.common_calls_factor;
    const bool is_more = rate.bytes_abnormal > kMuchMore * expected && symptoms.cycle->rises();
    const bool is_less = expected > kMuchMore * rate.bytes_abnormal && !symptoms.cycle->rises();
    const double part = explained_part(symptoms, rate.ms.core_difference());
    const double added_ms = is_more ? rate.ms.core_difference() : -rate.ms.core_difference();
    const bool matters =
        part >= kLeastPart || added_ms > kLeastShare * symptoms.cycle->ms.normal_core.mean;
    if ((!is_more && !is_less) || !is_real(rate.ms) || !matters) continue;
    causes.push_back(
        {.kind = CauseKind::kPcie,
         .score = 0.6 + (symptoms.cycle->is_changed() ? 0.35 * part : 0),
         .headline = fmt::format("{} is copied between host and {}{}", is_more ? "more" : "less",
                                 device.name(), symptoms.place()),
         .evidence = {evidence(fmt::format("copied: {}B -> {}B per cycle",
                                           number_text(rate.bytes_normal),
                                           number_text(rate.bytes_abnormal))),
                      evidence("copies", rate.ms)},
         .against = {},
         .advice =
             "look for a copy in the loop that was not there before, and do it less often, or "
             "while the device computes",
         .improves = is_less,
         .explains_ms = rate.ms.core_difference(),
         .is_fact = true});
  }
}

// Milliseconds per cycle in collectives, of the rank where they are shortest. The last rank to
// arrive does not wait, so its time is what the links themselves need.
struct RankCollectives {
  double least_normal_ms = 0;
  double least_abnormal_ms = 0;
  bool most_ranks_rose = false;
};

RankCollectives collectives_of_ranks(const Comparison& comparison) {
  std::map<std::int32_t, std::vector<const FunctionRow*>> by_rank;
  for (const FunctionRow& row : comparison.functions) {
    if (row.key.kind == FunctionKind::kCollective) by_rank[row.rank].push_back(&row);
  }
  RankCollectives all{.least_normal_ms = 1e300, .least_abnormal_ms = 1e300};
  std::size_t rose_on = 0;
  for (const auto& [rank, rows] : by_rank) {
    const Change ms = total_ms(rows);
    all.least_normal_ms = std::min(all.least_normal_ms, ms.normal_core.mean);
    all.least_abnormal_ms = std::min(all.least_abnormal_ms, ms.abnormal_core.mean);
    if (rose(ms, 1.1)) ++rose_on;
  }
  all.most_ranks_rose = 2 * rose_on > by_rank.size();
  return all;
}

// Collectives take longer because the links are slower, or because a rank is late. With several
// ranks, it is the links if most ranks take longer, including the one that does not wait. With one
// rank there is only the link's counter, which also falls if the same bytes are spread over a
// longer cycle.
bool links_are_slower(const Symptoms& symptoms, const MetricRow* link, Cause& cause) {
  if (symptoms.comparison->normal.ranks.size() > 1) {
    const RankCollectives all = collectives_of_ranks(*symptoms.comparison);
    const bool is_slower =
        all.most_ranks_rose && all.least_abnormal_ms > 1.25 * all.least_normal_ms;
    cause.evidence.push_back(evidence(
        fmt::format("collectives of the rank that waits least: {} -> {} ms per cycle",
                    number_text(all.least_normal_ms), number_text(all.least_abnormal_ms))));
    return is_slower;
  }
  const double longer = std::max(1.0, symptoms.cycle->ms.core_ratio());
  return link != nullptr && fell(link->busy, 0.9 / longer);
}

void find_communication(const Symptoms& symptoms, std::vector<Cause>& causes) {
  for (const DeviceSymptoms& device : symptoms.devices) {
    const Change collective_ms = total_ms(device.collectives);
    if (!rose(collective_ms, 1.1) ||
        collective_ms.core_difference() < 0.01 * symptoms.cycle->ms.normal_core.mean) {
      continue;
    }
    const bool same_calls = std::ranges::all_of(device.collectives, [](const FunctionRow* row) {
      return std::abs(row->calls_abnormal - row->calls_normal) <= 0.02 * row->calls_normal ||
             (row->launched.decides && calls_are_equal(*row));
    });
    if (!same_calls) continue;
    Cause cause;
    cause.evidence.push_back(evidence("collectives", collective_ms));
    const MetricRow* link = symptoms.metric(MetricRole::kLinkTraffic, device.name());
    const bool is_fabric = links_are_slower(symptoms, link, cause);
    if (is_fabric && link != nullptr) {
      cause.evidence.push_back(evidence("link traffic", *link, MetricTime::kBusy));
    }
    cause.kind = is_fabric ? CauseKind::kFabric : CauseKind::kCommunicationWait;
    cause.headline =
        is_fabric
            ? fmt::format("the link of {} became slower{}", device.name(), symptoms.place())
            : fmt::format("{} waits longer in collectives{}", device.name(), symptoms.place());
    cause.advice = is_fabric ? "check link errors, the fabric and the network"
                             : "another rank may be late: compare the ranks of this run with each "
                               "other (strobe compare RUN)";
    cause.explains_ms = collective_ms.core_difference();
    const double own_ms = device.own_change_ms();
    const double whole_ms = std::isnan(own_ms) ? symptoms.cycle_change_ms : own_ms;
    const double share = std::min(1.0, collective_ms.core_difference() / std::max(1e-9, whole_ms));
    const bool explains = (symptoms.is_slower() || own_ms > 0) && share > 0.5;
    // Waiting is a symptom; the late rank is the cause.
    cause.score = is_fabric ? 0.75 + (explains ? 0.2 : 0) : 0.6 + (explains ? 0.1 : 0);
    if (rose(device.kernel_ms, 1.03)) {
      cause.against.push_back(evidence("own kernels got slower too", device.kernel_ms));
      cause.score -= 0.2;
    } else {
      cause.evidence.push_back(evidence("own kernels did not change"));
    }
    causes.push_back(std::move(cause));
  }
}

constexpr std::array<CauseRule, 4> kLinkRules = {find_pcie, find_faster_copies, find_more_copies,
                                                 find_communication};

}  // namespace

std::span<const CauseRule> link_cause_rules() { return kLinkRules; }

}  // namespace strobe::compare
