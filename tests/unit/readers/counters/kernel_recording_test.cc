#include "strobe/readers/counters/kernel_recording.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/recording_sketch.h"

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
  Result<KernelRecording> recording = decode_kernel_recording(bytes, "x.strobe");
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
  // Two values where one metric was announced, a device that is too short, an endless text.
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
  const Result<KernelRecording> recording = decode_kernel_recording(bytes, "x.strobe");
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
  EXPECT_FALSE(decode_kernel_recording("Kernel Latency", "x"));
}

}  // namespace
}  // namespace strobe::readers
