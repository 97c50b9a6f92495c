#include "strobe/readers/recording/run_files.h"

#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "tests/support/run_file_sketch.h"
#include "tests/support/temporary_folder.h"

namespace strobe::readers {
namespace {

namespace fs = std::filesystem;
using test::RunFileSketch;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::put_bytes;
using testing::TemporaryFolder;

constexpr std::string_view kManifest = R"({"strobe_run":1,"recordings":[
  {"recorder":5,"sources":[{"name":"gpu_work","state":"missing","why":"there is no GPU"},
                           {"name":"host","state":"recorded"},
                           {"name":"scheduler","state":"partly","why":"not permitted"}]},
  {"recorder":6,"sources":[{"name":"ranges","state":"missing","why":"off"}]}]})";

void sketch_process(const fs::path& path, std::int64_t id, std::uint64_t start_ns,
                    std::string_view rank = "") {
  RunFileSketch run(path);
  run.process(id);
  if (!rank.empty()) run.fact(wire::kFactRank, rank);
  if (start_ns > 0) run.work(run.kernel_shape("gemm"), start_ns, 5, 1);
}

std::vector<std::string> file_names_of(const std::vector<RunTraceFile>& traces) {
  std::vector<std::string> names;
  for (const RunTraceFile& trace : traces) names.push_back(trace.path.filename().string());
  return names;
}

TEST(RunFilesTest, a_file_is_recognised_by_content) {
  const TemporaryFolder folder;
  sketch_process(folder / "renamed.bin", 1, 10);
  put_bytes(folder / "process-1.strobe", "STROBEKR and more");
  EXPECT_TRUE(is_run_file(folder / "renamed.bin"));
  EXPECT_FALSE(is_run_file(folder / "process-1.strobe"));
  EXPECT_FALSE(is_run_file(folder / "absent"));
  EXPECT_FALSE(is_run_file(folder.path()));
}

TEST(RunFilesTest, processes_are_told_from_samples_and_from_recordings_of_kernels) {
  const TemporaryFolder folder;
  sketch_process(folder / "process-12.strobe", 12, 10);
  sketch_process(folder / "rank0-process-11.strobe", 11, 10);
  sketch_process(folder / "host-5.strobe", 0, 0);
  put_bytes(folder / "kernels.strobe", "STROBEKR and more");
  put_bytes(folder / "run.json", kManifest);
  const RunFiles files = find_run_files(folder.path());
  EXPECT_THAT(files.processes,
              ElementsAre(folder / "process-12.strobe", folder / "rank0-process-11.strobe"));
  EXPECT_THAT(files.samples, ElementsAre(folder / "host-5.strobe"));
  EXPECT_THAT(process_ids(files.processes), ElementsAre(11, 12));
  EXPECT_TRUE(find_run_files(folder / "absent").empty());
}

TEST(RunFilesTest, traces_are_ordered_by_rank_then_start) {
  const TemporaryFolder folder;
  sketch_process(folder / "process-1.strobe", 1, 500);
  sketch_process(folder / "process-2.strobe", 2, 100);
  sketch_process(folder / "rank10-process-3.strobe", 3, 50, "10");
  sketch_process(folder / "rank2-process-4.strobe", 4, 900, "2");
  const std::vector<RunTraceFile> traces = traces_of_run(find_run_files(folder.path()));
  EXPECT_THAT(file_names_of(traces),
              ElementsAre("rank2-process-4.strobe", "rank10-process-3.strobe", "process-2.strobe",
                          "process-1.strobe"));
  EXPECT_EQ(traces[0].rank, 2);
  EXPECT_EQ(traces[2].start_ns, 100);
}

TEST(RunFilesTest, a_process_in_which_nothing_happened_counts_only_alone) {
  const TemporaryFolder folder;
  sketch_process(folder / "process-1.strobe", 1, 0);
  EXPECT_THAT(file_names_of(traces_of_run(find_run_files(folder.path()))),
              ElementsAre("process-1.strobe"));
  sketch_process(folder / "process-2.strobe", 2, 100);
  EXPECT_THAT(file_names_of(traces_of_run(find_run_files(folder.path()))),
              ElementsAre("process-2.strobe"));
}

TEST(RunFilesTest, samples_are_the_trace_of_a_run_without_processes) {
  const TemporaryFolder folder;
  sketch_process(folder / "host-5.strobe", 0, 0);
  EXPECT_THAT(file_names_of(traces_of_run(find_run_files(folder.path()))),
              ElementsAre("host-5.strobe"));
}

TEST(RunFilesTest, a_run_folder_has_a_manifest_of_strobe) {
  const TemporaryFolder folder;
  EXPECT_FALSE(is_run_folder(folder.path()));
  put_bytes(folder / "run.json", R"({"traceEvents":[]})");
  EXPECT_FALSE(is_run_folder(folder.path())) << "a trace may have this name";
  put_bytes(folder / "run.json", kManifest);
  EXPECT_TRUE(is_run_folder(folder.path()));
}

TEST(RunFilesTest, numbered_runs_are_listed_as_numbers) {
  const TemporaryFolder folder;
  for (const std::string_view name : {"1", "2", "10", "notes"}) {
    fs::create_directories(folder / name);
    put_bytes(folder / name / "run.json", kManifest);
  }
  fs::create_directories(folder / "3");
  const std::vector<fs::path> runs = numbered_runs(folder.path());
  EXPECT_THAT(runs, ElementsAre(folder / "1", folder / "2", folder / "10"));
  const Error error = several_runs(folder.path(), runs);
  EXPECT_THAT(error.what, HasSubstr("3 runs, '1' to '10'"));
  EXPECT_THAT(error.hint, HasSubstr((folder / "1").string()));
}

TEST(RunFilesTest, the_parts_of_a_flight_recorder_are_not_mistaken_for_nothing) {
  const TemporaryFolder folder;
  EXPECT_THAT(no_files_yet(folder.path()).what, HasSubstr("no files yet"));
  sketch_process(folder / "process-17.strobe.part3", 17, 10);
  EXPECT_TRUE(find_run_files(folder.path()).empty());
  EXPECT_THAT(no_files_yet(folder.path()).hint,
              HasSubstr("`strobe record dump RUN` makes a run of them"));
}

TEST(RunFilesTest, the_manifest_says_what_a_recorder_could_not_use) {
  const auto of_one = missing_sources_in(kManifest, 5);
  ASSERT_EQ(of_one.size(), 2u);
  EXPECT_EQ(of_one[0].name, "gpu_work");
  EXPECT_EQ(of_one[0].why, "there is no GPU");
  EXPECT_EQ(of_one[1].name, "scheduler");
  EXPECT_EQ(missing_sources_in(kManifest, std::nullopt).size(), 3u);
  EXPECT_THAT(missing_sources_in(kManifest, 7), IsEmpty());
  EXPECT_THAT(missing_sources_in("no JSON", std::nullopt), IsEmpty());
  EXPECT_THAT(missing_sources("absent", std::nullopt), IsEmpty());
}

}  // namespace
}  // namespace strobe::readers
