#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strobe/bench/workers/counting.h"
#include "strobe/bench/workers/runner.h"
#include "tests/support/bench_sketch.h"
#include "tests/support/bench_worker.h"
#include "tests/support/temporary_folder.h"

namespace strobe::bench {
namespace {

using strobe::testing::bytes_of;
using strobe::testing::scripted_worker;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;
using Calls = std::vector<std::vector<CountedLaunch>>;

CountedLaunch launch(std::map<std::string, double> counters, std::string name = "scripted_kernel") {
  return {.name = std::move(name),
          .grid = {4, 1, 1},
          .block = {128, 1, 1},
          .counters = std::move(counters)};
}

// The recorder's results are given in advance.
class ScriptedCounter : public CallCounter {
 public:
  Result<Variables> environment(const std::vector<std::string>&) override {
    ++environments;
    if (obstacle.empty()) return Variables{{"STROBE_COUNTS", "yes"}};
    return Error{ErrorCode::kMachineLacks, obstacle, "", "get one"};
  }
  std::size_t calls() const override { return 2; }
  Result<Calls> take() override {
    ++takes;
    if (!trouble.empty()) return Error{code, trouble, "", ""};
    return seen;
  }

  Calls seen = {{launch({{"dram__bytes_read.sum", 64}, {"smsp__inst_executed.sum", 10}})},
                {launch({{"sm__sass_thread_inst_executed_op_ffma_pred_on.sum", 3}})}};
  std::string obstacle;
  std::string trouble;
  ErrorCode code = ErrorCode::kTooLittleData;
  int takes = 0;
  int environments = 0;
};

class CellCountingTest : public ::testing::Test {
 protected:
  BenchOutcome run(const std::vector<std::string>& words = {}) {
    RunRequest request = strobe::testing::brief_run(5);
    request.providers = {"scripted"};
    request.workers.commands["scripted"] = scripted_worker(words);
    request.counter = &counter_;
    Result<BenchOutcome> outcome = run_bench(request, [](const RunProgress&) {});
    EXPECT_TRUE(outcome) << outcome.error().what;
    return outcome ? std::move(*outcome) : BenchOutcome{};
  }
  ScriptedCounter counter_;
};

TEST(CellCounting, sectors_become_bytes_and_a_fused_operation_is_two) {
  const CellCounters sums = sum_counters(Calls{
      {launch({{"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", 10},
               {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum", 1},
               {"lts__t_sectors_srcunit_tex_op_write.sum", 3},
               {"dram__bytes_read.sum", 100}}),
       launch(
           {{"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", 5}, {"dram__bytes_read.sum", 28}})},
      {launch({{"sm__sass_thread_inst_executed_op_fadd_pred_on.sum", 1},
               {"sm__sass_thread_inst_executed_op_fmul_pred_on.sum", 2},
               {"sm__sass_thread_inst_executed_op_ffma_pred_on.sum", 4}}),
       launch({{"sm__sass_thread_inst_executed_op_fadd_pred_on.sum", 7}, {"a_stranger.sum", 9}})},
      {launch({{"sm__ops_path_tensor_src_bf16_dst_fp32.sum", 0}}),
       launch({{"sm__ops_path_tensor_src_bf16_dst_fp32.sum", 1024}})},
      {launch({{"sm__ops_path_tensor_src_fp16_dst_fp16.sum", 16}}),
       launch({{"sm__ops_path_tensor_src_fp16_dst_fp32.sum", 32}})}});
  EXPECT_EQ(sums, (sketched_counters(2, {{&CellCounters::l1_load_bytes, 15 * 32},
                                         {&CellCounters::l1_load_hit_bytes, 32},
                                         {&CellCounters::l2_write_bytes, 3 * 32},
                                         {&CellCounters::dram_read_bytes, 128},
                                         {&CellCounters::flops, 1 + 2 + 2 * 4 + 7},
                                         {&CellCounters::matrix_flops, 1024 + 16 + 32}})));
}

TEST_F(CellCountingTest, every_cell_is_counted_by_one_more_worker_that_knows_it_is_watched) {
  const strobe::testing::TemporaryFolder folder;
  const BenchOutcome outcome =
      run({"starts=" + (folder / "starts").string(), "counts=" + (folder / "counts").string()});
  ASSERT_EQ(outcome.run.cells.size(), 2u);
  for (const CellRecord& record : outcome.run.cells) {
    ASSERT_TRUE(record.counters);
    EXPECT_EQ(*record.counters, (sketched_counters(1, {{&CellCounters::dram_read_bytes, 64},
                                                       {&CellCounters::instructions, 10},
                                                       {&CellCounters::flops, 6}})));
    EXPECT_THAT(record.all_notes(), Not(Contains(HasSubstr("counted"))));
  }
  // One worker is timed, one is counted: two calls of each of the two cells.
  EXPECT_EQ(bytes_of(folder / "starts"), "started\nstarted\n");
  EXPECT_EQ(bytes_of(folder / "counts"), "yes\nyes\nyes\nyes\n");
  EXPECT_EQ(outcome.counting_obstacle, "");
}

TEST_F(CellCountingTest, a_machine_that_cannot_count_is_asked_once_and_every_time_stays) {
  counter_.obstacle = "there is no recorder";
  const BenchOutcome outcome = run();
  EXPECT_EQ(counter_.environments, 1);
  EXPECT_EQ(outcome.counting_obstacle, "there is no recorder (get one)");
  for (const CellRecord& record : outcome.run.cells) {
    EXPECT_EQ(record.status, CellStatus::kOk);
    EXPECT_EQ(record.headline()->p50, 10);
    EXPECT_FALSE(record.counters);
    EXPECT_THAT(record.all_notes(), Contains("not counted: there is no recorder (get one)"));
  }
}

TEST_F(CellCountingTest, counters_that_are_forbidden_are_not_tried_again) {
  counter_.trouble = "the counters are for administrators";
  counter_.code = ErrorCode::kMachineLacks;
  const BenchOutcome outcome = run();
  EXPECT_EQ(counter_.takes, 1);
  EXPECT_EQ(outcome.counting_obstacle, "the counters are for administrators");
}

TEST_F(CellCountingTest, a_mishap_is_of_its_cell_alone) {
  counter_.trouble = "a batch was lost";
  const BenchOutcome outcome = run();
  EXPECT_EQ(counter_.takes, 2);
  EXPECT_EQ(outcome.counting_obstacle, "");
  EXPECT_THAT(outcome.run.cells[1].all_notes(), Contains("not counted: a batch was lost"));
}

TEST_F(CellCountingTest, a_worker_that_dies_while_it_is_watched_costs_no_time) {
  const BenchOutcome outcome = run({"at=count", "do=crash"});
  for (const CellRecord& record : outcome.run.cells) {
    EXPECT_EQ(record.status, CellStatus::kOk);
    EXPECT_THAT(record.all_notes(),
                Contains(HasSubstr("not counted: the worker was ended by SIGSEGV")));
  }
}

TEST_F(CellCountingTest, parts_that_do_not_fit_together_are_no_whole) {
  counter_.seen.pop_back();
  EXPECT_THAT(run().run.cells[0].all_notes(), Contains("not counted: 1 of 2 calls were recorded"));
  counter_.seen = {{launch({})}, {launch({}, "another")}};
  EXPECT_THAT(run().run.cells[0].all_notes(),
              Contains("not counted: the call launches other kernels each time"));
  counter_.seen = {{}, {}};
  EXPECT_THAT(run().run.cells[0].all_notes(), Contains("not counted: the call launched no kernel"));
}

TEST_F(CellCountingTest, kernels_other_than_the_timed_ones_are_told) {
  counter_.seen = {{launch({{"dram__bytes_read.sum", 1}}, "tuned_anew")},
                   {launch({}, "tuned_anew")}};
  const BenchOutcome outcome = run();
  EXPECT_TRUE(outcome.run.cells[0].counters);
  EXPECT_THAT(outcome.run.cells[0].all_notes(), Contains(HasSubstr("counted on other kernels")));
}

TEST_F(CellCountingTest, copies_in_a_list_of_kernels_are_no_launches) {
  const BenchOutcome outcome = run({"kernels=scripted_kernel,Memset (Device)"});
  EXPECT_TRUE(outcome.run.cells[0].counters);
  EXPECT_THAT(outcome.run.cells[0].all_notes(), Not(Contains(HasSubstr("other kernels"))));
}

TEST_F(CellCountingTest, who_knows_whole_cells_only_is_not_counted) {
  const BenchOutcome outcome = run({"only=cell"});
  EXPECT_THAT(outcome.run.cells[0].all_notes(),
              Contains("not counted: its worker does not support 'count'"));
  EXPECT_EQ(counter_.takes, 0);
}

CountedLaunch lasting(double ns) {
  return {.name = "strobe_empty", .counters = {{std::string(kDurationCounter), ns}}};
}

class DurationCounter : public CallCounter {
 public:
  Result<Variables> environment(const std::vector<std::string>&) override {
    if (obstacle.empty()) return Variables{{"STROBE_COUNTS", "watched"}};
    return Error{ErrorCode::kMachineLacks, obstacle, "", ""};
  }
  std::size_t calls() const override { return 1; }
  Result<std::vector<std::vector<CountedLaunch>>> take() override { return seen; }

  std::vector<std::vector<CountedLaunch>> seen = {{lasting(1300), lasting(9000), lasting(1400)}};
  std::string obstacle;
};

class FloorCounting : public ::testing::Test {
 protected:
  RunRequest request(const std::vector<std::string>& words) {
    RunRequest request = strobe::testing::brief_run(5);
    request.providers = {"scripted"};
    request.workers.commands["scripted"] = scripted_worker(words);
    request.floor_counter = &counter_;
    return request;
  }
  BenchOutcome run(const std::vector<std::string>& words) {
    Result<BenchOutcome> outcome = run_bench(request(words), [](const RunProgress&) {});
    EXPECT_TRUE(outcome) << outcome.error().what;
    return outcome ? std::move(*outcome) : BenchOutcome{};
  }
  DurationCounter counter_;
};

TEST_F(FloorCounting, an_empty_kernel_takes_the_median_of_what_was_counted) {
  const strobe::testing::TemporaryFolder folder;
  const std::string counts = (folder / "counts").string();
  const BenchOutcome outcome = run({"empty=yes", "counts=" + counts});
  EXPECT_EQ(outcome.run.header.floors.empty_kernel, 1.4);
  EXPECT_EQ(outcome.run.header.floors.empty_kernel_events, 2.0);  // the rest stays
  EXPECT_EQ(bytes_of(counts), "watched\n");
}

TEST_F(FloorCounting, a_run_without_it_is_as_good_and_the_log_says_why) {
  const auto is_missed_for = [&](const std::vector<std::string>& words, const std::string& why) {
    const BenchOutcome outcome = run(words);
    EXPECT_FALSE(outcome.run.header.floors.empty_kernel);
    EXPECT_EQ(outcome.run.cells.at(0).status, CellStatus::kOk);
    EXPECT_THAT(outcome.log,
                Contains(HasSubstr("scripted: an empty kernel was not counted: " + why)));
  };
  is_missed_for({"empty=yes", "at=count_empty", "do=crash"}, "the worker was ended by SIGSEGV");
  counter_.seen = {};
  is_missed_for({"empty=yes"}, "no launch was counted");
  counter_.seen = {{{.name = "strobe_empty"}}};
  is_missed_for({"empty=yes"}, "no launch was counted");
  counter_.obstacle = "there is no recorder";
  is_missed_for({"empty=yes"}, "there is no recorder");
}

TEST_F(FloorCounting, who_does_not_know_how_is_not_asked) {
  const BenchOutcome outcome = run({});
  EXPECT_FALSE(outcome.run.header.floors.empty_kernel);
  EXPECT_THAT(outcome.log, ::testing::Not(Contains(HasSubstr("empty kernel"))));
  const auto counted = count_empty_kernel_us(request({}).workers, "scripted", counter_);
  ASSERT_FALSE(counted);
  EXPECT_EQ(counted.error().what, "its worker does not support 'count_empty'");
}

TEST_F(FloorCounting, nothing_is_counted_under_a_profiler) {
  RunRequest asked = request({"empty=yes"});
  asked.run_under_profiler();
  const auto outcome = run_bench(asked, [](const RunProgress&) {});
  ASSERT_TRUE(outcome);
  EXPECT_FALSE(outcome->run.header.floors.empty_kernel);
}

}  // namespace

}  // namespace strobe::bench
