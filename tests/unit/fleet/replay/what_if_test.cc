#include "strobe/fleet/replay/what_if.h"

#include <algorithm>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/operation_sketch.h"

namespace strobe::fleet {
namespace {

using ::testing::DoubleEq;
using ::testing::DoubleNear;
using ::testing::ElementsAre;
using testing::OperationSketch;

class PlannedJob {
 public:
  explicit PlannedJob(const OperationSketch& sketch)
      : table(sketch.table()), graph(build_graph(table).value()), times(times_of(table, graph)) {}

  std::vector<double> transfers(const std::string& name) const {
    return row(times.transfer_s, name);
  }
  std::vector<double> delays(const std::string& name) const { return row(times.delay_s, name); }
  double ideal(const std::string& name) const { return times.ideal_s[place_of(name)]; }

  std::size_t place_of(const std::string& name) const {
    const auto found = std::ranges::find_if(
        table.operations, [&](const Operation& one) { return name_of(one) == name; });
    return static_cast<std::size_t>(found - table.operations.begin());
  }

  OperationTable table;
  DependencyGraph graph;
  OperationTimes times;

 private:
  std::vector<double> row(const std::vector<double>& cells, const std::string& name) const {
    const auto first = cells.begin() + static_cast<std::ptrdiff_t>(place_of(name) * table.lanes());
    return {first, first + static_cast<std::ptrdiff_t>(table.lanes())};
  }
};

OperationSketch pair_of_transfers(double send_start_s, double receive_end_s) {
  return OperationSketch()
      .at(0, 0, 0)
      .forward(0, 0, send_start_s)
      .add("forward-send", 0, send_start_s, 4)
      .at(0, 0, 1)
      .add("forward-recv", 0, 0.5, receive_end_s)
      .forward(0, 5, 6);
}

TEST(OperationTimesTest, a_transfer_begins_when_both_ends_are_there) {
  const PlannedJob job(pair_of_transfers(1, 3));
  EXPECT_THAT(job.transfers("forward-send_0_0"), ElementsAre(DoubleEq(3)));
  EXPECT_THAT(job.transfers("forward-recv_0_1"), ElementsAre(DoubleEq(2)));
}

TEST(OperationTimesTest, a_transfer_that_ends_before_it_begins_takes_no_time) {
  const PlannedJob job(pair_of_transfers(2, 1.5));
  EXPECT_THAT(job.transfers("forward-recv_0_1"), ElementsAre(0));
}

TEST(OperationTimesTest, all_ranks_wait_for_the_last) {
  OperationSketch sketch;
  for (const int rank : {0, 1}) {
    sketch.at(0, rank, 0).add("params-all-gather", 0, rank, 3, 0).add("optimizer", 0, 3, 4);
  }
  const PlannedJob job(sketch);
  EXPECT_THAT(job.transfers("params-all-gather_0_0"), ElementsAre(2, 2));
  EXPECT_THAT(job.delays("params-all-gather_0_0"), ElementsAre(0, 1));
}

TEST(OperationTimesTest, a_delay_counts_from_the_last_predecessor) {
  const PlannedJob job(pair_of_transfers(1, 3));
  EXPECT_THAT(job.delays("forward-send_0_0"), ElementsAre(DoubleEq(0)));
  EXPECT_THAT(job.delays("forward-recv_0_1"), ElementsAre(DoubleEq(0.5)));
  EXPECT_THAT(job.delays("forward-compute_0_1"), ElementsAre(DoubleEq(2)));
}

TEST(OperationTimesTest, a_small_overlap_is_kept_and_a_large_one_is_no_delay) {
  const auto delay_after = [](double start_s) {
    return PlannedJob(OperationSketch().forward(0, 0, 1).add("gc", 0, start_s, 2)).delays("gc_0_0");
  };
  EXPECT_THAT(delay_after(0.995), ElementsAre(DoubleNear(-0.005, 1e-12)));
  EXPECT_THAT(delay_after(0.98), ElementsAre(0));
}

TEST(OperationTimesTest, computes_are_ideal_at_the_mean_and_transfers_at_the_median) {
  OperationSketch sketch;
  for (const int rank : {0, 1, 2}) {
    const double more_s = rank == 2 ? 6 : rank;
    sketch.at(0, rank, 0)
        .forward(0, 0, 1 + more_s)
        .add("layernorm-grads-all-reduce", 0, 10, 11 + more_s)
        .add("optimizer-clip-main-grad", 0, 20, 21 + more_s)
        .add("optimizer", 0, 30, 31);
  }
  const PlannedJob job(sketch);
  EXPECT_DOUBLE_EQ(job.ideal("forward-compute_0_0"), (1 + 2 + 7) / 3.0);
  EXPECT_DOUBLE_EQ(job.ideal("layernorm-grads-all-reduce_0_0"), 2);
  EXPECT_DOUBLE_EQ(job.ideal("optimizer-clip-main-grad_0_0"), 2);
}

// What moves nothing does not tell how long moving takes.
TEST(OperationTimesTest, transfers_without_a_peer_do_not_count_for_others) {
  const PlannedJob job(pair_of_transfers(1, 3).at(0, 0, 1).add("forward-send", 0, 6, 26));
  EXPECT_DOUBLE_EQ(job.ideal("forward-send_0_0"), 3);
  EXPECT_DOUBLE_EQ(job.ideal("forward-send_0_1"), 20);
}

// Two data-parallel ranks of one stage, each with a pass; then all wait for each other.
OperationSketch two_ranks() {
  OperationSketch sketch;
  for (const int rank : {0, 1}) {
    sketch.at(0, rank, 0)
        .forward(0, 0, 1)
        .add("optimizer-clip-main-grad", 0, 1, 2)
        .add("optimizer", 0, 2, 3);
  }
  return sketch;
}

TEST(WhatIfTest, lanes_wait_for_their_company_only) {
  const PlannedJob job(two_ranks());
  WhatIf what_if(job.table, job.graph);
  const std::vector<double> pass_s = {1, 5, 2, 3};
  const auto write = [&](std::uint32_t operation, std::span<double> times_s) {
    const bool is_pass = job.table.operations[operation].type == OpType::kForwardCompute;
    for (std::size_t lane = 0; lane < times_s.size(); ++lane) {
      times_s[lane] = is_pass ? pass_s[lane] : 0.25;
    }
  };
  EXPECT_THAT(what_if.run({.lanes = 4, .company = 2}, {}, write), ElementsAre(5.5, 3.5));
  EXPECT_THAT(what_if.run({.lanes = 4, .company = 1}, {}, write), ElementsAre(1.5, 5.5, 2.5, 3.5));
}

TEST(WhatIfTest, recorded_times_and_delays_give_the_recorded_ends) {
  const PlannedJob job(pair_of_transfers(1, 4).add("optimizer", 0, 6.5, 8));
  WhatIf what_if(job.table, job.graph);
  const auto write = [&](std::uint32_t operation, std::span<double> times_s) {
    times_s.front() = job.times.transfer_s[operation];
  };
  EXPECT_THAT(what_if.run({.lanes = 1, .company = 1}, job.times.delay_s, write),
              ElementsAre(DoubleEq(8)));
  // 1 s, 3 s of transfer, 1 s, 1.5 s.
  EXPECT_THAT(what_if.run({.lanes = 1, .company = 1}, {}, write), ElementsAre(DoubleEq(6.5)));
}

}  // namespace
}  // namespace strobe::fleet
