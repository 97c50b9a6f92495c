#include "strobe/cli/recording_csv.h"

#include <gtest/gtest.h>

#include <limits>

#include "strobe/readers/counters/kernel_reader.h"
#include "tests/support/recording_sketch.h"

namespace strobe::cli {
namespace {

using test::SectionSketch;

std::string csv_of(const std::string& bytes) {
  return recording_csv(*readers::decode_kernel_recording(bytes));
}

TEST(RecordingCsv, it_has_the_columns_of_the_raw_page) {
  const std::string csv = csv_of(SectionSketch()
                                     .metric("gpu__time_duration.sum")
                                     .metric("dram__bytes_read.sum")
                                     .device(0, "Chip")
                                     .launch(3, "_Z1kPf", {1500.5, 64})
                                     .bytes());
  EXPECT_EQ(csv,
            "\"ID\",\"Process ID\",\"Process Name\",\"Host Name\",\"Kernel Name\",\"Context\","
            "\"Stream\",\"Block Size\",\"Grid Size\",\"Device\",\"CC\",\"gpu__time_duration.sum\","
            "\"dram__bytes_read.sum\"\n"
            "\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"ns\",\"byte\"\n"
            "\"3\",\"4242\",\"app\",\"\",\"k(float*)\",\"1\",\"7\",\"(256, 1, 1)\","
            "\"(512, 1, 1)\",\"0\",\"9.0\",\"1500.500000\",\"64.000000\"\n");
}

TEST(RecordingCsv, processes_with_other_metrics_leave_gaps) {
  const double missing = std::numeric_limits<double>::quiet_NaN();
  const std::string csv =
      csv_of(SectionSketch().metric("a__x.sum").launch(0, "k", {1}).bytes() +
             SectionSketch().metric("b__y.sum").launch(0, "k", {missing}).bytes());
  EXPECT_NE(csv.find("\"1.000000\",\"n/a\"\n"), std::string::npos) << csv;
  EXPECT_NE(csv.find("\"n/a\",\"n/a\"\n"), std::string::npos) << csv;
}

TEST(RecordingCsv, strobe_reads_the_same_from_it_as_from_the_recording) {
  const std::string bytes =
      SectionSketch()
          .metric("gpu__time_duration.sum")
          .metric("sm__cycles_elapsed.avg.per_second")
          .metric("gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed")
          .metric("lts__t_bytes.sum")
          .metric("smsp__inst_executed.sum")
          .metric("sm__cycles_active.avg")
          .launch(0, "_ZN2at1kIfEEvT_", {1500, 1.98e9, 83.25, 4096, 100, 2500})
          .launch(1, "say \"hi\", twice", {2500, 1.5e9, 3.5, 8192, 7, 9})
          .bytes();
  const auto direct = readers::read_kernels_bytes(bytes, "x.strobe");
  const auto through_csv = readers::read_kernels_bytes(csv_of(bytes), "x.csv");
  ASSERT_TRUE(direct);
  ASSERT_TRUE(through_csv) << through_csv.error().what;
  ASSERT_EQ(through_csv->size(), direct->size());
  for (std::size_t row = 0; row < direct->size(); ++row) {
    EXPECT_EQ(through_csv->name(row), direct->name(row));
    EXPECT_EQ(through_csv->durations_ns[row], direct->durations_ns[row]);
    EXPECT_EQ(through_csv->grids[row], direct->grids[row]);
    for (std::size_t i = 0; i < kKernelMetrics; ++i) {
      const auto metric = static_cast<KernelMetric>(i);
      EXPECT_EQ(through_csv->value(metric, row), direct->value(metric, row)) << word_of(metric);
    }
  }
}

}  // namespace
}  // namespace strobe::cli
