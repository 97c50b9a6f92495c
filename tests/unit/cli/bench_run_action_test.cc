#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strobe/bench/results/run_file.h"
#include "strobe/cli/bench_actions.h"
#include "tests/support/process.h"
#include "tests/support/temporary_folder.h"

// `strobe bench` end to end, with workers that behave and workers that do not.
namespace strobe::cli {
namespace {

using bench::CellStatus;
using strobe::test::ProcessOutcome;
using strobe::test::ProcessRequest;
using strobe::test::RunningProcess;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class BenchRunAction : public ::testing::Test {
 protected:
  ProcessRequest request(std::vector<std::string> words) const {
    ProcessRequest request;
    request.command = {STROBE_BINARY, "bench"};
    request.command.insert(request.command.end(), words.begin(), words.end());
    request.folder = folder_.path().string();
    request.environment = {"PATH=/usr/local/bin:/usr/bin:/bin", "NO_COLOR=1", "LC_ALL=C.UTF-8",
                           "COLUMNS=100", "HOME=" + folder_.path().string()};
    return request;
  }
  ProcessOutcome strobe(std::vector<std::string> words) const {
    return strobe::test::run_process(request(std::move(words)));
  }
  // A run of one small cell for each worker, few samples.
  ProcessOutcome run(std::vector<std::string> workers, std::vector<std::string> more = {}) const {
    std::vector<std::string> words = small_run();
    for (const std::string& worker : workers) {
      const std::size_t sign = worker.find('=');
      words.insert(words.end(),
                   {"--worker", worker.substr(0, sign + 1) + script(worker.substr(sign + 1))});
    }
    words.insert(words.end(), more.begin(), more.end());
    return strobe(words);
  }
  static std::vector<std::string> small_run() {
    return {"run",    "--case", "bias_dropout_add", "--shape",   "4x8",
            "--mode", "device", "--stop",           "samples:20"};
  }
  static std::string script(const std::string& words) {
    return "python3 -S -E " STROBE_SOURCE_DIR "/tests/support/bench_worker.py " + words;
  }
  bench::BenchRun kept(const char* name) const {
    const auto run = bench::read_run(folder_ / name);
    EXPECT_TRUE(run) << run.error().what;
    return run ? *run : bench::BenchRun{};
  }
  strobe::testing::TemporaryFolder folder_;
};

TEST_F(BenchRunAction, a_run_is_shown_and_kept) {
  const ProcessOutcome outcome =
      run({"a=us=10", "b=us=5 kernels=other"}, {"-o", "run.json", "--samples"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out,
              AllOf(HasSubstr("2 measured"), HasSubstr("10.0 us +-0.0 %"), HasSubstr("2.00x")));
  EXPECT_EQ(outcome.err, "");
  const bench::BenchRun kept_run = kept("run.json");
  ASSERT_EQ(kept_run.cells.size(), 2u);
  EXPECT_EQ(kept_run.cells[0].time(bench::TimeMode::kDevice)->samples_us.size(), 20u);
  EXPECT_THAT(kept_run.header.command_line, HasSubstr("bench run --case bias_dropout_add"));
  EXPECT_EQ(strobe::testing::names_in(folder_.path()),
            (std::set<std::string>{"run.json", "run.json.samples"}));
}

TEST_F(BenchRunAction, a_run_on_stdout_can_be_parsed_and_its_table_is_on_stderr) {
  const ProcessOutcome outcome = run({"a=us=10"}, {"-o", "-"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("1 measured"), HasSubstr("10.0 us")));
  std::ofstream(folder_ / "run.json") << outcome.out;
  EXPECT_EQ(kept("run.json").cells.size(), 1u);
  EXPECT_EQ(run({"a=us=10"}, {"-o", "-", "--quiet"}).err, "");
}

TEST_F(BenchRunAction, a_pipe_gets_the_run_once) {
  const std::string pipe = folder_ / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  std::thread reader([&] {
    std::ifstream from(pipe);
    std::ofstream(folder_ / "run.json") << from.rdbuf();
  });
  const ProcessOutcome outcome = run({"a=us=10", "b=us=5"}, {"-o", pipe});
  close(open(pipe.c_str(), O_WRONLY | O_NONBLOCK));  // if strobe failed, the reader still waits
  reader.join();
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(kept("run.json").cells.size(), 2u);
  EXPECT_EQ(strobe::testing::names_in(folder_.path()), (std::set<std::string>{"pipe", "run.json"}));
}

TEST_F(BenchRunAction, wrong_values_are_exit_code_1) {
  const ProcessOutcome outcome = run({"a=", "b=values=wrong"}, {"-o", "run.json"});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.err, HasSubstr("1 of 2 cells gave wrong values"));
  EXPECT_THAT(outcome.out, HasSubstr("16 of 32 values differ"));
  EXPECT_EQ(kept("run.json").cells[1].status, CellStatus::kWrong);
}

TEST_F(BenchRunAction, cells_that_fail_are_answers_and_no_failure_of_the_run) {
  const ProcessOutcome outcome = run(
      {"a=", "b=at=prepare do=crash", "c=at=prepare do=oom", "d=resident=9e9"}, {"-o", "run.json"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("1 measured; 1 oom; 1 oom_predicted; 1 error"),
                                 HasSubstr("OOM*"), HasSubstr("ERR"), HasSubstr("SIGSEGV")));
}

TEST_F(BenchRunAction, a_hang_ends_at_the_time_limit) {
  const ProcessOutcome outcome = run({"b=at=prepare do=hang"}, {"--cell-timeout", "300ms"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("1 timeout"), HasSubstr("within 0.3 s")));
}

TEST_F(BenchRunAction, a_run_that_could_measure_nothing_is_exit_code_3) {
  const ProcessOutcome outcome = run({"a=at=prepare do=unsupported"});
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_THAT(outcome.err, HasSubstr("nothing was measured"));
  EXPECT_THAT(outcome.out, HasSubstr("as the script says"));
  EXPECT_EQ(run({"a=at=prepare do=unsupported", "b="}).exit_code, 0);
}

TEST_F(BenchRunAction, a_provider_that_was_asked_for_and_is_absent_is_exit_code_4) {
  const ProcessOutcome outcome =
      run({"a=", "b=obstacle=no_NVRTC_here"}, {"--provider", "a,b", "-o", "run.json"});
  EXPECT_EQ(outcome.exit_code, 4);
  EXPECT_THAT(outcome.err, HasSubstr("b cannot run here: no_NVRTC_here"));
  EXPECT_THAT(outcome.out, HasSubstr("1 measured; 1 unsupported"));
  EXPECT_EQ(kept("run.json").cells.size(), 2u);
}

TEST_F(BenchRunAction, a_worker_that_does_not_exist_is_exit_code_4) {
  std::vector<std::string> words = small_run();
  words.insert(words.end(), {"--worker", "x=/no/such/worker"});
  const ProcessOutcome outcome = strobe(words);
  EXPECT_EQ(outcome.exit_code, 4);
  EXPECT_THAT(outcome.err, HasSubstr("x cannot run here: the worker ended with exit code 127"));
}

TEST_F(BenchRunAction, bad_words_and_bad_places_are_told_before_any_work) {
  EXPECT_EQ(strobe({"run", "--case", "softmaxx", "--provider", "cpu"}).exit_code, 2);
  EXPECT_EQ(strobe({"run", "--provider", "cpu"}).exit_code, 2);
  EXPECT_EQ(run({"a="}, {"-o", "/no/such/folder/run.json"}).exit_code, 3);
}

TEST_F(BenchRunAction, a_full_disk_is_exit_code_3) {
  const ProcessOutcome outcome = run({"a="}, {"-o", "/dev/full"});
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_THAT(outcome.err, HasSubstr("the disk is full"));
}

TEST_F(BenchRunAction, an_interrupt_keeps_the_cells_before_it) {
  RunningProcess process(request({"run", "--case", "bias_dropout_add", "--shape", "4x8,8x8",
                                  "--mode", "device", "--stop", "samples:20", "-o", "run.json",
                                  "--worker", "a=" + script("at=prepare from=2 do=hang")}));
  for (int i = 0; i < 2000 && !std::filesystem::exists(folder_ / "run.json.partial"); ++i)
    usleep(10'000);
  kill(process.id(), SIGINT);
  const ProcessOutcome outcome = process.wait();
  EXPECT_EQ(outcome.exit_code, 130) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("1 cell is kept in run.json.partial"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "run.json"));
  EXPECT_EQ(kept("run.json.partial").cells.size(), 1u);
}

TEST_F(BenchRunAction, the_list_names_cases_grids_and_who_is_missing) {
  const ProcessOutcome outcome = strobe({"list", "--python", "/no/such/python"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("bias_dropout_add_train                    2.33x   3  "));
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("pointwise_chain"), HasSubstr("5.50x"),
                                 HasSubstr("grid2d"), HasSubstr("cpu-unfused"),
                                 HasSubstr("torch-*                not here: cannot start "
                                           "'/no/such/python'")));
}

TEST_F(BenchRunAction, the_hosts_own_providers_run_everywhere) {
  const ProcessOutcome outcome =
      strobe({"run", "--case", "norm_chain,horizontal_reduction_reduction", "--shape", "64x32",
              "--provider", "cpu-unfused,cpu", "--stop", "samples:20", "--repeat-check", "2", "-o",
              "run.json"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  const bench::BenchRun run = kept("run.json");
  ASSERT_EQ(run.cells.size(), 4u);
  for (const bench::CellRecord& record : run.cells) {
    EXPECT_EQ(record.status, CellStatus::kOk) << record.reason;
    ASSERT_TRUE(record.accuracy);
    EXPECT_EQ(record.accuracy->mismatches, 0u);
    EXPECT_FALSE(record.has(bench::CellFlag::kUnrepeatable));
  }
  EXPECT_EQ(run.cells[2].accuracy->checked, 128u);  // both outputs
}

TEST_F(BenchRunAction, training_is_measured_under_names_of_its_own) {
  const ProcessOutcome outcome =
      strobe({"run", "--train", "--case", "bias_dropout_add,bias_dropout_add_transposed", "--shape",
              "33x65", "--provider", "cpu-unfused,cpu", "--dtype", "f32,bf16", "--seed", "5",
              "--stop", "samples:20", "--profile", "-o", "run.json"});  // without the roofs
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  const bench::BenchRun run = kept("run.json");
  ASSERT_EQ(run.cells.size(), 8u);
  for (const bench::CellRecord& record : run.cells) {
    EXPECT_TRUE(record.cell.case_id.ends_with("_train")) << record.cell.case_id;
    EXPECT_EQ(record.status, CellStatus::kOk) << record.reason;
    ASSERT_TRUE(record.accuracy);
    EXPECT_EQ(record.accuracy->checked, 33u * 65u);
    EXPECT_EQ(record.accuracy->mismatches, 0u);
    EXPECT_EQ(record.kernels.size(), record.cell.provider == "cpu" ? 1u : 3u);
  }
}

TEST_F(BenchRunAction, tuning_says_what_it_found) {
  const ProcessOutcome outcome = strobe({"tune", "--case", "softmax", "--shape", "64x64",
                                         "--provider", "cpu", "--cache-dir", "cache"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("softmax 64x64 f32 cpu"));
  EXPECT_EQ(strobe({"tune", "--case", "softmax", "--no-cache", "--provider", "cpu"}).exit_code, 2);
  ProcessRequest homeless = request({"tune", "--case", "softmax", "--provider", "cpu"});
  std::erase_if(homeless.environment,
                [](const std::string& variable) { return variable.starts_with("HOME="); });
  const ProcessOutcome refused = strobe::test::run_process(homeless);
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, HasSubstr("--cache-dir: tuning needs a cache"));
}

TEST_F(BenchRunAction, the_roofs_of_the_host) {
  const ProcessOutcome outcome = strobe({"roof", "--provider", "cpu", "--format", "json"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("\"copy_gbps\":"));
  EXPECT_EQ(strobe({"roof", "--provider", "nobody"}).exit_code, 4);
}

TEST_F(BenchRunAction, the_worker_is_there_and_no_help_lists_it) {
  EXPECT_THAT(strobe({"--help"}).out, Not(HasSubstr("  worker")));
  EXPECT_EQ(strobe({"worker", "--provider", "nobody"}).exit_code, 2);
  EXPECT_EQ(strobe({"worker", "--provider", "cpu"}).exit_code, 0);  // stdin is empty
}

#ifdef STROBE_STUB_FOLDER
// The address sanitizer's library, if this build has it; sanitized libraries load only with it.
std::string sanitizer_runtime() {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    const std::size_t path = line.find('/');
    if (path != std::string::npos && line.find("/libasan.so") != std::string::npos) {
      return line.substr(path);
    }
  }
  return "";
}

TEST_F(BenchRunAction, counters_of_a_call_are_in_its_record) {
  const std::string stubs = STROBE_STUB_FOLDER;
  std::vector<std::string> words = small_run();
  words.insert(
      words.end(),
      {"--worker", "gpu=" + script("empty=yes kernels=one,two driver=" + stubs + "/libcuda.so.1"),
       "--counters", "-o", "run.json"});
  ProcessRequest asked = request(words);
  asked.environment.push_back("LD_LIBRARY_PATH=" + stubs);
  asked.environment.push_back("STROBE_RECORD_CUPTI=" + stubs + "/libcupti.so.13");
  // A Python worker is not sanitized; the library injected into it may be. Its leaks are ignored.
  if (const std::string runtime = sanitizer_runtime(); !runtime.empty()) {
    asked.environment.push_back("LD_PRELOAD=" + runtime);
    asked.environment.push_back("ASAN_OPTIONS=detect_leaks=0");
  }
  const ProcessOutcome outcome = strobe::test::run_process(asked);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  const bench::BenchRun run = kept("run.json");
  // By its only metric the duration of launches 2 and 3, in nanoseconds.
  EXPECT_EQ(run.header.floors.empty_kernel, (3.0 + 4.0) / 2);
  ASSERT_EQ(run.cells.size(), 1u);
  ASSERT_TRUE(run.cells[0].counters) << run.cells[0].all_notes().back();
  // Launches 2 and 3, 7 and 8, 12 and 13 of the worker; metric m of the nth is 1000 (n + 1) + m.
  EXPECT_EQ(run.cells[0].counters->launches, 2u);
  EXPECT_EQ(run.cells[0].counters->l1_load_bytes, 32 * (3001 + 4001));
  EXPECT_EQ(run.cells[0].counters->dram_write_bytes, 3008 + 4008);
  EXPECT_EQ(run.cells[0].counters->l1_reduction_bytes, 32 * (8000 + 9000));
  EXPECT_EQ(run.cells[0].counters->flops, 13000 + 14000 + 13001 + 14001 + 2 * (13002 + 14002));

  asked.environment.push_back("STUB_CUPTI=enable=35");
  const ProcessOutcome forbidden = strobe::test::run_process(asked);
  EXPECT_EQ(forbidden.exit_code, 0);
  EXPECT_THAT(forbidden.err, AllOf(HasSubstr("warning: no hardware counters: the GPU's counters "
                                             "are for administrators"),
                                   HasSubstr("CAP_PERFMON")));
  EXPECT_EQ(kept("run.json").cells[0].headline()->p50, 10);
}
#endif

TEST_F(BenchRunAction, without_the_recorder_a_run_is_a_run_and_says_what_is_missing) {
  ProcessRequest asked =
      request({"run", "--case", "bias_dropout_add", "--shape", "4x8", "--mode", "device", "--stop",
               "samples:20", "--counters", "--worker", "a=" + script("us=10"), "-o", "run.json"});
  asked.environment.push_back("STROBE_INJECT=/nowhere/libstrobe_inject.so");
  const ProcessOutcome outcome = strobe::test::run_process(asked);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("warning: no hardware counters: libstrobe_inject.so is not "
                                     "there"));
  EXPECT_THAT(kept("run.json").cells[0].lacks.at(bench::Lack::kCounters),
              HasSubstr("libstrobe_inject.so"));
}

using bench::BenchRun;
using bench::CellRecord;
using bench::TimeMode;

CellRecord timed(const char* provider, double us) {
  CellRecord record;
  record.cell = {"softmax", bench::Shape{{128, 128}}, bench::DType::kF32, provider};
  record.status = CellStatus::kOk;
  record.bytes.min = 131072;
  record.times[TimeMode::kDevice].p50 = us;
  record.times[TimeMode::kDevice].ci95 = {us * 0.99, us * 1.01};
  return record;
}

TEST(BenchPaddleLines, every_cell_has_two_and_attention_has_those_of_paddle) {
  BenchRun run;
  CellRecord attention = timed("cudnn", 77800);
  attention.cell.case_id = "attention";
  attention.cell.shape = bench::Shape{{16, 1024, 8, 32}};
  attention.times[TimeMode::kCall].p50 = 116100;
  attention.accuracy = bench::Accuracy{};
  attention.accuracy->checked = 4;
  CellRecord small = attention;
  small.cell.shape = bench::Shape{{1, 128, 8, 64}};
  small.cell.provider = "torch-eager";
  CellRecord softmax = timed("cpu", 3);
  softmax.accuracy = bench::Accuracy{};
  softmax.accuracy->checked = 4;
  softmax.accuracy->mismatches = 1;
  run.cells = {softmax, attention, small};
  EXPECT_EQ(bench_paddle_lines(run),
            "Equality ratio: 75.00%\n"
            "softmax | cpu | f32 | 128x128 |  Time costs: 0.003 ms / time\n"
            "Equality ratio: 100.00%\n"
            "FlashAttention | 16 | 32 | 1024 |  Time costs: 116.100 ms / time\n"
            "Equality ratio: 100.00%\n"
            "Attention |  1 | 64 |  128 |  Time costs: 116.100 ms / time\n");
}

}  // namespace
}  // namespace strobe::cli
