#include "strobe/record/sampler/machine_sampler.h"

#include <algorithm>
#include <cmath>
#include <string>

#include <fmt/format.h>

namespace strobe::record {
namespace {

constexpr SeriesOwner kMachine = {};
constexpr std::size_t kMostClocks = 16;

}  // namespace

MachineSampler::MachineSampler(const HostAccess& host, SeriesWriter& out)
    : host_(host),
      out_(out),
      stat_(host.proc + "/stat", budget_),
      load_average_(host.proc + "/loadavg", budget_),
      memory_(host.proc + "/meminfo", budget_),
      pressures_{Pressure{ProcFile(host.proc + "/pressure/cpu", budget_),
                          {.metric = "pressure_cpu_some_us"}},
                 Pressure{ProcFile(host.proc + "/pressure/memory", budget_),
                          {.metric = "pressure_memory_some_us"}},
                 Pressure{ProcFile(host.proc + "/pressure/io", budget_),
                          {.metric = "pressure_io_some_us"}}} {}

void MachineSampler::sample(std::int64_t now_ns, std::span<const std::uint64_t> cores) {
  sample_usage(now_ns);
  sample_load(now_ns);
  sample_pressure(now_ns);
  sample_memory(now_ns);
  sample_clocks(now_ns, cores);
}

// Time that other virtual machines have taken is not idle: nobody here could use it.
void MachineSampler::sample_usage(std::int64_t now_ns) {
  const auto text = stat_.read(buffer_);
  const auto ticks = text ? parse_core_ticks(*text) : std::nullopt;
  if (!ticks) return;
  // The kernel's idle ticks may go back by one.
  if (ticks_ && ticks->all > ticks_->all && ticks->idle >= ticks_->idle) {
    const std::uint64_t all = ticks->all - ticks_->all;
    const std::uint64_t idle = std::min(all, ticks->idle - ticks_->idle);
    out_.put(
        kMachine, usage_, now_ns,
        tenths_of_percent(static_cast<std::int64_t>(all - idle), static_cast<std::int64_t>(all)));
  }
  ticks_ = ticks;
}

void MachineSampler::sample_load(std::int64_t now_ns) {
  const auto text = load_average_.read(buffer_);
  const auto load = text ? parse_load_average(*text) : std::nullopt;
  if (load) out_.put_change(kMachine, load_, now_ns, load->hundredths);
}

void MachineSampler::sample_pressure(std::int64_t now_ns) {
  for (Pressure& pressure : pressures_) {
    const auto text = pressure.file.read(buffer_);
    const auto total_us = text ? parse_pressure_us(*text) : std::nullopt;
    if (!total_us) continue;
    out_.put_change(kMachine, pressure.series, now_ns, static_cast<std::int64_t>(*total_us));
  }
}

void MachineSampler::sample_memory(std::int64_t now_ns) {
  const auto text = memory_.read(buffer_);
  const auto memory = text ? parse_machine_memory(*text) : std::nullopt;
  if (!memory) return;
  const std::uint64_t used = memory->total - std::min(memory->total, memory->available);
  out_.put_change(
      kMachine, memory_used_, now_ns,
      tenths_of_percent(static_cast<std::int64_t>(used), static_cast<std::int64_t>(memory->total)));
}

MachineSampler::CoreClock& MachineSampler::clock_of(std::uint64_t core) {
  const auto known = clocks_.find(core);
  if (known != clocks_.end()) return known->second;
  const std::string folder = fmt::format("{}/cpu{}/cpufreq/", host_.cores, core);
  CoreClock clock;
  clock.file = ProcFile(folder + "scaling_cur_freq", budget_);
  auto text = read_once((folder + "cpuinfo_max_freq").c_str(), buffer_);
  if (text) clock.full = take_number(*text).value_or(0);
  return clocks_.emplace(core, std::move(clock)).first->second;
}

// Virtual machines show no clocks.
void MachineSampler::sample_clocks(std::int64_t now_ns, std::span<const std::uint64_t> cores) {
  double sum = 0;
  int count = 0;
  for (const std::uint64_t core : cores.subspan(0, std::min(cores.size(), kMostClocks))) {
    CoreClock& clock = clock_of(core);
    if (clock.full == 0) continue;
    auto text = clock.file.read(buffer_);
    const auto frequency = text ? take_number(*text) : std::nullopt;
    if (!frequency) continue;
    sum += static_cast<double>(*frequency) / static_cast<double>(clock.full);
    ++count;
  }
  if (count == 0) return;
  out_.put_change(kMachine, frequency_, now_ns, std::llround(sum / count * 1000));
}

}  // namespace strobe::record
