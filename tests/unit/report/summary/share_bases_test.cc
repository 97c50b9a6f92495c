#include <gmock/gmock.h>

#include "strobe/report/summary/summary_sections.h"
#include "tests/unit/report/summary/summary_sketch.h"

namespace strobe::report {
namespace {

class ShareBasesTest : public SummarySketch {
 protected:
  SummaryInput input() { return {ranks_, summary_, options_, "GPU", true}; }

  std::vector<RankInput> ranks_ = {rank("run.json")};
  TableOptions options_;
};

TEST_F(ShareBasesTest, a_whole_trace_is_the_base_of_its_tables) {
  EXPECT_FALSE(input().is_part());
  EXPECT_EQ(spans_ns(input()), 40'000'000);
  EXPECT_EQ(span_words(input()), "span of the trace");
  EXPECT_EQ(host_time_ns(input()), 20'000'000);
  EXPECT_EQ(device_time_ns(input()), 24'000'000) << "kernels and copies on two streams";
  EXPECT_EQ(device_time_words(input()), "GPU time of all kernels, copies and memsets");
}

TEST_F(ShareBasesTest, chosen_steps_are_the_base_of_theirs) {
  summary_.span_ns = 30'000'000;
  summary_.device_time_ns = 7'000'000;
  summary_.threads[0].host_time_ns = 22'000'000;
  EXPECT_TRUE(input().is_part());
  EXPECT_EQ(span_words(input()), "time of the chosen steps");
  EXPECT_EQ(device_time_ns(input()), 7'000'000);
  EXPECT_EQ(host_time_ns(input()), 22'000'000) << "with what goes on after the steps";
  EXPECT_EQ(host_time_words(input()), "host time of all threads in the chosen steps");
}

TEST(AverageTest, a_call_that_takes_more_than_all_others_is_taken_out) {
  const analysis::TimeStat first_is_long{5, 1'000, 920, 20};
  EXPECT_TRUE(is_spoilt_by_longest(first_is_long));
  EXPECT_EQ(std::get<Duration>(average_without_longest(first_is_long)).duration_ns, 20);
  EXPECT_FALSE(is_spoilt_by_longest({5, 1'000, 400, 100}));
  EXPECT_FALSE(is_spoilt_by_longest({3, 1'000, 900, 50})) << "too few to tell";
  EXPECT_TRUE(std::holds_alternative<Absent>(average_without_longest({1, 7, 7, 7})));
}

TEST_F(ShareBasesTest, times_count_from_the_earliest_slice_not_from_the_span) {
  EXPECT_EQ(since_origin_ns(ranks_[0], 5'000'000), 1'000'000);
}

TEST_F(ShareBasesTest, every_bar_has_the_same_scale) {
  for (const Section& section : document().sections) {
    for (const Column& column : section.table.columns) {
      EXPECT_EQ(column.type == ColumnType::kBar && !column.balanced, false) << section.key;
    }
  }
}

TEST_F(ShareBasesTest, ranks_are_added_up) {
  ranks_.push_back(rank("other.json"));
  EXPECT_EQ(spans_ns(input()), 80'000'000);
  EXPECT_EQ(host_time_ns(input()), 40'000'000);
  EXPECT_EQ(span_words(input()), "span of the trace, ranks added up");
}

TEST_F(ShareBasesTest, steps_are_cycles_only_if_none_are_marked) {
  EXPECT_FALSE(input().has_cycles());
  Summary found = summary_;
  found.cycles = {"a host range that recurs", ""};
  ranks_[0].summary = &found;
  EXPECT_TRUE(input().has_cycles());
  ranks_.push_back(rank("marked.json"));
  EXPECT_FALSE(input().has_cycles());
}

}  // namespace
}  // namespace strobe::report
