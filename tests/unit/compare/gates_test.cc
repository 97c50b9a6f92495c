#include "strobe/compare/gates.h"

#include <gmock/gmock.h>

#include "tests/support/comparison_sketch.h"

namespace strobe::compare {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::vector<Gate> gates(const std::vector<std::string>& texts) {
  const Result<std::vector<Gate>> parsed = parse_gates(texts);
  EXPECT_TRUE(parsed.has_value()) << (parsed ? "" : parsed.error().what);
  return parsed ? *parsed : std::vector<Gate>{};
}

Error refused(const std::string& text) {
  const Result<std::vector<Gate>> parsed = parse_gates({text});
  EXPECT_FALSE(parsed.has_value()) << text;
  return parsed ? Error{} : parsed.error();
}

// Cycles of 100 ms that take 10 more; gemm takes all of it.
ComparisonSketch slower() {
  return ComparisonSketch({100, 101, 99, 100, 102}, {110, 111, 109, 110, 112})
      .function("gemm", "GPU 0", {20, 21, 19, 20, 22}, {30, 31, 29, 30, 32})
      .function("norm", "GPU 0", {5, 5.1, 4.9, 5, 5.2}, {5, 5.1, 4.9, 5.05, 5.15})
      .answer(Answer::kSlower);
}

std::vector<GateFailure> failures(const ComparisonSketch& sketch, const std::string& gate) {
  return failed_gates(sketch.comparison(), gates({gate}));
}

TEST(GatesTest, a_gate_is_a_subject_a_limit_and_a_unit) {
  EXPECT_EQ(gates({"cycle>3%"})[0].kind, GateKind::kCyclePercent);
  EXPECT_EQ(gates({"cycle>3%"})[0].limit, 3);
  EXPECT_EQ(gates({"cycle > 2.5 ms"})[0].kind, GateKind::kCycleMs);
  EXPECT_DOUBLE_EQ(gates({"cycle>250us"})[0].limit, 0.25);
  EXPECT_EQ(gates({"beta>1"})[0].kind, GateKind::kBeta);
  EXPECT_EQ(gates({"cause=clock"})[0].cause, CauseKind::kClockDrop);
  EXPECT_THAT(gates({"any", "cause=other_tenant"}), SizeIs(2));
}

TEST(GatesTest, what_is_no_gate_is_refused_with_the_forms_there_are) {
  EXPECT_EQ(refused("cycles>3%").what, "'cycles>3%' is not a gate");
  EXPECT_THAT(refused("slow").hint, HasSubstr("cycle>3%"));
  EXPECT_EQ(refused("cycle>3").what, "'cycle>3' needs a unit");
  EXPECT_EQ(refused("cycle>").what, "'cycle>' has no limit after its '>'");
  EXPECT_EQ(refused("cycle>-1%").code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(refused("beta>nan").code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(refused("cause=gremlins").hint, HasSubstr("clock, memory_bandwidth"));
}

TEST(GatesTest, slower_cycles_fail_their_gate_beyond_the_limit_only) {
  EXPECT_THAT(failures(slower(), "cycle>3%"), SizeIs(1));
  EXPECT_THAT(failures(slower(), "cycle>9ms"), SizeIs(1));
  EXPECT_THAT(failures(slower(), "cycle>11%"), IsEmpty());
  EXPECT_THAT(failures(slower(), "cycle>10.5ms"), IsEmpty());
  EXPECT_EQ(failures(slower(), "cycle>3%")[0].why,
            "cycle time rose by 10 ms, 10 % of the normal 100 ms (n = 5 and 5)");
}

TEST(GatesTest, a_rise_that_is_not_significant_fails_nothing) {
  auto shifted = slower();
  shifted.answer(Answer::kShifted);
  EXPECT_THAT(failures(shifted, "cycle>3%"), IsEmpty());
  auto faster = slower();
  faster.answer(Answer::kFaster);
  EXPECT_THAT(failures(faster, "cycle>0%"), IsEmpty());
}

TEST(GatesTest, an_unclear_rise_fails_strict_gates_only) {
  ComparisonSketch sketch({100, 101, 99, 100, 102, 98}, {120, 121, 119, 120, 122, 118});
  const Comparison comparison = sketch.answer(Answer::kUnclear).comparison();
  std::vector<Gate> gates = *parse_gates({"cycle>3%"});
  EXPECT_TRUE(failed_gates(comparison, gates).empty());
  gates.front().is_strict = true;
  const auto failures = failed_gates(comparison, gates);
  ASSERT_EQ(failures.size(), 1u);
  EXPECT_NE(failures[0].why.find("which may be chance (--strict)"), std::string::npos);
}

TEST(GatesTest, a_function_fails_the_gate_of_shares_if_its_own_test_says_so) {
  const auto failed = failures(slower(), "beta>1");
  ASSERT_THAT(failed, SizeIs(1));
  EXPECT_THAT(failed[0].why, HasSubstr("'gemm' on GPU 0 takes 7.2"));
  EXPECT_THAT(failures(slower(), "beta>8"), IsEmpty());
  auto unsure = slower();
  unsure.edit().functions[0].verdict = Verdict::kSame;
  EXPECT_THAT(failures(unsure, "beta>1"), IsEmpty());
}

TEST(GatesTest, a_cause_fails_its_gate_when_it_is_listed) {
  auto sketch = slower();
  EXPECT_THAT(failures(sketch, "cause=clock"), IsEmpty());
  sketch.cause(CauseKind::kClockDrop, 0.9, "the clock of GPU 0 dropped");
  EXPECT_EQ(failures(sketch, "cause=clock")[0].why, "the clock of GPU 0 dropped (score 0.90)");
  EXPECT_THAT(failures(sketch, "cause=pcie"), IsEmpty());
}

TEST(GatesTest, any_means_improvements_too) {
  EXPECT_THAT(failures(slower(), "any"), SizeIs(1));
  auto faster = slower();
  faster.answer(Answer::kFaster);
  EXPECT_THAT(failures(faster, "any")[0].why, HasSubstr("faster"));
  const ComparisonSketch same =
      ComparisonSketch({100, 101, 99, 100, 102}, {100, 101, 99, 100, 102})
          .function("gemm", "GPU 0", {20, 21, 19, 20, 22}, {20, 21, 19, 20, 22})
          .answer(Answer::kNoChange);
  EXPECT_THAT(failures(same, "any"), IsEmpty());
}

TEST(GatesTest, every_failed_gate_is_told) {
  const auto sketch = slower();
  EXPECT_THAT(failed_gates(sketch.comparison(), gates({"cycle>3%", "beta>50", "any"})), SizeIs(2));
}

TEST(GatesTest, a_cause_that_explains_an_improvement_fails_nothing) {
  auto sketch = slower();
  sketch.cause(CauseKind::kClockDrop, 0.9, "the clock rose");
  EXPECT_THAT(failures(sketch, "cause=clock"), SizeIs(1));
  sketch.edit().causes.back().improves = true;
  EXPECT_THAT(failures(sketch, "cause=clock"), IsEmpty());
}

Stragglers ranks_with_a_slow_one() {
  Stragglers ranks;
  ranks.ranks = {{.rank = 0, .cycles = 6, .own_ms = 10, .peers_ms = 12},
                 {.rank = 1, .cycles = 6, .own_ms = 15, .peers_ms = 10}};
  ranks.ranks[1].is_slow = true;
  ranks.ranks[1].cycles_late = 6;
  ranks.slowest = 1;
  return ranks;
}

TEST(GatesTest, the_own_time_of_a_slow_rank_is_held_against_its_peers) {
  const Stragglers ranks = ranks_with_a_slow_one();
  const auto failed = failed_gates(ranks, gates({"cycle>40%", "cycle>6ms", "cycle>4ms"}));
  ASSERT_THAT(failed, SizeIs(2));
  EXPECT_EQ(failed[0].gate, "cycle>40%");
  EXPECT_EQ(failed[0].why,
            "rank 1 works 5 ms per cycle longer than its peers, 50 % of their 10 ms (in 6 of "
            "6 cycles)");
  EXPECT_EQ(failed[1].gate, "cycle>4ms");
  Stragglers equal = ranks;
  equal.ranks[1].is_slow = false;
  equal.slowest.reset();
  EXPECT_THAT(failed_gates(equal, gates({"cycle>4ms", "any", "beta>1"})), IsEmpty())
      << "a difference without evidence fails nothing";
}

TEST(GatesTest, any_slow_or_late_rank_fails_the_gates_of_ranks) {
  Stragglers ranks = ranks_with_a_slow_one();
  EXPECT_EQ(failed_gates(ranks, gates({"any"}))[0].why, "rank 1 is slow");
  ranks.ranks[0].is_slow = true;
  EXPECT_EQ(failed_gates(ranks, gates({"any"}))[0].why, "rank 0 is slow, rank 1 is slow");
  for (RankRow& row : ranks.ranks) row.is_slow = false;
  ranks.slowest.reset();
  ranks.late = {0};
  ranks.ranks[0].collectives = 84;
  ranks.ranks[0].times_last = 32;
  EXPECT_EQ(failed_gates(ranks, gates({"cause=straggler"}))[0].why,
            "rank 0 came last to 32 of 84 collectives");
}

TEST(GatesTest, other_gates_of_ranks_are_about_the_slowest_one) {
  Stragglers ranks = ranks_with_a_slow_one();
  EXPECT_THAT(failed_gates(ranks, gates({"beta>1", "cause=clock"})), IsEmpty());
  ranks.against_peer = slower().cause(CauseKind::kClockDrop, 0.9, "clock").comparison();
  EXPECT_THAT(failed_gates(ranks, gates({"beta>1", "cause=clock"})), SizeIs(2));
}

}  // namespace
}  // namespace strobe::compare
