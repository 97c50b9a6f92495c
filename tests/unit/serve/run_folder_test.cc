#include "strobe/serve/run_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "strobe/base/gzip_pack.h"
#include "tests/support/run_file_sketch.h"
#include "tests/support/temporary_folder.h"

namespace strobe::serve {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

namespace fs = std::filesystem;

RunFolder opened(const fs::path& path) {
  auto folder = RunFolder::open({path.string()});
  EXPECT_TRUE(folder);
  return std::move(*folder);
}

std::vector<std::string> names(const std::vector<FoundTrace>& found) {
  std::vector<std::string> all;
  for (const FoundTrace& trace : found) all.push_back(trace.name);
  return all;
}

TEST(RunFolderTest, profiles_are_named_by_the_plugins_rules) {
  const test::LogFolder logs;
  logs.write("resnet/w0.20.pt.trace.json", "not even JSON");
  logs.write("resnet/w0.3.pt.trace.json.gz", "x");
  logs.write("resnet/w1.pt.trace.json", "");
  logs.write("top.pt.trace.json", "");
  const auto found = opened(logs.path()).scan();
  ASSERT_THAT(names(found),
              ElementsAre("resnet/w0.20.pt.trace.json", "resnet/w0.3.pt.trace.json.gz",
                          "resnet/w1.pt.trace.json", "top.pt.trace.json"));
  EXPECT_EQ(found[0].run, "resnet");
  EXPECT_EQ(found[0].worker, "w0");
  EXPECT_EQ(found[0].span, "1");  // "20" before "3": sorted as text
  EXPECT_EQ(found[1].span, "2");
  EXPECT_EQ(found[2].span, "default");
  EXPECT_EQ(found[3].run, logs.path().filename().string());
  EXPECT_TRUE(found[3].is_profile);
}

TEST(RunFolderTest, other_json_shows_up_only_if_it_is_a_trace) {
  const test::LogFolder logs;
  logs.write("package.json", R"({"name": "x"})");
  logs.write("a.json", test::kOneSlice);
  logs.write("b/c.json.gz", pack_gzip(test::kOneSlice));
  logs.write("notes.txt", test::kOneSlice);
  logs.write("broken.json.gz", "\x1f\x8b");
  const auto found = opened(logs.path()).scan();
  ASSERT_THAT(names(found), ElementsAre("a.json", "b/c.json.gz"));
  EXPECT_EQ(found[1].worker, "c");
  EXPECT_EQ(found[1].span, "default");
  EXPECT_FALSE(found[1].is_profile);
}

constexpr std::string_view kKernels =
    "\"ID\",\"Process ID\",\"Kernel Name\",\"gpu__time_duration.sum\"\n";

std::vector<std::string> kernel_names(const RunFolder& folder) {
  std::vector<std::string> all;
  for (const FoundKernels& file : folder.kernel_files()) all.push_back(file.name);
  return all;
}

TEST(RunFolderTest, lists_of_kernels_are_found_beside_the_traces_by_what_they_hold) {
  const test::LogFolder logs;
  logs.write("run/k.csv", kKernels);
  logs.write("run/k.csv.gz", pack_gzip(kKernels));
  logs.write("run/metrics.csv", "timestamp,gpu_sm_frequency\n1,1400\n");
  logs.write("run/a.json", test::kOneSlice);
  logs.write("own.json", R"({"schema": "strobe.kernels", "version": 1})");
  logs.write("report.ncu-rep", std::string("NVR\0", 4));
  logs.write("table.txt", "Kernel Latency Tensor DRAM\n");
  logs.write("notes.txt", "nothing to see\n");
  logs.write("k.log", kKernels);
  RunFolder folder = opened(logs.path());
  EXPECT_THAT(names(folder.scan()), ElementsAre("run/a.json"));
  EXPECT_THAT(kernel_names(folder),
              ElementsAre("own.json", "report.ncu-rep", "run/k.csv", "run/k.csv.gz", "table.txt"));
  fs::remove(logs.path() / "run/k.csv");
  logs.write("table.txt", "empty now\n");
  folder.scan();
  EXPECT_THAT(kernel_names(folder), ElementsAre("own.json", "report.ncu-rep", "run/k.csv.gz"));
}

void sketch_run_file(const fs::path& path) {
  test::RunFileSketch run(path);
  run.process(17);
}

TEST(RunFolderTest, a_recorded_run_has_its_processes_as_traces) {
  const test::LogFolder logs;
  sketch_run_file(logs.path() / "run/rank0-process-17.strobe");
  sketch_run_file(logs.path() / "run/rank1-process-18.strobe");
  sketch_run_file(logs.path() / "run/host-5.strobe");
  sketch_run_file(logs.path() / "on_the_host/host-6.strobe");
  logs.write("run/run.json", R"({"strobe_run": 1, "recordings": []})");
  logs.write("run/kernels.strobe", "STROBEKR and more");
  RunFolder folder = opened(logs.path());
  const auto found = folder.scan();
  ASSERT_THAT(names(found), ElementsAre("on_the_host/host-6.strobe", "run/rank0-process-17.strobe",
                                        "run/rank1-process-18.strobe"));
  EXPECT_EQ(found[1].run, "run");
  EXPECT_EQ(found[1].worker, "rank0-process-17");
  EXPECT_FALSE(found[1].is_profile);
  EXPECT_THAT(kernel_names(folder), ElementsAre("run/kernels.strobe"));
}

TEST(RunFolderTest, samples_can_be_served_alone) {
  const test::LogFolder logs;
  sketch_run_file(logs.path() / "run/process-17.strobe");
  sketch_run_file(logs.path() / "run/host-5.strobe");
  EXPECT_THAT(names(opened(logs.path() / "run/host-5.strobe").scan()),
              ElementsAre("host-5.strobe"));
}

TEST(RunFolderTest, benchmarks_are_found_by_what_they_hold) {
  const test::LogFolder logs;
  logs.write("a.json", R"({"schema":"strobe.bench/1","header":{},"cells":[]})");
  logs.write("deep/g.csv", "case,metric,dim0,dim1,value\nsoftmax,gbps,1,1,5\n");
  logs.write("deep/metrics.csv", "timestamp,gpu_sm_frequency\n1,1400\n");
  logs.write("trace.json", test::kOneSlice);
  RunFolder folder = opened(logs.path());
  EXPECT_THAT(names(folder.scan()), ElementsAre("trace.json"));
  EXPECT_THAT(folder.kernel_files(), IsEmpty());
  ASSERT_THAT(folder.bench_files(), SizeIs(2));
  EXPECT_EQ(folder.bench_files()[0].name, "a.json");
  EXPECT_EQ(folder.bench_files()[0].content, BenchContent::kRun);
  EXPECT_EQ(folder.bench_files()[1].name, "deep/g.csv");
  EXPECT_EQ(folder.bench_files()[1].content, BenchContent::kGrids);
  fs::remove(logs.path() / "a.json");
  folder.scan();
  EXPECT_THAT(folder.bench_files(), SizeIs(1));
}

TEST(RunFolderTest, a_list_of_kernels_can_be_served_alone) {
  const test::LogFolder logs;
  const fs::path list = logs.write("k.out", kKernels);
  auto folder = RunFolder::open({list.string()});
  ASSERT_TRUE(folder);
  EXPECT_THAT(folder->scan(), IsEmpty());
  EXPECT_THAT(kernel_names(*folder), ElementsAre("k.out"));
}

TEST(RunFolderTest, links_are_followed_and_loops_end) {
  const test::LogFolder logs;
  const test::LogFolder elsewhere;
  elsewhere.write("far.json", test::kOneSlice);
  logs.write("run/a.json", test::kOneSlice);
  fs::create_directory_symlink(logs.path(), logs.path() / "run" / "up");
  fs::create_directory_symlink("run", logs.path() / "latest");
  fs::create_directory_symlink(elsewhere.path(), logs.path() / "other");
  fs::create_symlink(elsewhere.path() / "far.json", logs.path() / "link.json");
  fs::create_symlink("nowhere", logs.path() / "dangling.pt.trace.json");
  EXPECT_THAT(names(opened(logs.path()).scan()),
              ElementsAre("latest/a.json", "link.json", "other/far.json", "run/a.json"));
}

TEST(RunFolderTest, a_second_scan_sees_what_came_went_and_changed) {
  const test::LogFolder logs;
  const fs::path a = logs.write("a.json", test::kOneSlice);
  RunFolder folder = opened(logs.path());
  const auto first = folder.scan();
  logs.write("deep/er/b.json", test::kOneSlice);
  logs.write("a.json", std::string(test::kOneSlice) + "\n");
  const auto second = folder.scan();
  ASSERT_THAT(names(second), ElementsAre("a.json", "deep/er/b.json"));
  EXPECT_NE(first[0].stamp, second[0].stamp);
  fs::remove(a);
  EXPECT_THAT(names(folder.scan()), ElementsAre("deep/er/b.json"));
}

TEST(RunFolderTest, a_file_may_become_a_trace_later) {
  const test::LogFolder logs;
  logs.write("a.json", "{");
  RunFolder folder = opened(logs.path());
  EXPECT_THAT(folder.scan(), IsEmpty());
  logs.write("a.json", test::kOneSlice);
  EXPECT_THAT(folder.scan(), SizeIs(1));
}

TEST(RunFolderTest, files_are_served_alone_and_whatever_they_hold) {
  const test::LogFolder logs;
  const fs::path a = logs.write("x/a.json", test::kOneSlice);
  const fs::path b = logs.write("y/b.bin", "?");
  logs.write("y/c.json", test::kOneSlice);
  auto folder = RunFolder::open({a.string(), b.string()});
  ASSERT_TRUE(folder);
  EXPECT_THAT(names(folder->scan()), ElementsAre("x/a.json", "y/b.bin"));
  auto single = RunFolder::open({a.string()});
  ASSERT_TRUE(single);
  const auto found = single->scan();
  ASSERT_THAT(names(found), ElementsAre("a.json"));
  EXPECT_EQ(found[0].run, "x");
}

TEST(RunFolderTest, names_that_are_no_text_still_have_a_name) {
  const test::LogFolder logs;
  logs.write("bad\xff.json", test::kOneSlice);
  EXPECT_THAT(names(opened(logs.path()).scan()), ElementsAre("bad\xEF\xBF\xBD.json"));
}

TEST(RunFolderTest, a_missing_place_and_two_folders_are_refused) {
  const test::LogFolder logs;
  EXPECT_EQ(RunFolder::open({"/no/such/folder"}).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(RunFolder::open({logs.path().string(), logs.path().string()}).error().code,
            ErrorCode::kInvalidArgument);
}

TEST(RunFolderTest, the_name_of_the_folder_does_not_depend_on_how_it_was_written) {
  const test::LogFolder logs;
  logs.write("run/a.json", test::kOneSlice);
  for (const char* way : {"run", "run/", "run/.", "./run/../run//"}) {
    const auto found = opened(logs.path() / way).scan();
    ASSERT_THAT(found, SizeIs(1)) << way;
    EXPECT_EQ(found[0].run, "run") << way;
    EXPECT_EQ(found[0].name, "a.json") << way;
  }
}

constexpr std::string_view kBenchRun = R"({"schema":"strobe.bench/1","header":{},"cells":[]})";
constexpr std::string_view kBenchGrids =
    "version,device,case,baseline,contender,metric,dim0,dim1,value,status\n";

TEST(RenamedTest, an_error_names_the_file_and_not_its_path) {
  const auto where = [](std::string place) {
    const Error error{ErrorCode::kMalformed, "torn", std::move(place), ""};
    return renamed(error, "/served/run/k.csv", "run/k.csv").where;
  };
  EXPECT_EQ(where("/served/run/k.csv"), "run/k.csv");
  EXPECT_EQ(where("/served/run/k.csv, byte 17"), "run/k.csv, byte 17");
  EXPECT_EQ(where(""), "run/k.csv");
  EXPECT_EQ(where("chip"), "chip");
}

TEST(BenchSniffTest, runs_and_tables_are_known_plain_and_packed) {
  EXPECT_EQ(bench_content(kBenchRun), BenchContent::kRun);
  EXPECT_EQ(bench_content(pack_gzip(kBenchRun)), BenchContent::kRun);
  EXPECT_EQ(bench_content("\xEF\xBB\xBF \n" + std::string(kBenchRun)), BenchContent::kRun);
  EXPECT_EQ(bench_content(kBenchGrids), BenchContent::kGrids);
  EXPECT_EQ(bench_content(pack_gzip(kBenchGrids)), BenchContent::kGrids);
}

TEST(BenchSniffTest, a_run_is_known_by_its_first_bytes) {
  const std::string cut = std::string(kBenchRun.substr(0, 45)) + std::string(100'000, ' ');
  EXPECT_EQ(bench_content(cut), BenchContent::kRun);
}

TEST(BenchSniffTest, other_files_are_not) {
  for (const std::string_view other :
       {"", " ", "{", R"({"schema":"strobe.kernels"})", R"({"schema":7})",
        R"({"traceEvents":[{"schema":"strobe.bench/1"}]})", "[1, 2]", "timestamp,value\n1,2\n",
        "\x1f\x8b", "PK\x03\x04"}) {
    EXPECT_FALSE(bench_content(other)) << other;
  }
}

constexpr std::string_view kCalls =
    "\"Domain\",\"Function\",\"Process_Id\",\"Thread_Id\",\"Correlation_Id\","
    "\"Start_Timestamp\",\"End_Timestamp\"\n"
    "\"HIP_RUNTIME_API_EXT\",\"hipInit\",\"8\",\"9\",\"40\",\"80\",\"90\"\n";
constexpr std::string_view kTasks =
    "Name,Accelerator Core,Start Time(us),Duration(us)\nmm,AI_CORE,10,5\n";

TEST(RunFolderTest, a_folder_that_is_one_trace_is_listed_as_one) {
  const test::LogFolder logs;
  logs.write("npu/a_ascend_pt/ASCEND_PROFILER_OUTPUT/trace_view.json", test::kOneSlice);
  logs.write("npu/a_ascend_pt/ASCEND_PROFILER_OUTPUT/kernel_details.csv", kTasks);
  logs.write("npu/a_ascend_pt/PROF_1/msprof_1.json", test::kOneSlice);
  logs.write("npu/b_ascend_pt/ASCEND_PROFILER_OUTPUT/kernel_details.csv", kTasks);
  logs.write("rocm/7_hip_api_trace.csv", kCalls);
  logs.write("rocm/7_results.json", test::kOneSlice);
  logs.write("rocm/deeper/a.json", test::kOneSlice);
  logs.write("several/7_hip_api_trace.csv", kCalls);
  logs.write("several/8_hip_api_trace.csv", kCalls);
  const auto found = opened(logs.path()).scan();
  ASSERT_THAT(names(found),
              ElementsAre("npu/a_ascend_pt", "npu/b_ascend_pt", "rocm", "rocm/deeper/a.json",
                          "several/7_hip_api_trace.csv", "several/8_hip_api_trace.csv"));
  EXPECT_EQ(found[0].run, "npu");
  EXPECT_EQ(found[0].worker, "a_ascend_pt");
  EXPECT_EQ(found[0].path, logs.path() / "npu/a_ascend_pt");
}

TEST(RunFolderTest, the_served_folder_may_be_one_trace_itself) {
  const test::LogFolder logs;
  logs.write("a_ascend_pt/ASCEND_PROFILER_OUTPUT/kernel_details.csv", kTasks);
  logs.write("b_ascend_pt/ASCEND_PROFILER_OUTPUT/kernel_details.csv", kTasks);
  for (const char* place : {"a_ascend_pt", "a_ascend_pt/"}) {
    const auto found = opened(logs.path() / place).scan();
    ASSERT_THAT(names(found), ElementsAre("a_ascend_pt"));
    EXPECT_EQ(found[0].run, "a_ascend_pt");
  }
  auto both = RunFolder::open(
      {(logs.path() / "a_ascend_pt/").string(), (logs.path() / "b_ascend_pt").string()});
  ASSERT_TRUE(both) << both.error().what;
  EXPECT_THAT(names(both->scan()), ElementsAre("a_ascend_pt", "b_ascend_pt"));
}

TEST(RunFolderTest, the_stamp_of_a_folder_changes_with_its_files) {
  const test::LogFolder logs;
  logs.write("a_ascend_pt/ASCEND_PROFILER_OUTPUT/notes.txt", "");
  RunFolder folder = opened(logs.path());
  EXPECT_THAT(folder.scan(), IsEmpty());
  logs.write("a_ascend_pt/ASCEND_PROFILER_OUTPUT/kernel_details.csv", kTasks);
  const auto first = folder.scan();
  ASSERT_THAT(names(first), ElementsAre("a_ascend_pt"));
  logs.write("a_ascend_pt/ASCEND_PROFILER_OUTPUT/kernel_details.csv",
             std::string(kTasks) + "mm,AI_CORE,20,5\n");
  const auto second = folder.scan();
  ASSERT_THAT(names(second), ElementsAre("a_ascend_pt"));
  EXPECT_NE(first[0].stamp, second[0].stamp);
  logs.write("rocm/7_hip_api_trace.csv", "");
  folder.scan();
  logs.write("rocm/7_hip_api_trace.csv", kCalls);  // the folder itself does not change
  EXPECT_THAT(names(folder.scan()), ElementsAre("a_ascend_pt", "rocm"));
}

}  // namespace
}  // namespace strobe::serve
