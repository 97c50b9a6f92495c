#include "strobe/readers/counters/rocm_machine.h"

#include <string_view>

#include <gtest/gtest.h>

#include "strobe/readers/counters/kernel_reader.h"
#include "tests/support/temporary_folder.h"

namespace strobe::readers {
namespace {

constexpr std::string_view kKernels =
    "Dispatch_ID,Kernel_Name,GPU_ID,FETCH_SIZE,Start_Timestamp,End_Timestamp\n"
    "0,f,2,1,1000,1500\n"
    "1,g,5,1,2000,2500\n";

TEST(RocmMachineTest, the_file_beside_the_table_names_the_chip) {
  const testing::TemporaryFolder folder;
  testing::put_bytes(folder / "pmc_perf.csv", kKernels);
  testing::put_bytes(folder / "sysinfo.csv",
                     "workload_name,sbios,gpu_model,cu_per_gpu,max_sclk,hbm_bw,num_xcd\n"
                     "run,\"American Megatrends, LLC\",MI300X_A1,304,2100,5324.8,8\n");
  const auto table = read_kernels(folder / "pmc_perf.csv");
  ASSERT_TRUE(table) << table.error().what;
  ASSERT_EQ(table->devices.size(), 2u);  // both ran kernels
  const KernelDevice* device = table->device_of(1);
  ASSERT_NE(device, nullptr);
  EXPECT_EQ(device->index, 5);
  EXPECT_EQ(device->name, "MI300X_A1");
  EXPECT_EQ(device->sm_count, 304);
  EXPECT_DOUBLE_EQ(device->most_clock_hz, 2.1e9);
  EXPECT_DOUBLE_EQ(device->dram_bytes_per_s, 5.3248e12);
}

TEST(RocmMachineTest, another_file_of_that_name_says_nothing) {
  const testing::TemporaryFolder folder;
  testing::put_bytes(folder / "pmc_perf.csv", kKernels);
  for (const std::string_view text :
       {"", "a,b\n1,2\n", "gpu_model,cu_per_gpu\n", "gpu_model\n\n"}) {
    testing::put_bytes(folder / "sysinfo.csv", text);
    const auto table = read_kernels(folder / "pmc_perf.csv");
    ASSERT_TRUE(table) << table.error().what;
    EXPECT_TRUE(table->devices.empty()) << text;
  }
}

TEST(RocmMachineTest, a_table_of_another_kind_is_left_alone) {
  const testing::TemporaryFolder folder;
  testing::put_bytes(folder / "kernels.txt", "Kernel Latency Tensor DRAM\nk|100 0.5 0.25\n");
  testing::put_bytes(folder / "sysinfo.csv", "gpu_model\nMI300X\n");
  const auto table = read_kernels(folder / "kernels.txt");
  ASSERT_TRUE(table) << table.error().what;
  EXPECT_TRUE(table->devices.empty());
}

}  // namespace
}  // namespace strobe::readers
