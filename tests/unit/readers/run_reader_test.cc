#include "strobe/readers/run_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/run_file_sketch.h"
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

std::string bytes_of_corpus(const std::string& name) {
  return testing::bytes_of(STROBE_SOURCE_DIR "/tests/fuzz/corpus/" + name);
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

namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::put_bytes;
using testing::TemporaryFolder;
using RunResult = Result<strobe::Run>;  // inside a test, Run is a function of GoogleTest

std::string trace_text(const std::string& name, const std::string& more_events = "",
                       const std::string& members = "") {
  return R"({"schemaVersion":1,)" + members + R"("traceEvents":[
{"ph":"X","cat":"kernel","name":")" +
         name + R"(","pid":7,"tid":7,"ts":1,"dur":2,"args":{"device":7,"stream":7}})" +
         more_events + "]}";
}

std::string distributed(int rank) {
  return R"("distributedInfo":{"backend":"x","rank":)" + std::to_string(rank) +
         R"(,"world_size":4},)";
}

std::string metrics_text(double value) {
  return "ts_us,device,metric,value\n1,GPU 7,gpu_usage," + std::to_string(value) + "\n";
}

// Files by their path below the folder.
void put(const TemporaryFolder& folder, const std::string& name, const std::string& text) {
  fs::create_directories((folder / name).parent_path());
  put_bytes(folder / name, text);
}

RunResult run_of(const fs::path& path) { return read_run(path, {}, {}); }

std::string kernel_of(const RankCapture& rank) {
  return std::string(rank.trace->name(SliceId(std::size_t{0})));
}

std::vector<std::int32_t> numbers_of(const Run& run) {
  std::vector<std::int32_t> numbers;
  for (const RankCapture& rank : run.ranks) numbers.push_back(rank.rank);
  return numbers;
}

TEST(RunReaderTest, a_folder_with_one_trace_and_metrics_is_a_run) {
  const TemporaryFolder folder;
  put(folder, "case/normal/trace.json", trace_text("gemm"));
  put(folder, "case/normal/metrics.csv", metrics_text(6) + "2,GPU 7,gpu_usage,oops\n");
  put(folder, "case/normal/settings.json", R"({"batch": 3})");
  for (const char* const name : {"case/normal", "case/normal/", "case/normal/../normal/."}) {
    const RunResult run = run_of(folder / name);
    ASSERT_TRUE(run) << run.error().what;
    EXPECT_EQ(run->label, "normal");
    EXPECT_EQ(run->folder, "case");
    ASSERT_EQ(run->ranks.size(), 1u);
    EXPECT_EQ(run->ranks[0].rank, 0);
    EXPECT_EQ(kernel_of(run->ranks[0]), "gemm");
    EXPECT_EQ(fs::path(run->ranks[0].path).filename(), "trace.json");
    ASSERT_EQ(run->ranks[0].metrics.size(), 1u);
    EXPECT_THAT(run->ranks[0].metric_remarks,
                ElementsAre("metrics.csv: line 3: 'oops' is not a number; 1 line left out"));
  }
}

TEST(RunReaderTest, a_trace_file_is_a_run_and_its_name_the_label) {
  const TemporaryFolder folder;
  put(folder, "runs/slow.pt.trace.json", trace_text("gemm"));
  const RunResult run = run_of(folder / "runs/slow.pt.trace.json");
  ASSERT_TRUE(run);
  EXPECT_EQ(run->label, "slow");
  EXPECT_EQ(run->folder, "runs");
  EXPECT_EQ(run->ranks.size(), 1u);
}

TEST(RunReaderTest, a_file_called_trace_is_labelled_by_its_folder) {
  const TemporaryFolder folder;
  put(folder, "case/abnormal/trace.json", trace_text("gemm"));
  const RunResult run = run_of(folder / "case/abnormal/trace.json");
  ASSERT_TRUE(run);
  EXPECT_EQ(run->label, "abnormal");
  EXPECT_EQ(run->folder, "case");
}

TEST(RunReaderTest, rank_folders_are_ranks_in_the_order_of_their_numbers) {
  const TemporaryFolder folder;
  for (const int rank : {0, 2, 10}) {
    put(folder, "run/rank" + std::to_string(rank) + "/trace.json",
        trace_text("kernel_" + std::to_string(rank)));
  }
  put(folder, "run/ranking9/trace.json", trace_text("other"));
  const RunResult run = run_of(folder / "run");
  ASSERT_TRUE(run) << run.error().what;
  EXPECT_THAT(numbers_of(*run), ElementsAre(0, 2, 10));
  EXPECT_EQ(kernel_of(run->ranks[2]), "kernel_10");
}

TEST(RunReaderTest, metrics_of_the_upper_folder_belong_to_ranks_without_their_own) {
  const TemporaryFolder folder;
  put(folder, "run/rank0/trace.json", trace_text("a"));
  put(folder, "run/rank1/trace.json", trace_text("b"));
  put(folder, "run/rank1/metrics.csv", metrics_text(1));
  put(folder, "run/metrics.csv", metrics_text(5));
  const RunResult run = run_of(folder / "run");
  ASSERT_TRUE(run);
  EXPECT_THAT(run->ranks[0].metrics.at(0).values, ElementsAre(5));
  EXPECT_THAT(run->ranks[1].metrics.at(0).values, ElementsAre(1));
}

TEST(RunReaderTest, traces_beside_each_other_are_ranks_if_their_names_say_so) {
  const TemporaryFolder folder;
  put(folder, "run/host_rank_1.json", trace_text("one", "", distributed(0)));
  put(folder, "run/host_rank_0.json", trace_text("zero", "", distributed(0)));
  const RunResult run = run_of(folder / "run");
  ASSERT_TRUE(run) << run.error().what;
  EXPECT_THAT(numbers_of(*run), ElementsAre(0, 1));
  EXPECT_EQ(kernel_of(run->ranks[1]), "one");
}

TEST(RunReaderTest, traces_beside_each_other_are_ranks_if_they_say_so_themselves) {
  const TemporaryFolder folder;
  put(folder, "run/a.json", trace_text("three", "", distributed(3)));
  put(folder, "run/b.json", trace_text("one", "", distributed(1)));
  const RunResult run = run_of(folder / "run");
  ASSERT_TRUE(run) << run.error().what;
  EXPECT_THAT(numbers_of(*run), ElementsAre(1, 3));
  EXPECT_EQ(kernel_of(run->ranks[1]), "three");
}

TEST(RunReaderTest, a_single_trace_keeps_the_rank_it_tells) {
  const TemporaryFolder folder;
  put(folder, "run/trace.json", trace_text("a", "", distributed(3)));
  const RunResult run = run_of(folder / "run");
  ASSERT_TRUE(run);
  EXPECT_THAT(numbers_of(*run), ElementsAre(3));
}

TEST(RunReaderTest, counters_of_the_trace_are_series_unless_the_metrics_file_has_them) {
  const TemporaryFolder folder;
  const std::string counters = R"(,
{"ph":"C","name":"gpu_usage","pid":7,"ts":5,"args":{"value":99}},
{"ph":"C","name":"gpu_sm_frequency","pid":7,"ts":5,"args":{"value":1155}})";
  put(folder, "run/trace.json", trace_text("gemm", counters));
  put(folder, "run/metrics.csv", metrics_text(6));
  const RunResult run = run_of(folder / "run");
  ASSERT_TRUE(run);
  const RankCapture& rank = run->ranks[0];
  ASSERT_EQ(rank.metrics.size(), 2u);
  EXPECT_EQ(rank.metrics[0].metric, "gpu_sm_frequency");
  EXPECT_EQ(rank.metrics[0].device, "GPU 7");
  EXPECT_THAT(rank.metrics[0].times_ns, ElementsAre(5000));
  EXPECT_EQ(rank.metrics[1].metric, "gpu_usage");
  EXPECT_THAT(rank.metrics[1].values, ElementsAre(6));
  EXPECT_THAT(rank.metric_remarks, ElementsAre(HasSubstr("the file's is used")));
}

TEST(RunReaderTest, a_missing_path_is_told_what_a_run_is) {
  const RunResult run = run_of("no/such/run");
  ASSERT_FALSE(run);
  EXPECT_EQ(run.error().code, ErrorCode::kNotFound);
  EXPECT_EQ(run.error().where, "no/such/run");
  EXPECT_THAT(run.error().hint, HasSubstr("metrics.csv"));
}

TEST(RunReaderTest, a_folder_without_a_trace_points_to_one_further_down) {
  const TemporaryFolder folder;
  put(folder, "case/metrics.csv", metrics_text(1));
  RunResult run = run_of(folder / "case");
  ASSERT_FALSE(run);
  EXPECT_EQ(run.error().code, ErrorCode::kNotFound);
  EXPECT_EQ(run.error().what, "the folder holds no trace");
  EXPECT_THAT(run.error().hint, HasSubstr("rank0/"));

  put(folder, "case/normal/trace.json", trace_text("gemm"));
  run = run_of(folder / "case");
  ASSERT_FALSE(run);
  EXPECT_THAT(run.error().hint, HasSubstr("case/normal'"));
}

TEST(RunReaderTest, several_traces_that_are_no_ranks_are_refused) {
  const TemporaryFolder folder;
  put(folder, "run/a.json", trace_text("a"));
  put(folder, "run/b.json", trace_text("b"));
  const RunResult run = run_of(folder / "run");
  ASSERT_FALSE(run);
  EXPECT_EQ(run.error().code, ErrorCode::kMalformed);
  EXPECT_THAT(run.error().what, HasSubstr("2 traces"));
  EXPECT_THAT(run.error().hint, HasSubstr("rank0/"));
}

TEST(RunReaderTest, rank_folders_need_exactly_one_trace_each) {
  const TemporaryFolder folder;
  put(folder, "run/rank0/trace.json", trace_text("a"));
  fs::create_directories(folder / "run/rank1");
  RunResult run = run_of(folder / "run");
  ASSERT_FALSE(run);
  EXPECT_THAT(run.error().where, HasSubstr("rank1"));

  put(folder, "run/rank1/a.json", trace_text("a"));
  put(folder, "run/rank1/b.json", trace_text("b"));
  run = run_of(folder / "run");
  ASSERT_FALSE(run);
  EXPECT_THAT(run.error().what, HasSubstr("2 traces, not one"));
}

TEST(RunReaderTest, ranks_and_a_trace_beside_them_are_too_much) {
  const TemporaryFolder folder;
  put(folder, "run/rank0/trace.json", trace_text("a"));
  put(folder, "run/merged.json", trace_text("b"));
  const RunResult run = run_of(folder / "run");
  ASSERT_FALSE(run);
  EXPECT_THAT(run.error().what, HasSubstr("merged.json"));
}

TEST(RunReaderTest, a_metrics_file_that_cannot_be_read_fails_the_run) {
  const TemporaryFolder folder;
  put(folder, "run/trace.json", trace_text("a"));
  put(folder, "run/metrics.csv", "time,value\n1,2\n");
  const RunResult run = run_of(folder / "run");
  ASSERT_FALSE(run);
  EXPECT_EQ(run.error().what, "line 1 has no column 'ts_us'");
  EXPECT_THAT(run.error().where, HasSubstr("metrics.csv"));
}

TEST(RunReaderTest, the_shared_pair_is_read_with_its_series) {
  const fs::path folder = STROBE_SOURCE_DIR "/../shared/data/sglang_gpu_instability/normal";
  if (!fs::exists(folder)) GTEST_SKIP() << "the shared data is not there";
  const RunResult run = run_of(folder);
  ASSERT_TRUE(run) << run.error().what;
  EXPECT_EQ(run->label, "normal");
  EXPECT_EQ(run->folder, "sglang_gpu_instability");
  ASSERT_EQ(run->ranks.size(), 1u);
  EXPECT_EQ(run->ranks[0].metrics.size(), 15u);
  EXPECT_THAT(run->ranks[0].metric_remarks, IsEmpty());
  std::size_t samples = 0;
  for (const MetricSeries& series : run->ranks[0].metrics) samples += series.values.size();
  EXPECT_EQ(samples, 129u);
}

void sketch_recorded(const TemporaryFolder& folder, const std::string& name, std::uint64_t start_ns,
                     const std::string& rank = "") {
  test::RunFileSketch file(folder / name);
  file.process(static_cast<std::int64_t>(start_ns));
  if (!rank.empty()) file.fact("rank", rank);
  file.work(file.kernel_shape("gemm " + name), start_ns, 5, 1);
}

TEST(RunReaderTest, the_ranks_of_a_recorded_run_are_its_processes) {
  const TemporaryFolder folder;
  sketch_recorded(folder, "run/rank1-process-4.strobe", 100, "1");
  sketch_recorded(folder, "run/rank0-process-5.strobe", 200, "0");
  sketch_recorded(folder, "run/host-3.strobe", 50);
  put(folder, "run/run.json", R"({"strobe_run":1,"recordings":[]})");
  const RunResult run = run_of(folder / "run");
  ASSERT_TRUE(run);
  EXPECT_EQ(run->label, "run");
  EXPECT_THAT(numbers_of(*run), ElementsAre(0, 1));
  EXPECT_EQ(kernel_of(run->ranks[0]), "gemm run/rank0-process-5.strobe");
}

TEST(RunReaderTest, recorded_processes_that_are_no_ranks_come_by_their_start) {
  const TemporaryFolder folder;
  sketch_recorded(folder, "run/process-4.strobe", 900);
  sketch_recorded(folder, "run/process-5.strobe", 200);
  const RunResult run = run_of(folder / "run");
  ASSERT_TRUE(run);
  EXPECT_THAT(numbers_of(*run), ElementsAre(0, 1));
  EXPECT_EQ(kernel_of(run->ranks[0]), "gemm run/process-5.strobe");
}

TEST(RunReaderTest, several_recorded_runs_are_named) {
  const TemporaryFolder folder;
  for (const std::string number : {"1", "2", "3"}) {
    sketch_recorded(folder, "before/" + number + "/process-4.strobe", 900);
    put(folder, "before/" + number + "/run.json", R"({"strobe_run":1,"recordings":[]})");
  }
  const RunResult run = run_of(folder / "before");
  ASSERT_FALSE(run);
  EXPECT_THAT(run.error().what, HasSubstr("3 runs, '1' to '3'"));
  EXPECT_THAT(run.error().hint, HasSubstr((folder / "before/1").string()));
  EXPECT_TRUE(run_of(folder / "before/2"));
}

}  // namespace

TEST(RunReaderTest, ranks_may_come_from_different_profilers) {
  const test::LogFolder logs;
  logs.write("rank0.json", test::kOneSlice);
  logs.write("rank1.sqlite", bytes_of_corpus("database_fuzz/nsys.sqlite"));
  logs.write("rank2.db", bytes_of_corpus("rocm_fuzz/rocpd.db"));
  logs.write("rank3_ascend_pt/ASCEND_PROFILER_OUTPUT/kernel_details.csv",
             "Name,Accelerator Core,Start Time(us),Duration(us)\nmm,AI_CORE,10,5\n");
  const auto run = read_run(logs.path(), {}, {});
  ASSERT_TRUE(run) << run.error().what;
  ASSERT_EQ(run->ranks.size(), 4u);
  for (std::int32_t rank = 0; rank < 4; ++rank) {
    EXPECT_EQ(run->ranks[static_cast<std::size_t>(rank)].rank, rank);
    EXPECT_GT(run->ranks[static_cast<std::size_t>(rank)].trace->slice_count(), 0u);
  }
}

TEST(RunReaderTest, the_folder_of_a_rank_may_be_a_trace_itself) {
  const test::LogFolder logs;
  logs.write("rank0/7_hip_api_trace.csv",
             "\"Domain\",\"Function\",\"Process_Id\",\"Thread_Id\",\"Correlation_Id\","
             "\"Start_Timestamp\",\"End_Timestamp\"\n"
             "\"HIP_RUNTIME_API_EXT\",\"hipInit\",\"8\",\"9\",\"40\",\"80\",\"90\"\n");
  logs.write("rank1/trace.json", test::kOneSlice);
  const auto metrics = logs.write("metrics.csv", "ts_us,device,metric,value\n1,GPU 0,power,300\n");
  const auto ranks = find_ranks(logs.path());
  ASSERT_TRUE(ranks) << ranks.error().what;
  ASSERT_EQ(ranks->size(), 2u);
  EXPECT_EQ((*ranks)[0].rank, 0);
  EXPECT_EQ((*ranks)[0].trace, logs.path() / "rank0");
  EXPECT_EQ((*ranks)[0].metrics, metrics);
  EXPECT_EQ((*ranks)[1].trace, logs.path() / "rank1/trace.json");
}

TEST(RunReaderTest, a_file_named_like_the_ranks_that_holds_no_trace_is_a_broken_one) {
  const test::LogFolder logs;
  logs.write("host_1.9.rank0.json", test::kOneSlice);
  logs.write("host_1.8.rank1.json", test::kOneSlice);
  const auto broken = logs.write("host_2.17.rank12.json", "");
  logs.write("host_1.9.rank0.txt", "");
  logs.write("notes.json", "");
  const auto good = find_ranks(logs.path());
  ASSERT_TRUE(good) << good.error().what;
  EXPECT_EQ(good->size(), 2u);
  const auto all = find_ranks_and_broken_ones(logs.path());
  ASSERT_TRUE(all) << all.error().what;
  ASSERT_EQ(all->size(), 3u);
  EXPECT_EQ((*all)[2].trace, broken);
  EXPECT_EQ((*all)[2].rank, 12);
}

TEST(RunReaderTest, a_folder_of_logs_stands_for_its_only_recording) {
  const test::LogFolder logs;
  const auto profile = logs.write("plugins/profile/one/vm.xplane.pb", test::kOneSlice);
  logs.write("plugins/profile/one/vm.trace.json", test::kOneSlice);
  const auto ranks = find_ranks(logs.path());
  ASSERT_TRUE(ranks) << ranks.error().what;
  ASSERT_EQ(ranks->size(), 1u);
  EXPECT_EQ((*ranks)[0].trace, profile);

  logs.write("plugins/profile/two/vm.xplane.pb", test::kOneSlice);
  const auto two = find_ranks(logs.path());
  ASSERT_FALSE(two);
  EXPECT_EQ(two.error().what, "the folder holds 2 runs, 'one' to 'two', not one");
}

TEST(RunReaderTest, the_hosts_of_a_recording_are_its_ranks) {
  const test::LogFolder logs;
  logs.write("plugins/profile/one/host-b.xplane.pb", test::kOneSlice);
  logs.write("plugins/profile/one/host-a.xplane.pb", test::kOneSlice);
  const auto run = read_run(logs.path() / "plugins/profile/one", {}, {});
  ASSERT_TRUE(run) << run.error().what;
  ASSERT_EQ(run->ranks.size(), 2u);
  EXPECT_EQ(run->ranks[0].rank, 0);
  EXPECT_THAT(run->ranks[0].path, ::testing::EndsWith("host-a.xplane.pb"));
}

TEST(RunReaderTest, each_rank_may_have_a_folder_of_logs) {
  const test::LogFolder logs;
  logs.write("rank_0/plugins/profile/one/vm.xplane.pb", test::kOneSlice);
  logs.write("rank_1/plugins/profile/two/vm.xplane.pb", test::kOneSlice);
  const auto ranks = find_ranks(logs.path());
  ASSERT_TRUE(ranks) << ranks.error().what;
  ASSERT_EQ(ranks->size(), 2u);
  EXPECT_EQ((*ranks)[1].rank, 1);
  EXPECT_EQ((*ranks)[1].trace, logs.path() / "rank_1/plugins/profile/two/vm.xplane.pb");
}

}  // namespace strobe::readers
