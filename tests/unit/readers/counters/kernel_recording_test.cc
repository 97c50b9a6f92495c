#include "strobe/readers/counters/kernel_recording.h"

#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strobe/readers/counters/kernel_reader.h"
#include "tests/support/recording_sketch.h"
#include "tests/unit/readers/counters/table_of.h"

namespace strobe::readers {
namespace {

using test::SectionSketch;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

SectionSketch two_launches() {
  return SectionSketch()
      .metric("a.sum")
      .metric("b.sum")
      .device(0, "Chip")
      .launch(0, "odd", {1, 2})
      .launch(1, "evenname", {3, 4});
}

KernelRecording decoded(const std::string& bytes) {
  Result<KernelRecording> recording = decode_kernel_recording(bytes);
  EXPECT_TRUE(recording) << recording.error().what;
  return std::move(recording).value();
}

TEST(KernelRecording, what_was_written_is_read) {
  const std::string bytes = two_launches().obstacle(wire::Obstacle::kNote, "hello").bytes();
  const KernelRecording recording = decoded(bytes);
  ASSERT_EQ(recording.processes.size(), 1u);
  const RecordedProcess& process = recording.processes[0];
  EXPECT_EQ(process.header.process_id, 4242);
  EXPECT_EQ(process.program, "app");
  EXPECT_THAT(process.metrics, ElementsAre("a.sum", "b.sum"));
  ASSERT_EQ(process.launches.size(), 2u);
  EXPECT_EQ(process.launches[0].name, "odd");
  EXPECT_THAT(process.launches[1].values, ElementsAre(3, 4));
  EXPECT_EQ(process.launches[1].facts.grid[0], 512u);
  ASSERT_EQ(process.obstacles.size(), 1u);
  EXPECT_EQ(process.obstacles[0].text, "hello");
  EXPECT_THAT(recording.remarks, IsEmpty());
}

TEST(KernelRecording, sections_of_several_processes_follow_each_other) {
  const std::string bytes = two_launches().bytes() + two_launches().bytes();
  EXPECT_EQ(decoded(bytes).processes.size(), 2u);
}

TEST(KernelRecording, wherever_it_is_cut_what_is_whole_is_kept) {
  const std::string bytes = two_launches().bytes();
  std::size_t most = 0;
  for (std::size_t size = sizeof(wire::SectionHeader); size < bytes.size(); ++size) {
    const std::string part = bytes.substr(0, size);
    const KernelRecording recording = decoded(part);
    ASSERT_EQ(recording.processes.size(), 1u);
    ASSERT_FALSE(recording.remarks.empty()) << size;
    const std::size_t launches = recording.processes[0].launches.size();
    ASSERT_GE(launches, most);
    most = launches;
  }
  EXPECT_EQ(most, 1u);  // the second ends with the file
}

TEST(KernelRecording, records_of_a_later_version_are_passed_over) {
  SectionSketch sketch;
  sketch.metric("a.sum").record(static_cast<wire::RecordKind>(99), "new").launch(0, "k", {1});
  const std::string bytes = sketch.bytes();
  const KernelRecording recording = decoded(bytes);
  EXPECT_EQ(recording.processes[0].launches.size(), 1u);
  EXPECT_THAT(recording.remarks, IsEmpty());
}

TEST(KernelRecording, a_record_that_lies_about_itself_is_left_out) {
  SectionSketch sketch;
  // Two values for one announced metric, a device that is too short, an endless text.
  sketch.metric("a.sum").launch(0, "k", {1, 2}).record(wire::RecordKind::kDevice, "short");
  sketch.record(wire::RecordKind::kObstacle, std::string(24, '\xff')).launch(1, "k", {5});
  const std::string bytes = sketch.bytes();
  const KernelRecording recording = decoded(bytes);
  ASSERT_EQ(recording.processes[0].launches.size(), 1u);
  EXPECT_THAT(recording.processes[0].launches[0].values, ElementsAre(5));
  EXPECT_EQ(recording.remarks.size(), 3u);
  EXPECT_THAT(recording.remarks[0], HasSubstr("byte 272: a record makes no sense"));
}

TEST(KernelRecording, another_version_is_refused_by_number) {
  SectionSketch sketch = two_launches();
  sketch.header.version = 7;
  const std::string bytes = sketch.bytes();
  const Result<KernelRecording> recording = decode_kernel_recording(bytes);
  ASSERT_FALSE(recording);
  EXPECT_EQ(recording.error().code, ErrorCode::kMalformed);
  EXPECT_THAT(recording.error().what, HasSubstr("version 7"));
}

TEST(KernelRecording, what_follows_a_section_and_is_none_ends_the_reading) {
  const std::string bytes = two_launches().bytes() + "and now for something else";
  const KernelRecording recording = decoded(bytes);
  EXPECT_EQ(recording.processes.size(), 1u);
  EXPECT_THAT(recording.remarks, ElementsAre(HasSubstr("no section begins here")));
}

TEST(KernelRecording, anything_else_is_not_a_recording) {
  EXPECT_FALSE(is_kernel_recording("{\"schema\":"));
  EXPECT_FALSE(decode_kernel_recording("Kernel Latency"));
}

}  // namespace

namespace {

using test::SectionSketch;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::string_view kTime = "gpu__time_duration.sum";
constexpr std::string_view kDramShare = "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed";

TEST(RecordingTable, a_recording_is_recognised_and_becomes_a_list_of_kernels) {
  const KernelTable table = table_of(SectionSketch()
                                         .metric(kTime)
                                         .metric(kDramShare)
                                         .device(0, "NVIDIA H200")
                                         .launch(5, "_Z6k_copyPK6float4", {533000, 83.2})
                                         .bytes());
  ASSERT_EQ(table.size(), 1u);
  EXPECT_EQ(table.source, KernelSource::kRecording);
  EXPECT_EQ(table.clock_policy, ClockPolicy::kFree);
  EXPECT_EQ(table.name(0), "k_copy(float4 const*)");
  EXPECT_EQ(table.strings[table.mangled_names[0]], "_Z6k_copyPK6float4");
  EXPECT_EQ(table.durations_ns[0], 533000);
  EXPECT_EQ(table.value(KernelMetric::kDramPercent, 0), 83.2);
  EXPECT_EQ(table.ids[0], 5u);
  EXPECT_EQ(table.grids[0], (LaunchShape{512, 1, 1}));
  EXPECT_EQ(table.streams[0], 7u);
  EXPECT_FALSE(table.has(KernelMetric::kRegistersPerThread));
  ASSERT_NE(table.device_of(0), nullptr);
  EXPECT_EQ(table.device_of(0)->name, "NVIDIA H200");
  EXPECT_EQ(table.device_of(0)->capability, "9.0");
  // 6016 bit at 3.201 GHz, twice per clock.
  EXPECT_NEAR(table.device_of(0)->dram_bytes_per_s, 4.814e12, 1e9);
}

TEST(RecordingTable, what_was_not_counted_is_missing) {
  const double missing = std::numeric_limits<double>::quiet_NaN();
  const KernelTable table = table_of(SectionSketch()
                                         .metric(kTime)
                                         .metric(kDramShare)
                                         .launch(0, "k", {1000, missing})
                                         .launch(1, "k", {1000, 0})
                                         .bytes());
  EXPECT_FALSE(table.value(KernelMetric::kDramPercent, 0));
  EXPECT_EQ(table.value(KernelMetric::kDramPercent, 1), 0);
}

TEST(RecordingTable, launches_of_two_contexts_are_put_in_the_order_of_launching) {
  const KernelTable table = table_of(SectionSketch()
                                         .metric(kTime)
                                         .launch(1, "b", {2000})
                                         .launch(3, "d", {4000})
                                         .launch(0, "a", {1000})
                                         .launch(2, "c", {3000})
                                         .bytes());
  EXPECT_THAT(table.durations_ns, ElementsAre(1000, 2000, 3000, 4000));
}

TEST(RecordingTable, losses_and_missing_metrics_are_remarked) {
  SectionSketch sketch;
  sketch.metric(kTime).launch(0, "k", {1000});
  sketch.obstacle(wire::Obstacle::kUnknownMetric, "no__such.sum");
  sketch.header.launches_chosen = 9;
  sketch.header.graph_launches = 1;
  const KernelTable table = table_of(sketch.bytes());
  EXPECT_THAT(table.remarks, Contains(HasSubstr("8 of 9 launches of process 4242")));
  EXPECT_THAT(table.remarks,
              Contains(HasSubstr("1 graph that process 4242 launched was not measured")));
  EXPECT_THAT(table.remarks, Contains(HasSubstr("'no__such.sum'")));
}

TEST(RecordingTable, a_recording_without_a_launch_is_too_little) {
  const Result<KernelTable> table =
      read_kernels_bytes(SectionSketch().metric(kTime).bytes(), "x.strobe");
  ASSERT_FALSE(table);
  EXPECT_EQ(table.error().code, ErrorCode::kTooLittleData);
}

}  // namespace

}  // namespace strobe::readers
