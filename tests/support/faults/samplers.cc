#include "tests/support/faults/samplers.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

namespace strobe {
namespace {

constexpr double kNsPerSecond = 1e9;
constexpr double kCores = 16;

// How much of a time was covered by some intervals. The loop ran before the trace began and
// continues after it, so time outside of the trace is like time inside.
class Coverage {
 public:
  Coverage(std::vector<Interval> intervals, Interval extent)
      : extent_(extent), set_(union_of(std::move(intervals))) {
    std::int64_t sum_ns = 0;
    for (const Interval& one : set_) {
      before_ns_.push_back(sum_ns);
      sum_ns += one.length_ns();
    }
    total_ns_ = sum_ns;
  }

  double share(std::int64_t from_ns, std::int64_t to_ns) const {
    return (until(to_ns) - until(from_ns)) / static_cast<double>(to_ns - from_ns);
  }
  double until(std::int64_t time_ns) const {
    const auto turn =
        static_cast<std::int64_t>(std::floor(static_cast<double>(time_ns - extent_.start_ns) /
                                             static_cast<double>(extent_.length_ns())));
    return static_cast<double>(turn * total_ns_ +
                               until_inside(time_ns - turn * extent_.length_ns()));
  }

 private:
  std::int64_t until_inside(std::int64_t time_ns) const {
    const auto next = std::ranges::upper_bound(set_, time_ns, {}, &Interval::start_ns);
    if (next == set_.begin()) return 0;
    const auto at = static_cast<std::size_t>(next - set_.begin()) - 1;
    return before_ns_[at] + std::min(time_ns, set_[at].end_ns) - set_[at].start_ns;
  }

  Interval extent_;
  IntervalSet set_;
  std::vector<std::int64_t> before_ns_;
  std::int64_t total_ns_ = 0;
};

class TrafficRate {
 public:
  TrafficRate(const std::vector<Traffic>& traffic, Interval extent)
      : coverage_(intervals_of(traffic), extent) {
    double bytes = 0;
    double length_ns = 0;
    for (const Traffic& one : traffic) {
      bytes += static_cast<double>(one.bytes);
      length_ns += static_cast<double>(one.interval.length_ns());
    }
    if (length_ns > 0) bytes_per_s_ = bytes / length_ns * kNsPerSecond;
  }
  double at(std::int64_t from_ns, std::int64_t to_ns) const {
    return bytes_per_s_ * coverage_.share(from_ns, to_ns);
  }

 private:
  static std::vector<Interval> intervals_of(const std::vector<Traffic>& traffic) {
    std::vector<Interval> intervals;
    for (const Traffic& one : traffic) intervals.push_back(one.interval);
    return intervals;
  }

  Coverage coverage_;
  double bytes_per_s_ = 0;
};

// The value of a metric for the time between two samples.
using Reading = std::function<double(std::int64_t from_ns, std::int64_t to_ns)>;

class Sampler {
 public:
  Sampler(Interval extent, double period_ns, std::int64_t base_time_ns, Dice dice)
      : base_time_ns_(base_time_ns) {
    const double before_ns = 6 * period_ns;
    double time_ns =
        static_cast<double>(extent.start_ns) - before_ns - dice.uniform(0, 1) * period_ns;
    while (time_ns < static_cast<double>(extent.end_ns) + before_ns) {
      time_ns += period_ns * dice.uniform(0.96, 1.06);
      if (!dice.chance(0.04)) times_ns_.push_back(std::llround(time_ns));
    }
  }

  void add(const std::string& device, const std::string& metric, const Reading& reading) {
    MetricSeries series{.device = device, .metric = metric, .times_ns = {}, .values = {}};
    for (std::size_t i = 1; i < times_ns_.size(); ++i) {
      series.times_ns.push_back(times_ns_[i] + base_time_ns_);
      series.values.push_back(reading(times_ns_[i - 1], times_ns_[i]));
    }
    series_.push_back(std::move(series));
  }
  std::vector<MetricSeries> take() { return std::move(series_); }

 private:
  std::int64_t base_time_ns_;
  std::vector<std::int64_t> times_ns_;
  std::vector<MetricSeries> series_;
};

double quantised(double value, double step) { return step * std::round(value / step); }

void add_device(Sampler& sampler, const Happenings& happenings, const Workload& workload,
                const Conditions& conditions, Dice& dice) {
  const std::string device = "GPU 0";
  const Coverage busy(happenings.device_busy, happenings.extent);
  const TrafficRate bus(happenings.copies, happenings.extent);
  const auto use = [&](std::int64_t from_ns, std::int64_t to_ns) {
    const double own = busy.share(from_ns, to_ns);
    const double foreign = std::max({conditions.foreign_use, workload.neighbour_use,
                                     std::min(1.0, conditions.foreign_bytes_per_s / 50e9)});
    return 1 - (1 - own) * (1 - foreign);
  };
  const auto clock = [&](double usual_mhz, double share, bool wanders) {
    return [&dice, usual_mhz, share, wanders](std::int64_t, std::int64_t) {
      const double noise = wanders ? 0.02 * dice.normal() : dice.chance(0.05) ? -0.008 : 0;
      return quantised(usual_mhz * share * (1 + noise), 15);
    };
  };
  sampler.add(device, "gpu_sm_frequency",
              clock(1980, conditions.core_clock, conditions.clock_wanders));
  sampler.add(device, "gpu_mem_frequency", [&](std::int64_t, std::int64_t) {
    return std::round(3201 * conditions.memory_clock);
  });
  // The driver has its own window, and the reading is late by part of it.
  sampler.add(device, "gpu_usage", [&](std::int64_t from_ns, std::int64_t to_ns) {
    const std::int64_t late_ns = std::llround(dice.uniform(0, 0.5) * double(to_ns - from_ns));
    return quantised(100 * use(from_ns - late_ns, to_ns - late_ns), 1);
  });
  const double usual_memory = dice.uniform(59.9, 60.1);
  sampler.add(device, "gpu_mem_used", [&](std::int64_t, std::int64_t) {
    return usual_memory + conditions.memory_used_percent;
  });
  const double idle_w = dice.uniform(115, 130);
  sampler.add(device, "gpu_power_mw", [&](std::int64_t from_ns, std::int64_t to_ns) {
    const double compute = 1 - (1 - busy.share(from_ns, to_ns)) * (1 - conditions.foreign_use);
    const double w = idle_w + 420 * compute * conditions.core_clock;
    return std::round(1000 * w * (1 + 0.02 * dice.normal()));
  });
  const double usual_c = dice.uniform(38, 55);
  sampler.add(device, "gpu_temperature_c", [&](std::int64_t, std::int64_t) {
    return std::round(usual_c + conditions.heat_c + 15 * conditions.foreign_use + dice.normal());
  });
  sampler.add(device, "gpu_throttle_reasons", [&](std::int64_t, std::int64_t) {
    return static_cast<double>(conditions.throttle_reasons);
  });
  sampler.add(device, "gpu_pcie_receive", [&](std::int64_t from_ns, std::int64_t to_ns) {
    const std::int64_t window_ns = std::min<std::int64_t>(20'000'000, to_ns - from_ns);
    const double noise = 1 + 0.03 * dice.normal();
    return std::round(bus.at(to_ns - window_ns, to_ns) + conditions.foreign_bytes_per_s * noise +
                      4.5e5 * noise);
  });
  if (workload.collective_us > 0) {
    const TrafficRate link(happenings.collectives, happenings.extent);
    sampler.add(device, "gpu_link_transmit", [&](std::int64_t from_ns, std::int64_t to_ns) {
      return std::round(link.at(from_ns, to_ns));
    });
  }
}

void add_host(Sampler& sampler, const Happenings& happenings, const Workload& workload,
              const Conditions& conditions, Dice& dice) {
  const Coverage asleep(happenings.asleep, happenings.extent);
  const Coverage queued(happenings.queued, happenings.extent);
  const Coverage reading(happenings.reading, happenings.extent);
  const auto on_core = [&](std::int64_t from_ns, std::int64_t to_ns) {
    return 1 - asleep.share(from_ns, to_ns) - queued.share(from_ns, to_ns);
  };
  // Both are counted in ticks of the kernel's clock: a short window may show one more or less.
  sampler.add("Host", "process_cpu_usage", [&](std::int64_t from_ns, std::int64_t to_ns) {
    return 100 * on_core(from_ns, to_ns) * (dice.chance(0.2) ? 1.18 : 0.965);
  });
  const double others = dice.uniform(0.2, 1.5);
  sampler.add("Host", "host_cpu_usage", [&](std::int64_t from_ns, std::int64_t to_ns) {
    if (conditions.all_cores_taken && conditions.core_wait > 0) {
      return std::min(100.0, quantised(100 * (0.7 + conditions.core_wait), 0.1));
    }
    return quantised(100 * (on_core(from_ns, to_ns) + others) / kCores, 1.1);
  });
  if (workload.has_schedstat) {
    sampler.add("Host", "schedstat_oncpu_ns", [&](std::int64_t, std::int64_t to_ns) {
      const double elapsed_ns = static_cast<double>(to_ns - happenings.extent.start_ns);
      return 1e13 + std::round(elapsed_ns - asleep.until(to_ns) - queued.until(to_ns));
    });
    sampler.add("Host", "schedstat_runq_ns", [&](std::int64_t, std::int64_t to_ns) {
      return 1e13 + std::round(queued.until(to_ns));
    });
  }
  if (workload.has_cpu_clock) {
    sampler.add("Host", "cpu_frequency", [&](std::int64_t, std::int64_t) {
      return quantised(87.5 * conditions.cpu_clock * (1 + 0.006 * dice.normal()), 0.1);
    });
  }
  if (workload.has_disk_counter) {
    sampler.add("Host", "disk_usage", [&](std::int64_t from_ns, std::int64_t to_ns) {
      return quantised(100 * reading.share(from_ns, to_ns) * dice.uniform(0.9, 1.1), 0.1);
    });
  }
}

// What `strobe record` adds. Processes outside of the program are listed by name: the one that
// disturbs it, and others that are always there, among them strobe itself.
void add_foreign_device_use(Sampler& sampler, const Happenings& happenings,
                            const Workload& workload, const Conditions& conditions, Dice& dice) {
  const std::string device = "GPU 0";
  const Coverage busy(happenings.device_busy, happenings.extent);
  sampler.add(device, "gpu_process_usage", [&](std::int64_t from_ns, std::int64_t to_ns) {
    return quantised(100 * busy.share(from_ns, to_ns) * dice.uniform(0.9, 1), 1);
  });
  const double compositor = dice.uniform(0.5, 1.5);
  const auto tenant = [&] { return quantised(100 * conditions.foreign_use, 1); };
  const auto neighbour = [&] {
    return quantised(100 * workload.neighbour_use * dice.uniform(0.95, 1.05), 1);
  };
  sampler.add(device, "gpu_foreign_usage", [&](std::int64_t, std::int64_t) {
    return tenant() + neighbour() + quantised(compositor * dice.uniform(0, 2), 1);
  });
  const auto add_process = [&](const std::string& process, double use, const Reading& reading) {
    if (use > 0) sampler.add(device, "gpu_foreign_process_usage " + process, reading);
  };
  add_process("Xorg (1200)", compositor,
              [&](std::int64_t, std::int64_t) { return quantised(compositor, 1); });
  add_process("train (2048)", workload.neighbour_use,
              [&](std::int64_t, std::int64_t) { return neighbour(); });
  add_process("python3 (7077)", conditions.foreign_use + conditions.foreign_bytes_per_s,
              [&](std::int64_t, std::int64_t) { return tenant(); });
  sampler.add(device, "gpu_power_limit_mw", [](std::int64_t, std::int64_t) { return 700'000; });
}

void add_foreign_core_use(Sampler& sampler, const Happenings& happenings, const Workload&,
                          const Conditions& conditions, Dice& dice) {
  const Coverage queued(happenings.queued, happenings.extent);
  const double rivals = 100 * conditions.core_wait * (conditions.all_cores_taken ? kCores - 1 : 1);
  const double daemons = dice.uniform(1, 8);
  const auto noisy = [&](double use) { return use * dice.uniform(0.8, 1.2); };
  sampler.add("Host", "foreign_cpu_usage", [&](std::int64_t, std::int64_t) {
    return noisy(rivals) + noisy(daemons) + noisy(1);
  });
  sampler.add("Host", "foreign_process_cpu_usage strobe (4700)",
              [&](std::int64_t, std::int64_t) { return noisy(1); });
  sampler.add("Host", "foreign_process_cpu_usage systemd (1)",
              [&](std::int64_t, std::int64_t) { return noisy(daemons); });
  if (rivals > 0) {
    sampler.add("Host", "foreign_process_cpu_usage stress (901)",
                [&](std::int64_t, std::int64_t) { return noisy(rivals); });
  }
  constexpr double kNsPerSwitch = 1'500'000;
  sampler.add("Host", "forced_switches", [&](std::int64_t, std::int64_t to_ns) {
    return 1e6 + std::round(queued.until(to_ns) / kNsPerSwitch);
  });
}

void add_lost_time(Sampler& sampler, const Happenings& happenings, const Workload&,
                   const Conditions& conditions, Dice&) {
  constexpr double kNsPerUs = 1e3;
  constexpr double kNsPerPage = 1'000'000;
  const Coverage queued(happenings.queued, happenings.extent);
  const Coverage reading(happenings.reading, happenings.extent);
  const Coverage paging(happenings.paging, happenings.extent);
  const auto counter = [&](const std::string& name, const Coverage& time, double unit_ns) {
    sampler.add("Host", name, [&](std::int64_t, std::int64_t to_ns) {
      return 1e9 + std::round(time.until(to_ns) / unit_ns);
    });
  };
  counter("pressure_cpu_some_us", queued, kNsPerUs);
  counter("pressure_io_some_us", reading, kNsPerUs);
  counter("pressure_memory_some_us", paging, kNsPerUs);
  counter("major_faults", paging, kNsPerPage);
  const Coverage nothing({}, happenings.extent);
  counter("cpu_quota_throttled_us", conditions.quota_stop > 0 ? queued : nothing, kNsPerUs);
}

}  // namespace

std::vector<MetricSeries> sample(const Happenings& happenings, const Workload& workload,
                                 const Conditions& conditions, std::int64_t base_time_ns,
                                 Dice dice) {
  const double cycle_ns = 1000 * std::max(workload.host_us(), workload.device_us());
  std::vector<MetricSeries> all;
  std::vector samplers = {add_device, add_host};
  if (workload.has_recorder) {
    samplers.insert(samplers.end(), {add_foreign_device_use, add_foreign_core_use, add_lost_time});
  }
  for (const auto add : samplers) {
    Sampler sampler(happenings.extent, workload.sampler_cycles * cycle_ns, base_time_ns,
                    dice.fork());
    add(sampler, happenings, workload, conditions, dice);
    for (MetricSeries& series : sampler.take()) all.push_back(std::move(series));
  }
  std::ranges::sort(
      all, {}, [](const MetricSeries& series) { return std::pair(series.device, series.metric); });
  return all;
}

}  // namespace strobe
