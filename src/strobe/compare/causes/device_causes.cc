#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include <fmt/format.h>

#include "strobe/compare/causes/cause_rules.h"
#include "strobe/compare/causes/symptoms.h"
#include "strobe/device/chips.h"
#include "strobe/device/metric_info.h"

namespace strobe::compare {
namespace {

using device::MetricRole;

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
            "list the processes on the device with its vendor's tool (nvidia-smi), and move or "
            "stop the "
            "other one"};
    cause.evidence.push_back(evidence("device use, by its own counter", metric, metric.all));
    cause.evidence.push_back(evidence(fmt::format(
        "the trace's own work fills {:.0f} -> {:.0f} % of the cycle{}, so another process uses "
        "{:.0f} -> {:.0f} % of the time",
        device.row->busy_share.normal.mean, device.row->busy_share.abnormal.mean,
        use.crowds ? ", at the same clocks and with the same launches" : "", use.normal,
        use.abnormal)));
    if (const MetricRow* power = symptoms.metric(MetricRole::kPower, device.name());
        power != nullptr && rose(power->all, 1.3) && !rose(device.row->busy_ms, 1.3)) {
      cause.evidence.push_back(evidence("power drawn for the same work", *power, power->all));
      cause.score += 0.05;
    }
    if (const MetricRow* used = symptoms.metric(MetricRole::kMemoryUsed, device.name());
        used != nullptr && rose(used->all, 1.05)) {
      cause.evidence.push_back(evidence("device memory in use", *used, used->all));
      cause.score += 0.03;
    }
    if (rose(device.kernel_ms, 1.03)) {
      cause.evidence.push_back(evidence("own kernels", device.kernel_ms));
    } else {
      cause.against.push_back(evidence("own kernels did not get slower"));
    }
    cause.explains_ms = device.kernel_ms.difference();
    causes.push_back(std::move(cause));
  }
}

constexpr double kHotCelsius = 84;  // for a device that does not give its reasons

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
  const bool is_hot = heat != nullptr && heat->all.abnormal.mean >= kHotCelsius;
  if ((bits & device::kThermalReasons) != 0 || (bits == 0 && is_hot)) {
    return "thermal: the device lowers its clock because it is hot";
  }
  if ((bits & device::kPowerReasons) != 0 || near_cap) {
    return near_cap ? fmt::format("power: {:.0f} W, near the board's {:.0f} W",
                                  power->all.abnormal.mean, limits->board_w)
                    : "power: the device is at its power cap";
  }
  if (limits && clock.busy.abnormal.mean <= 1.02 * limits->lowest_clock_mhz) {
    return fmt::format("pinned at the chip's floor of {:.0f} MHz", limits->lowest_clock_mhz);
  }
  if (clock.busy.abnormal.deviation < 0.005 * clock.busy.abnormal.mean) {
    return "fixed: the clock is constant, as if it were locked";
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
            "check the power cap, the temperature and locked clocks (nvidia-smi -q -d "
            "CLOCK,POWER,TEMPERATURE,PERFORMANCE)",
        .improves = !drops};
    cause.evidence.push_back(evidence("core clock while the device works", *clock, clock->busy));
    cause.evidence.back().text += fmt::format(", mean of the whole recording {} -> {} MHz",
                                              number_text(clock->recording_mean_normal),
                                              number_text(clock->recording_mean_abnormal));
    if (const std::string reason = drops ? reason_of_clock(symptoms, device, *clock) : "";
        !reason.empty()) {
      cause.evidence.push_back(evidence(reason));
    }
    if (explained > 0) {
      cause.evidence.push_back(evidence(fmt::format(
          "the clock alone explains {:.0f} % of kernel time (kernels typically take x {:.2f} as "
          "long)",
          100 * explained, device.slowdowns.median())));
    }
    if (const MetricRow* memory = symptoms.metric(MetricRole::kMemoryClock, device.name());
        memory != nullptr && std::abs(memory->busy.ratio() - 1) > 0.02) {
      cause.against.push_back(evidence("the memory clock moved too", *memory, memory->busy));
      cause.score -= 0.1;
    }
    if (beyond > 0.3) {
      cause.against.push_back(evidence(fmt::format(
          "{:.0f} % of kernel time changed by more than the clock explains", 100 * beyond)));
      cause.score -= 0.2 * beyond;
    }
    // If another process draws the power, that is the cause; the lower clock is a consequence.
    if (drops && has_tenant(symptoms, device)) {
      cause.evidence.push_back(
          evidence("the clock dropped together with the other process on the device"));
      cause.score = std::clamp(cause.score, kListedScore, 0.8);
    }
    cause.explains_ms = device.kernel_ms.difference();
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
         .evidence = {evidence("memory clock while the device works", *clock, clock->busy),
                      evidence(
                          fmt::format("{:.0f} % of kernel time is in kernels that became slower",
                                      100 * slowed))},
         .against = {},
         .advice = "check the memory clock and retired memory pages",
         .explains_ms = device.kernel_ms.difference()});
  }
}

// The same kernels, called as often and of the same size, take longer or less long. This is an
// effect: a clock, the memory or another process may be behind it, but no counter was recorded that
// would say so.
void find_slower_kernels(const Symptoms& symptoms, std::vector<Cause>& causes) {
  constexpr double kMost = 0.7;
  constexpr double kBarely = 1.03;
  for (const DeviceSymptoms& device : symptoms.devices) {
    const double slower = device.slowdowns.share_between(kBarely, 1e9);
    const double faster = device.slowdowns.share_between(0, 1 / kBarely);
    const bool is_slower = rose(device.kernel_ms, kBarely) && slower >= kMost;
    const bool is_faster = fell(device.kernel_ms, 1 / kBarely) && faster >= kMost;
    if (!is_slower && !is_faster) continue;
    const double own_ms = device.own_change_ms();
    const bool explains =
        is_slower ? symptoms.is_slower() || own_ms > 0 : symptoms.is_faster() || own_ms < 0;
    if (!explains) continue;
    if (symptoms.common_calls_factor != 1 || device.resized_share >= 0.4) continue;
    const double part = explained_part(symptoms, device.kernel_ms.difference());
    Cause cause = {
        .kind = CauseKind::kSlowerKernels,
        .score = kListedScore + 0.2 * part,
        .headline = fmt::format("the same kernels take {} on {} (x {:.2f}, same calls){}",
                                is_slower ? "longer" : "less time", device.name(),
                                device.slowdowns.median(), symptoms.place()),
        .evidence = {evidence("kernels", device.kernel_ms),
                     evidence(fmt::format(
                         "{:.0f} % of kernel time is in kernels that became {}, with equal calls",
                         100 * (is_slower ? slower : faster), is_slower ? "slower" : "faster"))},
        .against = {},
        .advice =
            "record the clocks, the power and the use of the device with the trace: they "
            "tell a lower clock from another process and from other input data",
        .improves = is_faster,
        .explains_ms = device.kernel_ms.difference()};
    causes.push_back(std::move(cause));
  }
}

constexpr std::array<CauseRule, 4> kDeviceRules = {find_other_tenant, find_clock_drop,
                                                   find_memory_bandwidth, find_slower_kernels};

}  // namespace

std::span<const CauseRule> device_cause_rules() { return kDeviceRules; }

}  // namespace strobe::compare
