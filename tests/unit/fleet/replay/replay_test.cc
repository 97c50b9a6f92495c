#include "strobe/fleet/replay/replay.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strobe/base/byte_stream.h"
#include "strobe/base/json_value.h"
#include "tests/support/needs_shared.h"
#include "tests/support/operation_sketch.h"

namespace strobe::fleet {
namespace {

using ::testing::DoubleEq;
using ::testing::ElementsAre;

const std::string kStudy = STROBE_SOURCE_DIR "/../shared/data/stragglers/";

// The published answers were stored with 24 bits.
constexpr double kStored = 2e-6;

// The published answers of a job, and ours beside them.
class Published {
 public:
  Published(const std::string& job, Replay ours)
      : text_(read_text(kStudy + "result-" + job + ".json.zst").value()), ours_(std::move(ours)) {}

  void expect_equal() {
    for (const ReplayedStep& step : ours_.steps) {
      const std::string name = std::to_string(step.step);
      expect_near(number("step_t_base", name), step.recorded_s, "base of " + name);
      expect_near(number("step_t_nodelay", name), step.without_delays_s, "nodelay of " + name);
      expect_near(number("step_t_noblk", name), step.ideal_s, "ideal of " + name);
      expect_near(number("launch_step_slowdown", name), step.recorded_s / step.without_delays_s,
                  name);
      expect_near(number("blocking_step_slowdown", name), step.without_delays_s / step.ideal_s,
                  name);
    }
    EXPECT_EQ(members("step_t_base"), ours_.steps.size());
    const JobSizes& sizes = ours_.sizes;
    expect_near(number("job_meta", "dp_size"), sizes.data_parallel, "data-parallel ranks");
    expect_near(number("job_meta", "pp_size"), sizes.stages, "stages");
    expect_near(number("job_meta", "vpp_size"), sizes.chunks, "chunks");
    expect_near(number("job_meta", "tp_size"), sizes.tensor_parallel.value_or(0), "tensor");
    expect_near(number("job_meta", "dsp_size"), sizes.sequence_parallel.value_or(0), "sequence");
    expect_near(number("job_meta", "world_size"), sizes.devices.value_or(0), "devices");
    expect_near(number("launch_slowdown"), ours_.delay_slowdown(), "delays");
    expect_near(number("blocking_slowdown"), ours_.straggler_slowdown(), "stragglers");
    expect_parts("optype", ours_.kinds);
    expect_parts("dp_rank", ours_.data_ranks);
    expect_parts("stage", ours_.stages);
    EXPECT_GT(compared_, 100u);
  }

 private:
  JsonValue value(std::string_view key) const { return find(text_, key); }
  double number(std::string_view key) const { return value(key).as_double().value_or(NAN); }
  double number(std::string_view key, std::string_view inner) const {
    return find(value(key).text, inner).as_double().value_or(NAN);
  }
  std::size_t members(std::string_view key) const {
    std::size_t count = 0;
    for_each_member(value(key).text, [&](std::string_view, const JsonValue&) { ++count; });
    return count;
  }

  void expect_near(double published, double ours, const std::string& what) {
    EXPECT_NEAR(ours / published, 1, kStored) << what << ": " << ours << " for " << published;
    ++compared_;
  }

  void expect_parts(const std::string& by, const std::vector<PartReplay>& parts) {
    const std::string key = "blocking_decompose_by_" + by;
    EXPECT_EQ(members(key), parts.size());
    for (const PartReplay& part : parts) {
      expect_near(number(key, part.name), part.slowdown, part.name);
      for (std::size_t i = 0; i < ours_.steps.size(); ++i) {
        const std::string step = std::to_string(ours_.steps[i].step);
        const JsonValue in_step = find(value(key + "_per_step").text, step);
        expect_near(find(in_step.text, part.name).as_double().value_or(NAN), part.by_step[i],
                    fmt::format("{} in step {}", part.name, step));
      }
    }
  }

  std::string text_;
  Replay ours_;
  std::size_t compared_ = 0;
};

void expect_workers(const std::string& file, const WorkersReplay& ours, const Replay& replay) {
  const std::string text = read_text(kStudy + file).value();
  const auto expect = [&](std::string_view key, double value) {
    const double published = find(text, key).as_double().value_or(NAN);
    EXPECT_NEAR(value / published, 1, kStored) << file << ": " << key;
  };
  expect("trem", ours.repaired_s);
  expect("tadd", ours.only_they_s);
  expect("tori", replay.without_delays_s);
  expect("tideal", replay.ideal_s);
  expect("rem", ours.saved_share);
  expect("add", ours.caused_share);
}

class PublishedJobTest : public ::testing::TestWithParam<const char*> {};

TEST_P(PublishedJobTest, every_published_number_is_reproduced) {
  STROBE_NEEDS_SHARED();
  const std::string job = GetParam();
  const auto table = read_operation_table(kStudy + "ops-" + job + ".csv.gz");
  ASSERT_TRUE(table) << table.error().what;
  const auto ours = replay(*table);
  ASSERT_TRUE(ours) << ours.error().what;
  EXPECT_EQ(ours->name, job);
  Published(job, *ours).expect_equal();
  expect_workers("mw-" + job + ".json", ours->worst_workers, *ours);
  expect_workers("ms-" + job + ".json", ours->last_stage, *ours);
}

INSTANTIATE_TEST_SUITE_P(, PublishedJobTest, ::testing::Values("ST", "SE"));

using testing::OperationSketch;

// One stage on two data-parallel ranks: a pass, then both wait for each other, then the optimizer.
// The rank's pass takes one second or three.
OperationSketch& add_step(OperationSketch& sketch, int step, double first_s, double second_s) {
  const double last_s = std::max(first_s, second_s);
  for (const int data_rank : {0, 1}) {
    const double pass_s = data_rank == 0 ? first_s : second_s;
    sketch.at(step, data_rank, 0, 7 - data_rank)
        .forward(0, 0, pass_s)
        .add("optimizer-clip-main-grad", 0, pass_s, last_s + 0.5)
        .add("optimizer", 0, last_s + 0.5, last_s + 1);
  }
  return sketch;
}

// Ideal: 2 s for the pass (the mean), 0.5 s for the exchange (from the last start), 0.5 s.
TEST(ReplayTest, a_slow_rank_costs_what_it_takes_longer_than_the_mean) {
  OperationSketch sketch;
  const auto job = replay(add_step(sketch, 5, 1, 3).table());
  ASSERT_TRUE(job) << job.error().what;
  EXPECT_DOUBLE_EQ(job->recorded_s, 4);
  EXPECT_DOUBLE_EQ(job->without_delays_s, 4);
  EXPECT_DOUBLE_EQ(job->ideal_s, 3);
  EXPECT_DOUBLE_EQ(job->straggler_slowdown(), 4.0 / 3);
  EXPECT_EQ(job->operations, 6u);

  ASSERT_EQ(job->data_ranks.size(), 2u);
  EXPECT_EQ(job->data_ranks[0].name, "1");  // the worst first
  EXPECT_DOUBLE_EQ(job->data_ranks[0].slowdown, 4.0 / 3);
  EXPECT_DOUBLE_EQ(job->data_ranks[1].slowdown, 1);  // it is early, and waits
  ASSERT_EQ(job->kinds.size(), 3u);
  EXPECT_EQ(job->kinds[0].name, "forward-compute");
  EXPECT_DOUBLE_EQ(job->kinds[0].slowdown, 4.0 / 3);
  EXPECT_DOUBLE_EQ(job->kinds[1].slowdown, 1);
  EXPECT_DOUBLE_EQ(job->kinds[2].slowdown, 1);

  ASSERT_EQ(job->workers.size(), 2u);
  EXPECT_EQ(job->workers[0].rank, 6);
  EXPECT_DOUBLE_EQ(job->workers[0].score, 4.0 / 3);
  EXPECT_DOUBLE_EQ(job->workers[1].score, 1);
  ASSERT_EQ(job->worst_workers.workers.size(), 1u);
  EXPECT_EQ(job->worst_workers.workers[0].data_rank, 1);
  EXPECT_DOUBLE_EQ(job->worst_workers.repaired_s, 3);
  EXPECT_DOUBLE_EQ(job->worst_workers.only_they_s, 4);
  EXPECT_DOUBLE_EQ(job->worst_workers.saved_share, 1);
  EXPECT_DOUBLE_EQ(job->worst_workers.caused_share, 1);
  EXPECT_EQ(job->last_stage.workers.size(), 2u);
  EXPECT_DOUBLE_EQ(job->last_stage.saved_share, 1);
}

TEST(ReplayTest, of_equal_workers_the_lower_rank_comes_first) {
  OperationSketch sketch;
  const auto job = replay(add_step(sketch, 5, 2, 2).table());
  ASSERT_TRUE(job) << job.error().what;
  EXPECT_DOUBLE_EQ(job->straggler_slowdown(), 1);
  EXPECT_EQ(job->workers[0].rank, 6);
  EXPECT_EQ(job->workers[1].rank, 7);
  EXPECT_EQ(job->worst_workers.workers[0].data_rank, 1);
  EXPECT_EQ(job->worst_workers.saved_share, 0);  // there is nothing to save
}

TEST(ReplayTest, three_percent_of_the_workers_are_the_worst_at_least_one) {
  const auto worst_of = [](int stages) {
    OperationSketch sketch;
    for (int stage = 0; stage < stages; ++stage) {
      sketch.at(0, 0, stage).forward(0, 0, 1 + stage).add("optimizer", 0, stages, stages + 1);
    }
    return replay(sketch.table()).value().worst_workers.workers.size();
  };
  EXPECT_EQ(worst_of(8), 1u);
  EXPECT_EQ(worst_of(64), 2u);
  EXPECT_EQ(worst_of(100), 3u);
}

// The mean pass takes 2 s in both steps, so a step is ideal with 3 s; they take 4 s and 3 s.
TEST(ReplayTest, every_step_has_its_own_slowdown) {
  OperationSketch sketch;
  add_step(sketch, 8, 1, 3);
  const auto job = replay(add_step(sketch, 9, 2, 2).table());
  ASSERT_TRUE(job) << job.error().what;
  ASSERT_EQ(job->steps.size(), 2u);
  EXPECT_DOUBLE_EQ(job->steps[0].without_delays_s, 4);
  EXPECT_DOUBLE_EQ(job->steps[1].without_delays_s, 3);
  EXPECT_DOUBLE_EQ(job->without_delays_s, 3.5);
  EXPECT_EQ(job->data_ranks[0].name, "1");
  EXPECT_THAT(job->data_ranks[0].by_step, ElementsAre(DoubleEq(4.0 / 3), DoubleEq(1)));
  EXPECT_DOUBLE_EQ(job->data_ranks[0].slowdown, 3.5 / 3);
}

TEST(ReplayTest, delays_are_no_stragglers) {
  const auto job = replay(
      OperationSketch().at(0, 0, 0).forward(0, 0, 1).add("optimizer", 0, 1.25, 2.25).table());
  ASSERT_TRUE(job) << job.error().what;
  EXPECT_DOUBLE_EQ(job->recorded_s, 2.25);
  EXPECT_DOUBLE_EQ(job->without_delays_s, 2);
  EXPECT_DOUBLE_EQ(job->delay_slowdown(), 1.125);
  EXPECT_DOUBLE_EQ(job->straggler_slowdown(), 1);
}

TEST(ReplayTest, without_an_optimizer_no_step_ends) {
  const auto job = replay(OperationSketch().forward(0, 0, 1).table());
  ASSERT_FALSE(job);
  EXPECT_EQ(job.error().what,
            "a step ends with its last optimizer, and no optimizer takes any time");
}

}  // namespace
}  // namespace strobe::fleet
