#include "strobe/fleet/replay/what_if.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <utility>

#include "strobe/base/check.h"
#include "strobe/stats/moments.h"

namespace strobe::fleet {
namespace {

// The latest of the group, per lane: of its members, and where it reaches across data-parallel
// ranks, of the lanes of a company.
void widen(std::span<double> latest_s, std::size_t company) {
  for (std::size_t first = 0; first < latest_s.size(); first += company) {
    const std::span<double> lanes = latest_s.subspan(first, company);
    std::ranges::fill(lanes, std::ranges::max(lanes));
  }
}

void raise(std::span<double> to, std::span<const double> from) {
  for (std::size_t lane = 0; lane < to.size(); ++lane) to[lane] = std::max(to[lane], from[lane]);
}

class TimesBuilder {
 public:
  TimesBuilder(const OperationTable& table, const DependencyGraph& graph)
      : table_(table), graph_(graph), lanes_(table.lanes()) {}

  OperationTimes build() {
    times_.transfer_s.resize(table_.start_s.size());
    times_.delay_s.resize(table_.start_s.size());
    times_.ideal_s.resize(table_.operations.size());
    for (const Group& group : graph_.groups) add_transfers(group);
    for (std::uint32_t i = 0; i < table_.operations.size(); ++i) add_delays(i);
    add_ideals();
    return std::move(times_);
  }

 private:
  std::span<const double> starts(std::uint32_t operation) const {
    return std::span(table_.start_s).subspan(operation * lanes_, lanes_);
  }
  std::span<const double> ends(std::uint32_t operation) const {
    return std::span(table_.end_s).subspan(operation * lanes_, lanes_);
  }

  void add_transfers(const Group& group) {
    const auto members = graph_.members_of(group);
    std::vector<double> latest_s(starts(members.front()).begin(), starts(members.front()).end());
    for (const std::uint32_t member : members) raise(latest_s, starts(member));
    if (group.reach == Reach::kAllRanks) widen(latest_s, table_.data_ranks.size());
    for (const std::uint32_t member : members) {
      const auto end_s = ends(member);
      double* transfer_s = &times_.transfer_s[member * lanes_];
      for (std::size_t lane = 0; lane < lanes_; ++lane) {
        transfer_s[lane] = std::max(end_s[lane] - latest_s[lane], 0.0);
      }
    }
  }

  // Records may overlap a little; where they overlap much, the graph does not describe them.
  void add_delays(std::uint32_t operation) {
    constexpr double kLeast_s = -10e-3;
    std::vector<double> ready_s(lanes_, 0.0);
    const auto before = graph_.predecessors_of(operation);
    for (std::size_t i = 0; i < before.size(); ++i) {
      if (i == 0) {
        std::ranges::copy(ends(before[i]), ready_s.begin());
      } else {
        raise(ready_s, ends(before[i]));
      }
    }
    const auto start_s = starts(operation);
    double* delay_s = &times_.delay_s[operation * lanes_];
    for (std::size_t lane = 0; lane < lanes_; ++lane) {
      const double late_s = start_s[lane] - ready_s[lane];
      delay_s[lane] = late_s < kLeast_s ? 0.0 : late_s;
    }
  }

  // Those of a kind that stand alone have waited for nobody, so they are not compared with the
  // rest.
  void add_ideals() {
    constexpr std::size_t kTypes = static_cast<std::size_t>(OpType::kCount_);
    std::array<std::array<std::vector<double>, 2>, kTypes> values;
    std::vector<bool> is_alone(table_.operations.size());
    for (const Group& group : graph_.groups) {
      for (const std::uint32_t member : graph_.members_of(group)) {
        is_alone[member] = group.reach == Reach::kAlone;
      }
    }
    const auto bin_of = [&](std::uint32_t i) -> std::vector<double>& {
      return values[static_cast<std::size_t>(table_.operations[i].type)][is_alone[i] ? 1 : 0];
    };
    for (std::uint32_t i = 0; i < table_.operations.size(); ++i) {
      const double* transfer_s = &times_.transfer_s[i * lanes_];
      bin_of(i).insert(bin_of(i).end(), transfer_s, transfer_s + lanes_);
    }
    std::array<std::array<double, 2>, kTypes> ideals_s = {};
    for (std::size_t type = 0; type < kTypes; ++type) {
      for (std::size_t alone = 0; alone < 2; ++alone) {
        const std::vector<double>& bin = values[type][alone];
        if (bin.empty()) continue;
        ideals_s[type][alone] =
            is_compute(static_cast<OpType>(type))
                ? std::accumulate(bin.begin(), bin.end(), 0.0) / static_cast<double>(bin.size())
                : stats::median_of(bin);
      }
    }
    for (std::uint32_t i = 0; i < table_.operations.size(); ++i) {
      times_.ideal_s[i] =
          ideals_s[static_cast<std::size_t>(table_.operations[i].type)][is_alone[i] ? 1 : 0];
    }
  }

  const OperationTable& table_;
  const DependencyGraph& graph_;
  std::size_t lanes_;
  OperationTimes times_;
};

}  // namespace

OperationTimes times_of(const OperationTable& table, const DependencyGraph& graph) {
  return TimesBuilder(table, graph).build();
}

WhatIf::WhatIf(const OperationTable& table, const DependencyGraph& graph)
    : table_(table), graph_(graph) {}

void WhatIf::begin(const LaneShape& shape) {
  STROBE_CHECK(shape.company > 0 && shape.lanes % shape.company == 0,
               "lanes are a multiple of a company");
  shape_ = shape;
  end_s_.resize(table_.operations.size() * shape.lanes);
  latest_s_.resize(shape.lanes);
  times_s_.resize(shape.lanes);
}

void WhatIf::start(std::uint32_t operation, std::span<const double> delay_s) {
  const std::span<double> start_s = row(operation);
  const auto before = graph_.predecessors_of(operation);
  if (before.empty()) {
    std::ranges::fill(start_s, 0.0);
  } else {
    std::ranges::copy(row(before.front()), start_s.begin());
    for (const std::uint32_t other : before.subspan(1)) raise(start_s, row(other));
  }
  if (delay_s.empty()) return;
  const std::span<const double> late_s = delay_s.subspan(operation * shape_.lanes, shape_.lanes);
  for (std::size_t lane = 0; lane < start_s.size(); ++lane) start_s[lane] += late_s[lane];
}

void WhatIf::gather(const Group& group) {
  if (group.reach == Reach::kAlone) return;
  const auto members = graph_.members_of(group);
  std::ranges::copy(row(members.front()), latest_s_.begin());
  for (const std::uint32_t member : members.subspan(1)) raise(latest_s_, row(member));
  if (group.reach == Reach::kAllRanks) widen(latest_s_, shape_.company);
}

void WhatIf::finish(const Group& group, std::uint32_t operation) {
  const std::span<double> end_s = row(operation);
  const std::span<const double> from_s =
      group.reach == Reach::kAlone ? std::span<const double>(end_s) : std::span(latest_s_);
  for (std::size_t lane = 0; lane < end_s.size(); ++lane)
    end_s[lane] = from_s[lane] + times_s_[lane];
}

std::vector<double> WhatIf::step_ends() {
  std::vector<double> last_s(shape_.lanes, 0.0);
  for (std::uint32_t i = 0; i < table_.operations.size(); ++i) {
    if (table_.operations[i].type == OpType::kOptimizer) raise(last_s, row(i));
  }
  std::vector<double> ends_s;
  for (std::size_t first = 0; first < last_s.size(); first += shape_.company) {
    ends_s.push_back(std::ranges::max(std::span(last_s).subspan(first, shape_.company)));
  }
  return ends_s;
}

}  // namespace strobe::fleet
