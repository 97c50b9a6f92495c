#include "strobe/readers/counters/wide_csv.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strobe/readers/counters/kernel_reader.h"

namespace strobe::readers {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::string kIdentity =
    R"("ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size",)"
    R"("Grid Size","Device","CC")";
const std::string kNoUnits = R"("","","","","","","","","","","")";

std::string launch(int id, const std::string& name = "f", int process = 42, int device = 0) {
  return fmt::format(
      R"x("{}","{}","app","host","{}","1","7","(256, 1, 1)","(1056, 1, 1)","{}","9.0")x", id,
      process, name, device);
}

KernelTable read(const std::string& text) {
  Result<KernelTable> table = read_kernels_bytes(text, "k.csv");
  EXPECT_TRUE(table) << (table ? "" : table.error().what);
  return table ? std::move(table).value() : KernelTable{};
}

TEST(WideCsv, units_stand_in_the_second_line) {
  const KernelTable table =
      read("==WARNING== Note: Running with unmodified GPU clocks.\n" + kIdentity +
           R"(,"dram__throughput.avg.pct_of_peak_sustained_elapsed","gpu__time_duration.sum")"
           "\n" +
           kNoUnits + ",\"%\",\"us\"\n" + launch(0) + ",\"82.550000\",\"535.296000\"\n" +
           launch(1, "g<a, b>(\"\"x\"\",\n int)") + ",\"0.000000\",\"436.128000\"\n");
  ASSERT_EQ(table.size(), 2u);
  EXPECT_EQ(table.source, KernelSource::kWideCsv);
  EXPECT_EQ(table.clock_policy, ClockPolicy::kFree);
  EXPECT_THAT(table.durations_ns, ElementsAre(535296, 436128));
  EXPECT_EQ(table.name(1), "g<a, b>(\"x\",\n int)");
  EXPECT_EQ(table.value(KernelMetric::kDramPercent, 0), 82.55);
  EXPECT_EQ(table.value(KernelMetric::kDramPercent, 1), 0.0);
  EXPECT_THAT(table.remarks, IsEmpty());
}

TEST(WideCsv, of_several_sources_the_best_that_has_a_value_counts) {
  const KernelTable table =
      read(kIdentity +
           R"(,"dram__throughput.avg.pct_of_peak_sustained_elapsed",)"
           R"("dram__throughput.max.pct_of_peak_sustained_elapsed",)"
           R"("gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed","gpu__time_duration.max",)"
           R"("gpu__time_duration.sum")"
           "\n" +
           launch(0) + ",\"10\",\"99\",\"20\",\"31\",\"32\"\n" + launch(1) +
           ",\"10\",\"99\",\"n/a\",\"64\",\"\"\n");
  EXPECT_EQ(table.value(KernelMetric::kDramPercent, 0), 20);
  EXPECT_EQ(table.value(KernelMetric::kDramPercent, 1), 10);
  EXPECT_THAT(table.durations_ns, ElementsAre(32, 64));
}

TEST(WideCsv, devices_are_described_once_each) {
  const KernelTable table =
      read(kIdentity +
           R"(,"device__attribute_clock_rate","device__attribute_display_name",)"
           R"("device__attribute_global_memory_bus_width","device__attribute_memory_clock_rate",)"
           R"("device__attribute_multiprocessor_count","gpu__time_duration.sum")"
           "\n" +
           kNoUnits + ",\"\",\"\",\"\",\"\",\"\",\"ns\"\n" + launch(0, "f", 42, 1) +
           ",\"1,980,000\",\"Big\",\"6,016\",\"3,201,000\",\"132\",\"32\"\n" +
           launch(1, "f", 42, 0) + ",\"1,000\",\"Small\",\"8\",\"1\",\"2\",\"32\"\n");
  ASSERT_EQ(table.devices.size(), 2u);
  EXPECT_EQ(table.devices[0].name, "Small");
  EXPECT_EQ(table.devices[1].name, "Big");
  EXPECT_EQ(table.devices[1].capability, "9.0");
  EXPECT_EQ(table.devices[1].sm_count, 132);
  EXPECT_EQ(table.devices[1].most_clock_hz, 1.98e9);
  EXPECT_EQ(table.devices[1].dram_bytes_per_s, 6016.0 / 8 * 3.201e9 * 2);
  EXPECT_EQ(table.device_of(0)->name, "Big");
}

TEST(WideCsv, a_number_seen_twice_keeps_its_first_row_and_processes_count_apart) {
  const std::string header = kIdentity + ",\"gpu__time_duration.sum\"\n";
  const KernelTable table =
      read(header + launch(0) + ",\"32\"\n" + launch(0) + ",\"64\"\n" + launch(0, "f", 43) +
           ",\"96\"\n" + header + launch(0) + ",\"128\"\n");
  EXPECT_THAT(table.durations_ns, ElementsAre(32, 96, 128)) << "a second header: a second run";
  EXPECT_THAT(table.remarks, ElementsAre(HasSubstr("row 2 (line 3), 'ID': '0'")));
}

TEST(WideCsv, short_rows_keep_what_they_have_and_a_cut_one_is_left_out) {
  const std::string header =
      kIdentity + ",\"gpu__time_duration.sum\",\"launch__registers_per_thread\"\n";
  const KernelTable table =
      read(header + launch(0) + ",\"32\"\n" + launch(1) + ",\"64\",\"16\"\n" + launch(2) + ",\"96");
  EXPECT_THAT(table.durations_ns, ElementsAre(32, 64));
  EXPECT_EQ(table.value(KernelMetric::kRegistersPerThread, 0), std::nullopt);
  EXPECT_THAT(table.remarks,
              ElementsAre(HasSubstr("row 1 (line 2), 'gpu__time_duration.sum': the row ends here"),
                          HasSubstr("row 3 (line 4), 'gpu__time_duration.sum': the file ends")));
}

TEST(WideCsv, names_that_are_no_text_are_repaired) {
  const KernelTable table =
      read(kIdentity + ",\"gpu__time_duration.sum\"\n" + launch(0, "bad\xFF name") + ",\"32\"\n");
  EXPECT_EQ(table.name(0), "bad\xEF\xBF\xBD name");
}

TEST(WideCsv, fields_may_go_without_quotes_and_sizes_without_blanks) {
  const KernelTable table = read(
      "ID,Kernel Name,Grid Size,launch__block_dim_x,launch__block_dim_y,launch__block_dim_z,"
      "gpu__time_duration.sum\n0,f,\"(4,5,6)\",7,8,9,32\n");
  ASSERT_EQ(table.size(), 1u);
  EXPECT_EQ(table.grids[0], (LaunchShape{4, 5, 6}));
  EXPECT_EQ(table.blocks[0], (LaunchShape{7, 8, 9}));
  EXPECT_TRUE(table.streams.empty());
}

TEST(WideCsv, a_duration_may_come_from_cycles_and_clock) {
  const KernelTable table =
      read(kIdentity +
           R"(,"sm__cycles_elapsed.avg","sm__cycles_elapsed.avg.per_second")"
           "\n" +
           kNoUnits + ",\"cycle\",\"Ghz\"\n" + launch(0) + ",\"3,000\",\"1.5\"\n");
  EXPECT_THAT(table.durations_ns, ElementsAre(2000));
  EXPECT_THAT(table.remarks, Contains(HasSubstr("computed from cycles and clock")));
}

TEST(WideCsv, without_any_duration_the_error_says_what_to_collect) {
  const auto table = read_kernels_bytes(kIdentity +
                                            R"(,"launch__registers_per_thread")"
                                            "\n" +
                                            launch(0) + ",\"16\"\n",
                                        "k.csv");
  ASSERT_FALSE(table);
  EXPECT_EQ(table.error().code, ErrorCode::kTooLittleData);
  EXPECT_THAT(table.error().hint, HasSubstr("gpu__time_duration.sum"));
}

TEST(WideCsv, shared_memory_is_what_the_kernel_asked_for) {
  const KernelTable table =
      read(kIdentity +
           R"(,"gpu__time_duration.sum","launch__shared_mem_per_block",)"
           R"("launch__shared_mem_per_block_dynamic","launch__shared_mem_per_block_static")"
           "\n" +
           kNoUnits + ",\"ns\",\"Kbyte/block\",\"Kbyte/block\",\"byte/block\"\n" + launch(0) +
           ",\"32\",\"3.5\",\"2\",\"512\"\n" + launch(1) + ",\"32\",\"3.5\",\"n/a\",\"512\"\n");
  EXPECT_EQ(table.value(KernelMetric::kSharedBytesPerBlock, 0), 2512);
  EXPECT_EQ(table.value(KernelMetric::kSharedBytesPerBlock, 1), 3500);
}

}  // namespace
}  // namespace strobe::readers
