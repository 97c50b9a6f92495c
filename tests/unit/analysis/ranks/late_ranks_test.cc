#include "strobe/analysis/ranks/late_ranks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/support/rank_sketch.h"
#include "tests/support/sketch.h"

namespace strobe::analysis {
namespace {

using namespace strobe::literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Ranks that meet in an all-reduce every millisecond. A rank arrives `late_us` after the start of
// the cycle; all kernels end 10 us after the last arrival.
class Meeting {
 public:
  explicit Meeting(std::size_t ranks) : sketches_(ranks), shifts_ns_(ranks) {}

  // This rank's clock is ahead by so much.
  Meeting& shift(std::size_t rank, std::int64_t shift_ns) {
    shifts_ns_[rank] = shift_ns;
    return *this;
  }
  Meeting& meet(const std::vector<std::int64_t>& late_us, const std::string& name = "all_reduce",
                const std::string& args = "") {
    const std::int64_t end_ns = time_ns_ + *std::max_element(late_us.begin(), late_us.end()) * 1_us;
    for (std::size_t rank = 0; rank < late_us.size(); ++rank) {
      if (late_us[rank] < 0) continue;  // takes no part
      const std::int64_t start_ns = time_ns_ + late_us[rank] * 1_us;
      sketches_[rank]
          .stream(0, 7)
          .slice(name, kKernel, start_ns + shifts_ns_[rank], end_ns + 10_us - start_ns)
          .flags(kCommunicates);
      if (!args.empty()) sketches_[rank].args(args);
    }
    time_ns_ += 1_ms;
    return *this;
  }
  Sketch& rank(std::size_t number) { return sketches_[number]; }

  Lateness lateness() {
    std::vector<const Trace*> pointers;
    traces_.reserve(sketches_.size());
    for (Sketch& sketch : sketches_) {
      traces_.push_back(sketch.trace());
      pointers.push_back(&traces_.back());
    }
    return find_lateness(pointers);
  }

 private:
  std::vector<Sketch> sketches_;
  std::vector<std::int64_t> shifts_ns_;
  std::vector<Trace> traces_;
  std::int64_t time_ns_ = 0;
};

TEST(LatenessTest, the_last_rank_is_the_one_that_starts_after_all_others) {
  Meeting meeting(3);
  meeting.meet({0, 100, 10}).meet({5, 300, 15}).meet({200, 0, 0});
  const Lateness lateness = meeting.lateness();
  ASSERT_EQ(lateness.ranks.size(), 3u);
  EXPECT_EQ(lateness.collectives, 3u);
  EXPECT_FALSE(lateness.clocks_differ);
  EXPECT_EQ(lateness.ranks[0].last, 1u);
  EXPECT_EQ(lateness.ranks[0].others_waited_ns, 200_us);
  EXPECT_EQ(lateness.ranks[1].collectives, 3u);
  EXPECT_EQ(lateness.ranks[1].last, 2u);
  // The median arrival of the others: 5 us, then 10 us after the cycle's start.
  EXPECT_EQ(lateness.ranks[1].others_waited_ns, 95_us + 290_us);
  EXPECT_EQ(lateness.ranks[1].longest_ns, 290_us);
  EXPECT_EQ(lateness.ranks[1].longest_at_ns, 1300_us);
  EXPECT_EQ(lateness.ranks[2].last, 0u);
  EXPECT_DOUBLE_EQ(lateness.ranks[2].last_by_chance, 1.0);
}

TEST(LatenessTest, a_wait_in_two_collectives_at_once_counts_once) {
  Meeting meeting(2);
  meeting.meet({0, 1500}).meet({0, 1500});  // the second one begins after 1 ms
  const Lateness lateness = meeting.lateness();
  EXPECT_EQ(lateness.ranks[1].last, 2u);
  EXPECT_EQ(lateness.ranks[1].others_waited_ns, 2500_us);
}

TEST(LatenessTest, two_that_start_last_together_are_both_not_last) {
  Meeting meeting(3);
  meeting.meet({0, 100, 100});
  const Lateness lateness = meeting.lateness();
  EXPECT_EQ(lateness.collectives, 1u);
  for (const RankLateness& rank : lateness.ranks) EXPECT_EQ(rank.last, 0u);
}

TEST(LatenessTest, names_match_one_by_one_and_unequal_counts_do_not) {
  Meeting meeting(2);
  meeting.meet({0, 50}, "all_reduce")
      .meet({0, 60}, "all_gather")
      .meet({0, -1}, "all_reduce")  // rank 1 does not have this one
      .meet({0, -1}, "only_here");
  const Lateness lateness = meeting.lateness();
  EXPECT_EQ(lateness.collectives, 1u);
  EXPECT_EQ(lateness.ranks[1].others_waited_ns, 60_us);
}

TEST(LatenessTest, ranks_of_different_process_groups_do_not_wait_for_each_other) {
  const std::string first = R"({"Collective name": "allreduce", "Process Group Ranks": "[0, 1]"})";
  const std::string second = R"({"Collective name": "allreduce", "Process Group Ranks": "[2, 3]"})";
  Meeting meeting(4);
  meeting.meet({0, 20, -1, -1}, "all_reduce", first).meet({-1, -1, 70, 0}, "all_reduce", second);
  const Lateness lateness = meeting.lateness();
  EXPECT_EQ(lateness.collectives, 2u);
  EXPECT_EQ(lateness.ranks[1].others_waited_ns, 20_us);
  EXPECT_EQ(lateness.ranks[2].others_waited_ns, 70_us);
  EXPECT_EQ(lateness.ranks[2].collectives, 1u);
  EXPECT_DOUBLE_EQ(lateness.ranks[2].last_by_chance, 0.5);
}

TEST(LatenessTest, what_one_rank_sends_to_another_is_no_collective) {
  Meeting meeting(2);
  meeting.meet({0, 50}, "kernel_SendRecv")
      .meet({0, 50}, "transfer", R"({"Collective name": "send"})")
      .meet({0, 50}, "kernel_SendRecv", R"({"Collective name": "all_to_allv"})");
  EXPECT_EQ(meeting.lateness().collectives, 1u);
}

TEST(LatenessTest, kernels_that_do_not_communicate_are_left_out) {
  Meeting meeting(2);
  meeting.rank(0).stream(0, 7).slice("gemm", kKernel, 0_us, 1_us);
  meeting.rank(1).stream(0, 7).slice("gemm", kKernel, 5_us, 1_us);
  const Lateness lateness = meeting.lateness();
  EXPECT_EQ(lateness.collectives, 0u);
  EXPECT_THAT(lateness.ranks, IsEmpty());
  EXPECT_THAT(late_ranks(lateness), IsEmpty());
}

TEST(LatenessTest, one_rank_alone_has_nobody_to_wait_for) {
  Meeting meeting(1);
  meeting.meet({0}).meet({5});
  EXPECT_THAT(meeting.lateness().ranks, IsEmpty());
}

TEST(LatenessTest, with_different_clocks_the_shortest_kernel_came_last) {
  Meeting meeting(3);
  meeting.shift(0, 7_ms);  // rank 0 seems to be the last, always
  for (int i = 0; i < 12; ++i) meeting.meet({0, 40, 10});
  const Lateness lateness = meeting.lateness();
  EXPECT_TRUE(lateness.clocks_differ);
  EXPECT_EQ(lateness.ranks[0].last, 0u);
  EXPECT_EQ(lateness.ranks[1].last, 12u);
  EXPECT_EQ(lateness.ranks[1].others_waited_ns, 12 * 35_us);  // the others: 0 and 10 us
}

// Twelve meetings of four ranks in a library's range on the host; rank 2 comes 300 us late. The
// clock of rank 1 is ahead by 400 us, less than a meeting lasts.
std::vector<Trace> meetings_on_host(const std::string& name) {
  std::vector<Trace> traces;
  for (const std::int64_t rank : {0, 1, 2, 3}) {
    Sketch sketch;
    sketch.thread(5);
    for (std::int64_t i = 0; i < 12; ++i) {
      const std::int64_t start_ns = i * 1_ms + (rank == 2 ? 300_us : rank * 1_us);
      const std::int64_t ahead_ns = rank == 1 ? 400_us : 0;
      sketch.slice(name, SliceKind::kCommunication, start_ns + ahead_ns,
                   i * 1_ms + 800_us - start_ns);
    }
    traces.push_back(sketch.trace());
  }
  return traces;
}

Lateness lateness_of(const std::vector<Trace>& traces) {
  std::vector<const Trace*> pointers;
  for (const Trace& trace : traces) pointers.push_back(&trace);
  return find_lateness(pointers);
}

TEST(LatenessTest, ranges_of_libraries_on_the_host_are_collectives) {
  const Lateness lateness = lateness_of(meetings_on_host("gloo:all_reduce"));
  EXPECT_EQ(lateness.collectives, 12u);
  EXPECT_TRUE(lateness.on_host);
  EXPECT_FALSE(lateness.clocks_differ);
  EXPECT_EQ(lateness.ranks[2].last, 12u);
  EXPECT_EQ(lateness.ranks[1].last, 0u);  // though its starts are the latest on its own clock
  EXPECT_EQ(lateness.ranks[2].others_waited_ns, 12 * 299_us);
  EXPECT_THAT(late_ranks(lateness), ElementsAre(2u));
}

TEST(LatenessTest, calls_that_only_launch_and_messages_between_two_are_none) {
  EXPECT_EQ(lateness_of(meetings_on_host("nccl:all_reduce")).collectives, 0u);
  EXPECT_EQ(lateness_of(meetings_on_host("gloo:send")).collectives, 0u);
  EXPECT_EQ(lateness_of(meetings_on_host("gloo:recvAnySource")).collectives, 0u);
}

TEST(LatenessTest, the_times_of_traces_with_different_bases_are_compared_on_the_wall_clock) {
  Meeting meeting(2);
  meeting.shift(1, -500_us).meet({0, 50}).meet({0, 70});
  meeting.rank(1).metadata().base_time_ns = 500_us;
  const Lateness lateness = meeting.lateness();
  EXPECT_FALSE(lateness.clocks_differ);
  EXPECT_EQ(lateness.ranks[1].last, 2u);
  EXPECT_EQ(lateness.ranks[1].others_waited_ns, 120_us);
  EXPECT_EQ(lateness.ranks[1].longest_at_ns, 1_ms + 70_us - 500_us);
}

// Two of eight ranks share the delays: both are named, the one that costs more first.
TEST(LateRanksTest, every_rank_that_is_last_more_often_than_chance_is_named) {
  Meeting meeting(8);
  for (int i = 0; i < 40; ++i) {
    std::vector<std::int64_t> late_us(8);
    for (std::size_t rank = 0; rank < 8; ++rank) late_us[rank] = (i + static_cast<int>(rank)) % 8;
    if (i % 5 == 0) late_us[6] = 150;
    if (i % 5 == 1) late_us[6] = 150;
    if (i % 5 == 2) late_us[2] = 300;
    if (i % 5 == 3) late_us[2] = 300;
    meeting.meet(late_us);
  }
  EXPECT_THAT(late_ranks(meeting.lateness()), ElementsAre(2u, 6u));
}

TEST(LateRanksTest, taking_turns_is_chance) {
  Meeting meeting(4);
  for (std::size_t i = 0; i < 40; ++i) {
    std::vector<std::int64_t> late_us(4);
    late_us[i % 4] = 300;
    meeting.meet(late_us);
  }
  EXPECT_THAT(late_ranks(meeting.lateness()), IsEmpty());
}

TEST(LateRanksTest, a_rank_that_is_always_last_by_a_microsecond_costs_nothing) {
  Meeting meeting(4);
  for (int i = 0; i < 40; ++i) meeting.meet({0, 0, 1, 0});
  const Lateness lateness = meeting.lateness();
  EXPECT_EQ(lateness.ranks[2].last, 40u);
  EXPECT_THAT(late_ranks(lateness), IsEmpty());
}

TEST(LateRanksTest, a_few_collectives_prove_nothing) {
  Meeting meeting(2);
  for (int i = 0; i < 5; ++i) meeting.meet({0, 300});
  EXPECT_THAT(late_ranks(meeting.lateness()), IsEmpty());
}

// 32 and 28 of 84, as eight ranks had them; one of the others was last 15 times for little time.
TEST(LateRanksTest, counts_alone_are_enough) {
  Lateness lateness;
  lateness.collectives = 84;
  lateness.span_ns = 600_ms;
  lateness.ranks.resize(8);
  for (RankLateness& rank : lateness.ranks) rank.collectives = 84;
  lateness.ranks[0].last = 32;
  lateness.ranks[0].others_waited_ns = 227_ms;
  lateness.ranks[3].last = 15;
  lateness.ranks[3].others_waited_ns = 20_ms;
  lateness.ranks[6].last = 28;
  lateness.ranks[6].others_waited_ns = 181_ms;
  EXPECT_THAT(late_ranks(lateness), ElementsAre(0u, 6u));
}

TEST(LateRanksTest, the_rank_with_more_own_work_is_late_to_every_collective) {
  const strobe::Run run = ranked_run("run", {kUsual, kUsual, kSlow, kUsual}, 12.0);
  std::vector<const Trace*> traces;
  for (const RankCapture& rank : run.ranks) traces.push_back(rank.trace.get());
  const Lateness lateness = find_lateness(traces);
  EXPECT_EQ(lateness.ranks[2].last, 6u);
  EXPECT_THAT(late_ranks(lateness), ElementsAre(2u));
}

}  // namespace
}  // namespace strobe::analysis
