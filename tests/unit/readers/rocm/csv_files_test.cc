#include <fstream>
#include <string>

#include <gmock/gmock.h>

#include "strobe/readers/formats.h"
#include "strobe/readers/rocm/csv_table.h"
#include "strobe/readers/trace_reader.h"
#include "strobe/trace/args_store.h"
#include "tests/support/damage.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/trace_totals.h"

namespace strobe::readers {
namespace {

using strobe::testing::Total;
using ::testing::HasSubstr;

const std::string kKernelTable =
    R"~("Kind","Agent_Id","Queue_Id","Stream_Id","Thread_Id","Dispatch_Id","Kernel_Id","Kernel_Name",)~"
    R"~("Correlation_Id","Start_Timestamp","End_Timestamp","LDS_Block_Size","Scratch_Size",)~"
    R"~("VGPR_Count","Accum_VGPR_Count","SGPR_Count","Workgroup_Size_X","Workgroup_Size_Y",)~"
    R"~("Workgroup_Size_Z","Grid_Size_X","Grid_Size_Y","Grid_Size_Z")~"
    "\n"
    R"~("KERNEL_DISPATCH","Agent 1","2","3","9","1","33","f(int, char)","40","100","150","0","0","8",)~"
    R"~("0","128","256","1","1","512","1","1")~"
    "\n"
    R"~("KERNEL_DISPATCH","Agent 1","2","3","9","2","33","f(int, char)","40","200","190","0","0","8",)~"
    R"~("0","128","256","1","1","512","1","1")~"
    "\n";
const std::string kCallTable =
    R"~("Domain","Function","Process_Id","Thread_Id","Correlation_Id","Start_Timestamp","End_Timestamp")~"
    "\n"
    R"~("HIP_RUNTIME_API_EXT","hipLaunchKernel","8","9","40","80","90")~"
    "\n";
const std::string kMarkerTable =
    R"~("Domain","Function","Process_Id","Thread_Id","Correlation_Id","Start_Timestamp","End_Timestamp")~"
    "\n"
    R"~("MARKER_CORE_RANGE_API","my ""step""","8","9","41","70","290")~"
    "\n"
    R"~("MARKER_CORE_API","here","8","9","42","75","75")~"
    "\n";
const std::string kCopyTable =
    R"~("Kind","Direction","Stream_Id","Source_Agent_Id","Destination_Agent_Id","Correlation_Id",)~"
    R"~("Start_Timestamp","End_Timestamp")~"
    "\n"
    R"~("MEMORY_COPY","MEMORY_COPY_HOST_TO_DEVICE","3","Agent 0","Agent 1","43","300","340")~"
    "\n";
const std::string kAgentTable =
    R"~("Node_Id","Logical_Node_Id","Agent_Type","Cu_Count","Wave_Front_Size","Name","Product_Name")~"
    "\n"
    R"~("0","0","CPU","8","0","cpu","Some CPU")~"
    "\n"
    R"~("1","1","GPU","40","32","gfx1151","AMD Radeon 8060S")~"
    "\n";
const std::string kCounterTable =
    R"~("Correlation_Id","Dispatch_Id","Agent_Id","Queue_Id","Process_Id","Thread_Id","Grid_Size",)~"
    R"~("Kernel_Id","Kernel_Name","Workgroup_Size","Counter_Name","Counter_Value",)~"
    R"~("Start_Timestamp","End_Timestamp")~"
    "\n"
    R"~("1","1","Agent 1","2","8","9","512","33","f","256","FETCH_SIZE","10.5","100","150")~"
    "\n"
    R"~("1","1","Agent 1","2","8","9","512","33","f","256","L2CacheHit","50","100","150")~"
    "\n";

Total work_in(const LoadedTrace& loaded, SliceKind kind) {
  return strobe::testing::total_of(loaded.trace, kind);
}

void write_table(const std::filesystem::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

TEST(CsvTableTest, tables_are_known_by_their_columns) {
  EXPECT_EQ(sniff_rocm_table(kKernelTable), RocmTable::kKernels);
  EXPECT_EQ(sniff_rocm_table("\xEF\xBB\xBF" + kCallTable), RocmTable::kCalls);
  EXPECT_EQ(sniff_rocm_table(kCopyTable), RocmTable::kCopies);
  EXPECT_EQ(sniff_rocm_table(kAgentTable), RocmTable::kAgents);
  EXPECT_EQ(sniff_rocm_table(kCounterTable), RocmTable::kCounterRows);
  EXPECT_EQ(sniff_rocm_table("Index,KernelName,gpu-id,queue-id,BeginNs,EndNs\n"),
            RocmTable::kKernels);
  EXPECT_EQ(sniff_rocm_table("Name,Calls,TotalDurationNs\n"), RocmTable::kNone);
  EXPECT_EQ(sniff_rocm_table("Dispatch_ID,Kernel_Name,GPU_ID,Start_Timestamp,End_Timestamp\n"),
            RocmTable::kNone);
}

TEST(CsvFilesTest, a_table_is_a_trace_by_itself) {
  const auto kernels = read_trace_bytes(kKernelTable, "a.csv");
  ASSERT_TRUE(kernels);
  EXPECT_EQ(work_in(*kernels, SliceKind::kKernel), (Total{2, 50}));
  EXPECT_EQ(kernels->report[ImportIssue::kNegativeDuration].count, 1u);
  EXPECT_EQ(kernels->trace.name(SliceId(0)), "f(int, char)");
  const auto markers = read_trace_bytes(kMarkerTable, "a.csv");
  ASSERT_TRUE(markers);
  EXPECT_EQ(work_in(*markers, SliceKind::kAnnotation), (Total{1, 220}));
  EXPECT_EQ(markers->trace.name(SliceId(0)), "my \"step\"");
  EXPECT_EQ(markers->trace.instants().size(), 1u);
  const auto counters = read_trace_bytes(kCounterTable, "a.csv");
  ASSERT_TRUE(counters);
  EXPECT_EQ(work_in(*counters, SliceKind::kKernel), (Total{1, 50}));
}

TEST(CsvFilesTest, dispatches_without_a_number_are_told_apart_by_their_times) {
  const std::string header =
      "Agent_Id,Queue_Id,Kernel_Name,Counter_Name,Counter_Value,Start_Timestamp,End_Timestamp\n";
  const auto counters = read_trace_bytes(header +
                                             "Agent 1,2,f,FETCH_SIZE,1,100,150\n"
                                             "Agent 1,2,f,L2CacheHit,50,100,150\n"
                                             "Agent 1,2,f,FETCH_SIZE,3,200,230\n",
                                         "a.csv");
  ASSERT_TRUE(counters);
  EXPECT_EQ(work_in(*counters, SliceKind::kKernel), (Total{2, 80}));
}

TEST(CsvFilesTest, the_tables_of_a_recording_are_one_trace) {
  const strobe::testing::TemporaryFolder folder;
  write_table(folder / "7_kernel_trace.csv", kKernelTable);
  write_table(folder / "7_hip_api_trace.csv", kCallTable);
  write_table(folder / "7_memory_copy_trace.csv", kCopyTable);
  write_table(folder / "7_counter_collection.csv", kCounterTable);
  write_table(folder / "7_agent_info.csv", kAgentTable);
  write_table(folder / "7_kernel_stats.csv", "\"Name\",\"Calls\"\n");
  const auto loaded = read_trace(folder.path());
  ASSERT_TRUE(loaded) << loaded.error().what;
  EXPECT_EQ(work_in(*loaded, SliceKind::kKernel), (Total{2, 50}));
  EXPECT_EQ(work_in(*loaded, SliceKind::kRuntimeCall), (Total{1, 10}));
  EXPECT_EQ(work_in(*loaded, SliceKind::kMemcpy), (Total{1, 40}));
  ASSERT_EQ(loaded->trace.metadata().devices.size(), 1u);
  EXPECT_EQ(loaded->trace.metadata().devices[0].name, "AMD Radeon 8060S");
  EXPECT_EQ(loaded->report[ImportIssue::kOrphanDeviceWork].count, 1u);  // the copy
}

TEST(CsvFilesTest, several_recordings_are_refused_by_their_names) {
  const strobe::testing::TemporaryFolder folder;
  write_table(folder / "decode_kernel_trace.csv", kKernelTable);
  write_table(folder / "prefill_kernel_trace.csv", kKernelTable);
  ASSERT_NE(find_folder_format(folder.path()), nullptr);
  const auto loaded = read_trace(folder.path());
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().what,
            "the folder holds the tables of 2 recordings: 'decode', 'prefill'");
  EXPECT_THAT(loaded.error().hint, HasSubstr("decode_kernel_trace.csv"));
}

TEST(CsvFilesTest, damaged_rows_are_left_out_and_counted) {
  const auto loaded = read_trace_bytes(
      kCallTable + "\"HIP\",\"hipInit\",\"8\",\"9\",\"41\",\"x\",\"95\"\n\"HIP\",\"hipIni",
      "a.csv");
  ASSERT_TRUE(loaded);
  EXPECT_EQ(loaded->trace.slice_count(), 1u);
  EXPECT_EQ(loaded->report[ImportIssue::kMissingTime].count, 1u);
  EXPECT_EQ(loaded->report[ImportIssue::kTruncatedFile].count, 1u);
}

TEST(CsvFilesTest, damage_never_crashes) {
  strobe::testing::expect_survives(kKernelTable);
  strobe::testing::expect_survives(kCounterTable);
  strobe::testing::expect_survives(kCopyTable);
}

TEST(CsvFolderTest, a_folder_of_one_recording_stands_for_its_trace) {
  const test::LogFolder logs;
  const auto calls = logs.write("one/7_hip_api_trace.csv", kCallTable);
  const auto kernels = logs.write("one/7_kernel_trace.csv", kKernelTable);
  logs.write("one/7_kernel_stats.csv", "Name,Calls,TotalDurationNs\n");
  logs.write("one/7_results.json", test::kOneSlice);  // the same recording in another format
  logs.write("several/7_kernel_trace.csv", kKernelTable);
  logs.write("several/8_kernel_trace.csv", kKernelTable);
  const auto one = find_trace_folder(logs.path() / "one");
  ASSERT_TRUE(one);
  EXPECT_EQ(one->files, (std::vector{calls, kernels}));
  EXPECT_FALSE(one->owns_folders);
  EXPECT_FALSE(find_trace_folder(logs.path() / "several"));
  EXPECT_NE(find_folder_format(logs.path() / "several"), nullptr);  // says why it is none
  const auto loaded = read_trace(logs.path() / "one");
  ASSERT_TRUE(loaded) << loaded.error().what;
  EXPECT_EQ(loaded->report[ImportIssue::kUnreadFiles].examples.at(0).detail,
            "7_kernel_stats.csv, 7_results.json");
}

TEST(CsvFolderTest, a_trace_of_somebody_else_in_it_makes_it_a_folder_of_traces) {
  const test::LogFolder logs;
  logs.write("7_kernel_trace.csv", kKernelTable);
  logs.write("rank1.json", test::kOneSlice);
  EXPECT_EQ(find_folder_format(logs.path()), nullptr);
}

TEST(CsvFolderTest, counters_of_a_table_of_their_own_stand_beside_their_kernels) {
  const test::LogFolder logs;
  logs.write("7_kernel_trace.csv", kKernelTable);
  logs.write("7_counter_collection.csv", kCounterTable);
  const auto loaded = read_trace(logs.path());
  ASSERT_TRUE(loaded) << loaded.error().what;
  EXPECT_EQ(work_in(*loaded, SliceKind::kKernel), (Total{2, 50}));
  ArgsReader args(loaded->trace.args());
  const std::string first(args.text(loaded->trace.slices().args[0]));
  const std::string second(args.text(loaded->trace.slices().args[1]));
  EXPECT_THAT(first, HasSubstr(R"("counters":{"FETCH_SIZE":10.5,"L2CacheHit":50})"));
  EXPECT_THAT(second, ::testing::Not(HasSubstr("counters")));
}

TEST(CsvFolderTest, a_dispatch_that_only_the_counters_list_is_told) {
  const test::LogFolder logs;
  std::string other = kCounterTable;
  for (std::size_t at; (at = other.find("\"1\",\"1\",\"Agent")) != std::string::npos;) {
    other.replace(at, 7, "\"9\",\"9\"");
  }
  logs.write("7_kernel_trace.csv", kKernelTable);
  logs.write("7_counter_collection.csv", other);
  const auto loaded = read_trace(logs.path());
  ASSERT_TRUE(loaded) << loaded.error().what;
  EXPECT_EQ(work_in(*loaded, SliceKind::kKernel), (Total{2, 50}));
  EXPECT_EQ(loaded->report[ImportIssue::kUnreadEvents].count, 1u);
}

}  // namespace
}  // namespace strobe::readers
