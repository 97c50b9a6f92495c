#include "strobe/compare/causes/direct_evidence.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

#include "strobe/device/metric_info.h"

namespace strobe::compare {
namespace {

using device::MetricRole;

bool is_sampled(const MetricRow* row) {
  return row != nullptr && row->all.normal.n > 0 && row->all.abnormal.n > 0;
}

// What counts of a device, and of the cores. A compositor uses about 1 % of a device, the daemons
// of a host a few percent of a core.
struct Thresholds {
  double named;  // less is not worth a name, and as good as none
  double rise;   // less cannot make a cycle longer by more than it varies anyway
};
constexpr Thresholds kOnDevice = {1, 5};
constexpr Thresholds kOnCores = {5, 20};

const Thresholds& thresholds_of(const Outsiders& outsiders) {
  return outsiders.place.empty() ? kOnCores : kOnDevice;
}

std::vector<Outsider> named_in(const Symptoms& symptoms, MetricRole role, std::string_view device,
                               stats::Moments Change::*run) {
  std::vector<Outsider> named;
  for (const MetricRow& row : symptoms.comparison->metrics) {
    if (row.info.role != role || row.device != device || row.rank != symptoms.rank) continue;
    const std::string_view key = device::metric_key(row.metric);
    const stats::Moments& use = row.all.*run;
    const bool counts = use.n > 0 && use.mean > 0;
    if (counts && !key.empty() && !device::is_recorder(key)) {
      named.push_back({std::string(key), use.mean});
    }
  }
  std::ranges::stable_sort(named, std::ranges::greater{}, &Outsider::use);
  return named;
}

// A recording of a few seconds has the list of processes two or three times, too few for a test.
// Somebody who is in every list of one run and in none of the other has come or gone all the same.
bool is_seen_apart(const Change& use, double least) {
  if (!use.too_few || std::min(use.normal.n, use.abnormal.n) < 2) return false;
  // No value is farther from the mean (Samuelson's inequality).
  const auto reach = [](const stats::Moments& lists) {
    const auto n = static_cast<double>(lists.n);
    return lists.deviation * (n - 1) / std::sqrt(n);
  };
  const bool is_more = use.rises();
  const stats::Moments& there = is_more ? use.abnormal : use.normal;
  const stats::Moments& gone = is_more ? use.normal : use.abnormal;
  return there.mean - reach(there) >= least && gone.mean + reach(gone) < least;
}

Outsiders read_outsiders(const Symptoms& symptoms, std::string_view device, MetricRole all_role,
                         MetricRole one_role, std::string place) {
  Outsiders outsiders;
  const MetricRow* all = symptoms.metric(all_role, device);
  if (!is_sampled(all)) return outsiders;
  outsiders.is_known = true;
  outsiders.place = std::move(place);
  outsiders.metric = all->metric;
  outsiders.normal = all->all.normal_core.mean;
  outsiders.abnormal = all->all.abnormal_core.mean;
  outsiders.is_real = is_real(all->all) || is_seen_apart(all->tested(MetricTime::kCycle),
                                                         thresholds_of(outsiders).named);
  outsiders.in_normal = named_in(symptoms, one_role, device, &Change::normal);
  outsiders.in_abnormal = named_in(symptoms, one_role, device, &Change::abnormal);
  return outsiders;
}

// In a container the list may show numbers of processes that mean nothing inside: then the program
// itself counts as foreign, in both runs. A driver may leave a process that is alone on its device
// out of the list, so one run that shows the program is enough.
bool list_misses_program(const Symptoms& symptoms, const DeviceSymptoms& device) {
  constexpr double kMustShow = 20;  // percent of the time in which own work runs
  constexpr double kNothing = 1;
  const MetricRow* own = symptoms.metric(MetricRole::kProcessDeviceUse, device.name());
  if (!is_sampled(own)) return false;
  const Change& busy = device.row->busy_share;
  return std::max(busy.normal_core.mean, busy.abnormal_core.mean) >= kMustShow &&
         std::max(own->all.normal_core.mean, own->all.abnormal_core.mean) < kNothing;
}

std::string amount_text(const Outsiders& outsiders, double use) {
  if (outsiders.place.empty()) return fmt::format("{:.1f}", use / 100);
  return use < 10 ? fmt::format("{:.1f} %", use) : fmt::format("{:.0f} %", use);
}

std::string_view run_text(bool is_abnormal) {
  return is_abnormal ? "in the abnormal run" : "in the normal run";
}

}  // namespace

bool Outsiders::came() const { return is_known && is_real && rise() >= thresholds_of(*this).rise; }

bool Outsiders::left() const { return is_known && is_real && -rise() >= thresholds_of(*this).rise; }

Outsiders outsiders_on(const Symptoms& symptoms, const DeviceSymptoms& device) {
  if (list_misses_program(symptoms, device)) return {};
  return read_outsiders(symptoms, device.name(), MetricRole::kForeignDeviceUse,
                        MetricRole::kOneForeignDeviceUse, device.name());
}

Outsiders outsiders_on_cores(const Symptoms& symptoms) {
  return read_outsiders(symptoms, kHostDevice, MetricRole::kForeignCpuUse,
                        MetricRole::kOneForeignCpuUse, "");
}

std::vector<Outsider> newcomers(const Outsiders& outsiders) {
  constexpr double kRealPart = 0.1;  // of the difference
  const bool more_in_abnormal = outsiders.rise() >= 0;
  const auto& [more, less] = more_in_abnormal
                                 ? std::tie(outsiders.in_abnormal, outsiders.in_normal)
                                 : std::tie(outsiders.in_normal, outsiders.in_abnormal);
  std::vector<Outsider> named;
  for (const Outsider& one : more) {
    const auto before = std::ranges::find(less, one.name, &Outsider::name);
    const double added = one.use - (before == less.end() ? 0 : before->use);
    const double least =
        std::max(thresholds_of(outsiders).named, kRealPart * std::abs(outsiders.rise()));
    if (added >= least) named.push_back(one);
  }
  return named;
}

std::string names_of(const std::vector<Outsider>& named) {
  if (named.empty()) return "";
  if (named.size() == 1) return named[0].name;
  if (named.size() == 2) return fmt::format("{} and {}", named[0].name, named[1].name);
  return fmt::format("{} and {} more", named[0].name, named.size() - 1);
}

Evidence use_by_outsiders(const Outsiders& outsiders) {
  constexpr std::size_t kMostNames = 3;
  const bool more_in_abnormal = outsiders.rise() >= 0;
  const double more = more_in_abnormal ? outsiders.abnormal : outsiders.normal;
  const double less = more_in_abnormal ? outsiders.normal : outsiders.abnormal;
  std::vector<Outsider> named = newcomers(outsiders);
  if (named.size() > kMostNames) named.resize(kMostNames);
  std::vector<std::string> users;
  for (const Outsider& one : named) {
    users.push_back(fmt::format("{}{} {}", one.name, users.empty() ? " used" : "",
                                amount_text(outsiders, one.use)));
  }
  if (users.empty()) users.push_back("other processes used " + amount_text(outsiders, more));
  const std::string of =
      outsiders.place.empty() ? " cores" : fmt::format(" of {}", outsiders.place);
  const std::string before = less < thresholds_of(outsiders).named
                                 ? "none"
                                 : "other processes " + amount_text(outsiders, less);
  return {.text = fmt::format("{}{} {}, {} {}", fmt::join(users, ", "), of,
                              run_text(more_in_abnormal), before, run_text(!more_in_abnormal)),
          .function = {},
          .metric = outsiders.metric};
}

namespace {

// The usual bits of each cycle of a rank on a device, while it was busy.
struct CycleBits {
  std::vector<std::uint64_t> bits;
  std::set<std::size_t> samples;  // that they come from
};

CycleBits bits_per_cycle(const SideFacts& side, const Symptoms& symptoms, std::string_view device) {
  CycleBits found;
  for (const RankMeasure& measure : side.ranks) {
    if (measure.rank != symptoms.rank) continue;
    for (const SeriesCycles& series : measure.series) {
      const bool is_wanted =
          series.info.role == MetricRole::kThrottleReasons && series.device == device;
      if (!is_wanted) continue;
      for (const std::size_t cycle : usable_cycles(measure, series.device, symptoms.cycle->type)) {
        const double value = series.busy_mean[cycle];
        if (!(value >= 0)) continue;
        found.bits.push_back(static_cast<std::uint64_t>(value));
        found.samples.insert(series.sample_in(cycle));
      }
      return found;
    }
  }
  return found;
}

double share_with(std::uint64_t bit, const std::vector<std::uint64_t>& of_cycles) {
  const auto with =
      std::ranges::count_if(of_cycles, [&](std::uint64_t bits) { return (bits & bit) != 0; });
  return static_cast<double>(with) / static_cast<double>(of_cycles.size());
}

// Of twelve cycles, four: fewer may be the luck of the sampler.
constexpr double kMoreCycles = 0.3;

bool came_up(const ClockLimit& limit) { return limit.abnormal - limit.normal >= kMoreCycles; }

}  // namespace

ClockLimits clock_limits(const Symptoms& symptoms, std::string_view device) {
  constexpr std::size_t kEnoughSamples = 4;
  const CycleBits normal = bits_per_cycle(symptoms.comparison->normal, symptoms, device);
  const CycleBits abnormal = bits_per_cycle(symptoms.comparison->abnormal, symptoms, device);
  ClockLimits limits;
  if (std::min(normal.samples.size(), abnormal.samples.size()) < kEnoughSamples) return limits;
  limits.is_known = true;
  std::uint64_t occurring = 0;
  for (const CycleBits* run : {&normal, &abnormal}) {
    for (const std::uint64_t bits : run->bits) occurring |= bits;
  }
  occurring &= ~device::kIdleReason;
  for (std::uint64_t bit = 1; bit != 0 && bit <= occurring; bit <<= 1) {
    if ((occurring & bit) == 0) continue;
    limits.limits.push_back({bit, share_with(bit, normal.bits), share_with(bit, abnormal.bits)});
  }
  return limits;
}

std::uint64_t ClockLimits::came() const {
  std::uint64_t bits = 0;
  for (const ClockLimit& limit : limits) bits |= came_up(limit) ? limit.bit : 0;
  return bits;
}

std::string ClockLimits::came_text() const {
  std::vector<std::string> texts;
  for (const ClockLimit& limit : limits) {
    if (!came_up(limit)) continue;
    texts.push_back(fmt::format("{}: in {:.0f} -> {:.0f} % of the cycles",
                                device::clock_limits_text(limit.bit), 100 * limit.normal,
                                100 * limit.abnormal));
  }
  return fmt::format("{}", fmt::join(texts, "; "));
}

namespace {

// A process without a quota has no time in which one stopped it. Whether it had none or nobody
// looked is known from what else was recorded of the host.
bool had_no_quota(const Symptoms& symptoms, const MetricRow& row) {
  return row.info.role == MetricRole::kQuotaThrottled && row.all.normal.n == 0 &&
         row.all.abnormal.n > 0 &&
         is_sampled(symptoms.metric(MetricRole::kForeignCpuUse, kHostDevice));
}

}  // namespace

LostTime lost_time(const Symptoms& symptoms, MetricRole role) {
  constexpr double kWholeTime = 1000;   // milliseconds per second
  constexpr double kLeastShare = 0.03;  // a smaller change of the share is not worth mentioning
  constexpr double kLeastRatio = 1.5;
  const MetricRow* row = symptoms.metric(role, kHostDevice);
  if (row != nullptr && had_no_quota(symptoms, *row)) {
    const double abnormal = row->all.abnormal_core.mean / kWholeTime;
    return {.is_known = true, .abnormal = abnormal, .grew = abnormal > kLeastShare};
  }
  if (!is_sampled(row)) return {};
  const Change& change = row->all;
  const bool rises = rose(change, kLeastRatio);
  const bool falls = fell(change, 1 / kLeastRatio);
  LostTime time = {.is_known = true,
                   .normal = change.normal_core.mean / kWholeTime,
                   .abnormal = change.abnormal_core.mean / kWholeTime};
  time.grew = rises && time.abnormal - time.normal > kLeastShare;
  time.shrank = falls && time.normal - time.abnormal > kLeastShare;
  return time;
}

}  // namespace strobe::compare
