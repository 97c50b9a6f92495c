#include "strobe/fleet/replay/traced_table.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strobe/base/byte_stream.h"
#include "strobe/fleet/waits/make_job.h"
#include "tests/support/job_sketch.h"
#include "tests/support/sketch.h"

namespace strobe::fleet {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pointwise;

using literals::operator""_ms;

// A rank that passes one micro-batch forward and back in each of two steps of 100 ms.
RankDigest rank_of_pipeline(std::int32_t rank, std::int32_t stage) {
  RankDigest digest = empty_digest(rank, 4);
  digest.host = "one";
  digest.stage = stage;
  for (const std::int64_t step : {0, 1}) {
    const std::int64_t zero_ns = step * 100_ms;
    digest.steps.push_back(
        {"ProfilerStep#" + std::to_string(7 + step), {zero_ns, zero_ns + 100_ms}, 1});
    const auto add = [&](OpType type, std::int64_t start_ms, std::int64_t end_ms) {
      const Interval interval = {zero_ns + start_ms * 1_ms, zero_ns + end_ms * 1_ms};
      digest.pipeline.push_back({{.type = type}, interval.start_ns, interval});
    };
    if (stage == 0) {
      add(OpType::kForwardCompute, 10, 20);
      add(OpType::kForwardSend, 20, 21);
      add(OpType::kBackwardRecv, 22, 61);
      add(OpType::kBackwardCompute, 61, 80);
    } else {
      add(OpType::kForwardRecv, 11, 21);
      add(OpType::kForwardCompute, 21, 40);
      add(OpType::kBackwardCompute, 40, 60);
      add(OpType::kBackwardSend, 60, 61);
    }
    add(OpType::kOptimizer, 82, 90);
  }
  return digest;
}

std::vector<RankDigest> job_of_four() {
  return {rank_of_pipeline(3, 1), rank_of_pipeline(0, 0), rank_of_pipeline(1, 0),
          rank_of_pipeline(2, 1)};
}

Result<OperationTable> table_of(const std::vector<RankDigest>& digests) {
  return traced_table(digests, make_job(digests, {.align = false}));
}

std::string error_of(const std::vector<RankDigest>& digests) {
  const auto table = table_of(digests);
  return table ? "" : table.error().what;
}

TEST(TracedTableTest, ranks_of_a_stage_are_its_data_parallel_ranks) {
  const auto table = table_of(job_of_four());
  ASSERT_TRUE(table) << table.error().what;
  EXPECT_THAT(table->steps, ElementsAre(7, 8));
  EXPECT_THAT(table->data_ranks, ElementsAre(0, 1));
  EXPECT_THAT(table->worker_ranks, ElementsAre(0, 1, 2, 3));
  EXPECT_EQ(table->sizes.stages, 2);
  EXPECT_EQ(table->sizes.chunks, 1);
  ASSERT_EQ(table->operations.size(), 10u);
  EXPECT_EQ(name_of(table->operations[0]), "forward-compute_0_0");
  EXPECT_EQ(name_of(table->operations[1]), "forward-recv_0_1");
  EXPECT_EQ(table->operations[1].global_chunk, 1);
  const std::vector<double> ends_s(table->end_s.begin(), table->end_s.begin() + 4);
  EXPECT_THAT(ends_s, Pointwise(DoubleNear(1e-12), {0.01, 0.01, 0.01, 0.01}));
}

TEST(TracedTableTest, chunks_of_a_schedule_go_around_the_stages) {
  auto digests = job_of_four();
  const auto names_chunks = [&](std::int32_t second) {
    for (RankDigest& digest : digests) {
      const std::int32_t stage = digest.rank / 2;
      digest.stage = std::nullopt;
      for (PipelineOperation& operation : digest.pipeline) {
        if (operation.what.type != OpType::kOptimizer) operation.what.global_chunk = stage;
        if (operation.what.type == OpType::kForwardCompute && stage == 0) {
          operation.what.global_chunk = second;
        }
      }
    }
  };
  names_chunks(2);
  const auto table = table_of(digests);
  ASSERT_TRUE(table) << table.error().what;
  EXPECT_EQ(table->sizes.chunks, 2);
  EXPECT_EQ(table->operations[0].global_chunk, 2);
  names_chunks(3);
  EXPECT_THAT(error_of(digests), HasSubstr("do not go around in order"));
}

TEST(TracedTableTest, a_table_is_written_as_it_is_read) {
  const auto table = table_of(job_of_four());
  ASSERT_TRUE(table);
  const std::string csv = csv_of(*table);
  const auto stream = open_stream(std::string_view(csv)).value();
  const auto read = parse_operation_table(*stream, "ops.csv");
  ASSERT_TRUE(read) << read.error().what;
  EXPECT_EQ(read->worker_ranks, table->worker_ranks);
  EXPECT_EQ(csv_of(*read), csv);
}

TEST(TracedTableTest, what_cannot_be_replayed_is_said) {
  auto digests = job_of_four();
  EXPECT_TRUE(replay_traces(digests, make_job(digests)).value());
  digests[0].stage = std::nullopt;
  EXPECT_THAT(error_of(digests), HasSubstr("the stage of rank 3 is not known"));

  digests = job_of_four();
  digests.pop_back();
  EXPECT_THAT(error_of(digests), HasSubstr("stage 1 has 1 rank, another one 2"));

  digests = job_of_four();
  digests[2].pipeline.clear();
  EXPECT_THAT(error_of(digests), HasSubstr("rank 1 has no passes"));

  const auto without = [&](OpType type) {
    digests = job_of_four();
    for (RankDigest& digest : digests) {
      std::erase_if(digest.pipeline, [&](const auto& one) { return one.what.type == type; });
    }
    return error_of(digests);
  };
  EXPECT_THAT(without(OpType::kOptimizer), HasSubstr("no range of the optimizer in step"));
  EXPECT_THAT(without(OpType::kBackwardCompute), HasSubstr("1 forward and 0 backward passes"));
  EXPECT_THAT(without(OpType::kForwardRecv), HasSubstr("no ranges name the transfers"));

  digests = job_of_four();
  for (DigestStep& step : digests[1].steps) {
    step.name += "0";
    step.interval = {step.interval.start_ns + 10'000_ms, step.interval.end_ns + 10'000_ms};
  }
  EXPECT_THAT(error_of(digests), HasSubstr("no operation lies in a step"));
  for (RankDigest& digest : digests) digest.pipeline.clear();
  EXPECT_EQ(replay_traces(digests, make_job(digests)), std::nullopt);
  EXPECT_THAT(error_of(digests), HasSubstr("no ranges of these traces name"));
}

TEST(TracedTableTest, a_first_stage_that_receives_has_chunks_without_names) {
  auto digests = job_of_four();
  for (RankDigest& digest : digests) {
    PipelineOperation receive = digest.pipeline.front();
    receive.what.type = OpType::kForwardRecv;
    digest.pipeline.push_back(receive);
  }
  EXPECT_THAT(error_of(digests), HasSubstr("the ranges do not name them"));
}

}  // namespace
}  // namespace strobe::fleet
