#include "strobe/readers/counters/metric_rows.h"

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

const std::string kHeader =
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

KernelTable read(const std::string& text) {
  Result<KernelTable> table = read_kernels_bytes(text, "k.csv");
  EXPECT_TRUE(table) << (table ? "" : table.error().what);
  return table ? std::move(table).value() : KernelTable{};
}

constexpr const char* kDuration = "gpu__time_duration.sum";
constexpr const char* kDram = "dram__throughput.avg.pct_of_peak_sustained_elapsed";

TEST(MetricRows, rows_of_one_launch_become_one_launch_in_base_units) {
  const KernelTable table =
      read("==PROF== Connected to process 42\nhello \" from the app\n" + kHeader +
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
      read(kHeader + row(0, kDuration, "ns", "32", "f", 1, 0) +
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
  std::string header = kHeader;
  header.insert(header.size() - 1, R"(,"Rule Name","Rule Type","Rule Description")");
  const KernelTable table = read(
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
  const KernelTable table =
      read(R"("ID","Process ID","Process Name","Host Name","Kernel Name","Kernel Time","Context",)"
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
    EXPECT_EQ(read(kHeader + duration + text).value(KernelMetric::kDramPercent, 0), 50);
  }
}

TEST(MetricRows, troubles_name_row_and_column_and_the_rest_is_kept) {
  const KernelTable table =
      read(kHeader + row(0, kDuration, "ns", "32") + row(0, kDuration, "ns", "64") +
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
        kHeader + row(0, kDuration, "ns", "32") + row(0, kDram, "%", value), "k.csv");
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
      read(header + line("f", "Duration", "32") + line("f", "DRAM Throughput", "5") +
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
      read(kHeader + row(0, kDuration, "ns", "32") + row(0, op("fadd"), "inst", "1,000") +
           row(0, op("fmul"), "inst", "10") + row(0, op("ffma"), "inst", "4") +
           row(1, kDuration, "ns", "32") + row(1, op("ffma"), "inst", "4"));
  EXPECT_EQ(table.value(KernelMetric::kFlops, 0), 1018);
  EXPECT_EQ(table.value(KernelMetric::kFlops, 1), std::nullopt);
}

}  // namespace
}  // namespace strobe::readers
