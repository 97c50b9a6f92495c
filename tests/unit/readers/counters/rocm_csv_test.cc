#include "strobe/readers/counters/rocm_csv.h"

#include <map>
#include <string>

#include <gmock/gmock.h>

#include "strobe/base/byte_stream.h"
#include "strobe/base/csv.h"
#include "strobe/base/json_value.h"
#include "strobe/base/text.h"
#include "strobe/device/name_parts.h"
#include "strobe/readers/counters/kernel_reader.h"
#include "tests/support/needs_shared.h"

namespace strobe::readers {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::string kRowPerDispatch =
    "Dispatch_ID,Kernel_Name,GPU_ID,Grid_Size,Workgroup_Size,LDS_Per_Workgroup,Arch_VGPR,wave_size,"
    "TCC_HIT_sum,TCC_MISS_sum,TCC_EA0_RDREQ_sum,TCC_EA0_RDREQ_32B_sum,TCC_BUBBLE_sum,"
    "TCC_EA0_WRREQ_sum,TCC_EA0_WRREQ_64B_sum,wave_size_1,Start_Timestamp,End_Timestamp\n"
    "0,_Z1fPf.kd,2,1000,256,6144,32,64,300,100,100,10,20,50,30,64,1000,1500\n"
    "1,_Z1fPf.kd,2,256,256,0,32,64,0,0,,,,,,64,2000,1900\n";
const std::string kRowPerCounter =
    R"~("Dispatch_Id","Agent_Id","Queue_Id","Process_Id","Grid_Size","Kernel_Name","Workgroup_Size",)~"
    R"~("VGPR_Count","Counter_Name","Counter_Value","Start_Timestamp","End_Timestamp")~"
    "\n"
    R"~("7","Agent 1","2","9","1024","f(int, int)","512","16","FETCH_SIZE","10.5","100","400")~"
    "\n"
    R"~("8","Agent 1","2","9","1024","g","512","16","FETCH_SIZE","oops","500","600")~"
    "\n"
    R"~("7","Agent 1","2","9","1024","f(int, int)","512","16","L2CacheHit","87.5","100","400")~"
    "\n";

TEST(RocmCsvTest, headers_are_recognised) {
  EXPECT_TRUE(looks_like_kernels(kRowPerDispatch));
  EXPECT_TRUE(looks_like_kernels(kRowPerCounter));
  EXPECT_FALSE(is_rocm_kernel_header("Kernel_Name,Count,Sum(ns)"));
}

TEST(RocmCsvTest, a_row_per_dispatch) {
  const auto table = read_kernels_bytes(kRowPerDispatch, "pmc_perf.csv");
  ASSERT_TRUE(table) << table.error().what;
  ASSERT_EQ(table->size(), 1u);  // the other ends before its start
  EXPECT_EQ(table->name(0), "f(float*)");
  EXPECT_EQ(table->durations_ns[0], 500);
  EXPECT_EQ(table->grids[0], (LaunchShape{4, 1, 1}));
  EXPECT_EQ(table->blocks[0], (LaunchShape{256, 1, 1}));
  EXPECT_EQ(table->device_indices[0], 2);
  EXPECT_EQ(table->value(KernelMetric::kRegistersPerThread, 0), 32);
  EXPECT_EQ(table->value(KernelMetric::kSharedBytesPerBlock, 0), 6144);
  EXPECT_EQ(table->value(KernelMetric::kL2HitPercent, 0), 75);
  // 10 reads of 32 bytes, 20 of 128, the other 70 of 64; 20 writes of 32 bytes, 30 of 64.
  EXPECT_EQ(table->value(KernelMetric::kDramReadBytes, 0), 10 * 32 + 20 * 128 + 70 * 64);
  EXPECT_EQ(table->value(KernelMetric::kDramWriteBytes, 0), 20 * 32 + 30 * 64);
  EXPECT_THAT(table->remarks, ::testing::Contains(HasSubstr("ends before its start")));
}

TEST(RocmCsvTest, the_matrix_pipe_is_idle_for_sure_or_by_a_counter_that_knows_the_chip) {
  const auto tensor_percent = [](const std::string& counters, const std::string& values) {
    const auto table =
        read_kernels_bytes("Dispatch_ID,Kernel_Name,GPU_ID," + counters +
                               ",Start_Timestamp,End_Timestamp\n0,f,2," + values + ",1000,1500\n",
                           "pmc_perf.csv");
    return table ? table->value(KernelMetric::kTensorPercent, 0) : std::nullopt;
  };
  EXPECT_EQ(tensor_percent("SQ_VALU_MFMA_BUSY_CYCLES", "0"), 0);
  EXPECT_EQ(tensor_percent("SQ_VALU_MFMA_BUSY_CYCLES", "17"), std::nullopt);
  EXPECT_EQ(tensor_percent("SQ_VALU_MFMA_BUSY_CYCLES,MfmaUtil", "17,42.5"), 42.5);
}

TEST(RocmCsvTest, bytes_through_the_l2_cache) {
  const auto table = read_kernels_bytes(
      "Dispatch_ID,Kernel_Name,GPU_ID,TCC_REQ_sum,Start_Timestamp,End_Timestamp\n"
      "0,f,2,10,1000,1500\n",
      "pmc_perf.csv");
  ASSERT_TRUE(table);
  EXPECT_EQ(table->value(KernelMetric::kL2Bytes, 0), 1280);
}

TEST(RocmCsvTest, counters_without_times_are_refused_with_the_way_to_get_them) {
  const auto table = read_kernels_bytes(
      "Index,KernelName,gpu-id,queue-id,grd,wgr,LDSBankConflict\n0,\"f\",8,0,1024,256,0.5\n",
      "results.csv");
  ASSERT_FALSE(table);
  EXPECT_THAT(table.error().what, HasSubstr("have no times"));
  EXPECT_THAT(table.error().hint, HasSubstr("--timestamp on"));
}

TEST(RocmCsvTest, a_row_per_dispatch_and_counter) {
  const auto table = read_kernels_bytes(kRowPerCounter, "counter_collection.csv");
  ASSERT_TRUE(table) << table.error().what;
  ASSERT_EQ(table->size(), 2u);
  EXPECT_THAT(table->ids, ElementsAre(7, 8));
  EXPECT_EQ(table->value(KernelMetric::kDramReadBytes, 0), 10.5 * 1024);
  EXPECT_EQ(table->value(KernelMetric::kL2HitPercent, 0), 87.5);
  EXPECT_FALSE(table->value(KernelMetric::kDramReadBytes, 1));
  EXPECT_THAT(table->remarks, ElementsAre(HasSubstr("'oops'")));
}

TEST(RocmCsvTest, dispatches_without_a_number_are_told_apart_by_their_times) {
  const auto table = read_kernels_bytes(
      "Agent_Id,Queue_Id,Kernel_Name,Counter_Name,Counter_Value,Start_Timestamp,End_Timestamp\n"
      "Agent 1,2,f,FETCH_SIZE,1,100,400\n"
      "Agent 1,2,f,L2CacheHit,50,100,400\n"
      "Agent 1,2,f,FETCH_SIZE,3,500,700\n"
      "Agent 2,2,f,FETCH_SIZE,5,500,700\n"
      "Agent 1,2,g,FETCH_SIZE,7,500,700\n",
      "counter_collection.csv");
  ASSERT_TRUE(table) << table.error().what;
  EXPECT_THAT(table->durations_ns, ElementsAre(300, 200, 200, 200));
  EXPECT_EQ(table->value(KernelMetric::kDramReadBytes, 0), 1024);
  EXPECT_EQ(table->value(KernelMetric::kL2HitPercent, 0), 50);
  EXPECT_EQ(table->value(KernelMetric::kDramReadBytes, 1), 3 * 1024);
  EXPECT_EQ(table->value(KernelMetric::kDramReadBytes, 2), 5 * 1024);
  EXPECT_EQ(table->value(KernelMetric::kDramReadBytes, 3), 7 * 1024);
  EXPECT_THAT(table->remarks, ElementsAre(HasSubstr("does not number its dispatches")));
}

TEST(RocmCsvTest, a_cut_row_is_left_out) {
  const auto table =
      read_kernels_bytes(kRowPerCounter.substr(0, kRowPerCounter.size() - 30), "a.csv");
  ASSERT_TRUE(table);
  EXPECT_EQ(table->size(), 2u);
  EXPECT_FALSE(table->value(KernelMetric::kL2HitPercent, 0));
  EXPECT_EQ(table->remarks.size(), 2u);
}

TEST(RocmCsvTest, a_real_table_has_the_oracles_numbers) {
  STROBE_NEEDS_SHARED();
  const std::string shared = STROBE_SOURCE_DIR "/../shared/";
  const auto text = read_text(shared + "data/vendors_expected.json");
  ASSERT_TRUE(text);
  const auto table = read_kernels(shared + "traces/vendors/rocm/rocprof_compute/pmc_perf.csv.gz");
  ASSERT_TRUE(table) << table.error().what;
  std::map<std::string, std::pair<std::int64_t, std::int64_t>> totals;
  for (std::size_t row = 0; row < table->size(); ++row) {
    auto& [calls, ns] = totals[std::string(table->name(row))];
    ++calls;
    ns += table->durations_ns[row];
  }
  std::size_t compared = 0;
  for_each_element(*text, [&](const JsonValue& entry) {
    if (find(entry.text, "file").as_string() != "vendors/rocm/rocprof_compute/pmc_perf.csv.gz") {
      return;
    }
    EXPECT_EQ(find(entry.text, "dispatches").as_int64(), table->size());
    for_each_element(find(entry.text, "kernels").text, [&](const JsonValue& kernel) {
      const auto& [calls, ns] =
          totals[device::readable_name(find(kernel.text, "name").as_string())];
      EXPECT_EQ(find(kernel.text, "calls").as_int64(), calls);
      EXPECT_EQ(find(kernel.text, "total_ns").as_int64(), ns);
      ++compared;
    });
  });
  EXPECT_EQ(compared, 6u);
  EXPECT_TRUE(table->has(KernelMetric::kFlops));
}

// 2.1_Speed-of-Light.csv beside it: the mean over the dispatches of each one's rate.
TEST(RocmCsvTest, a_real_table_has_the_vendors_rates) {
  STROBE_NEEDS_SHARED();
  const std::string folder = STROBE_SOURCE_DIR "/../shared/traces/vendors/rocm/rocprof_compute/";
  const auto table = read_kernels(folder + "pmc_perf.csv.gz");
  const auto truth = read_text(folder + "2.1_Speed-of-Light.csv");
  ASSERT_TRUE(table && truth);
  const auto mean = [&](auto value) {
    double sum = 0;
    for (std::size_t row = 0; row < table->size(); ++row) sum += value(row);
    return sum / static_cast<double>(table->size());
  };
  const auto mean_of = [&](KernelMetric metric) {
    return mean([&](std::size_t row) { return table->value(metric, row).value_or(-1); });
  };
  const auto gb_per_s = [&](KernelMetric metric) {
    return mean([&](std::size_t row) {
      return table->value(metric, row).value_or(-1) / static_cast<double>(table->durations_ns[row]);
    });
  };
  const std::map<std::string, double> ours = {
      {"MFMA Utilization", mean_of(KernelMetric::kTensorPercent)},
      {"L2 Cache Hit Rate", mean_of(KernelMetric::kL2HitPercent)},
      {"L2 Cache BW", gb_per_s(KernelMetric::kL2Bytes)},
      {"L2-Fabric Read BW", gb_per_s(KernelMetric::kDramReadBytes)},
      {"L2-Fabric Write BW", gb_per_s(KernelMetric::kDramWriteBytes)},
  };
  std::size_t compared = 0;
  CsvRecords records(*truth);
  while (records.next()) {
    const auto found = ours.find(std::string(records.field(0)));
    if (found == ours.end()) continue;
    const double vendors = parse_number(records.field(1)).value_or(-1);
    EXPECT_NEAR(found->second, vendors, 1e-4 * vendors) << found->first;
    ++compared;
  }
  EXPECT_EQ(compared, ours.size());
}

}  // namespace
}  // namespace strobe::readers
