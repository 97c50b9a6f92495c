#include <algorithm>
#include <array>
#include <cmath>

#include "strobe/fleet/stragglers/straggler_rules.h"
#include "strobe/stats/moments.h"

namespace strobe::fleet {
namespace {

constexpr std::array kParts = {&ExtraWork::compute_ns,      &ExtraWork::copy_ns,
                               &ExtraWork::input_ns,        &ExtraWork::host_ns,
                               &ExtraWork::in_operators_ns, &ExtraWork::longest_host_gap_ns,
                               &ExtraWork::host_gaps,       &ExtraWork::transfer_ns};

double part_of(const RankStep& step, std::size_t part) {
  const std::array<std::int64_t, kParts.size()> values = {step.compute_ns,
                                                          step.copy_ns,
                                                          step.input_ns,
                                                          step.host_ns,
                                                          step.in_operators_ns,
                                                          step.longest_host_gap_ns,
                                                          static_cast<std::int64_t>(step.host_gaps),
                                                          step.transfer_ns};
  return static_cast<double>(values[part]);
}

double ratio_of(double one, double other) { return other > 0 ? one / other : 1; }

// Those of its stage that are not slow too; of a whole stage, all other ranks.
Positions peers_of(const JobView& view, std::size_t rank, const Positions& slow) {
  const auto without_slow = [&](const Positions& ranks) {
    Positions peers;
    for (const std::size_t one : ranks) {
      if (std::ranges::find(slow, one) == slow.end()) peers.push_back(one);
    }
    return peers;
  };
  Positions peers = without_slow(view.stages[view.stage_of[rank]].ranks);
  if (!peers.empty()) return peers;
  Positions all;
  for (const Party& stage : view.stages) {
    all.insert(all.end(), stage.ranks.begin(), stage.ranks.end());
  }
  return without_slow(all);
}

// `own` and `of_peers` are values per step or rank; their medians are compared.
template <class Values, class Peers>
ExtraWork compared(const Values& own, const Peers& of_peers) {
  ExtraWork extra;
  for (std::size_t part = 0; part < kParts.size(); ++part) {
    const auto value = [&](const RankStep& step) { return part_of(step, part); };
    extra.*kParts[part] = own(value) - of_peers(value);
  }
  const auto kernels = [](const RankStep& step) { return static_cast<double>(step.kernels); };
  extra.kernels_ratio = ratio_of(own(kernels), of_peers(kernels));
  extra.own_ratio = ratio_of(own(own_of), of_peers(own_of));
  return extra;
}

}  // namespace

ExtraWork extra_work(const JobView& view, const Positions& ranks, const Positions& steps) {
  constexpr std::size_t kEnoughRanks = 8;  // of a large party; they are alike
  const Positions some(ranks.begin(), ranks.begin() + static_cast<std::ptrdiff_t>(
                                                          std::min(ranks.size(), kEnoughRanks)));
  std::vector<Positions> peers;
  for (const std::size_t rank : some) peers.push_back(peers_of(view, rank, ranks));
  const auto typical = [&](const auto& value_at) {
    std::vector<double> values;
    for (const std::size_t step : steps) {
      std::vector<double> of_ranks;
      for (std::size_t i = 0; i < some.size(); ++i) of_ranks.push_back(value_at(i, step));
      values.push_back(stats::moments_of(of_ranks).mean);
    }
    return stats::trimmed_moments_of(values).mean;
  };
  return compared(
      [&](const Quantity& value) {
        return typical(
            [&](std::size_t i, std::size_t step) { return value(view.at(some[i], step)); });
      },
      [&](const Quantity& value) {
        return typical([&](std::size_t i, std::size_t step) {
          return median_over(view, peers[i], step, value);
        });
      });
}

ExtraWork extra_in_step(const JobView& view, const Positions& ranks, std::size_t step) {
  return compared([&](const Quantity& value) { return median_over(view, ranks, step, value); },
                  [&](const Quantity& value) {
                    std::vector<double> usual;
                    for (const std::size_t other : view.usual_steps) {
                      usual.push_back(median_over(view, ranks, other, value));
                    }
                    return stats::median_of(usual);
                  });
}

StragglerReason reason_of(const ExtraWork& extra) {
  constexpr double kMostOfIt = 0.5;
  constexpr double kAtOnce = 0.4;
  constexpr double kLeastMore = 0.01;  // kernels
  const std::array<double, 4> parts = {extra.compute_ns, extra.copy_ns, extra.input_ns,
                                       extra.host_ns};
  double total = 0;
  for (const double part : parts) total += std::max(part, 0.0);
  if (total <= 0) return StragglerReason::kUnknown;
  const auto largest = static_cast<std::size_t>(std::ranges::max_element(parts) - parts.begin());
  if (largest == 1) return StragglerReason::kCopies;
  if (largest == 2) return StragglerReason::kInput;
  const bool is_on_host = largest == 3;
  const bool is_in_operators = extra.in_operators_ns >= kMostOfIt * extra.host_ns;
  if (is_on_host && !is_in_operators && extra.longest_host_gap_ns >= kAtOnce * extra.host_ns) {
    return StragglerReason::kHostStretch;
  }
  // More kernels take more time on the device and on the host.
  const double more_kernels = extra.kernels_ratio - 1;
  if (more_kernels > kLeastMore && more_kernels >= kMostOfIt * (extra.own_ratio - 1)) {
    return StragglerReason::kMoreWork;
  }
  if (!is_on_host) return StragglerReason::kLongerKernels;
  return is_in_operators ? StragglerReason::kHostOperators : StragglerReason::kHostContention;
}

}  // namespace strobe::fleet
