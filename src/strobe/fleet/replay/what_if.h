#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "strobe/fleet/replay/dependency_graph.h"
#include "strobe/fleet/replay/operation_table.h"

// The replay itself: from times to the ends of steps.
namespace strobe::fleet {

// How long operations take, and how late they start; [operation][lane], in seconds.
struct OperationTimes {
  std::vector<double> transfer_s;  // computes: as long as they take; others: from the last start
                                   // in their group
  std::vector<double> delay_s;     // after all predecessors have ended

  // The time of others of its kind: one per operation.
  std::vector<double> ideal_s;
};

OperationTimes times_of(const OperationTable& table, const DependencyGraph& graph);

// Lanes are replayed side by side. `company` neighbouring lanes are the data-parallel ranks of one
// step, which wait for each other in groups that reach across ranks. Lanes must be a multiple.
struct LaneShape {
  std::size_t lanes = 0;
  std::size_t company = 0;
};

// Replays many what-ifs of one table; keeps its memory between them.
class WhatIf {
 public:
  WhatIf(const OperationTable& table, const DependencyGraph& graph);

  // write_times(operation, span of lanes) gives the times of one operation, and how late it starts
  // is in `delay_s` ([operation][lane]; empty: no delays). Returns the end of the last optimizer
  // per company.
  template <class WriteTimes>
  std::vector<double> run(const LaneShape& shape, std::span<const double> delay_s,
                          WriteTimes&& write_times) {
    begin(shape);
    for (const Group& group : graph_.groups) {
      for (const std::uint32_t operation : graph_.members_of(group)) {
        start(operation, delay_s);
      }
      gather(group);
      for (const std::uint32_t operation : graph_.members_of(group)) {
        write_times(operation, std::span<double>(times_s_));
        finish(group, operation);
      }
    }
    return step_ends();
  }

 private:
  std::span<double> row(std::uint32_t operation) {
    return std::span(end_s_).subspan(operation * shape_.lanes, shape_.lanes);
  }
  void begin(const LaneShape& shape);
  void start(std::uint32_t operation, std::span<const double> delay_s);
  void gather(const Group& group);
  void finish(const Group& group, std::uint32_t operation);
  std::vector<double> step_ends();

  const OperationTable& table_;
  const DependencyGraph& graph_;
  LaneShape shape_;
  std::vector<double> end_s_;     // [operation][lane]; its start until it is finished
  std::vector<double> latest_s_;  // [lane]: start of the last in the group
  std::vector<double> times_s_;   // [lane]
};

}  // namespace strobe::fleet
