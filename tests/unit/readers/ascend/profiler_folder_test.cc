#include "strobe/readers/ascend/profiler_folder.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "strobe/readers/run_reader.h"
#include "tests/support/temporary_folder.h"

namespace strobe::readers {
namespace {

constexpr std::string_view kTraceView =
    R"([{"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":1,"ts":"10.5","dur":2}])";
constexpr std::string_view kSmallDetails =
    "Name,Accelerator Core,Start Time(us),Duration(us)\nmm,AI_CORE,10,5\n";

TEST(ProfilerFolderTest, the_trace_of_a_rank_is_found_from_its_folder_and_from_the_one_below) {
  const test::LogFolder logs;
  logs.write("a_ascend_pt/ASCEND_PROFILER_OUTPUT/trace_view.json", kTraceView);
  logs.write("a_ascend_pt/ASCEND_PROFILER_OUTPUT/kernel_details.csv", kSmallDetails);
  logs.write("a_ascend_pt/profiler_info_5.json", R"({"config": {"x": 1}, "rank_id": 5})");
  for (const char* name : {"a_ascend_pt", "a_ascend_pt/ASCEND_PROFILER_OUTPUT"}) {
    const auto loaded = read_trace(logs.path() / name);
    ASSERT_TRUE(loaded) << loaded.error().what;
    EXPECT_EQ(loaded->trace.slice_count(), 1u) << name;
    EXPECT_EQ(loaded->trace.start_ns(SliceId(0)), 10500);
    EXPECT_EQ(loaded->trace.metadata().distributed.rank, 5);
    EXPECT_EQ(loaded->path, (logs.path() / name).string());
  }
}

TEST(ProfilerFolderTest, a_folder_with_only_the_table_of_kernels_is_a_trace_too) {
  const test::LogFolder logs;
  logs.write("a_ascend_pt/ASCEND_PROFILER_OUTPUT/kernel_details.csv", kSmallDetails);
  const auto loaded = read_trace(logs.path() / "a_ascend_pt");
  ASSERT_TRUE(loaded) << loaded.error().what;
  EXPECT_EQ(loaded->trace.kind(SliceId(0)), SliceKind::kKernel);
  EXPECT_FALSE(loaded->trace.metadata().distributed.rank);
}

TEST(ProfilerFolderTest, the_folders_of_several_ranks_are_one_run) {
  const test::LogFolder logs;
  for (const char* rank : {"0", "1"}) {
    const std::string folder = "host_" + std::string(rank) + "_ascend_pt/";
    logs.write(folder + "ASCEND_PROFILER_OUTPUT/trace_view.json", kTraceView);
    logs.write(folder + "profiler_info_" + rank + ".json",
               R"({"rank_id": )" + std::string(rank) + "}");
  }
  const auto run = read_run(logs.path(), {}, {});
  ASSERT_TRUE(run) << run.error().what;
  ASSERT_EQ(run->ranks.size(), 2u);
  EXPECT_EQ(run->ranks[0].rank, 0);
  EXPECT_EQ(run->ranks[1].rank, 1);
}

TEST(ProfilerFolderTest, what_the_vendors_own_profiler_says_twice_is_counted_once) {
  const test::LogFolder logs;
  const std::string output = "PROF_1/mindstudio_profiler_output/";
  logs.write(output + "msprof_20250101.json",
             R"([{"name":"process_name","pid":32,"args":{"name":"Ascend Hardware"},"ph":"M"},
                 {"name":"mm","pid":32,"tid":2,"ts":"10.5","dur":5,"ph":"X",
                  "args":{"Task Type":"MIX_AIC"}}])");
  logs.write(output + "op_summary_20250101.csv",
             "Op Name,Task Type,Task Start Time(us),Task Duration(us)\nmm,MIX_AIC,10.5,5\n");
  logs.write(output + "api_statistic_20250101.csv", "Level,API Name\n");
  for (const char* name : {"PROF_1", "PROF_1/mindstudio_profiler_output"}) {
    const auto loaded = read_trace(logs.path() / name);
    ASSERT_TRUE(loaded) << loaded.error().what;
    ASSERT_EQ(loaded->trace.slice_count(), 1u) << name;
    EXPECT_EQ(loaded->trace.kind(SliceId(0)), SliceKind::kKernel);
    const auto run = read_run(logs.path() / name, {}, {});
    ASSERT_TRUE(run) << run.error().what;
    EXPECT_EQ(run->ranks.size(), 1u);
  }
}

TEST(ProfilerFolderTest, the_database_of_another_framework_is_found) {
  const test::LogFolder logs;
  logs.write("a_ascend_ms/ASCEND_PROFILER_OUTPUT/ascend_mindspore_profiler_3.db", "x");
  EXPECT_TRUE(kAscendFolder.recognises(logs.path() / "a_ascend_ms"));
}

TEST(ProfilerFolderTest, other_folders_are_not_taken_for_it) {
  const test::LogFolder logs;
  logs.write("mine/trace_view.json", kTraceView);
  logs.write("several/ASCEND_PROFILER_OUTPUT/trace_view.json.gz", "x");
  logs.write("several/ASCEND_PROFILER_OUTPUT/trace_view.json", "x");
  EXPECT_FALSE(kAscendFolder.recognises(logs.path() / "mine"));
  EXPECT_FALSE(kAscendFolder.recognises(logs.path() / "several"));
  EXPECT_FALSE(kAscendFolder.recognises(logs.path() / "nowhere"));
}

TEST(ProfilerFolderTest, tables_that_are_not_read_are_named) {
  const test::LogFolder logs;
  logs.write("a_ascend_pt/ASCEND_PROFILER_OUTPUT/trace_view.json", kTraceView);
  logs.write("a_ascend_pt/ASCEND_PROFILER_OUTPUT/kernel_details.csv", kSmallDetails);
  logs.write("a_ascend_pt/ASCEND_PROFILER_OUTPUT/step_trace_time.csv", "Step,Computing\n");
  logs.write("a_ascend_pt/profiler_info_5.json", R"({"rank_id": 5})");
  logs.write("a_ascend_pt/profiler_metadata.json", "{}");
  const auto loaded = read_trace(logs.path() / "a_ascend_pt");
  ASSERT_TRUE(loaded) << loaded.error().what;
  const ImportReport::Line& line = loaded->report[ImportIssue::kUnreadFiles];
  EXPECT_EQ(line.count, 3u);
  ASSERT_EQ(line.examples.size(), 1u);
  EXPECT_EQ(line.examples[0].detail,
            "kernel_details.csv, step_trace_time.csv, profiler_metadata.json");
  EXPECT_TRUE(loaded->report.is_clean());
}

TEST(ProfilerFolderTest, a_slash_at_the_end_changes_nothing) {
  const test::LogFolder logs;
  logs.write("a_ascend_pt/ASCEND_PROFILER_OUTPUT/trace_view.json", kTraceView);
  logs.write("a_ascend_pt/profiler_info_5.json", R"({"rank_id": 5})");
  for (const char* name : {"a_ascend_pt/", "a_ascend_pt/ASCEND_PROFILER_OUTPUT/"}) {
    const auto run = read_run(logs.path() / name, {}, {});
    ASSERT_TRUE(run) << run.error().what;
    ASSERT_EQ(run->ranks.size(), 1u);
    EXPECT_EQ(run->ranks[0].rank, 5) << name;
  }
}

TEST(ProfilerFolderTest, it_is_one_trace_with_everything_below_it) {
  const test::LogFolder logs;
  const auto trace = logs.write("a_ascend_pt/ASCEND_PROFILER_OUTPUT/trace_view.json", kTraceView);
  const auto info = logs.write("a_ascend_pt/profiler_info.json", R"({"rank_id": 5})");
  const auto folder = find_trace_folder(logs.path() / "a_ascend_pt");
  ASSERT_TRUE(folder);
  EXPECT_TRUE(folder->owns_folders);
  EXPECT_EQ(folder->files, (std::vector{info, trace}));
  EXPECT_FALSE(find_trace_folder(logs.path()));
}

}  // namespace
}  // namespace strobe::readers
