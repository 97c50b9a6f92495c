#include <map>
#include <string>

#include <gmock/gmock.h>

#include "strobe/base/json_value.h"
#include "strobe/readers/rocm/rocm_formats.h"
#include "strobe/readers/rocm/sdk_record.h"
#include "strobe/readers/rocm/sdk_tables.h"
#include "strobe/readers/trace_reader.h"
#include "strobe/trace/args_store.h"
#include "tests/support/damage.h"
#include "tests/support/trace_totals.h"

namespace strobe::readers {
namespace {

using strobe::testing::Total;

constexpr std::string_view kSdkAgents =
    R"([{"id": {"handle": 50}, "type": 1, "node_id": 0, "logical_node_id": 0, "product_name": "CPU"},
        {"id": {"handle": 51}, "type": 2, "node_id": 4, "logical_node_id": 2, "name": "gfx942",
         "product_name": "AMD Instinct MI300X", "cu_count": 304, "wave_front_size": 64}])";
constexpr std::string_view kSdkStrings =
    R"({"callback_records": [], "buffer_records": [
        {"kind": "NONE", "operations": []},
        {"kind": "HIP_RUNTIME_API", "operations": ["hipInit", "hipLaunchKernel", "hipMemcpyAsync"]},
        {"kind": "MEMORY_COPY", "operations": ["NONE", "MEMORY_COPY_HOST_TO_DEVICE"]},
        {"kind": "MARKER_CORE_RANGE_API", "operations": ["roctxMarkA", "roctxThreadRangeA"]},
        {"kind": "MEMORY_ALLOCATION", "operations": ["NONE", "MEMORY_ALLOCATION_ALLOCATE",
         "MEMORY_ALLOCATION_FREE"]},
        {"kind": "RCCL_API", "operations": ["ncclAllReduce"]}],
      "marker_api": [{"key": 9, "value": "forward \"1\""}]})";
constexpr std::string_view kSdkSymbols =
    R"~([{"kernel_id": 8, "kernel_name": "_Z4fillPf.kd", "formatted_kernel_name": "fill(float*)",
          "arch_vgpr_count": 24}])~";

std::string sdk_dispatch(int start, int end, int launch, int number) {
  return R"({"size": 184, "kind": 11, "operation": 2, "thread_id": 31, "correlation_id": {"internal": )" +
         std::to_string(launch) + R"(, "external": 0}, "start_timestamp": )" +
         std::to_string(start) + R"(, "end_timestamp": )" + std::to_string(end) +
         R"(, "dispatch_info": {"size": 72, "agent_id": {"handle": 51}, "queue_id": {"handle": 16},
             "kernel_id": 8, "dispatch_id": )" +
         std::to_string(number) +
         R"(, "private_segment_size": 0, "group_segment_size": 512,
             "workgroup_size": {"x": 256, "y": 1, "z": 1}, "grid_size": {"x": 512, "y": 2, "z": 1}},
             "stream_id": {"handle": 3}})";
}

std::string sdk_call(int kind, int operation, int start, int end, int launch,
                     const std::string& more = "") {
  return R"({"kind": )" + std::to_string(kind) + R"(, "operation": )" + std::to_string(operation) +
         R"(, "thread_id": 31, "correlation_id": {"internal": )" + std::to_string(launch) +
         R"(}, "start_timestamp": )" + std::to_string(start) + R"(, "end_timestamp": )" +
         std::to_string(end) + more + "}";
}

std::string sdk_process(const std::string& records) {
  return R"({"metadata": {"pid": 30, "command": ["/usr/bin/python3", "train.py"]}, "agents": )" +
         std::string(kSdkAgents) + R"(, "counters": [], "strings": )" + std::string(kSdkStrings) +
         R"(, "kernel_symbols": )" + std::string(kSdkSymbols) + R"(, "buffer_records": {)" +
         records + "}}";
}

std::string sdk_file(const std::string& records) {
  return "{\n  \"rocprofiler-sdk-tool\": [" + sdk_process(records) + "]}";
}

const std::string kSdkFile = sdk_file(
    R"("kernel_dispatch": [)" + sdk_dispatch(100, 150, 5, 1) + ", " + sdk_dispatch(200, 190, 5, 2) +
    R"(], "hip_api": [)" + sdk_call(1, 1, 90, 95, 5) + R"(], "rccl_api": [)" +
    sdk_call(5, 0, 80, 99, 6) + R"(], "memory_copy": [)" +
    sdk_call(2, 1, 160, 170, 7,
             R"(, "src_agent_id": {"handle": 50}, "dst_agent_id": {"handle": 51}, "bytes": 4096)") +
    R"(], "marker_api": [)" + sdk_call(3, 1, 70, 300, 9) + ", " + sdk_call(3, 0, 75, 75, 10) +
    R"(], "memory_allocation": [)" +
    sdk_call(
        4, 1, 60, 65, 11,
        R"(, "agent_id": {"handle": 51}, "address": {"handle": 77}, "allocation_size": 1024)") +
    R"(], "pc_sample_host_trap": [{"record": {"timestamp": 5}}])");

TEST(SdkJsonTest, each_domain_becomes_what_it_is) {
  const auto loaded = read_trace_bytes(kSdkFile, "run.json");
  ASSERT_TRUE(loaded);
  const Trace& trace = loaded->trace;
  EXPECT_EQ(strobe::testing::total_of(trace, SliceKind::kKernel), (Total{2, 50}));
  EXPECT_EQ(strobe::testing::total_of(trace, SliceKind::kRuntimeCall), (Total{1, 5}));
  EXPECT_EQ(strobe::testing::total_of(trace, SliceKind::kCommunication), (Total{1, 19}));
  EXPECT_EQ(strobe::testing::totals_by_name(trace, SliceKind::kMemcpy),
            (std::map<std::string, Total>{{"Memcpy HtoD (Host -> Device)", {1, 10}}}));
  EXPECT_EQ(strobe::testing::totals_by_name(trace, SliceKind::kAnnotation),
            (std::map<std::string, Total>{{"forward \"1\"", {1, 230}}}));
  EXPECT_EQ(trace.instants().size(), 2u);  // the mark and the allocation
  ASSERT_EQ(trace.memory().size(), 1u);
  EXPECT_EQ(trace.memory().bytes[0], 1024);
  EXPECT_EQ(loaded->report[ImportIssue::kNegativeDuration].count, 1u);
  EXPECT_EQ(loaded->report[ImportIssue::kUnreadEvents].count, 1u);
  EXPECT_FALSE(loaded->report.lost_something());
}

TEST(SdkJsonTest, kernels_have_their_device_shape_and_launch) {
  const auto loaded = read_trace_bytes(kSdkFile, "run.json");
  ASSERT_TRUE(loaded);
  const Trace& trace = loaded->trace;
  ASSERT_EQ(trace.metadata().devices.size(), 1u);
  EXPECT_EQ(trace.metadata().devices[0].id, 2);
  EXPECT_EQ(trace.metadata().devices[0].name, "AMD Instinct MI300X");
  ArgsReader args(trace.args());
  for (std::size_t row = 0; row < trace.slice_count(); ++row) {
    if (trace.slices().kinds[row] != SliceKind::kKernel) continue;
    EXPECT_EQ(trace.name(SliceId(row)), "fill(float*)");
    EXPECT_EQ(trace.slices().correlations[row], 5u);
    const std::string text(args.text(trace.slices().args[row]));
    EXPECT_EQ(find(text, "grid").text, "[2,2,1]");
    EXPECT_EQ(find(text, "stream").as_int64(), 3);
    EXPECT_EQ(find(text, "registers per thread").as_int64(), 24);
  }
}

TEST(SdkJsonTest, processes_do_not_share_launches) {
  const std::string one = sdk_process(R"("kernel_dispatch": [)" + sdk_dispatch(1, 2, 5, 1) +
                                      R"(], "hip_api": [)" + sdk_call(1, 1, 0, 1, 5) + "]");
  const auto loaded =
      read_trace_bytes("{\"rocprofiler-sdk-tool\": [" + one + ", " + one + "]}", "run.json");
  ASSERT_TRUE(loaded);
  EXPECT_EQ(strobe::testing::total_of(loaded->trace, SliceKind::kKernel).count, 2u);
  EXPECT_EQ(loaded->report[ImportIssue::kDuplicateCorrelation].count, 0u);
  EXPECT_EQ(loaded->report[ImportIssue::kOrphanDeviceWork].count, 0u);
}

TEST(SdkJsonTest, a_dispatch_is_counted_once) {
  const auto loaded =
      read_trace_bytes(sdk_file(R"("kernel_dispatch": [)" + sdk_dispatch(1, 5, 5, 1) + ", " +
                                sdk_dispatch(1, 5, 5, 1) + "]"),
                       "run.json");
  ASSERT_TRUE(loaded);
  EXPECT_EQ(strobe::testing::total_of(loaded->trace, SliceKind::kKernel), (Total{1, 4}));
  EXPECT_EQ(loaded->report[ImportIssue::kUnreadEvents].count, 1u);
}

TEST(SdkJsonTest, a_kernel_without_a_name_is_called_by_its_number) {
  const auto loaded =
      read_trace_bytes(R"({"rocprofiler-sdk-tool": [{"buffer_records": {"kernel_dispatch": [)" +
                           sdk_dispatch(1, 5, 5, 1) + "]}}]}",
                       "run.json");
  ASSERT_TRUE(loaded);
  EXPECT_EQ(loaded->trace.name(SliceId(0)), "kernel 8");
  EXPECT_EQ(loaded->report[ImportIssue::kLostName].count, 1u);
}

TEST(SdkJsonTest, a_cut_text_keeps_what_came_before) {
  const auto loaded =
      read_trace_bytes(kSdkFile.substr(0, kSdkFile.find("rccl_api") - 10), "run.json");
  ASSERT_TRUE(loaded);
  EXPECT_EQ(strobe::testing::total_of(loaded->trace, SliceKind::kKernel).count, 2u);
  EXPECT_TRUE(loaded->report.is_cut_off());
}

TEST(SdkJsonTest, damage_never_crashes) { strobe::testing::expect_survives(kSdkFile); }

TEST(SdkRecordTest, only_whole_numbers_from_0_on_are_values) {
  SdkRecordReader reader;
  SdkRecord record;
  ASSERT_TRUE(reader.read(R"({"kind": 3, "bytes": -5, "start_timestamp": 18446744073709551615,
                              "end_timestamp": 1.5, "thread_id": "x"})",
                          record));
  EXPECT_EQ(record[SdkField::kKind], 3u);
  EXPECT_FALSE(record.has(SdkField::kCopyBytes));
  EXPECT_FALSE(record.time(SdkField::kStart));
  EXPECT_FALSE(record.time(SdkField::kEnd));
  EXPECT_FALSE(reader.read("[1]", record));
}

TEST(SdkJsonTest, a_dispatch_has_what_the_hardware_counted) {
  const std::string dispatch = sdk_dispatch(100, 150, 5, 1);
  const std::string file =
      R"({"rocprofiler-sdk-tool": [{"metadata": {"pid": 30}, "agents": )" +
      std::string(kSdkAgents) +
      R"(, "counters": [{"id": {"handle": 70}, "name": "TCC_HIT_sum"},
           {"id": {"handle": 71}, "name": "SQ_INSTS"}], "kernel_symbols": )" +
      std::string(kSdkSymbols) +
      R"(, "callback_records": {"counter_collection": [{"thread_id": 31, "dispatch_data": )" +
      dispatch +
      R"(, "records": [{"counter_id": {"handle": 70}, "value": 3.5},
           {"counter_id": {"handle": 71}, "value": 8}, {"counter_id": {"handle": 70}, "value": 1},
           {"counter_id": {"handle": 99}, "value": 7}]}]},
         "buffer_records": {"kernel_dispatch": [)" +
      dispatch + "]}}]}";
  const auto loaded = read_trace_bytes(file, "run.json");
  ASSERT_TRUE(loaded) << loaded.error().what;
  ASSERT_EQ(strobe::testing::total_of(loaded->trace, SliceKind::kKernel), (Total{1, 50}));
  const std::string text(ArgsReader(loaded->trace.args()).text(loaded->trace.slices().args[0]));
  EXPECT_EQ(find(text, "counters").text, R"({"SQ_INSTS":8,"TCC_HIT_sum":4.5})");
}

}  // namespace
}  // namespace strobe::readers
