#include "tests/support/faults/pair.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "tests/support/faults/machine.h"
#include "tests/support/faults/player.h"
#include "tests/support/faults/samplers.h"
#include "tests/support/faults/workload.h"

namespace strobe {
namespace {

using Amounts = std::array<double, 3>;  // by strength

constexpr std::array kFaults = std::to_array<std::pair<Fault, std::string_view>>({
    {Fault::kPowerCap, "the device reaches its power cap"},
    {Fault::kHeat, "the device gets too hot"},
    {Fault::kLockedClock, "somebody locked the device's clock"},
    {Fault::kMemoryClock, "the memory clock dropped"},
    {Fault::kComputeTenant, "another process computes on the device"},
    {Fault::kBusTenant, "another process copies over the device's bus"},
    {Fault::kSlowBus, "the bus lost lanes"},
    {Fault::kSlowLinks, "the links between devices are slower"},
    {Fault::kLateRank, "one rank is late"},
    {Fault::kCoreContention, "other processes take the cores"},
    {Fault::kSlowCores, "the host's cores run slower"},
    {Fault::kHostCode, "more host code between operators"},
    {Fault::kSynchronizations, "synchronisations in the loop"},
    {Fault::kSlowDisk, "the disk is slow"},
    {Fault::kLateInput, "the data loader is slow"},
    {Fault::kAllocations, "memory is allocated and freed in the loop"},
    {Fault::kOtherKernels, "other kernels were chosen"},
    {Fault::kMoreLayers, "more layers"},
    {Fault::kLargerBatch, "a larger batch"},
    {Fault::kColdStart, "the first cycles are cold"},
    {Fault::kLostCycles, "device work was lost from cycles"},
    {Fault::kProfilerOverhead, "the profiler slows the run down"},
    {Fault::kQuota, "a CPU quota stops the process"},
    {Fault::kPaging, "the program's memory is on the disk"},
});

WorkloadNeeds needs_of(Fault fault, Dice& dice) {
  const bool may_have_ranks = fault == Fault::kNone && dice.chance(0.25);
  return {
      .several_ranks = may_have_ranks || fault == Fault::kSlowLinks || fault == Fault::kLateRank,
      .large_copies = fault == Fault::kSlowBus,
      .reads_files = fault == Fault::kSlowDisk,
      .cpu_clock = fault == Fault::kSlowCores,
      .recorder = fault == Fault::kQuota || fault == Fault::kPaging};
}

Conditions conditions_of(Fault fault, Strength strength, Dice& dice) {
  const auto of = [&](Amounts amounts) { return amounts[static_cast<std::size_t>(strength)]; };
  const auto count = [&](Amounts amounts) { return static_cast<int>(of(amounts)); };
  Conditions now;
  switch (fault) {
    case Fault::kNone:
      break;
    case Fault::kPowerCap:
      now.core_clock = of({0.93, 0.8, 0.55});
      now.clock_wanders = true;
      now.throttle_reasons = 0x4;
      break;
    case Fault::kHeat:
      now.core_clock = of({0.91, 0.75, 0.45});
      now.clock_wanders = true;
      now.throttle_reasons = 0x20;
      now.heat_c = 35;
      break;
    case Fault::kLockedClock:
      now.core_clock = of({0.9, 0.7, 0.35});
      break;
    case Fault::kMemoryClock:
      now.memory_clock = of({0.95, 0.8, 0.5});
      break;
    case Fault::kComputeTenant:
      now.foreign_use = of({0.15, 0.4, 0.85});
      now.kernel_slowdown = 1 + now.foreign_use;
      now.memory_used_percent = of({0.5, 3, 10});
      break;
    case Fault::kBusTenant:
      now.foreign_bytes_per_s = of({3e9, 15e9, 50e9});
      now.bus_speed = of({0.95, 0.8, 0.5});
      now.memory_used_percent = 0.5;
      break;
    case Fault::kSlowBus:
      now.bus_speed = of({0.75, 0.5, 0.125});
      break;
    case Fault::kSlowLinks:
      now.link_speed = of({0.85, 0.6, 0.3});
      break;
    case Fault::kLateRank:
      now.kernel_slowdown = now.host_slowdown = of({1.05, 1.25, 1.8});
      break;
    case Fault::kCoreContention:
      now.core_wait = of({0.04, 0.2, 0.6});
      now.all_cores_taken = dice.chance(0.5);
      break;
    case Fault::kSlowCores:
      now.cpu_clock = of({0.95, 0.8, 0.5});
      break;
    case Fault::kHostCode:
      now.host_code = of({0.05, 0.4, 1.5});
      break;
    case Fault::kSynchronizations:
      now.added_synchronizations = count({1, 3, 12});
      break;
    case Fault::kSlowDisk:
      now.read_slowdown = of({1.5, 4, 20});
      break;
    case Fault::kLateInput:
      now.input_delay = of({0.05, 0.4, 1.5});
      break;
    case Fault::kAllocations:
      now.added_allocations = count({1, 6, 40});
      break;
    case Fault::kOtherKernels:
      now.other_kernels =
          std::array{Conditions::OtherKernels::kOneSmall, Conditions::OtherKernels::kSomeGemms,
                     Conditions::OtherKernels::kOtherType}[std::size_t(strength)];
      break;
    case Fault::kMoreLayers:
      now.layers = of({1.15, 1.5, 2});
      break;
    case Fault::kLargerBatch:
      now.blocks = of({1.1, 1.5, 2});
      break;
    case Fault::kColdStart:
      now.cold_cycles = count({1, 2, 2});
      now.cold_slowdown = of({2, 3, 8});
      break;
    case Fault::kLostCycles:
      now.lost_cycles = of({0.15, 0.3, 0.45});
      break;
    case Fault::kProfilerOverhead:
      now.profiler_overhead = of({0.05, 0.4, 1.5});
      break;
    case Fault::kQuota:
      now.quota_stop = of({0.04, 0.2, 0.6});
      break;
    case Fault::kPaging:
      now.paging = of({0.02, 0.2, 0.5});
      break;
  }
  return now;
}

Run play(const std::string& label, const Workload& workload, const std::vector<Conditions>& by_rank,
         Dice dice) {
  const int cycles = dice.between(10, 16);
  const std::int64_t base_time_ns = 1'790'857'026'000'000'000 + (dice.next() >> 34);
  const RunNoise common(dice.fork());
  std::vector<RankPlayer> players;
  players.reserve(by_rank.size());
  for (const Conditions& conditions : by_rank) {
    RunNoise noise = common;
    if (by_rank.size() > 1) noise.host *= 1 + 0.02 * dice.normal();
    players.emplace_back(workload, conditions, noise, cycles, dice.fork());
  }
  for (int cycle = 0; cycle < cycles; ++cycle) {
    for (RankPlayer& player : players) player.begin_cycle(cycle);
    for (int layer = 0; layer < players.front().layers(); ++layer) {
      for (RankPlayer& player : players) player.play_layer();
      if (workload.collective_us == 0) continue;
      std::int64_t all_there_ns = 0;
      for (RankPlayer& player : players) {
        all_there_ns = std::max(all_there_ns, player.reach_collective());
      }
      for (RankPlayer& player : players) player.finish_collective(all_there_ns);
    }
    for (RankPlayer& player : players) player.end_cycle();
  }
  Run run;
  run.label = run.folder = label;
  for (std::size_t rank = 0; rank < players.size(); ++rank) {
    RankCapture capture;
    capture.rank = static_cast<std::int32_t>(rank);
    capture.path = label + "/trace.json";
    capture.trace = players[rank].machine().take_trace(base_time_ns);
    capture.metrics = sample(players[rank].machine().happenings(), workload, by_rank[rank],
                             base_time_ns, dice.fork());
    run.ranks.push_back(std::move(capture));
  }
  return run;
}

}  // namespace

std::span<const Fault> all_faults() {
  static const auto faults = [] {
    std::array<Fault, kFaults.size()> only;
    std::ranges::transform(kFaults, only.begin(), &std::pair<Fault, std::string_view>::first);
    return only;
  }();
  return faults;
}

std::string_view sentence_of(Fault fault) {
  for (const auto& [one, sentence] : kFaults) {
    if (one == fault) return sentence;
  }
  return "nothing";
}

FaultPair make_fault_pair(Fault fault, Strength strength, std::uint64_t seed) {
  Dice dice(seed * 1000 + static_cast<std::uint64_t>(fault) * 10 +
            static_cast<std::uint64_t>(strength));
  // One random number per statement: compilers evaluate arguments in different orders.
  const WorkloadNeeds needs = needs_of(fault, dice);
  const Workload workload = make_workload(needs, dice.fork());
  const auto ranks = static_cast<std::size_t>(workload.ranks);
  std::vector<Conditions> disturbed(ranks);
  const std::size_t victim = dice.next() % ranks;
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    if (fault != Fault::kLateRank || rank == victim) {
      disturbed[rank] = conditions_of(fault, strength, dice);
    }
  }
  return {.normal = play("normal", workload, std::vector<Conditions>(ranks), dice.fork()),
          .abnormal = play("abnormal", workload, disturbed, dice.fork())};
}

}  // namespace strobe
