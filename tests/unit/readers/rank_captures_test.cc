#include "strobe/readers/rank_captures.h"

#include <gtest/gtest.h>

#include "tests/support/sketch.h"
#include "tests/support/temporary_folder.h"

namespace strobe::readers {
namespace {

using namespace literals;

RankTrace trace_of(std::string name, std::optional<std::int32_t> rank = {}) {
  Sketch sketch;
  sketch.stream(0, 7)
      .slice("gemm", SliceKind::kKernel, 0_us, 9_us)
      .counter("clock", "MHz", 1_us, 1400);
  sketch.metadata().distributed.rank = rank;
  return {.name = std::move(name),
          .trace = std::make_shared<const Trace>(sketch.trace()),
          .import = {}};
}

TEST(RankCapturesTest, a_rank_is_read_from_the_folder_or_the_file) {
  EXPECT_EQ(rank_files_of("run/rank3/trace.json").rank, 3);
  EXPECT_EQ(rank_files_of("run/rank_12/rank5.json").rank, 12);
  EXPECT_EQ(rank_files_of("run/host-rank-2.json.gz").rank, 2);
  EXPECT_EQ(rank_files_of("run/trace.json").rank, std::nullopt);
  EXPECT_EQ(rank_files_of("ranking3/trace.json").rank, std::nullopt);
}

TEST(RankCapturesTest, samples_lie_beside_the_trace_or_beside_its_ranks_folder) {
  const test::LogFolder logs;
  const auto above = logs.write("metrics.csv.gz", "");
  const auto own = logs.write("rank1/metrics.csv", "");
  EXPECT_EQ(rank_files_of(logs.path() / "rank0" / "t.json").metrics, above);
  EXPECT_EQ(rank_files_of(logs.path() / "rank1" / "t.json").metrics, own);
  EXPECT_EQ(rank_files_of(logs.path() / "t.json").metrics, above);
  EXPECT_EQ(rank_files_of(logs.path() / "other" / "t.json").metrics, std::nullopt);
}

TEST(RankCapturesTest, a_file_of_samples_is_read_once_for_all_ranks) {
  const test::LogFolder logs;
  const auto file = logs.write("metrics.csv", "ts_us,device,metric,value\n1,GPU 0,power,300\n");
  const std::vector<RankFiles> files = {{1, "a.json", file}, {0, "b.json", file}};
  const auto samples = read_samples(files);
  ASSERT_TRUE(samples);
  EXPECT_EQ(samples->size(), 1u);
  const auto ranks = capture_ranks(files, *samples, {trace_of("a"), trace_of("b")}, "run");
  ASSERT_TRUE(ranks);
  EXPECT_EQ((*ranks)[0].path, "b");
  for (const RankCapture& rank : *ranks) {
    ASSERT_EQ(rank.metrics.size(), 2u) << "the file's and the trace's own counter";
    EXPECT_EQ(rank.metrics[0].metric < rank.metrics[1].metric ||
                  rank.metrics[0].device < rank.metrics[1].device,
              true);
  }
}

TEST(RankCapturesTest, where_names_do_not_tell_ranks_apart_the_traces_do) {
  const std::vector<RankFiles> files = {{{}, "a.json", {}}, {{}, "b.json", {}}};
  const auto told = capture_ranks(files, {}, {trace_of("a", 7), trace_of("b", 2)}, "run");
  ASSERT_TRUE(told);
  EXPECT_EQ((*told)[0].rank, 2);
  const auto untold = capture_ranks(files, {}, {trace_of("a", 7), trace_of("b", 7)}, "run");
  ASSERT_FALSE(untold);
  EXPECT_EQ(untold.error().where, "run");
}

}  // namespace
}  // namespace strobe::readers
