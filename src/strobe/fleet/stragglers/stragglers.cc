#include "strobe/fleet/stragglers/stragglers.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <utility>

#include "strobe/fleet/stragglers/straggler_rules.h"

namespace strobe::fleet {

std::string_view word_of(StragglerKind kind) {
  switch (kind) {
    case StragglerKind::kRank:
      return "one rank";
    case StragglerKind::kHost:
      return "one host";
    case StragglerKind::kStage:
      return "one pipeline stage";
    case StragglerKind::kWandering:
      return "another rank in each step";
    case StragglerKind::kBadStep:
      return "one bad step";
    case StragglerKind::kNetwork:
      return "the network";
  }
  return "";
}

std::string_view word_of(StragglerReason reason) {
  switch (reason) {
    case StragglerReason::kUnknown:
      return "unknown";
    case StragglerReason::kLongerKernels:
      return "longer kernels";
    case StragglerReason::kMoreWork:
      return "more work";
    case StragglerReason::kHostStretch:
      return "host, between operators: one long stretch";
    case StragglerReason::kHostContention:
      return "host, between operators: many stretches";
    case StragglerReason::kHostOperators:
      return "host, in operators";
    case StragglerReason::kInput:
      return "input";
    case StragglerReason::kCopies:
      return "slower copies";
    case StragglerReason::kTransfers:
      return "slower transfers";
  }
  return "";
}

namespace {

// Where another rank is late in each step, one may be it a few times in a row.
void drop_short_ranges(const JobView& view, StragglerReason reason, std::vector<Straggler>& found) {
  std::erase_if(found, [&](const Straggler& one) {
    return one.kind == StragglerKind::kRank && one.reason == reason &&
           2 * one.steps < view.usual_steps.size();
  });
}

}  // namespace

std::vector<Straggler> find_stragglers(const Job& job) {
  if (job.ranks.size() < 2 || job.steps.empty()) return {};
  JobView view(job);
  std::vector<Straggler> found = bad_steps(view);
  const auto add = [&](std::vector<Straggler> more) {
    std::ranges::move(more, std::back_inserter(found));
  };
  if (view.usual_steps.size() >= kLeastStepsOfAJob) {
    add(slow_parties(view));
    add(slow_networks(view));
    std::vector<Straggler> wandering = wandering_ranks(view);
    for (const Straggler& one : wandering) drop_short_ranges(view, one.reason, found);
    add(std::move(wandering));
  }
  std::ranges::stable_sort(found, std::ranges::greater{}, &Straggler::lost_share);
  return found;
}

}  // namespace strobe::fleet
