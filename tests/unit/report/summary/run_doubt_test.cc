#include "strobe/report/summary/run_doubt.h"

#include <gtest/gtest.h>

#include <optional>
#include <utility>

#include "tests/support/sketch.h"

namespace strobe::report {
namespace {

using OptionalNumber = std::optional<std::int32_t>;

Trace trace_by(std::string dialect, OptionalNumber rank = {}, OptionalNumber world_size = {}) {
  Sketch sketch;
  sketch.metadata().traits.dialect = std::move(dialect);
  sketch.metadata().distributed.rank = rank;
  sketch.metadata().distributed.world_size = world_size;
  return sketch.trace();
}

TEST(RunDoubtTest, ranks_of_one_run_are_not_doubted) {
  const Trace first = trace_by("kineto", 0, 2);
  const Trace second = trace_by("kineto", 1, 2);
  const Trace silent = trace_by("kineto");
  EXPECT_EQ(run_doubt({&first}), "");
  EXPECT_EQ(run_doubt({&first, &second}), "");
  EXPECT_EQ(run_doubt({&silent, &silent}), "") << "they may be ranks that do not say theirs";
}

TEST(RunDoubtTest, traces_of_several_writers_are_doubted_and_all_writers_named) {
  const Trace kineto = trace_by("kineto", 0);
  const Trace paddle = trace_by("paddle", 1);
  EXPECT_EQ(run_doubt({&kineto, &paddle, &kineto}), "they were written by kineto and paddle");
  EXPECT_EQ(writers_of({&kineto, &paddle, &kineto}), "kineto, paddle");
}

TEST(RunDoubtTest, runs_of_different_sizes_are_doubted) {
  const Trace large = trace_by("kineto", 0, 8);
  const Trace small = trace_by("kineto", 1, 2);
  EXPECT_EQ(run_doubt({&large, &small}), "they are from runs of 2 and 8 ranks");
}

TEST(RunDoubtTest, one_rank_twice_is_doubted) {
  const Trace once = trace_by("kineto", 3, 8);
  const Trace other = trace_by("kineto", 4, 8);
  EXPECT_EQ(run_doubt({&once, &other, &once}), "2 of them say that they are rank 3");
}

}  // namespace
}  // namespace strobe::report
