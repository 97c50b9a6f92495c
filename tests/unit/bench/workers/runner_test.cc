#include "strobe/bench/workers/runner.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strobe/bench/results/run_file.h"
#include "tests/support/bench_worker.h"
#include "tests/support/temporary_folder.h"

namespace strobe::bench {
namespace {

using strobe::testing::a_request;
using strobe::testing::cell;
using strobe::testing::ran;
using strobe::testing::scripted_worker;
using strobe::testing::Words;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A misbehaving worker next to a good one: what happens to the first cell of the bad one, while all
// other cells are fine.
CellRecord first_of_bad(const Words& words,
                        std::chrono::milliseconds limit = std::chrono::seconds(20)) {
  const strobe::testing::TemporaryFolder folder;
  Words once = words;
  once.push_back("once=" + (folder / "done").string());
  RunRequest request = a_request({{"bad", once}, {"good", {"us=20"}}});
  request.workers.cell_limit = limit;
  const BenchOutcome outcome = ran(request);
  EXPECT_EQ(outcome.run.cells.size(), 4u);
  EXPECT_EQ(cell(outcome, "good", 0).status, CellStatus::kOk) << cell(outcome, "good", 0).reason;
  EXPECT_EQ(cell(outcome, "good", 1).status, CellStatus::kOk) << cell(outcome, "good", 1).reason;
  EXPECT_EQ(cell(outcome, "bad", 1).status, CellStatus::kOk) << cell(outcome, "bad", 1).reason;
  EXPECT_EQ(cell(outcome, "good").time(TimeMode::kDevice)->p50, 20);
  return cell(outcome, "bad", 0);
}

TEST(Runner, two_providers_are_measured_checked_and_described) {
  std::vector<std::size_t> done;
  RunRequest request = a_request({{"fast", {"us=5", "kernels=triton_one"}}, {"slow", {"us=10"}}});
  request.command_line = "strobe bench run";
  const auto outcome = run_bench(request, [&](const RunProgress& progress) {
    done.push_back(progress.done);
    EXPECT_EQ(progress.total, 4u);
    EXPECT_EQ(progress.so_far->cells.size(), progress.done);
    EXPECT_EQ(progress.last, &progress.so_far->cells.back());
  });
  ASSERT_TRUE(outcome) << outcome.error().what;
  EXPECT_THAT(done, ElementsAre(1, 2, 3, 4));
  const CellRecord& fast = cell(*outcome, "fast");
  EXPECT_EQ(fast.status, CellStatus::kOk) << fast.reason;
  EXPECT_EQ(fast.time(TimeMode::kDevice)->p50, 5);
  EXPECT_EQ(fast.time(TimeMode::kDevice)->n, 20u);
  ASSERT_TRUE(fast.accuracy);
  EXPECT_EQ(fast.accuracy->checked, 32u);
  EXPECT_EQ(fast.accuracy->mismatches, 0u);
  EXPECT_EQ(fast.bytes.min, (3 * 32 + 8) * 4);
  EXPECT_EQ(fast.bytes.resident, 4096);
  ASSERT_EQ(fast.kernels.size(), 1u);
  EXPECT_THAT(fast.signature, HasSubstr("triton_one"));
  EXPECT_THAT(fast.notes, Contains("recompiles:0"));
  EXPECT_EQ(outcome->run.header.device, "script");
  EXPECT_EQ(outcome->run.header.floors.empty_kernel_events, 2.0);
  EXPECT_EQ(outcome->run.header.roofs.copy_gbps, 1000.0);
  EXPECT_EQ(outcome->run.header.libraries.at("slow"), "1.0");
  EXPECT_EQ(outcome->run.header.command_line, "strobe bench run");
  EXPECT_TRUE(parse_run(to_json(outcome->run), "run"));
}

// A badly conditioned case is prepared twice, for the check and for timing; the second time finds
// everything compiled.
TEST(Runner, what_compiling_cost_is_told_of_the_first_time) {
  RunRequest request = a_request({{"one", {"us=5"}}});
  request.cells.cases = {"norm_chain"};
  request.cells.shapes = {Shape{{4, 8}}};
  const BenchOutcome outcome = ran(request);
  const CellRecord& record = cell(outcome, "one");
  ASSERT_NE(record.time(TimeMode::kDevice), nullptr);
  EXPECT_EQ(record.compile.nvrtc_ms, 120);
  EXPECT_FALSE(record.compile.is_cached);
  EXPECT_EQ(record.compile.first_call_ms, 1);
}

TEST(Runner, a_crash_ends_its_cell_only) {
  const CellRecord record = first_of_bad({"at=prepare", "do=crash"});
  EXPECT_EQ(record.status, CellStatus::kError);
  EXPECT_THAT(record.reason, HasSubstr("ended by SIGSEGV; its last output: loading the model"));
}

TEST(Runner, a_crash_while_samples_are_taken_ends_its_cell_only) {
  const CellRecord record = first_of_bad({"at=sample", "do=crash"});
  EXPECT_EQ(record.status, CellStatus::kError);
  EXPECT_THAT(record.reason, HasSubstr("SIGSEGV"));
}

TEST(Runner, a_crash_at_the_very_end_ends_its_cell_only) {
  EXPECT_EQ(first_of_bad({"at=finish", "do=exit"}).status, CellStatus::kError);
}

TEST(Runner, a_hang_is_a_time_out) {
  const CellRecord record = first_of_bad({"at=sample", "do=hang"}, std::chrono::seconds(3));
  EXPECT_EQ(record.status, CellStatus::kTimeout);
  EXPECT_THAT(record.reason, HasSubstr("no answer to 'sample' within 3 s"));
}

TEST(Runner, garbage_is_a_time_out_that_quotes_it) {
  const CellRecord record = first_of_bad({"at=prepare", "do=garbage"}, std::chrono::seconds(3));
  EXPECT_EQ(record.status, CellStatus::kTimeout);
  EXPECT_THAT(record.reason, HasSubstr("the first: 'Warning: this is a banner'"));
}

TEST(Runner, out_of_memory_says_how_much_was_asked_for) {
  const CellRecord record = first_of_bad({"at=prepare", "do=oom"});
  EXPECT_EQ(record.status, CellStatus::kOom);
  EXPECT_THAT(record.reason, HasSubstr("17.2 GB requested"));
}

TEST(Runner, times_that_no_clock_gives_are_an_error) {
  EXPECT_EQ(first_of_bad({"at=sample", "do=nan"}).status, CellStatus::kError);
}

TEST(Runner, what_a_provider_cannot_do_is_unsupported) {
  const CellRecord record = first_of_bad({"at=plan", "do=unsupported"});
  EXPECT_EQ(record.status, CellStatus::kUnsupported);
  EXPECT_EQ(record.reason, "as the script says");
}

// The script supports only inference.
TEST(Runner, another_mask_than_the_generators_is_wrong_and_named) {
  RunRequest request = a_request({{"inference", {}}});
  request.cells.cases = {"bias_dropout_add_train"};
  const BenchOutcome outcome = ran(request);
  const CellRecord& record = cell(outcome, "inference");
  EXPECT_EQ(record.status, CellStatus::kWrong);
  EXPECT_THAT(record.reason, HasSubstr("the mask differs from the generator's in "));
  EXPECT_THAT(record.reason, HasSubstr(" of 32 values, first at "));
  EXPECT_GT(record.accuracy->mismatches, 8u);
}

TEST(Runner, wrong_values_are_found_and_still_timed) {
  const BenchOutcome outcome = ran(a_request({{"good", {}}, {"wrong", {"values=wrong"}}}));
  const CellRecord& record = cell(outcome, "wrong");
  EXPECT_EQ(record.status, CellStatus::kWrong);
  ASSERT_TRUE(record.accuracy);
  EXPECT_EQ(record.accuracy->mismatches, 16u);
  EXPECT_THAT(record.reason, HasSubstr("16 of 32 values differ"));
  EXPECT_NE(record.time(TimeMode::kDevice), nullptr);
  EXPECT_EQ(cell(outcome, "good").status, CellStatus::kOk);
}

TEST(Runner, values_that_are_too_few_are_an_error) {
  const BenchOutcome outcome = ran(a_request({{"short", {"values=short"}}}));
  EXPECT_EQ(cell(outcome, "short").status, CellStatus::kError);
  EXPECT_THAT(cell(outcome, "short").reason, HasSubstr("124 bytes of values, not 128"));
}

TEST(Runner, what_will_not_fit_is_predicted_and_not_run) {
  const BenchOutcome outcome = ran(
      a_request({{"big", {"resident=2e9", "free=1e9", "at=prepare", "do=crash"}}, {"small", {}}}));
  EXPECT_EQ(cell(outcome, "big").status, CellStatus::kOomPredicted);
  EXPECT_EQ(cell(outcome, "big").reason, "needs 2.0 GB and 1.0 GB are free; not run");
  EXPECT_EQ(cell(outcome, "small").status, CellStatus::kOk);
}

TEST(Runner, providers_that_fit_only_alone_run_one_after_the_other) {
  const BenchOutcome outcome = ran(a_request({{"a", {"resident=6e8"}}, {"b", {"resident=6e8"}}}));
  EXPECT_EQ(cell(outcome, "a").status, CellStatus::kOk);
  EXPECT_EQ(cell(outcome, "b").status, CellStatus::kOk);
}

TEST(Runner, two_providers_with_the_same_kernels_are_flagged) {
  const BenchOutcome outcome = ran(a_request(
      {{"stack-compiled", {"kernels=gemm,relu"}}, {"stack-eager", {"kernels=gemm,relu"}}}));
  EXPECT_TRUE(cell(outcome, "stack-eager").has(CellFlag::kSameKernels));
  EXPECT_FALSE(cell(outcome, "stack-compiled").has(CellFlag::kSameKernels));
}

TEST(Runner, a_time_near_the_floor_is_flagged) {
  const BenchOutcome outcome = ran(a_request({{"near", {"us=2.5"}}, {"over", {"us=3.5"}}}));
  EXPECT_TRUE(cell(outcome, "near").has(CellFlag::kNearFloor));
  EXPECT_FALSE(cell(outcome, "over").has(CellFlag::kNearFloor));
}

TEST(Runner, durations_of_kernels_are_recorded_for_who_asks_or_where_there_is_nothing_else) {
  RunRequest request = a_request({{"both", {"modes=device,activity"}},
                                  {"one", {"modes=activity"}},
                                  {"simple", {"modes=device,activity", "only=cell"}}});
  request.timing.modes = {};
  const BenchOutcome usual = ran(request);
  for (const char* const provider : {"both", "simple"}) {
    EXPECT_NE(cell(usual, provider).time(TimeMode::kDevice), nullptr) << provider;
    EXPECT_EQ(cell(usual, provider).time(TimeMode::kActivity), nullptr) << provider;
  }
  EXPECT_NE(cell(usual, "one").time(TimeMode::kActivity), nullptr);

  request.timing.modes = {TimeMode::kDevice, TimeMode::kActivity};
  const BenchOutcome asked = ran(request);
  EXPECT_NE(cell(asked, "both").time(TimeMode::kDevice), nullptr);
  EXPECT_NE(cell(asked, "both").time(TimeMode::kActivity), nullptr);
  EXPECT_THAT(asked.run.header.method.modes, ElementsAre(TimeMode::kDevice, TimeMode::kActivity));
}

TEST(Runner, a_process_that_recorded_kernels_measures_no_further_cell) {
  RunRequest request = a_request({{"both", {"modes=device,activity", "tell=pid"}}});
  request.cells.shapes = {Shape{{4, 8}}, Shape{{4, 8}}};
  const BenchOutcome plain = ran(request);
  ASSERT_EQ(plain.run.cells.size(), 2u);
  EXPECT_EQ(cell(plain, "both", 0).notes.back(), cell(plain, "both", 1).notes.back());
  request.timing.modes = {TimeMode::kActivity};
  const BenchOutcome recorded = ran(request);
  ASSERT_EQ(recorded.run.cells.size(), 2u);
  EXPECT_THAT(cell(recorded, "both").notes.back(), HasSubstr("pid:"));
  EXPECT_NE(cell(recorded, "both", 0).notes.back(), cell(recorded, "both", 1).notes.back());
}

TEST(Runner, api_calls_are_listed_after_timing_if_asked_for) {
  RunRequest request = a_request({{"steps", {"api=cudaStreamIsCapturing:2:0.5,cuLaunchKernel:1:4"}},
                                  {"whole", {"only=cell", "api=cuLaunchKernel:1:3.5"}},
                                  {"mute", {}},
                                  {"host", {"modes=cpu"}}});
  request.timing.modes = {};
  EXPECT_TRUE(cell(ran(request), "steps").api.empty());
  EXPECT_TRUE(ran(request).remarks.empty());
  request.timing.lists_api = true;
  const BenchOutcome outcome = ran(request);
  EXPECT_THAT(cell(outcome, "steps").api, ElementsAre(ApiCall{"cudaStreamIsCapturing", 2, 0.5},
                                                      ApiCall{"cuLaunchKernel", 1, 4}));
  EXPECT_THAT(cell(outcome, "whole", 1).api, ElementsAre(ApiCall{"cuLaunchKernel", 1, 3.5}));
  // One message for each of those without, for all of its cells.
  EXPECT_THAT(outcome.remarks,
              ElementsAre("host: no API calls to list: it runs on the host and makes none",
                          "mute: no API calls to list: its worker gave none"));
}

// strobe's own workers: recording leaves hooks in the process. Long-lived ones record their kernels
// anyway.
TEST(Runner, an_own_process_that_listed_api_calls_measures_no_further_cell) {
  RunRequest request = a_request({});
  request.providers = {"own"};
  request.workers.own = scripted_worker({"api=cuLaunchKernel:1:4", "tell=pid"});
  const auto is_one_process = [&] {
    const BenchOutcome outcome = ran(request);
    return cell(outcome, "own", 0).notes.back() == cell(outcome, "own", 1).notes.back();
  };
  EXPECT_TRUE(is_one_process());
  request.timing.lists_api = true;
  EXPECT_FALSE(is_one_process());
  request.run_under_profiler();
  EXPECT_TRUE(is_one_process());
}

TEST(Runner, under_a_profiler_nothing_is_held_and_nothing_but_the_cells_runs) {
  const strobe::testing::TemporaryFolder folder;
  const std::string starts = (folder / "starts").string();
  RunRequest request = a_request({});
  request.providers = {"own"};
  request.workers.own = scripted_worker({"starts=" + starts, "tell=hold", "at=roofs", "do=crash"});
  request.cells.cases = {"bias_dropout_add",
                         "norm_chain"};  // of which the second is prepared twice
  request.run_under_profiler();
  const BenchOutcome outcome = ran(request);
  ASSERT_EQ(outcome.run.cells.size(), 4u);
  for (const CellRecord& record : outcome.run.cells) {
    ASSERT_NE(record.time(TimeMode::kDevice), nullptr) << record.reason;
  }
  EXPECT_EQ(outcome.run.header.method.hold, Hold::kNone);
  EXPECT_FALSE(outcome.run.header.roofs.copy_gbps);
  EXPECT_FALSE(outcome.run.header.floors.empty_kernel_events);
  EXPECT_EQ(strobe::testing::bytes_of(starts), "started\n");  // one process for both cases
  EXPECT_THAT(outcome.run.cells.back().notes, Contains(HasSubstr(R"(held:{"prepare": 0)")));
}

TEST(Runner, warming_up_holds_nothing_and_what_counts_is_held) {
  const BenchOutcome outcome = ran(a_request({{"one", {"tell=hold"}}}));
  EXPECT_EQ(outcome.run.header.method.hold, Hold::kCall);
  EXPECT_THAT(cell(outcome, "one").notes,
              Contains(::testing::MatchesRegex(R"(open:..prepare.: 0, .sample.: [1-9][0-9]*.)")));
  EXPECT_THAT(cell(outcome, "one").notes,
              Contains(::testing::MatchesRegex(R"(held:..prepare.: 1, .sample.: [1-9][0-9]*.)")));
}

TEST(Runner, a_worker_that_knows_cells_alone_is_enough) {
  RunRequest request = a_request({{"simple", {"only=cell", "us=7"}},
                                  {"wrong", {"only=cell", "values=wrong"}},
                                  {"mute", {"only=cell", "values=none"}}});
  const BenchOutcome outcome = ran(request);
  EXPECT_EQ(cell(outcome, "simple").status, CellStatus::kOk) << cell(outcome, "simple").reason;
  EXPECT_EQ(cell(outcome, "simple").time(TimeMode::kDevice)->p50, 7);
  EXPECT_EQ(cell(outcome, "simple").accuracy->mismatches, 0u);
  EXPECT_EQ(cell(outcome, "wrong").status, CellStatus::kWrong);
  EXPECT_EQ(cell(outcome, "mute").status, CellStatus::kOk);
  EXPECT_FALSE(cell(outcome, "mute").accuracy);
  EXPECT_THAT(cell(outcome, "mute").notes, Contains("values unchecked: the worker gave none"));
}

TEST(Runner, a_worker_of_whole_cells_says_how_much_it_asked_for) {
  const BenchOutcome outcome = ran(a_request({{"simple", {"only=cell", "at=cell", "do=oom"}}}));
  EXPECT_EQ(cell(outcome, "simple").status, CellStatus::kOom);
  EXPECT_THAT(cell(outcome, "simple").reason, HasSubstr("17.2 GB requested"));
}

TEST(Runner, a_provider_that_cannot_run_here_is_named_and_the_others_run) {
  const BenchOutcome outcome =
      ran(a_request({{"absent", {"obstacle=libnvrtc.so is not installed"}}, {"good", {}}}));
  EXPECT_EQ(outcome.obstacles.at("absent"), "libnvrtc.so is not installed");
  EXPECT_EQ(cell(outcome, "absent").status, CellStatus::kUnsupported);
  EXPECT_EQ(cell(outcome, "absent").reason, "libnvrtc.so is not installed");
  EXPECT_EQ(cell(outcome, "good").status, CellStatus::kOk);
}

TEST(Runner, without_any_provider_the_machine_lacks_something) {
  RunRequest request = a_request({{"absent", {"obstacle=no driver"}}});
  request.providers.push_back("gone");
  request.workers.commands["gone"] = {"/no/such/program"};
  const auto outcome = run_bench(request, [](const RunProgress&) {});
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, ErrorCode::kMachineLacks);
  EXPECT_THAT(outcome.error().what, HasSubstr("absent: no driver"));
  EXPECT_THAT(outcome.error().what, HasSubstr("cannot start '/no/such/program'"));
}

TEST(Runner, an_interrupt_keeps_what_is_whole) {
  RunRequest request = a_request({{"good", {}}});
  std::atomic<bool> cancelled = false;
  request.workers.cancelled = &cancelled;
  const auto outcome = run_bench(request, [&](const RunProgress&) { cancelled = true; });
  ASSERT_TRUE(outcome);
  EXPECT_TRUE(outcome->is_interrupted);
  EXPECT_EQ(outcome->run.cells.size(), 1u);
}

TEST(Runner, noise_goes_to_the_log) {
  RunRequest request = a_request({{"noisy", {"at=prepare", "do=garbage"}}});
  request.workers.cell_limit = std::chrono::seconds(1);
  EXPECT_THAT(ran(request).log, Contains("noisy: Warning: this is a banner"));
}

TEST(Runner, the_clock_of_a_cell_is_that_of_its_samples) {
  const BenchOutcome outcome = ran(
      a_request({{"read", {"mhz=1980"}}, {"unread", {}}, {"whole", {"only=cell", "mhz=1755"}}}));
  // After the last sample the device idles at 345 MHz, which is all that the unread one can report.
  EXPECT_EQ(cell(outcome, "read").clocks.sm_mhz, 1980);
  EXPECT_EQ(cell(outcome, "read").clocks.power_w, 70);
  EXPECT_EQ(cell(outcome, "unread").clocks.sm_mhz, 345);
  EXPECT_EQ(cell(outcome, "whole").clocks.sm_mhz, 1755);
}

TEST(Runner, a_cell_slower_than_the_runs_clock_is_throttled) {
  RunRequest request = a_request({{"a", {"mhz=1980"}}, {"b", {"mhz=1980"}}, {"c", {"mhz=1400"}}});
  const BenchOutcome outcome = ran(request);
  EXPECT_FALSE(cell(outcome, "a", 1).has(CellFlag::kThrottled));
  EXPECT_TRUE(cell(outcome, "c", 1).has(CellFlag::kThrottled));
  request = a_request({{"a", {"mhz=1980"}}, {"c", {"only=cell", "mhz=1400"}}});
  EXPECT_TRUE(cell(ran(request), "c").has(CellFlag::kThrottled));
}

TEST(Runner, who_may_hold_the_clock_is_told_how) {
  const BenchOutcome outcome =
      ran(a_request({{"cool", {"mhz=1980"}}, {"hot", {"mhz=1200"}}, {"mild", {"mhz=1980"}}}));
  ASSERT_TRUE(cell(outcome, "hot", 1).has(CellFlag::kThrottled));
  ASSERT_EQ(outcome.remarks.size(), 1u);
  EXPECT_THAT(outcome.remarks[0], HasSubstr("nvidia-smi --lock-gpu-clocks=1980"));
}

TEST(Runner, calls_above_a_millisecond_have_a_burst_and_what_stays) {
  // 1 call of warm-up and 20 samples; then without pause, and from the 25th of these the limit.
  RunRequest request = a_request({{"long", {"us=2000", "heats=46,2100"}}, {"short", {"us=900"}}});
  const BenchOutcome outcome = ran(request);
  EXPECT_EQ(cell(outcome, "long").time(TimeMode::kDevice)->p50, 2000);
  EXPECT_EQ(cell(outcome, "long").burst_us, 2000);
  EXPECT_EQ(cell(outcome, "long").sustained_us, 2100);
  EXPECT_FALSE(cell(outcome, "short").burst_us);
}

// Counts the processes that a run starts: each leaves a line in a file.
class RunnerStarts : public ::testing::Test {
 protected:
  std::string starts_of(std::string_view provider) const { return (folder_ / provider).string(); }
  std::size_t starts(std::string_view provider) const {
    const std::string lines = strobe::testing::bytes_of(starts_of(provider));
    return static_cast<std::size_t>(std::ranges::count(lines, '\n'));
  }
  strobe::testing::TemporaryFolder folder_;
};

TEST_F(RunnerStarts, a_stack_of_others_starts_once_for_all_cases_and_sizes) {
  RunRequest request = a_request({{"other", {"starts=" + starts_of("other"), "values=none"}}});
  request.cells.cases = {"bias_dropout_add", "softmax", "matmul_relu"};
  request.cells.shapes = {Shape{{4, 8}}, Shape{{4096, 4096}}};  // two buckets
  const BenchOutcome outcome = ran(request);
  EXPECT_EQ(outcome.run.cells.size(), 6u);
  EXPECT_EQ(starts("other"), 1u);
}

TEST_F(RunnerStarts, strobes_own_start_afresh_for_each_case_and_bucket) {
  RunRequest request = a_request({{"own", {"starts=" + starts_of("own"), "values=none"}}});
  request.workers.own = request.workers.commands.at("own");
  request.workers.commands.clear();
  request.cells.cases = {"bias_dropout_add", "softmax"};
  request.cells.shapes = {Shape{{4, 8}}, Shape{{8, 8}}, Shape{{4096, 4096}}};
  EXPECT_EQ(ran(request).run.cells.size(), 6u);
  EXPECT_EQ(starts("own"), 4u);
}

TEST_F(RunnerStarts, a_failure_costs_one_more_start) {
  RunRequest request =
      a_request({{"other", {"starts=" + starts_of("other"), "at=prepare", "do=oom", "from=2"}}});
  request.cells.shapes = {Shape{{4, 8}}, Shape{{8, 8}}, Shape{{16, 8}}, Shape{{32, 8}}};
  const BenchOutcome outcome = ran(request);
  // The second cell of each worker fails.
  EXPECT_EQ(cell(outcome, "other", 0).status, CellStatus::kOk);
  EXPECT_EQ(cell(outcome, "other", 1).status, CellStatus::kOom);
  EXPECT_EQ(cell(outcome, "other", 2).status, CellStatus::kOk);
  EXPECT_EQ(cell(outcome, "other", 3).status, CellStatus::kOom);
  EXPECT_EQ(starts("other"), 2u);
}

TEST_F(RunnerStarts, workers_load_side_by_side) {
  // Each waits until the other has started: started one after the other, none would ever answer.
  RunRequest request =
      a_request({{"a", {"starts=" + starts_of("a"), "after=hello:" + starts_of("b") + ":1"}},
                 {"b", {"starts=" + starts_of("b"), "after=hello:" + starts_of("a") + ":1"}}});
  request.workers.start_limit = std::chrono::seconds(20);
  const BenchOutcome outcome = ran(request);
  EXPECT_TRUE(outcome.obstacles.empty());
  EXPECT_EQ(cell(outcome, "a").status, CellStatus::kOk);
  EXPECT_EQ(cell(outcome, "b").status, CellStatus::kOk);
}

TEST_F(RunnerStarts, the_next_worker_loads_while_the_others_are_measured) {
  // The good one gives no sample before the bad one has been started again.
  RunRequest request = a_request({{"bad",
                                   {"starts=" + starts_of("bad"), "at=prepare", "do=crash",
                                    "once=" + (folder_ / "done").string()}},
                                  {"good", {"after=sample:" + starts_of("bad") + ":2"}}});
  request.workers.cell_limit = std::chrono::seconds(20);
  const BenchOutcome outcome = ran(request);
  EXPECT_EQ(cell(outcome, "bad", 0).status, CellStatus::kError);
  EXPECT_EQ(cell(outcome, "bad", 1).status, CellStatus::kOk) << cell(outcome, "bad", 1).reason;
  EXPECT_EQ(cell(outcome, "good", 0).status, CellStatus::kOk) << cell(outcome, "good", 0).reason;
  EXPECT_EQ(starts("bad"), 2u);
}

}  // namespace
}  // namespace strobe::bench
