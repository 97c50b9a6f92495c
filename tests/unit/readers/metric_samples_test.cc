#include "strobe/readers/metric_samples.h"

#include <algorithm>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strobe/base/gzip_pack.h"
#include "strobe/readers/recording/recording_facts.h"
#include "tests/support/sketch.h"
#include "tests/support/temporary_folder.h"

namespace strobe::readers {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::string kMetricsHeader = "ts_us,device,metric,value\n";

MetricsRead metrics_of(const std::string& text) {
  Result<MetricsRead> result = read_metrics_bytes(text, "metrics.csv");
  EXPECT_TRUE(result) << (result ? "" : result.error().what);
  return result ? std::move(result).value() : MetricsRead{};
}

TEST(MetricsCsvTest, series_come_by_device_then_metric_with_their_samples_in_time_order) {
  const MetricsRead got = metrics_of(kMetricsHeader +
                                     "30,GPU 7,gpu_usage,6\n"
                                     "10,Host,host_cpu_usage,2.5\n"
                                     "10,GPU 7,gpu_usage,5\n"
                                     "20,GPU 7,gpu_frequency,1155\n"
                                     "20,GPU 7,gpu_usage,-1e-3\n");
  ASSERT_EQ(got.series.size(), 3u);
  EXPECT_EQ(got.series[0].device, "GPU 7");
  EXPECT_EQ(got.series[0].metric, "gpu_frequency");
  EXPECT_EQ(got.series[1].metric, "gpu_usage");
  EXPECT_THAT(got.series[1].times_ns, ElementsAre(10'000, 20'000, 30'000));
  EXPECT_THAT(got.series[1].values, ElementsAre(5, -1e-3, 6));
  EXPECT_EQ(got.series[2].device, "Host");
  EXPECT_THAT(got.remarks, IsEmpty());
}

TEST(MetricsCsvTest, epoch_microseconds_keep_every_nanosecond) {
  // As a double, 1794705356409313.507 would be ...313.5.
  const MetricsRead got = metrics_of(kMetricsHeader +
                                     "1794705356409313.507,GPU 0,m,1\n"
                                     "1.794705356409314e15,GPU 0,m,2\n");
  ASSERT_EQ(got.series.size(), 1u);
  EXPECT_THAT(got.series[0].times_ns, ElementsAre(1794705356409313507, 1794705356409314000));
}

TEST(MetricsCsvTest, columns_are_found_by_name_and_others_are_ignored) {
  const MetricsRead got =
      metrics_of("host,value,metric,ts_us,device,note\nbox,7,m,1,GPU 0,hello\n");
  ASSERT_EQ(got.series.size(), 1u);
  EXPECT_EQ(got.series[0].metric, "m");
  EXPECT_THAT(got.series[0].values, ElementsAre(7));
}

TEST(MetricsCsvTest, windows_line_ends_a_byte_order_mark_blank_lines_and_no_last_newline_are_fine) {
  const MetricsRead got = metrics_of(
      "\xEF\xBB\xBF\r\nts_us,device,metric,value\r\n\r\n1,GPU 0,m,1\r\n   \r\n2, GPU 0 ,m, 2");
  ASSERT_EQ(got.series.size(), 1u);
  EXPECT_THAT(got.series[0].values, ElementsAre(1, 2));
  EXPECT_THAT(got.remarks, IsEmpty());
}

TEST(MetricsCsvTest, quoted_fields_may_hold_commas_and_quotes) {
  const MetricsRead got =
      metrics_of(kMetricsHeader + "\"1\",\"GPU \"\"A\"\", left\",\"m\",\"3\"\n");
  ASSERT_EQ(got.series.size(), 1u);
  EXPECT_EQ(got.series[0].device, "GPU \"A\", left");
  EXPECT_THAT(got.series[0].times_ns, ElementsAre(1000));
  EXPECT_THAT(got.series[0].values, ElementsAre(3));
}

TEST(MetricsCsvTest, what_is_no_number_is_left_out_and_its_first_line_named) {
  const MetricsRead got = metrics_of(kMetricsHeader +
                                     "1,GPU 0,m,1\n"
                                     "2,GPU 0,m,n/a\n"
                                     "3,GPU 0,m,nan\n"
                                     "4,GPU 0,m,inf\n"
                                     "5,GPU 0,m,\n"
                                     "6,GPU 0,m,6\n"
                                     "soon,GPU 0,m,1\n"
                                     "8,GPU 0\n"
                                     "9,\"GPU 0,m,1\n"
                                     "10,,m,1\n");
  ASSERT_EQ(got.series.size(), 1u);
  EXPECT_THAT(got.series[0].values, ElementsAre(1, 6));
  EXPECT_THAT(got.remarks,
              ::testing::UnorderedElementsAre(
                  "line 3: 'n/a' is not a number; 4 lines left out",
                  "line 8: 'soon' is not a time in microseconds; 1 line left out",
                  "line 9: 'GPU 0' ends before its last column; 1 line left out",
                  "line 10: '9,\"GPU 0,m,1' opens a quote and does not close it; 1 line left out",
                  "line 11: 'm' names no device or no metric; 1 line left out"));
}

TEST(MetricsCsvTest, times_beyond_all_clocks_are_left_out) {
  const MetricsRead got =
      metrics_of(kMetricsHeader + "1e300,GPU 0,m,1\n-99999999999999999999,GPU 0,m,1\n");
  EXPECT_THAT(got.series, IsEmpty());
  EXPECT_THAT(got.remarks,
              ElementsAre("the file has no samples that can be used",
                          "line 2: '1e300' is not a time in microseconds; 2 lines left out"));
}

TEST(MetricsCsvTest, of_two_values_for_one_time_the_later_line_wins) {
  const MetricsRead got =
      metrics_of(kMetricsHeader + "5,GPU 0,m,1\n1,GPU 0,m,9\n5,GPU 0,m,2\n5,GPU 0,n,7\n");
  ASSERT_EQ(got.series.size(), 2u);
  EXPECT_THAT(got.series[0].times_ns, ElementsAre(1000, 5000));
  EXPECT_THAT(got.series[0].values, ElementsAre(9, 2));
  EXPECT_THAT(
      got.remarks,
      ElementsAre("line 4: 'm' has a second value for its time; 1 line replaced by the last one"));
}

TEST(MetricsCsvTest, a_missing_column_is_an_error_that_names_it_and_its_line) {
  const Result<MetricsRead> got = read_metrics_bytes("\nts_us,device,metric\n1,GPU 0,m\n", "m.csv");
  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().code, ErrorCode::kMalformed);
  EXPECT_EQ(got.error().what, "line 2 has no column 'value'");
  EXPECT_EQ(got.error().where, "m.csv");
  EXPECT_THAT(got.error().hint, HasSubstr("ts_us,device,metric,value"));
}

TEST(MetricsCsvTest, an_empty_file_has_no_series_and_says_so) {
  EXPECT_THAT(metrics_of("").remarks, ElementsAre("the file is empty: no samples"));
  EXPECT_THAT(metrics_of(kMetricsHeader).remarks,
              ElementsAre("the file has no samples that can be used"));
}

TEST(MetricsCsvTest, a_file_without_a_byte_has_no_series_either) {
  const testing::TemporaryFolder folder;
  testing::put_bytes(folder / "metrics.csv", "");
  const auto read = read_metrics_csv(folder / "metrics.csv");
  ASSERT_TRUE(read) << read.error().what;
  EXPECT_TRUE(read->series.empty());
  EXPECT_EQ(read->remarks.size(), 1u);
}

TEST(MetricsCsvTest, packed_files_are_unpacked_and_damage_is_told) {
  const testing::TemporaryFolder folder;
  std::string text = kMetricsHeader;
  for (int i = 0; i < 50'000; ++i)
    text += std::to_string(i) + ",GPU 0,m," + std::to_string(i * 7919 % 10007) + "\n";
  const std::string packed = pack_gzip(text);
  testing::put_bytes(folder / "metrics.csv.gz", packed);
  const Result<MetricsRead> whole = read_metrics_csv(folder / "metrics.csv.gz");
  ASSERT_TRUE(whole);
  ASSERT_EQ(whole->series.size(), 1u);
  EXPECT_EQ(whole->series[0].values.size(), 50'000u);
  EXPECT_THAT(whole->remarks, IsEmpty());

  testing::put_bytes(folder / "metrics.csv.gz", packed.substr(0, packed.size() / 2));
  const Result<MetricsRead> half = read_metrics_csv(folder / "metrics.csv.gz");
  ASSERT_TRUE(half);
  ASSERT_EQ(half->series.size(), 1u);
  EXPECT_LT(half->series[0].values.size(), 50'000u);
  EXPECT_GT(half->series[0].values.size(), 10'000u);
  EXPECT_THAT(half->remarks, ::testing::Contains(HasSubstr("the part before it is kept")));
}

TEST(MetricsCsvTest, a_line_that_damage_breaks_off_is_not_read_as_a_shorter_number) {
  // Values that do not repeat, so that the compressed text can end inside one.
  std::string text = kMetricsHeader;
  std::vector<double> values;
  std::uint32_t state = 7;
  for (int i = 0; i < 3000; ++i) {
    state = state * 1664525u + 1013904223u;
    values.push_back(state);
    text += std::to_string(i) + ",GPU 0,m," + std::to_string(state) + "\n";
  }
  const std::string packed = pack_gzip(text);
  for (std::size_t missing = 9; missing < packed.size() / 2; missing += 31) {
    const Result<MetricsRead> got =
        read_metrics_bytes(std::string_view(packed).substr(0, packed.size() - missing), "m.csv.gz");
    ASSERT_TRUE(got);
    ASSERT_EQ(got->series.size(), 1u);
    const std::vector<double>& read = got->series[0].values;
    ASSERT_GT(read.size(), 100u);
    EXPECT_TRUE(std::equal(read.begin(), read.end(), values.begin())) << missing;
  }
}

TEST(MetricsCsvTest, a_missing_file_is_an_error) {
  const Result<MetricsRead> got = read_metrics_csv("no/such/metrics.csv");
  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().code, ErrorCode::kNotFound);
}

}  // namespace

namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using namespace strobe::literals;

TEST(CounterSeriesTest, a_counter_belongs_to_the_device_of_its_process_or_to_the_host) {
  const Trace trace = Sketch()
                          .stream(7, 7)
                          .slice("gemm", SliceKind::kKernel, 0, 5_us)
                          .thread(0, 7)  // the same process, another thread
                          .counter("gpu_sm_frequency", "value", 20_us, 210)
                          .counter("gpu_sm_frequency", "value", 10_us, 1155)
                          .thread(1, 944615)
                          .counter("host_cpu_usage", "value", 5_us, 8)
                          .trace();
  const std::vector<MetricSeries> series = counter_series(trace);
  ASSERT_EQ(series.size(), 2u);
  EXPECT_EQ(series[0].device, "GPU 7");
  EXPECT_EQ(series[0].metric, "gpu_sm_frequency");
  EXPECT_THAT(series[0].times_ns, ElementsAre(10_us, 20_us));
  EXPECT_THAT(series[0].values, ElementsAre(1155, 210));
  EXPECT_EQ(series[1].device, "Host");
  EXPECT_EQ(series[1].metric, "host_cpu_usage");
}

TEST(CounterSeriesTest, several_values_of_one_counter_are_series_of_their_own) {
  const Trace trace = Sketch()
                          .thread(1)
                          .counter("clocks", "sm", 1_us, 1155)
                          .counter("clocks", "mem", 1_us, 1593)
                          .trace();
  const std::vector<MetricSeries> series = counter_series(trace);
  ASSERT_EQ(series.size(), 2u);
  EXPECT_EQ(series[0].metric, "clocks mem");
  EXPECT_EQ(series[1].metric, "clocks sm");
}

TEST(CounterSeriesTest, of_two_values_for_one_time_the_last_counts_and_infinity_is_none) {
  const Trace trace = Sketch()
                          .thread(1)
                          .counter("m", "value", 1_us, 1)
                          .counter("m", "value", 1_us, 2)
                          .counter("m", "value", 2_us, std::numeric_limits<double>::infinity())
                          .trace();
  const std::vector<MetricSeries> series = counter_series(trace);
  ASSERT_EQ(series.size(), 1u);
  EXPECT_THAT(series[0].times_ns, ElementsAre(1_us));
  EXPECT_THAT(series[0].values, ElementsAre(2));
}

// Samples of two processes as a recording has them; the second one ends early.
Sketch two_recorded_processes() {
  Sketch sketch;
  sketch.metadata().traits.dialect = kRecordingDialect;
  sketch.track("1/metrics", TrackKind::kOther)
      .counter("process_rss_bytes", "process_rss_bytes", 10_us, 100)
      .counter("major_faults", "major_faults", 10_us, 5)
      .counter("process_rss_bytes", "process_rss_bytes", 30_us, 120)
      .counter("major_faults", "major_faults", 30_us, 6);
  sketch.track("2/metrics", TrackKind::kOther)
      .counter("process_rss_bytes", "process_rss_bytes", 10_us, 40)
      .counter("major_faults", "major_faults", 10_us, 1)
      .counter("major_faults", "major_faults", 20_us, 3);
  return sketch;
}

TEST(CounterSeriesTest, recorded_processes_add_up) {
  const std::vector<MetricSeries> series = counter_series(two_recorded_processes().trace());
  ASSERT_EQ(series.size(), 2u);
  EXPECT_EQ(series[0].metric, "major_faults");
  EXPECT_EQ(series[0].device, "Host");
  EXPECT_THAT(series[0].times_ns, ElementsAre(10_us, 20_us, 30_us));
  EXPECT_THAT(series[0].values, ElementsAre(6, 8, 9)) << "what was counted stays";
  EXPECT_EQ(series[1].metric, "process_rss_bytes");
  EXPECT_THAT(series[1].times_ns, ElementsAre(10_us, 30_us));
  EXPECT_THAT(series[1].values, ElementsAre(140, 120)) << "what has ended holds no memory";
}

// The second process is of a smaller group of its own until 20 us; the third takes the place of the
// first in their group.
TEST(CounterSeriesTest, a_quota_of_recorded_processes_does_not_add_up) {
  Sketch sketch;
  sketch.metadata().traits.dialect = kRecordingDialect;
  sketch.track("1/metrics", TrackKind::kOther)
      .counter("cpu_quota_cores", "cpu_quota_cores", 10_us, 4)
      .counter("cpu_quota_throttled_us", "cpu_quota_throttled_us", 10_us, 700)
      .counter("cpu_quota_throttled_us", "cpu_quota_throttled_us", 20_us, 900);
  sketch.track("2/metrics", TrackKind::kOther)
      .counter("cpu_quota_cores", "cpu_quota_cores", 10_us, 2)
      .counter("cpu_quota_throttled_us", "cpu_quota_throttled_us", 10_us, 50)
      .counter("cpu_quota_throttled_us", "cpu_quota_throttled_us", 20_us, 60);
  sketch.track("3/metrics", TrackKind::kOther)
      .counter("cpu_quota_cores", "cpu_quota_cores", 30_us, 4)
      .counter("cpu_quota_throttled_us", "cpu_quota_throttled_us", 30_us, 900)
      .counter("cpu_quota_throttled_us", "cpu_quota_throttled_us", 40_us, 1000);
  const std::vector<MetricSeries> series = counter_series(sketch.trace());
  ASSERT_EQ(series.size(), 2u);
  EXPECT_EQ(series[0].metric, "cpu_quota_cores");
  EXPECT_THAT(series[0].values, ElementsAre(4, 4));
  EXPECT_EQ(series[1].metric, "cpu_quota_throttled_us");
  EXPECT_THAT(series[1].values, ElementsAre(700, 900, 900, 1000));
}

TEST(CounterSeriesTest, counters_of_recorded_threads_are_no_metrics_of_the_run) {
  Sketch sketch;
  sketch.metadata().traits.dialect = kRecordingDialect;
  sketch.thread(21).counter("core", "core", 1_us, 3);
  EXPECT_THAT(counter_series(sketch.trace()), IsEmpty());
}

TEST(CounterSeriesTest, a_recorded_counter_keeps_its_only_key) {
  Sketch sketch;
  sketch.metadata().traits.dialect = kRecordingDialect;
  sketch.track("Host/metrics", TrackKind::kOther)
      .counter("foreign_process_cpu_usage", "cc1 (9)", 1_us, 80)
      .counter("host_load", "host_load", 1_us, 2);
  const std::vector<MetricSeries> series = counter_series(sketch.trace());
  ASSERT_EQ(series.size(), 2u);
  EXPECT_EQ(series[0].metric, "foreign_process_cpu_usage cc1 (9)");
  EXPECT_EQ(series[1].metric, "host_load");
}

TEST(CounterSeriesTest, a_trace_without_counters_has_no_series) {
  EXPECT_THAT(counter_series(Sketch().thread(1).slice("a", SliceKind::kOperator, 0, 1).trace()),
              IsEmpty());
}

}  // namespace

}  // namespace strobe::readers
