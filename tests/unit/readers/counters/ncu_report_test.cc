#include "strobe/readers/counters/ncu_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strobe/readers/counters/kernel_reader.h"
#include "tests/support/ncu_report_sketch.h"
#include "tests/unit/readers/counters/table_of.h"

namespace strobe::readers {
namespace {

namespace sketch = strobe::testing::sketch;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::vector<std::string> kNames = {"gpu__time_duration.sum",
                                         "dram__throughput.avg.pct_of_peak_sustained_elapsed",
                                         "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed",
                                         "device__attribute_display_name", "some__counter.sum"};

std::string kernel(double duration_ns) {
  return sketch::bytes(5, "_Z4copyPf") + sketch::bytes(6, "copy") +
         sketch::bytes(7, "copy(float *)") + sketch::shape(10, 1056, 2, 1) +
         sketch::shape(11, 512, 1, 1) + sketch::metric(0, duration_ns) + sketch::metric(1, 40.5) +
         sketch::metric(2, 50.5) + sketch::text_metric(3, "Some Chip") + sketch::metric(4, 1) +
         sketch::number(22, 3) + sketch::number(23, 7) +
         sketch::bytes(25, sketch::number(1, 1) + sketch::number(2, 1)) +
         sketch::real(99, 1.0);  // a field of the future
}

Error report_error(const std::string& bytes) {
  const Result<KernelTable> table = read_kernels_bytes(bytes, "run.ncu-rep");
  EXPECT_FALSE(table);
  return table ? Error{} : table.error();
}

TEST(NcuReport, a_result_becomes_a_launch) {
  const KernelTable table = table_of(sketch::file({sketch::block(kNames, {kernel(533280)})}));
  ASSERT_EQ(table.size(), 1u);
  EXPECT_EQ(table.source, KernelSource::kReport);
  EXPECT_EQ(table.name(0), "copy(float *)");
  EXPECT_EQ(table.strings[table.mangled_names[0]], "_Z4copyPf");
  EXPECT_EQ(table.durations_ns[0], 533280);
  EXPECT_EQ(table.grids[0], (LaunchShape{1056, 2, 1}));
  EXPECT_EQ(table.blocks[0], (LaunchShape{512, 1, 1}));
  EXPECT_EQ(table.contexts[0], 3u);
  EXPECT_EQ(table.streams[0], 7u);
  EXPECT_EQ(table.value(KernelMetric::kDramPercent, 0), 50.5) << "gpu__dram_throughput is better";
  EXPECT_EQ(table.clock_policy, ClockPolicy::kLocked);
  ASSERT_EQ(table.devices.size(), 1u);
  EXPECT_EQ(table.devices[0].name, "Some Chip");
  EXPECT_THAT(table.remarks, IsEmpty());
}

TEST(NcuReport, strings_of_later_blocks_go_on_where_the_first_ended) {
  const KernelTable table = table_of(sketch::file(
      {sketch::block({}, {}), sketch::block({"some__counter.sum"}, {}),
       sketch::block({"gpu__time_duration.sum"}, {sketch::bytes(6, "f") + sketch::metric(1, 64)}),
       sketch::block({}, {sketch::bytes(6, "g") + sketch::metric(1, 96)})}));
  ASSERT_EQ(table.size(), 2u);
  EXPECT_EQ(table.name(0), "f");
  EXPECT_EQ(table.durations_ns[0], 64);
  EXPECT_EQ(table.durations_ns[1], 96);
  EXPECT_EQ(table.ids[1], 1u);
  EXPECT_EQ(table.clock_policy, ClockPolicy::kUnknown);
}

TEST(NcuReport, a_report_that_breaks_off_keeps_what_stands_before) {
  const std::string two = sketch::file({sketch::block(kNames, {kernel(32), kernel(64)})});
  const std::size_t second = two.size() - kernel(64).size();
  for (std::size_t bytes = second; bytes < two.size(); ++bytes) {
    const KernelTable table = table_of(two.substr(0, bytes));
    ASSERT_EQ(table.size(), 1u) << bytes;
    EXPECT_THAT(table.remarks, Contains(HasSubstr("ends inside"))) << bytes;
  }
}

TEST(NcuReport, sizes_that_cannot_be_are_refused_without_asking_for_memory) {
  const std::string header = sketch::file({});
  EXPECT_EQ(report_error(header + std::string("\xFF\xFF\xFF\xFF", 4)).code, ErrorCode::kMalformed);
  const std::string huge_payload = sketch::sized(sketch::number(2, 0xFFFFFFFFFFFFFFFFu) +
                                                 sketch::number(5, 0xFFFFFFFFFFFFFFFFu));
  EXPECT_EQ(report_error(header + huge_payload).code, ErrorCode::kMalformed);
  const std::string huge_result =
      sketch::sized(sketch::number(2, 1) + sketch::number(5, 8)) + std::string(8, '\x7F');
  EXPECT_EQ(report_error(header + huge_result).code, ErrorCode::kMalformed);
}

TEST(NcuReport, an_unknown_version_is_tried_and_remarked_on) {
  const KernelTable table = table_of(sketch::file({sketch::block(kNames, {kernel(32)})}, 9));
  EXPECT_EQ(table.size(), 1u);
  EXPECT_THAT(table.remarks, Contains(HasSubstr("version 9")));
}

TEST(NcuReport, a_metric_without_a_name_and_a_launch_without_a_duration_are_no_harm) {
  const KernelTable table = table_of(sketch::file(
      {sketch::block(kNames, {sketch::bytes(6, "f") + sketch::metric(77, 5), kernel(32)})}));
  ASSERT_EQ(table.size(), 1u);
  EXPECT_THAT(table.remarks, Contains(HasSubstr("row 1, 'Duration'")));
}

TEST(NcuReport, a_report_without_results_has_too_little_data) {
  EXPECT_EQ(report_error(sketch::file({sketch::block({}, {})})).code, ErrorCode::kTooLittleData);
  EXPECT_EQ(report_error(std::string("NVR\0\x05", 5)).code, ErrorCode::kMalformed);
}

}  // namespace
}  // namespace strobe::readers
