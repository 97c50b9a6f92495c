#include "strobe/readers/counters/ncu_csv.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strobe/readers/counters/kernel_reader.h"
#include "tests/unit/readers/counters/table_of.h"

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

TEST(WideCsv, units_stand_in_the_second_line) {
  const KernelTable table =
      table_of("==WARNING== Note: Running with unmodified GPU clocks.\n" + kIdentity +
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
  const KernelTable table = table_of(
      kIdentity +
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
  const KernelTable table = table_of(
      kIdentity +
      R"(,"device__attribute_clock_rate","device__attribute_display_name",)"
      R"("device__attribute_global_memory_bus_width","device__attribute_memory_clock_rate",)"
      R"("device__attribute_multiprocessor_count","gpu__time_duration.sum")"
      "\n" +
      kNoUnits + ",\"\",\"\",\"\",\"\",\"\",\"ns\"\n" + launch(0, "f", 42, 1) +
      ",\"1,980,000\",\"Big\",\"6,016\",\"3,201,000\",\"132\",\"32\"\n" + launch(1, "f", 42, 0) +
      ",\"1,000\",\"Small\",\"8\",\"1\",\"2\",\"32\"\n");
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
      table_of(header + launch(0) + ",\"32\"\n" + launch(0) + ",\"64\"\n" + launch(0, "f", 43) +
               ",\"96\"\n" + header + launch(0) + ",\"128\"\n");
  EXPECT_THAT(table.durations_ns, ElementsAre(32, 96, 128)) << "a second header: a second run";
  EXPECT_THAT(table.remarks, ElementsAre(HasSubstr("row 2 (line 3), 'ID': '0'")));
}

TEST(WideCsv, short_rows_keep_what_they_have_and_a_cut_one_is_left_out) {
  const std::string header =
      kIdentity + ",\"gpu__time_duration.sum\",\"launch__registers_per_thread\"\n";
  const KernelTable table = table_of(header + launch(0) + ",\"32\"\n" + launch(1) +
                                     ",\"64\",\"16\"\n" + launch(2) + ",\"96");
  EXPECT_THAT(table.durations_ns, ElementsAre(32, 64));
  EXPECT_EQ(table.value(KernelMetric::kRegistersPerThread, 0), std::nullopt);
  EXPECT_THAT(table.remarks,
              ElementsAre(HasSubstr("row 1 (line 2), 'gpu__time_duration.sum': the row ends here"),
                          HasSubstr("row 3 (line 4), 'gpu__time_duration.sum': the file ends")));
}

TEST(WideCsv, names_that_are_no_text_are_repaired) {
  const KernelTable table = table_of(kIdentity + ",\"gpu__time_duration.sum\"\n" +
                                     launch(0, "bad\xFF name") + ",\"32\"\n");
  EXPECT_EQ(table.name(0), "bad\xEF\xBF\xBD name");
}

TEST(WideCsv, fields_may_go_without_quotes_and_sizes_without_blanks) {
  const KernelTable table = table_of(
      "ID,Kernel Name,Grid Size,launch__block_dim_x,launch__block_dim_y,launch__block_dim_z,"
      "gpu__time_duration.sum\n0,f,\"(4,5,6)\",7,8,9,32\n");
  ASSERT_EQ(table.size(), 1u);
  EXPECT_EQ(table.grids[0], (LaunchShape{4, 5, 6}));
  EXPECT_EQ(table.blocks[0], (LaunchShape{7, 8, 9}));
  EXPECT_TRUE(table.streams.empty());
}

TEST(WideCsv, a_duration_may_come_from_cycles_and_clock) {
  const KernelTable table =
      table_of(kIdentity +
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
      table_of(kIdentity +
               R"(,"gpu__time_duration.sum","launch__shared_mem_per_block",)"
               R"("launch__shared_mem_per_block_dynamic","launch__shared_mem_per_block_static")"
               "\n" +
               kNoUnits + ",\"ns\",\"Kbyte/block\",\"Kbyte/block\",\"byte/block\"\n" + launch(0) +
               ",\"32\",\"3.5\",\"2\",\"512\"\n" + launch(1) + ",\"32\",\"3.5\",\"n/a\",\"512\"\n");
  EXPECT_EQ(table.value(KernelMetric::kSharedBytesPerBlock, 0), 2512);
  EXPECT_EQ(table.value(KernelMetric::kSharedBytesPerBlock, 1), 3500);
}

}  // namespace

namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::string kMetricHeader =
    R"("ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size",)"
    R"("Grid Size","Device","CC","Section Name","Metric Name","Metric Unit","Metric Value")"
    "\n";

// One row: of a launch, by process.
std::string row(int id, const std::string& metric, const std::string& unit,
                const std::string& value, const std::string& name = "f", int process = 42,
                int device = 0) {
  return fmt::format(
             R"x("{}","{}","app","host","{}","1","7","(256, 1, 1)","(1056, 2, 1)","{}","9.0",)x"
             R"x("Command line profiler metrics","{}","{}","{}")x",
             id, process, name, device, metric, unit, value) +
         "\n";
}

constexpr const char* kDuration = "gpu__time_duration.sum";
constexpr const char* kDram = "dram__throughput.avg.pct_of_peak_sustained_elapsed";

TEST(MetricRows, rows_of_one_launch_become_one_launch_in_base_units) {
  const KernelTable table =
      table_of("==PROF== Connected to process 42\nhello \" from the app\n" + kMetricHeader +
               row(0, kDram, "%", "82.55") + row(0, kDuration, "ns", "535,296") +
               row(1, kDuration, "us", "436.128", "g(int, char)") +
               row(1, "SM Frequency", "Ghz", "1.98", "g(int, char)") +
               row(1, "dram__bytes_read.sum", "Mbyte", "2.13", "g(int, char)"));
  ASSERT_EQ(table.size(), 2u);
  EXPECT_EQ(table.source, KernelSource::kMetricRows);
  EXPECT_THAT(table.durations_ns, ElementsAre(535296, 436128));
  EXPECT_EQ(table.name(1), "g(int, char)");
  EXPECT_EQ(table.value(KernelMetric::kDramPercent, 0), 82.55);
  EXPECT_EQ(table.value(KernelMetric::kDramPercent, 1), std::nullopt);
  EXPECT_EQ(table.value(KernelMetric::kClockHz, 1), 1.98e9);
  EXPECT_EQ(table.value(KernelMetric::kDramReadBytes, 1), 2.13e6);
  EXPECT_EQ(table.grids[0], (LaunchShape{1056, 2, 1}));
  EXPECT_EQ(table.blocks[0], (LaunchShape{256, 1, 1}));
  EXPECT_EQ(table.streams[0], 7u);
  ASSERT_EQ(table.devices.size(), 1u);
  EXPECT_EQ(table.devices[0].capability, "9.0");
  EXPECT_THAT(table.remarks, IsEmpty());
}

TEST(MetricRows, processes_count_their_launches_separately_even_interleaved) {
  const KernelTable table =
      table_of(kMetricHeader + row(0, kDuration, "ns", "32", "f", 1, 0) +
               row(0, kDuration, "ns", "64", "f", 2, 1) + row(0, kDram, "%", "10", "f", 1, 0) +
               row(0, kDram, "%", "20", "f", 2, 1));
  ASSERT_EQ(table.size(), 2u);
  EXPECT_THAT(table.durations_ns, ElementsAre(32, 64));
  EXPECT_EQ(table.value(KernelMetric::kDramPercent, 1), 20);
  EXPECT_THAT(table.device_indices, ElementsAre(0, 1));
  EXPECT_EQ(table.devices.size(), 2u);
}

TEST(MetricRows, labels_of_the_details_page_are_known_and_rules_are_passed_by) {
  const std::string rule =
      R"x("0","42","app","host","f","1","7","(1, 1, 1)","(1, 1, 1)","0","9.0","SpeedOfLight",)x"
      R"x("","","","Rule","INF","some, text","","")x"
      "\n";
  std::string header = kMetricHeader;
  header.insert(header.size() - 1, R"(,"Rule Name","Rule Type","Rule Description")");
  const KernelTable table = table_of(
      header + row(0, "Memory Throughput", "%", "80.5") + rule +
      row(0, "Memory Throughput", "Gbyte/second", "1,200.00") + row(0, "Duration", "us", "2.00") +
      row(0, "Compute (SM) Throughput", "%", "6.06") + row(0, "L2 Cache Throughput", "%", "88.5"));
  ASSERT_EQ(table.size(), 1u);
  EXPECT_EQ(table.durations_ns[0], 2000);
  EXPECT_EQ(table.value(KernelMetric::kMemoryPercent, 0), 80.5);
  EXPECT_EQ(table.value(KernelMetric::kSmPercent, 0), 6.06);
  EXPECT_EQ(table.value(KernelMetric::kL2Percent, 0), 88.5);
  EXPECT_THAT(table.remarks, IsEmpty());
}

TEST(MetricRows, columns_of_older_versions_are_found_by_name) {
  const KernelTable table = table_of(
      R"("ID","Process ID","Process Name","Host Name","Kernel Name","Kernel Time","Context",)"
      R"("Stream","Section Name","Metric Name","Metric Unit","Metric Value")"
      "\r\n"
      R"x("0","28","cfd","127.0.0.1","step(int,float*)","2020-May-29 12:02:46","1","7",)x"
      R"("GPU Speed Of Light","Duration","nsecond","9006")"
      "\r\n"
      R"x("0","28","cfd","127.0.0.1","step(int,float*)","2020-May-29 12:02:46","1","7",)x"
      R"("GPU Speed Of Light","SM Frequency","cycle/second","1138271055.75")"
      "\r\n");
  ASSERT_EQ(table.size(), 1u);
  EXPECT_EQ(table.durations_ns[0], 9006);
  EXPECT_EQ(table.value(KernelMetric::kClockHz, 0), 1138271055.75);
  EXPECT_FALSE(table.grids[0].is_known());
}

TEST(MetricRows, the_better_source_wins_in_any_order) {
  const std::string better =
      row(0, "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed", "%", "50");
  const std::string worse = row(0, kDram, "%", "40");
  const std::string duration = row(0, kDuration, "ns", "32");
  for (const std::string& text : {better + worse, worse + better}) {
    EXPECT_EQ(table_of(kMetricHeader + duration + text).value(KernelMetric::kDramPercent, 0), 50);
  }
}

TEST(MetricRows, troubles_name_row_and_column_and_the_rest_is_kept) {
  const KernelTable table =
      table_of(kMetricHeader + row(0, kDuration, "ns", "32") + row(0, kDuration, "ns", "64") +
               row(1, kDuration, "ns", "oops") + row(2, kDuration, "ns", "96") +
               row(2, kDram, "%", "n/a") + "\"3\",\"42\",\"app\",\"host\",\"cut he");
  ASSERT_EQ(table.size(), 2u);
  EXPECT_THAT(table.durations_ns, ElementsAre(32, 96));
  EXPECT_THAT(table.remarks, Contains(HasSubstr("row 2 (line 3), 'gpu__time_duration.sum': '64'")));
  EXPECT_THAT(table.remarks,
              Contains(HasSubstr("row 3 (line 4), 'gpu__time_duration.sum': 'oops'")));
  EXPECT_THAT(table.remarks, Contains(HasSubstr("row 6 (line 7), 'Kernel Name': the file ends")));
  EXPECT_THAT(table.remarks, Contains(HasSubstr("no duration; left out")));
}

TEST(MetricRows, a_decimal_comma_is_refused_with_its_place) {
  for (const std::string value : {"82,55", "1.234,56", "0,000"}) {
    const auto table = read_kernels_bytes(
        kMetricHeader + row(0, kDuration, "ns", "32") + row(0, kDram, "%", value), "k.csv");
    ASSERT_FALSE(table) << value;
    EXPECT_THAT(table.error().what, HasSubstr("row 2 (line 3), '" + std::string(kDram)));
    EXPECT_THAT(table.error().what, HasSubstr("decimal comma"));
  }
}

TEST(MetricRows, without_an_id_a_launch_ends_where_a_metric_repeats) {
  const std::string header = R"("Kernel Name","Metric Name","Metric Unit","Metric Value")"
                             "\n";
  const auto line = [](std::string name, std::string metric, std::string value) {
    return "\"" + name + "\",\"" + metric + "\",\"\",\"" + value + "\"\n";
  };
  const KernelTable table =
      table_of(header + line("f", "Duration", "32") + line("f", "DRAM Throughput", "5") +
               line("f", "Duration", "64") + line("g", "Duration", "96"));
  EXPECT_THAT(table.durations_ns, ElementsAre(32, 64, 96));
  EXPECT_EQ(table.value(KernelMetric::kDramPercent, 0), 5);
  EXPECT_THAT(table.remarks, Contains(HasSubstr("column 'ID' is missing")));
}

TEST(MetricRows, floating_point_operations_need_all_three_counts) {
  const auto op = [](const char* name) {
    return "smsp__sass_thread_inst_executed_op_" + std::string(name) + "_pred_on.sum";
  };
  const KernelTable table =
      table_of(kMetricHeader + row(0, kDuration, "ns", "32") + row(0, op("fadd"), "inst", "1,000") +
               row(0, op("fmul"), "inst", "10") + row(0, op("ffma"), "inst", "4") +
               row(1, kDuration, "ns", "32") + row(1, op("ffma"), "inst", "4"));
  EXPECT_EQ(table.value(KernelMetric::kFlops, 0), 1018);
  EXPECT_EQ(table.value(KernelMetric::kFlops, 1), std::nullopt);
}

}  // namespace

}  // namespace strobe::readers
