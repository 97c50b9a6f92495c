#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include <fmt/format.h>

#include "strobe/compare/causes/cause_rules.h"
#include "strobe/compare/causes/device_users.h"
#include "strobe/compare/causes/direct_evidence.h"
#include "strobe/compare/causes/symptoms.h"
#include "strobe/device/chips.h"
#include "strobe/device/metric_info.h"

namespace strobe::compare {
namespace {

using device::MetricRole;

// A counter that shows less than the trace's own work misses short work, and may miss that of
// others too.
void doubt_counter(const DeviceSymptoms& device, const MetricRow& use, Cause& cause) {
  constexpr double kFarOff = 10;  // percent of the time
  const Change::Typical counted = use.tested(MetricTime::kCycle).typical();
  const Change::Typical own = device.row->busy_share.typical();
  const auto doubt = [&](std::string_view run, double counted_percent, double own_percent) {
    if (own_percent - counted_percent < kFarOff) return;
    cause.against.push_back(
        evidence(fmt::format("the counter missed own work of the {} run: it shows {:.0f} %, and "
                             "the trace's work alone fills {:.0f} % of the cycle",
                             run, counted_percent, own_percent)));
  };
  doubt("normal", counted.normal, own.normal);
  doubt("abnormal", counted.abnormal, own.abnormal);
}

// "1.49 us", "2.25 ms"
std::string delay_text(double delay_us) {
  return delay_us < 1000 ? number_text(delay_us) + " us" : number_text(delay_us / 1000) + " ms";
}

// How another process makes ours slower: its work delays the start of ours, and ours runs longer
// beside it.
void add_effect_of_tenant(const Symptoms& symptoms, const DeviceSymptoms& device, Cause& cause) {
  cause.explains_ms = device.kernel_ms.core_difference();
  const Change* wait_ms = longer_wait_of_work(symptoms);
  if (wait_ms != nullptr) {
    cause.evidence.push_back(waiting_work("its work delays the start of ours", *wait_ms));
    // Launched work may also wait instead of the device waiting for the host: only what the device
    // is idle longer adds to the cycle.
    const double added_idle_ms = std::max(0.0, device.row->idle_ms.core_difference());
    cause.explains_ms += std::min(wait_ms->core_difference(), added_idle_ms);
  }
  if (const LaunchRow* launches = symptoms.launches(device.name());
      launches != nullptr && rose(launches->delay_us, 1.1)) {
    const Change::Typical shown = launches->delay_us.typical();
    cause.evidence.push_back(evidence(fmt::format(
        "launch delay: {} -> {}", delay_text(shown.normal), delay_text(shown.abnormal))));
  }
  if (rose(device.kernel_ms, 1.03)) {
    cause.evidence.push_back(
        evidence(wait_ms == nullptr ? "own kernels" : "own kernels themselves, once they run",
                 device.kernel_ms));
  } else if (wait_ms == nullptr) {
    cause.against.push_back(evidence("own kernels did not get slower"));
  }
}

// Who is there without any effect is no cause.
bool is_tenant_felt(const Symptoms& symptoms, const DeviceSymptoms& device) {
  return rose(device.kernel_ms, 1.03) || longer_wait_of_work(symptoms) != nullptr;
}

Cause tenant_cause(const Symptoms& symptoms, const DeviceSymptoms& device, std::string who_uses) {
  Cause cause;
  cause.kind = CauseKind::kOtherTenant;
  cause.headline = fmt::format("{} {}{}", who_uses, device.name(), symptoms.place());
  cause.advice =
      "list the processes on the device with its vendor's tool (nvidia-smi), and move or stop the "
      "other one";
  return cause;
}

void add_power_and_memory(const Symptoms& symptoms, const DeviceSymptoms& device, Cause& cause) {
  if (const MetricRow* power = symptoms.metric(MetricRole::kPower, device.name());
      power != nullptr && rose(power->all, 1.3) && !rose(device.row->busy_ms, 1.3)) {
    cause.evidence.push_back(evidence("power drawn for the same work", *power, MetricTime::kCycle));
    cause.score += 0.05;
  }
  if (const MetricRow* used = symptoms.metric(MetricRole::kMemoryUsed, device.name());
      used != nullptr && rose(used->all, 1.05)) {
    cause.evidence.push_back(evidence("device memory in use", *used, MetricTime::kCycle));
    cause.score += 0.03;
  }
}

// Guessed: the device's counter shows more than the trace's own work.
Cause counted_tenant(const Symptoms& symptoms, const DeviceSymptoms& device,
                     const Outsiders& outsiders) {
  const ForeignUse use = foreign_use(symptoms, device);
  const MetricRow& metric = *symptoms.metric(MetricRole::kDeviceUse, device.name());
  const Change::Typical own = device.row->busy_share.typical();
  Cause cause = tenant_cause(symptoms, device, "another process uses");
  cause.score = std::min(0.9, 0.6 + 0.5 * (use.rise() - kTenantPoints) / 60);
  cause.evidence.push_back(evidence("device use, by its own counter", metric, MetricTime::kCycle));
  cause.evidence.push_back(evidence(fmt::format(
      "the trace's own work fills {:.0f} -> {:.0f} % of the cycle{}, so another process uses "
      "{:.0f} -> {:.0f} % of the time",
      own.normal, own.abnormal, use.crowds ? ", at the same clocks and with the same launches" : "",
      use.shown_normal, use.shown_abnormal)));
  doubt_counter(device, metric, cause);
  add_power_and_memory(symptoms, device, cause);
  add_effect_of_tenant(symptoms, device, cause);
  if (outsiders.is_known) {
    cause.against.push_back(
        evidence(fmt::format("the list of the device's processes shows no other one that computes "
                             "more: {:.1f} -> {:.1f} %",
                             outsiders.normal, outsiders.abnormal)));
    cause.score = std::min(cause.score, kListedScore);
  }
  return cause;
}

// Guessed: somebody's memory came, and the kernels are slowed as by a neighbour.
Cause crowding_tenant(const Symptoms& symptoms, const DeviceSymptoms& device) {
  Cause cause = tenant_cause(symptoms, device, "another process uses");
  cause.score = 0.67;
  cause.evidence.push_back(
      evidence("the same kernels take longer, at the same clocks and with the same launches"));
  add_power_and_memory(symptoms, device, cause);
  if (const MetricRow* traffic = symptoms.metric(MetricRole::kMemoryUse, device.name());
      traffic != nullptr && rose(traffic->all, 1.2)) {
    cause.evidence.push_back(evidence("memory of the device busy", *traffic, MetricTime::kCycle));
  }
  add_effect_of_tenant(symptoms, device, cause);
  return cause;
}

// If processes take turns, one that has the share f of the device makes the others 1 / (1 - f)
// times as long; caches and memory that they also share add to that.
bool slowed_beyond(const DeviceSymptoms& device, double percent) {
  constexpr double kGenerous = 3;
  constexpr double kNoise = 0.1;
  const double share = std::clamp(percent / 100, 0.0, 0.9);
  return device.slowdowns.median() - 1 > kGenerous * share / (1 - share) + kNoise;
}

// Seen: the list of the device's processes names it.
void add_seen_tenant(const Symptoms& symptoms, const DeviceSymptoms& device,
                     const Outsiders& outsiders, std::vector<Cause>& causes) {
  const bool is_felt = is_tenant_felt(symptoms, device);
  if (!is_felt && !symptoms.is_slower()) return;
  const std::vector<Outsider> named = newcomers(outsiders);
  const bool is_one = named.size() == 1 && named[0].name.find(" processes)") == std::string::npos;
  Cause cause = tenant_cause(
      symptoms, device,
      named.empty() ? "another process uses" : names_of(named) + (is_one ? " uses" : " use"));
  cause.score = is_felt ? 0.8 + 0.15 * std::min(1.0, outsiders.rise() / 50) : kListedScore;
  cause.evidence.push_back(use_by_outsiders(outsiders));
  if (const MetricRow* use = symptoms.metric(MetricRole::kDeviceUse, device.name());
      use != nullptr && rose(use->all, 1.05)) {
    cause.evidence.push_back(evidence("device use, by its own counter", *use, MetricTime::kCycle));
  }
  add_power_and_memory(symptoms, device, cause);
  add_effect_of_tenant(symptoms, device, cause);
  if (slowed_beyond(device, outsiders.abnormal)) {
    cause.against.push_back(evidence(
        fmt::format("kernels take x {:.2f} as long: more than its share of the device explains",
                    device.slowdowns.median())));
    cause.score -= 0.25;
  }
  causes.push_back(std::move(cause));
}

void find_other_tenant(const Symptoms& symptoms, std::vector<Cause>& causes) {
  for (const DeviceSymptoms& device : symptoms.devices) {
    const Outsiders outsiders = outsiders_on(symptoms, device);
    if (outsiders.came()) {
      add_seen_tenant(symptoms, device, outsiders, causes);
    } else if (counter_shows_tenant(symptoms, device) && is_tenant_felt(symptoms, device)) {
      causes.push_back(counted_tenant(symptoms, device, outsiders));
    } else if (!outsiders.is_known && kernels_show_tenant(symptoms, device)) {
      causes.push_back(crowding_tenant(symptoms, device));
    }
  }
}

constexpr double kHotCelsius = 84;  // for a device that does not give its reasons

// "power: 690 W, near the board's 700 W"; "" if it is not.
std::string near_cap_text(const Symptoms& symptoms, const DeviceSymptoms& device) {
  const auto limits = device::power_limits(device.chip);
  const MetricRow* power = symptoms.metric(MetricRole::kPower, device.name());
  if (power == nullptr || !limits || power->all.abnormal_core.mean < 0.95 * limits->board_w)
    return {};
  return fmt::format("power: {:.0f} W, near the board's {:.0f} W",
                     power->tested(MetricTime::kCycle).typical().abnormal, limits->board_w);
}

std::string reason_of_clock(const Symptoms& symptoms, const DeviceSymptoms& device,
                            const MetricRow& clock) {
  const auto limits = device::power_limits(device.chip);
  const MetricRow* reasons = symptoms.metric(MetricRole::kThrottleReasons, device.name());
  const MetricRow* heat = symptoms.metric(MetricRole::kTemperature, device.name());
  const auto bits =
      reasons == nullptr ? 0u : static_cast<std::uint64_t>(reasons->recording_median_abnormal);
  const bool is_hot = heat != nullptr && heat->all.abnormal_core.mean >= kHotCelsius;
  if ((bits & device::kThermalReasons) != 0 || (bits == 0 && is_hot)) {
    return "thermal: the device lowers its clock because it is hot";
  }
  if (std::string near_cap = near_cap_text(symptoms, device); !near_cap.empty()) return near_cap;
  if ((bits & device::kPowerReasons) != 0) return "power: the device is at its power cap";
  if ((bits & device::kSettingReasons) != 0) {
    return fmt::format("a setting holds the clock down ({})",
                       device::clock_limits_text(bits & device::kSettingReasons));
  }
  if (limits && clock.busy.abnormal_core.mean <= 1.02 * limits->lowest_clock_mhz) {
    return fmt::format("pinned at the chip's floor of {:.0f} MHz", limits->lowest_clock_mhz);
  }
  if (clock.busy.abnormal.deviation < 0.005 * clock.busy.abnormal_core.mean) {
    return "fixed: the clock is constant, as if it were locked";
  }
  return {};
}

// What the device itself says about its lower clock, and what was set. Returns whether it says
// anything.
bool add_own_account(const Symptoms& symptoms, const DeviceSymptoms& device,
                     const ClockLimits& limits, Cause& cause) {
  const bool limits_itself = limits.came() != 0;
  if (limits_itself) {
    const MetricRow* reasons = symptoms.metric(MetricRole::kThrottleReasons, device.name());
    cause.evidence.push_back(
        evidence(fmt::format("the device limits its clock ({})", limits.came_text())));
    if (reasons != nullptr) cause.evidence.back().metric = reasons->metric;
  }
  const MetricRow* limit = symptoms.metric(MetricRole::kPowerLimit, device.name());
  const bool is_lowered = limit != nullptr && fell(limit->all, 0.98);
  if (is_lowered) {
    cause.evidence.push_back(evidence("the power limit was lowered", *limit, MetricTime::kCycle));
  }
  return limits_itself || is_lowered;
}

// How far the change of a clock explains that of the kernels; shares of kernel time.
struct ClockEffect {
  bool drops = false;
  bool is_deep = false;
  double explained = 0;  // in kernels that changed as the clock did
  double beyond = 0;     // in kernels that changed by more

  double fit() const { return std::min(1.0, explained / 0.7); }
};

ClockEffect effect_of_clock(const DeviceSymptoms& device, const MetricRow& clock) {
  const double ratio = clock.busy.core_ratio();
  const Slowdowns& slowdowns = device.slowdowns;
  if (!clock.busy.rises()) {
    return {.drops = true,
            .is_deep = ratio <= 0.9,
            .explained = slowdowns.share_between(1.03, 1.1 / ratio),
            .beyond = slowdowns.share_between(1.1 / ratio, 1e9)};
  }
  return {.drops = false,
          .is_deep = ratio >= 1 / 0.9,
          .explained = slowdowns.share_between(1 / (1.1 * ratio), 1 / 1.03),
          .beyond = slowdowns.share_between(0, 1 / (1.1 * ratio))};
}

// Of all kernels, or of those that changed as the clock did.
Evidence clock_explains(const DeviceSymptoms& device, const ClockEffect& effect) {
  constexpr double kAll = 0.995;
  const std::string_view clock = effect.drops ? "lower" : "higher";
  const std::string_view time = effect.drops ? "extra" : "saved";
  const std::string typically =
      fmt::format("kernels typically take x {:.2f} as long", device.slowdowns.median());
  if (effect.explained >= kAll) {
    return evidence(fmt::format("the {} clock explains all of the {} kernel time ({})", clock, time,
                                typically));
  }
  return evidence(fmt::format(
      "the {} clock explains the {} time of kernels that make up {:.0f} % of the kernel time ({})",
      clock, time, 100 * effect.explained, typically));
}

void add_clock_evidence(const Symptoms& symptoms, const DeviceSymptoms& device,
                        const MetricRow& clock, const ClockEffect& effect, Cause& cause) {
  const ClockLimits limits = effect.drops ? clock_limits(symptoms, device.name()) : ClockLimits();
  const bool is_explained = effect.drops && add_own_account(symptoms, device, limits, cause);
  cause.evidence.push_back(evidence("core clock while the device works", clock, MetricTime::kBusy));
  cause.evidence.back().text += fmt::format(", mean of the whole recording {} -> {} MHz",
                                            number_text(clock.recording_mean_normal),
                                            number_text(clock.recording_mean_abnormal));
  const std::string reason = !effect.drops  ? ""
                             : is_explained ? near_cap_text(symptoms, device)
                                            : reason_of_clock(symptoms, device, clock);
  if (!reason.empty()) cause.evidence.push_back(evidence(reason));
  if (effect.explained > 0) cause.evidence.push_back(clock_explains(device, effect));
  if (is_explained) cause.score = std::max(cause.score, 0.5 + 0.3 * effect.fit());
  if (!is_explained && reason.empty() && limits.is_known && limits.limits.empty()) {
    cause.against.push_back(
        evidence("the device names no limit of its clock: no power cap, no heat, no setting"));
    cause.score -= 0.1;
  }
}

void weigh_against_clock(const Symptoms& symptoms, const DeviceSymptoms& device,
                         const ClockEffect& effect, Cause& cause) {
  if (const MetricRow* memory = symptoms.metric(MetricRole::kMemoryClock, device.name());
      memory != nullptr && std::abs(memory->busy.core_ratio() - 1) > 0.02) {
    cause.against.push_back(evidence("the memory clock moved too", *memory, MetricTime::kBusy));
    cause.score -= 0.1;
  }
  if (effect.beyond > 0.3) {
    cause.against.push_back(evidence(fmt::format(
        "{:.0f} % of kernel time changed by more than the clock explains", 100 * effect.beyond)));
    cause.score -= 0.2 * effect.beyond;
  }
}

void find_clock_change(const Symptoms& symptoms, std::vector<Cause>& causes) {
  for (const DeviceSymptoms& device : symptoms.devices) {
    const MetricRow* clock = symptoms.metric(MetricRole::kCoreClock, device.name());
    if (clock == nullptr || !(fell(clock->busy, 0.95) || rose(clock->busy, 1 / 0.95))) continue;
    const ClockEffect effect = effect_of_clock(device, *clock);
    // Kernels that became faster are not faster by a lower clock.
    const double factor = device.slowdowns.median();
    if (effect.drops ? factor < 1 / 1.03 : factor > 1.03) continue;
    const Change::Typical shown = clock->tested(MetricTime::kBusy).typical();
    Cause cause = {
        .kind = CauseKind::kClockDrop,
        .score = effect.is_deep ? 0.5 + 0.5 * effect.fit() : 0.6 * effect.fit(),
        .headline = fmt::format("the clock of {} {} from {} to {} MHz{}", device.name(),
                                effect.drops ? "dropped" : "rose", number_text(shown.normal),
                                number_text(shown.abnormal), symptoms.place()),
        .evidence = {},
        .against = {},
        .advice =
            "check the power cap, the temperature and locked clocks (nvidia-smi -q -d "
            "CLOCK,POWER,TEMPERATURE,PERFORMANCE)",
        .improves = !effect.drops,
        .explains_ms = device.kernel_ms.core_difference()};
    add_clock_evidence(symptoms, device, *clock, effect, cause);
    weigh_against_clock(symptoms, device, effect, cause);
    // If another process draws the power, that is the cause; the lower clock is a consequence.
    if (effect.drops && has_tenant(symptoms, device)) {
      cause.evidence.push_back(
          evidence("the clock dropped together with the other process on the device"));
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
    const Change::Typical shown = clock->tested(MetricTime::kBusy).typical();
    causes.push_back(
        {.kind = CauseKind::kMemoryBandwidth,
         .score = 0.6 + 0.35 * std::min(1.0, slowed / 0.5),
         .headline =
             fmt::format("the memory clock of {} dropped from {} to {} MHz{}", device.name(),
                         number_text(shown.normal), number_text(shown.abnormal), symptoms.place()),
         .evidence = {evidence("memory clock while the device works", *clock, MetricTime::kBusy),
                      evidence(
                          fmt::format("{:.0f} % of kernel time is in kernels that became slower",
                                      100 * slowed))},
         .against = {},
         .advice = "check the memory clock and retired memory pages",
         .explains_ms = device.kernel_ms.core_difference()});
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
    if (symptoms.common_calls_factor != 1 ||
        std::max(device.resized_share, device.rescaled_time_share) >= 0.4) {
      continue;
    }
    const double part = explained_part(symptoms, device.kernel_ms.core_difference());
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
        .explains_ms = device.kernel_ms.core_difference()};
    causes.push_back(std::move(cause));
  }
}

constexpr std::array<CauseRule, 4> kDeviceRules = {find_other_tenant, find_clock_change,
                                                   find_memory_bandwidth, find_slower_kernels};

}  // namespace

std::span<const CauseRule> device_cause_rules() { return kDeviceRules; }

}  // namespace strobe::compare
