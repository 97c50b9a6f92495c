#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include <fmt/format.h>

#include "strobe/compare/cause_rules.h"
#include "strobe/compare/cause_text.h"
#include "strobe/device/power_limits.h"

namespace strobe::compare {
namespace {

using device::MetricRole;

// Percent of the time in which the device worked for somebody else: what its own counter says
// beyond what the trace shows.
struct ForeignUse {
  bool is_known = false;
  double normal = 0;
  double abnormal = 0;

  double rise() const { return abnormal - normal; }
};

ForeignUse foreign_use(const Symptoms& symptoms, const DeviceSymptoms& device) {
  const MetricRow* use = symptoms.metric(MetricRole::kDeviceUse, device.name());
  if (use == nullptr || use->all.normal.n == 0 || use->all.abnormal.n == 0) return {};
  const Change& own = device.row->busy_share;
  const MetricRow* process = symptoms.metric(MetricRole::kProcessDeviceUse, device.name());
  const bool has_process =
      process != nullptr && process->all.normal.n > 0 && process->all.abnormal.n > 0;
  const auto beyond = [](double whole, double own_share) {
    return std::max(0.0, whole - own_share);
  };
  return {.is_known = true,
          .normal = beyond(use->all.normal.mean,
                           has_process ? process->all.normal.mean : own.normal.mean),
          .abnormal = beyond(use->all.abnormal.mean,
                             has_process ? process->all.abnormal.mean : own.abnormal.mean)};
}

// Bytes per second over the bus that the trace's own copies do not explain.
struct BusTraffic {
  bool is_known = false;
  double normal = 0;
  double abnormal = 0;
};

BusTraffic bus_traffic(const Symptoms& symptoms, const DeviceSymptoms& device) {
  BusTraffic traffic;
  for (const MetricRow& row : symptoms.comparison->metrics) {
    if (row.info.role != MetricRole::kPcieTraffic || row.device != device.name() ||
        row.rank != symptoms.rank || row.all.normal.n == 0 || row.all.abnormal.n == 0) {
      continue;
    }
    traffic.is_known = true;
    traffic.normal = std::max(traffic.normal, row.all.normal.mean);
    traffic.abnormal = std::max(traffic.abnormal, row.all.abnormal.mean);
  }
  return traffic;
}

constexpr double kTenantPoints = 20;  // of the device's time; less may be the counter's coarseness
constexpr double kBusyBus = 5e9;      // bytes per second

bool has_tenant(const Symptoms& symptoms, const DeviceSymptoms& device) {
  const ForeignUse use = foreign_use(symptoms, device);
  const MetricRow* metric = symptoms.metric(MetricRole::kDeviceUse, device.name());
  return use.is_known && use.rise() >= kTenantPoints && is_real(metric->all);
}

bool tenant_only_copies(const Symptoms& symptoms, const DeviceSymptoms& device) {
  const BusTraffic traffic = bus_traffic(symptoms, device);
  const MetricRow* power = symptoms.metric(MetricRole::kPower, device.name());
  return traffic.is_known && traffic.abnormal > kBusyBus && traffic.abnormal > 5 * traffic.normal &&
         (power == nullptr || power->all.ratio() < 1.3);
}

void find_other_tenant(const Symptoms& symptoms, std::vector<Cause>& causes) {
  for (const DeviceSymptoms& device : symptoms.devices) {
    if (!has_tenant(symptoms, device)) continue;
    const ForeignUse use = foreign_use(symptoms, device);
    const MetricRow& metric = *symptoms.metric(MetricRole::kDeviceUse, device.name());
    Cause cause = {
        .kind = CauseKind::kOtherTenant,
        .score = std::min(0.9, 0.6 + 0.5 * (use.rise() - kTenantPoints) / 60),
        .headline = fmt::format("another process uses {}{}", device.name(), symptoms.place()),
        .evidence = {},
        .against = {},
        .advice =
            "list the processes on the device with its vendor's tool (nvidia-smi) and "
            "move or stop the other one"};
    cause.evidence.push_back(told("device in use, by its own counter", metric, metric.all));
    cause.evidence.push_back(
        told(fmt::format("the trace's own work fills {:.0f} -> {:.0f} % of the cycle, so {:.0f} -> "
                         "{:.0f} % of the time is somebody else's",
                         device.row->busy_share.normal.mean, device.row->busy_share.abnormal.mean,
                         use.normal, use.abnormal)));
    if (const MetricRow* power = symptoms.metric(MetricRole::kPower, device.name());
        power != nullptr && rose(power->all, 1.3) && !rose(device.row->busy_ms, 1.3)) {
      cause.evidence.push_back(told("power drawn for the same work", *power, power->all));
      cause.score += 0.05;
    }
    if (const MetricRow* used = symptoms.metric(MetricRole::kMemoryUsed, device.name());
        used != nullptr && rose(used->all, 1.05)) {
      cause.evidence.push_back(told("device memory in use", *used, used->all));
      cause.score += 0.03;
    }
    if (rose(device.kernel_ms, 1.03)) {
      cause.evidence.push_back(told("own kernels", device.kernel_ms));
    } else {
      cause.against.push_back(told("own kernels did not get slower"));
    }
    causes.push_back(std::move(cause));
  }
}

std::string reason_of_clock(const Symptoms& symptoms, const DeviceSymptoms& device,
                            const MetricRow& clock) {
  const auto limits = device::power_limits(device.chip);
  const MetricRow* reasons = symptoms.metric(MetricRole::kThrottleReasons, device.name());
  const MetricRow* power = symptoms.metric(MetricRole::kPower, device.name());
  const MetricRow* heat = symptoms.metric(MetricRole::kTemperature, device.name());
  const auto bits =
      reasons == nullptr ? 0u : static_cast<std::uint64_t>(reasons->recording_median_abnormal);
  const bool near_cap =
      power != nullptr && limits && power->all.abnormal.mean >= 0.95 * limits->board_w;
  if ((bits & 0x60u) != 0 || (bits == 0 && heat != nullptr && heat->all.abnormal.mean >= 84)) {
    return "thermal: the device protects itself from heat";
  }
  if ((bits & 0x84u) != 0 || near_cap) {
    return near_cap ? fmt::format("power: {:.0f} W, near the board's {:.0f} W",
                                  power->all.abnormal.mean, limits->board_w)
                    : "power: the device is at its power cap";
  }
  if (limits && clock.busy.abnormal.mean <= 1.02 * limits->lowest_clock_mhz) {
    return fmt::format("pinned at the chip's floor of {:.0f} MHz", limits->lowest_clock_mhz);
  }
  if (clock.busy.abnormal.deviation < 0.005 * clock.busy.abnormal.mean) {
    return "fixed: the clock does not move at all, as if it were locked";
  }
  return {};
}

void find_clock_drop(const Symptoms& symptoms, std::vector<Cause>& causes) {
  for (const DeviceSymptoms& device : symptoms.devices) {
    const MetricRow* clock = symptoms.metric(MetricRole::kCoreClock, device.name());
    if (clock == nullptr) continue;
    const bool drops = fell(clock->busy, 0.95);
    if (!drops && !rose(clock->busy, 1 / 0.95)) continue;
    const double ratio = clock->busy.ratio();
    const double explained = drops ? device.slowdowns.share_between(1.03, 1.1 / ratio)
                                   : device.slowdowns.share_between(1 / (1.1 * ratio), 1 / 1.03);
    const double beyond = drops ? device.slowdowns.share_between(1.1 / ratio, 1e9)
                                : device.slowdowns.share_between(0, 1 / (1.1 * ratio));
    const bool is_deep = drops ? ratio <= 0.9 : ratio >= 1 / 0.9;
    Cause cause = {
        .kind = CauseKind::kClockDrop,
        .score = is_deep ? 0.5 + 0.5 * std::min(1.0, explained / 0.7)
                         : 0.6 * std::min(1.0, explained / 0.7),
        .headline = fmt::format("the clock of {} {} from {} to {} MHz{}", device.name(),
                                drops ? "dropped" : "rose", number_text(clock->busy.normal.mean),
                                number_text(clock->busy.abnormal.mean), symptoms.place()),
        .evidence = {},
        .against = {},
        .advice =
            "look at power cap, temperature and locked clocks (nvidia-smi -q -d "
            "CLOCK,POWER,TEMPERATURE,PERFORMANCE)"};
    cause.evidence.push_back(told("core clock while the device works", *clock, clock->busy));
    cause.evidence.back().text += fmt::format(", mean of the whole recording {} -> {} MHz",
                                              number_text(clock->recording_mean_normal),
                                              number_text(clock->recording_mean_abnormal));
    if (const std::string reason = drops ? reason_of_clock(symptoms, device, *clock) : "";
        !reason.empty()) {
      cause.evidence.push_back(told(reason));
    }
    if (explained > 0) {
      cause.evidence.push_back(told(fmt::format(
          "{:.0f} % of kernel time is in kernels that the clock alone explains (typically x "
          "{:.2f})",
          100 * explained, device.slowdowns.median())));
    }
    if (const MetricRow* memory = symptoms.metric(MetricRole::kMemoryClock, device.name());
        memory != nullptr && std::abs(memory->busy.ratio() - 1) > 0.02) {
      cause.against.push_back(told("the memory clock moved too", *memory, memory->busy));
      cause.score -= 0.1;
    }
    if (beyond > 0.3) {
      cause.against.push_back(told(fmt::format(
          "{:.0f} % of kernel time changed by more than the clock explains", 100 * beyond)));
      cause.score -= 0.2 * beyond;
    }
    // A neighbour that draws the power is the reason; the clock is what follows from it.
    if (drops && has_tenant(symptoms, device)) {
      cause.evidence.push_back(told("it came with the other process on the device"));
      cause.score = std::clamp(cause.score, kListedScore, 0.8);
    }
    causes.push_back(std::move(cause));
  }
}

void find_memory_bandwidth(const Symptoms& symptoms, std::vector<Cause>& causes) {
  for (const DeviceSymptoms& device : symptoms.devices) {
    const MetricRow* clock = symptoms.metric(MetricRole::kMemoryClock, device.name());
    if (clock == nullptr || !fell(clock->busy, 0.97)) continue;
    const double slowed = device.slowdowns.share_between(1.02, 1e9);
    causes.push_back(
        {.kind = CauseKind::kMemoryBandwidth,
         .score = 0.6 + 0.35 * std::min(1.0, slowed / 0.5),
         .headline = fmt::format("the memory clock of {} dropped from {} to {} MHz{}",
                                 device.name(), number_text(clock->busy.normal.mean),
                                 number_text(clock->busy.abnormal.mean), symptoms.place()),
         .evidence = {told("memory clock while the device works", *clock, clock->busy),
                      told(fmt::format("{:.0f} % of kernel time is in kernels that slowed",
                                       100 * slowed))},
         .against = {},
         .advice = "look at the memory clock and at retired memory pages"});
  }
}

struct CopyRate {
  double normal_ns_per_byte = 0;
  double abnormal_ns_per_byte = 0;
  Change ms;
  double bytes_ratio = 1;
};

// Copies between host and device, as far as the trace tells their bytes.
CopyRate copy_rate(const DeviceSymptoms& device) {
  double bytes[2] = {0, 0};
  double ms[2] = {0, 0};
  std::vector<const FunctionRow*> rows;
  for (const FunctionRow* row : device.copies) {
    const std::string& name = row->key.name;
    if (name.find("HtoD") == std::string::npos && name.find("DtoH") == std::string::npos) continue;
    rows.push_back(row);
    bytes[0] += row->bytes_normal;
    bytes[1] += row->bytes_abnormal;
    ms[0] += row->ms.normal.mean;
    ms[1] += row->ms.abnormal.mean;
  }
  CopyRate rate;
  rate.ms = total_ms(rows);
  if (bytes[0] > 0 && bytes[1] > 0) {
    rate.normal_ns_per_byte = 1e6 * ms[0] / bytes[0];
    rate.abnormal_ns_per_byte = 1e6 * ms[1] / bytes[1];
    rate.bytes_ratio = bytes[1] / bytes[0];
  }
  return rate;
}

void find_pcie(const Symptoms& symptoms, std::vector<Cause>& causes) {
  for (const DeviceSymptoms& device : symptoms.devices) {
    const BusTraffic traffic = bus_traffic(symptoms, device);
    const CopyRate rate = copy_rate(device);
    const bool is_crowded = has_tenant(symptoms, device) && tenant_only_copies(symptoms, device);
    const double slowdown =
        rate.normal_ns_per_byte > 0 ? rate.abnormal_ns_per_byte / rate.normal_ns_per_byte : 1;
    // Copies of equal runs differ by a third and more, so it takes a lot, in copies that matter.
    const double cycle_ms = symptoms.cycle->ms.normal.mean;
    const bool matters = rate.ms.abnormal.mean > 0.05 * cycle_ms ||
                         rate.ms.difference() > 0.3 * std::abs(symptoms.cycle_change_ms);
    const bool is_slow = rose(rate.ms, 1.3) && slowdown > 1.3 && matters;
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
                       "look at the link's width and generation (nvidia-smi -q -d PCIE), at "
                       "other traffic, and at whether the host buffer is pinned and near"};
    if (is_crowded) cause.score = 0.95;
    if (is_slow) {
      cause.score = std::max(cause.score, std::min(0.9, 0.5 + 0.1 * (slowdown - 1.3)));
      cause.evidence.push_back(told(fmt::format(
          "copies run at {:.1f} -> {:.1f} GB/s (bytes x {:.2f})", 1 / rate.normal_ns_per_byte,
          1 / rate.abnormal_ns_per_byte, rate.bytes_ratio)));
      cause.evidence.push_back(told("copies", rate.ms));
    } else {
      cause.against.push_back(told("own copies did not get slower"));
    }
    if (traffic.is_known) {
      cause.evidence.push_back(
          told(fmt::format("traffic over the bus: {}B/s -> {}B/s", number_text(traffic.normal),
                           number_text(traffic.abnormal))));
      if (is_slow && traffic.abnormal < 0.8 * traffic.normal) cause.score += 0.1;
    }
    causes.push_back(std::move(cause));
  }
}

void find_communication(const Symptoms& symptoms, std::vector<Cause>& causes) {
  for (const DeviceSymptoms& device : symptoms.devices) {
    const Change collective_ms = total_ms(device.collectives);
    if (!rose(collective_ms, 1.1) ||
        collective_ms.difference() < 0.01 * symptoms.cycle->ms.normal.mean) {
      continue;
    }
    const bool same_calls = std::ranges::all_of(device.collectives, [](const FunctionRow* row) {
      return std::abs(row->calls_abnormal - row->calls_normal) <= 0.02 * row->calls_normal;
    });
    if (!same_calls) continue;
    const MetricRow* link = symptoms.metric(MetricRole::kLinkTraffic, device.name());
    const bool link_fell = link != nullptr && fell(link->busy, 0.9);
    const double share =
        std::min(1.0, collective_ms.difference() / std::max(1e-9, symptoms.cycle_change_ms));
    const bool explains = symptoms.is_slower() && share > 0.5;
    Cause cause = {
        .kind = link_fell ? CauseKind::kFabric : CauseKind::kCommunicationWait,
        .score = (link_fell ? 0.75 : 0.6) + (explains ? 0.2 : 0),
        .headline =
            link_fell
                ? fmt::format("the link of {} carries less{}", device.name(), symptoms.place())
                : fmt::format("{} waits longer in collectives{}", device.name(), symptoms.place()),
        .evidence = {told("collectives", collective_ms)},
        .against = {},
        .advice = link_fell ? "look at link errors, at the fabric and at the network"
                            : "another rank may be late: compare the ranks of this run with each "
                              "other (strobe compare RUN)"};
    if (link_fell) cause.evidence.push_back(told("link traffic", *link, link->busy));
    if (rose(device.kernel_ms, 1.03)) {
      cause.against.push_back(told("own kernels got slower too", device.kernel_ms));
      cause.score -= 0.2;
    } else {
      cause.evidence.push_back(told("own kernels did not change"));
    }
    causes.push_back(std::move(cause));
  }
}

constexpr std::array<CauseRule, 5> kRules = {find_other_tenant, find_clock_drop,
                                             find_memory_bandwidth, find_pcie, find_communication};

}  // namespace

std::span<const CauseRule> device_cause_rules() { return kRules; }

}  // namespace strobe::compare
