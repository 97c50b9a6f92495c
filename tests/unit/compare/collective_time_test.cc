#include "strobe/compare/collective_time.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace strobe::compare {
namespace {

using analysis::CollectiveForm;

// Two cycles of 10 ns.
RankMeasure rank_with(const std::vector<FunctionCycles>& functions) {
  RankMeasure rank;
  rank.cycles.cycles = {{.interval = {0, 10}, .name = "a"}, {.interval = {10, 20}, .name = "b"}};
  rank.functions = functions;
  return rank;
}

FunctionCycles function(const std::string& name, FunctionKind kind,
                        std::vector<std::int64_t> covered_ns) {
  FunctionCycles one;
  one.key = {name, kind, is_on_device(kind) ? "GPU 0" : "Host"};
  one.covered_ns = std::move(covered_ns);
  one.calls.assign(one.covered_ns.size(), 1);
  one.is_operator = name.find("::") != std::string::npos;
  return one;
}

TEST(CollectiveTimeTest, exchanges_on_device_and_host_are_added) {
  const RankMeasure rank =
      rank_with({function("AllReduce", FunctionKind::kCollective, {2, 3}),
                 function("gloo:broadcast", FunctionKind::kHostOperator, {1, 0}),
                 function("c10d::allreduce_", FunctionKind::kHostOperator, {4, 4})});
  ASSERT_EQ(best_collective_form({rank}), CollectiveForm::kExchange);
  const CollectiveCycles found = collective_cycles(rank, CollectiveForm::kExchange);
  EXPECT_TRUE(found.is_known);
  EXPECT_THAT(found.time_ns, ::testing::ElementsAre(3, 3));
  EXPECT_THAT(found.calls, ::testing::ElementsAre(2u, 2u));
}

TEST(CollectiveTimeTest, it_is_at_most_the_cycle) {
  const RankMeasure rank =
      rank_with({function("gloo:all_reduce", FunctionKind::kHostOperator, {8, 2}),
                 function("gloo:broadcast", FunctionKind::kHostOperator, {8, 2})});
  EXPECT_THAT(collective_cycles(rank, CollectiveForm::kExchange).time_ns,
              ::testing::ElementsAre(10, 4));
}

// They are inside of each other, so only one of them counts.
TEST(CollectiveTimeTest, without_an_exchange_the_next_best_form_counts_alone) {
  const FunctionCycles call = function("c10d::allreduce_", FunctionKind::kHostOperator, {5, 5});
  const FunctionCycles note = function("record_param_comms", FunctionKind::kHostOperator, {4, 4});
  const RankMeasure rank = rank_with({call, note});
  ASSERT_EQ(best_collective_form({rank}), CollectiveForm::kOperator);
  EXPECT_THAT(collective_cycles(rank, CollectiveForm::kOperator).time_ns,
              ::testing::ElementsAre(5, 5));
}

TEST(CollectiveTimeTest, a_call_that_may_only_launch_is_no_evidence_beside_a_device) {
  const FunctionCycles call = function("nccl:all_reduce", FunctionKind::kHostOperator, {5, 5});
  const FunctionCycles kernel = function("gemm", FunctionKind::kKernel, {5, 5});
  EXPECT_EQ(best_collective_form({rank_with({call})}), CollectiveForm::kLibraryCall);
  EXPECT_EQ(best_collective_form({rank_with({call, kernel})}), CollectiveForm::kNone);
}

TEST(CollectiveTimeTest, without_its_collectives_a_rank_has_shorter_cycles) {
  RankMeasure rank = rank_with({function("aten::mm", FunctionKind::kHostOperator, {4, 5}),
                                function("gloo:all_reduce", FunctionKind::kHostOperator, {6, 2})});
  rank.devices.push_back({.device = "Host",
                          .chip = "",
                          .busy_ns = {5, 5},
                          .slices = {1, 1},
                          .is_partial = {false, false}});
  const RankMeasure own = without_collectives(rank, CollectiveForm::kExchange);
  EXPECT_EQ(own.cycles.cycles[0].interval.length_ns(), 4);
  EXPECT_EQ(own.cycles.cycles[1].interval.length_ns(), 8);
  EXPECT_THAT(own.devices[0].busy_ns, ::testing::ElementsAre(4, 5));
  ASSERT_EQ(own.functions.size(), 1u);
  EXPECT_EQ(own.functions[0].key.name, "aten::mm");
}

TEST(CollectiveTimeTest, all_ranks_are_judged_by_the_best_form_of_any) {
  const RankMeasure good =
      rank_with({function("gloo:all_reduce", FunctionKind::kHostOperator, {5, 5})});
  const RankMeasure poor =
      rank_with({function("c10d::allreduce_", FunctionKind::kHostOperator, {5, 5})});
  const CollectiveForm form = best_collective_form({poor, good});
  EXPECT_EQ(form, CollectiveForm::kExchange);
  EXPECT_FALSE(collective_cycles(poor, form).is_known);
}

}  // namespace
}  // namespace strobe::compare
