#include "strobe/query/run_job.h"

#include <deque>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strobe/fleet/waits/make_job.h"
#include "tests/support/sketch.h"

namespace strobe::query {
namespace {

using namespace literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// A rank that comes to two exchanges on the host, on a clock that begins at `base_ns`.
Trace rank_that_meets(std::int64_t first_ns, std::int64_t second_ns, std::int64_t base_ns = 0) {
  Sketch sketch;
  sketch.metadata().base_time_ns = base_ns;
  const auto at = [&](std::int64_t wall_clock_ns) { return wall_clock_ns - base_ns; };
  sketch.thread(1)
      .slice("ProfilerStep#4", SliceKind::kStep, at(0_us), 1'000_us)
      .thread(2)
      .slice("gloo:all_reduce", SliceKind::kAnnotation, at(first_ns), 400_us - first_ns)
      .slice("gloo:all_reduce", SliceKind::kAnnotation, at(second_ns), 900_us - second_ns);
  return sketch.trace();
}

class RunJobTest : public ::testing::Test {
 protected:
  void add(std::string run, std::int32_t rank, Trace trace) {
    traces_.push_back(std::move(trace));
    inputs_.push_back(
        {.run = std::move(run), .rank = rank, .path = "a.json", .trace = &traces_.back()});
  }

  std::deque<Trace> traces_;
  std::vector<TraceInput> inputs_;
};

TEST_F(RunJobTest, the_ranks_of_a_run_are_one_job) {
  add("run", 1, rank_that_meets(300_us, 500_us, 50_us));  // not in the order of the ranks
  add("run", 0, rank_that_meets(100_us, 600_us));
  const RunJob job(inputs_, 2);
  const RankInJob& one = job.rank(0);
  const RankInJob& zero = job.rank(1);
  ASSERT_NE(one.job, nullptr);
  EXPECT_EQ(one.job, zero.job);
  EXPECT_EQ(one.rank().rank, 1);
  EXPECT_EQ(zero.rank().rank, 0);
  EXPECT_EQ(one.rank().file, "a.json");
  EXPECT_THAT(one.steps, ElementsAre(Interval{-50_us, 950_us})) << "on the clock of the trace";
  EXPECT_THAT(one.calls, ElementsAre(Interval{250_us, 350_us}, Interval{450_us, 850_us}));
  ASSERT_THAT(one.job->exchanges, SizeIs(2));
  EXPECT_THAT(zero.exchanges, ElementsAre(0, 1)) << "each belongs to the first rank in it";
  EXPECT_THAT(one.exchanges, IsEmpty());
  for (const RankInJob* rank : {&one, &zero}) {
    ASSERT_THAT(rank->arrivals, SizeIs(2));
    for (std::size_t i = 0; i < 2; ++i) {
      const fleet::Arrival& arrival = rank->job->arrivals[rank->arrivals[i].arrival];
      EXPECT_EQ(arrival.call, i);
      EXPECT_EQ(arrival.rank, rank->place);
      EXPECT_EQ(rank->arrivals[i].exchange, i);
    }
  }
}

TEST_F(RunJobTest, two_traces_of_one_rank_are_jobs_of_their_own) {
  for (const std::int32_t rank : {0, 1, 1}) add("run", rank, rank_that_meets(100_us, 600_us));
  const RunJob job(inputs_, 2);
  for (std::size_t i = 0; i < 3; ++i) {
    ASSERT_NE(job.rank(i).job, nullptr);
    EXPECT_THAT(job.rank(i).job->ranks, SizeIs(1));
    EXPECT_EQ(job.rank(i).rank().rank, inputs_[i].rank);
    EXPECT_THAT(job.rank(i).steps, SizeIs(1));
    EXPECT_THAT(job.rank(i).arrivals, IsEmpty());
  }
}

TEST_F(RunJobTest, a_trace_without_slices_is_no_rank) {
  add("run", 0, Trace());
  add("run", 1, rank_that_meets(100_us, 600_us));
  add("run", 2, rank_that_meets(200_us, 500_us));
  const RunJob job(inputs_, 1);
  EXPECT_EQ(job.rank(0).job, nullptr);
  EXPECT_THAT(job.rank(0).steps, IsEmpty());
  EXPECT_THAT(job.rank(1).job->ranks, SizeIs(2));
  EXPECT_THAT(job.rank(1).exchanges, SizeIs(2));
  const std::vector<TraceInput> only = {inputs_[0]};
  EXPECT_EQ(RunJob(only, 4).rank(0).job, nullptr);
}

}  // namespace
}  // namespace strobe::query
