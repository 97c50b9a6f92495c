#include "tests/support/jobs/job_generator.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "strobe/stats/dice.h"
#include "tests/support/jobs/job_play.h"

namespace strobe::fleet {
namespace {

using stats::Dice;

template <class T, std::size_t kSize>
T one_of(Dice& dice, const std::array<T, kSize>& values) {
  return values[dice.below(kSize)];
}

Layout any_layout(Dice& dice) {
  Layout layout;
  do {
    layout.ranks_per_host = one_of<std::size_t, 6>(dice, {1, 2, 4, 8, 8, 8});
    layout.hosts = static_cast<std::size_t>(whole(log_between(dice, 0.6, 64.4)));
  } while (layout.hosts == 0 || layout.hosts > 64 || layout.ranks() < 4);
  layout.steps = static_cast<std::size_t>(whole(log_between(dice, 4.6, 60.4)));
  layout.on_host = happens(dice, 0.2);
  const auto stages = one_of<std::size_t, 3>(dice, {2, 4, 8});
  if (happens(dice, 0.35) && layout.ranks() % stages == 0 && layout.ranks() / stages >= 2) {
    layout.stages = stages;
    layout.groups = Groups::kStages;
    layout.are_stages_strided = happens(dice, 0.5);
  } else if (happens(dice, 0.4) && layout.ranks_per_host > 1 && layout.hosts > 1) {
    layout.groups = Groups::kHosts;
  }
  return layout;
}

Usual any_usual(Dice& dice, const Layout& layout) {
  Usual usual;
  usual.step_ns = log_between(dice, 3e7, 8e8);
  usual.compute = layout.on_host ? 0 : between(dice, 0.55, 0.85);
  usual.copy = layout.on_host ? 0 : between(dice, 0.02, 0.06);
  usual.input = between(dice, 0.01, 0.06);
  usual.in_operators = layout.on_host ? between(dice, 0.6, 0.85) : between(dice, 0.1, 0.5);
  usual.transfer = between(dice, 0.05, 0.15);
  usual.kernels = layout.on_host ? 0 : std::floor(log_between(dice, 200, 6000));
  usual.gaps = std::floor(log_between(dice, 30, 300));
  usual.collectives = 3 + dice.below(10);
  usual.common_noise = log_between(dice, 0.003, 0.03);
  usual.slow_noise =
      layout.on_host ? log_between(dice, 0.005, 0.05) : log_between(dice, 0.0005, 0.006);
  usual.fast_noise =
      layout.on_host ? log_between(dice, 0.01, 0.12) : log_between(dice, 0.001, 0.01);
  usual.tail_chance = layout.on_host ? 0.03 : 0.005;
  usual.tail = layout.on_host ? 0.06 : 0.03;
  for (std::size_t rank = 0; rank < layout.ranks(); ++rank) {
    usual.fixed.push_back(between(dice, -0.008, 0.008));
  }
  for (std::size_t stage = 0; stage < layout.stages; ++stage) {
    const bool is_edge = stage == 0 || stage + 1 == layout.stages;
    usual.stage_work.push_back(1 + between(dice, -0.015, is_edge ? 0.03 : 0.015));
    usual.stage_kernels.push_back(
        std::floor(usual.kernels * usual.stage_work.back() * between(dice, 0.98, 1.02)));
  }
  for (std::size_t host = 0; host < layout.hosts; ++host) {
    usual.clock_ns.push_back(between(dice, -15e3, 15e3));
  }
  return usual;
}

StragglerReason any_reason(Dice& dice, bool on_host) {
  if (on_host) {
    return one_of<StragglerReason, 3>(
        dice,
        {StragglerReason::kHostStretch, StragglerReason::kHostOperators, StragglerReason::kInput});
  }
  return one_of<StragglerReason, 6>(
      dice,
      {StragglerReason::kLongerKernels, StragglerReason::kMoreWork, StragglerReason::kHostStretch,
       StragglerReason::kHostContention, StragglerReason::kInput, StragglerReason::kCopies});
}

// Whether such a straggler can be told from others in such a job at all.
bool fits(StragglerKind kind, const Layout& layout) {
  switch (kind) {
    case StragglerKind::kHost:
      return layout.hosts > 1 && layout.ranks_per_host > 1 &&
             (layout.stages == 1 || layout.are_stages_strided) &&
             (!layout.are_stages_strided || layout.ranks() / layout.stages > layout.ranks_per_host);
    case StragglerKind::kStage:
      return layout.stages > 2;
    case StragglerKind::kWandering:
      return layout.ranks() / layout.stages >= 4 && layout.steps >= 8;
    case StragglerKind::kNetwork:
      return layout.stages == 1 && layout.steps >= 10 && (!layout.on_host || layout.hosts > 1);
    case StragglerKind::kRank:
    case StragglerKind::kBadStep:
      return true;
  }
  return true;
}

PlantedStraggler any_straggler(Dice& dice, StragglerKind kind, const Layout& layout,
                               const Usual& usual) {
  PlantedStraggler one;
  one.kind = kind;
  one.reason = any_reason(dice, layout.on_host);
  one.end_step = layout.steps;
  if (kind != StragglerKind::kBadStep && layout.steps >= 12 && happens(dice, 0.25)) {
    one.first_step = layout.steps / 5 + dice.below(layout.steps * 2 / 5);
  }
  // What is less than the noise cannot be told from it.
  const double noise = 5 * (usual.fast_noise + usual.slow_noise);
  one.size = log_between(dice, std::max(layout.on_host ? 0.15 : 0.05, noise), 1);
  if (one.first_step > 0) one.size = std::max({one.size, 2 * noise, 0.08});
  switch (kind) {
    case StragglerKind::kRank:
      one.ranks = {dice.below(layout.ranks())};
      break;
    case StragglerKind::kHost: {
      const std::size_t host = dice.below(layout.hosts);
      one.ranks =
          ranks_where(layout, [&](std::size_t rank) { return layout.host_of(rank) == host; });
      break;
    }
    case StragglerKind::kStage: {
      const std::size_t stage = dice.below(layout.stages);
      one.ranks =
          ranks_where(layout, [&](std::size_t rank) { return layout.stage_of(rank) == stage; });
      one.size = std::max(one.size, 0.12);
      break;
    }
    case StragglerKind::kWandering:
      one.first_step = 0;
      one.reason = layout.on_host || happens(dice, 0.25) ? StragglerReason::kHostStretch
                   : happens(dice, 0.5)                  ? StragglerReason::kMoreWork
                                                         : StragglerReason::kLongerKernels;
      one.size = log_between(dice, one.reason == StragglerReason::kHostStretch ? 0.4 : 0.15, 1);
      // The latest of many ranks is late by chance, too.
      one.size = std::max(one.size, noise * std::sqrt(std::log(layout.ranks())));
      break;
    case StragglerKind::kBadStep: {
      one.first_step = 1 + dice.below(layout.steps - 1);
      one.end_step = one.first_step + 1;
      one.reason = StragglerReason::kHostStretch;
      one.size = std::max(log_between(dice, 1, 20),
                          (layout.on_host ? 0.09 : 0.06) * static_cast<double>(layout.steps));
      const bool is_all = happens(dice, 0.4);
      const std::size_t rank = dice.below(layout.ranks());
      one.ranks = ranks_where(layout, [&](std::size_t r) { return is_all || r == rank; });
      break;
    }
    case StragglerKind::kNetwork: {
      one.reason = StragglerReason::kTransfers;
      one.size = log_between(dice, layout.on_host ? 0.3 : 0.12, 0.8);
      if (layout.groups == Groups::kHosts && layout.hosts >= 4 && happens(dice, 0.6)) {
        const std::size_t host = dice.below(layout.hosts);
        one.ranks =
            ranks_where(layout, [&](std::size_t rank) { return layout.host_of(rank) == host; });
        one.first_step = 0;
      } else {
        const std::size_t length = std::max<std::size_t>(3, layout.steps / 4);
        one.first_step = dice.below(layout.steps - length);
        one.end_step = one.first_step + length;
      }
      break;
    }
  }
  return one;
}

GeneratedJob generated(std::optional<StragglerKind> kind, std::uint64_t seed) {
  Dice dice(seed);
  Layout layout = any_layout(dice);
  while (kind && !fits(*kind, layout)) layout = any_layout(dice);
  const Usual usual = any_usual(dice, layout);
  GeneratedJob made;
  if (kind) made.planted = any_straggler(dice, *kind, layout, usual);
  made.job = played(dice, layout, usual, made.planted);
  return made;
}

}  // namespace

GeneratedJob clean_job(std::uint64_t seed) { return generated({}, seed); }
GeneratedJob job_with(StragglerKind kind, std::uint64_t seed) { return generated(kind, seed); }

}  // namespace strobe::fleet
