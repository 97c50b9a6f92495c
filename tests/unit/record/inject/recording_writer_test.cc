#include "strobe/record/inject/recording_writer.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>

#include "strobe/readers/counters/kernel_recording.h"
#include "tests/support/temporary_folder.h"

namespace strobe::record {
namespace {

using readers::decode_kernel_recording;
using readers::KernelRecording;
using testing::bytes_of;
using testing::TemporaryFolder;

wire::LaunchRecord launch(std::uint64_t index) {
  wire::LaunchRecord record = {};
  record.index = index;
  return record;
}

TEST(RecordingWriter, what_it_writes_the_reader_reads) {
  TemporaryFolder folder;
  RecordingWriter writer;
  ASSERT_TRUE(writer.open((folder / "1.strobe").string()));
  writer.metric("a.sum");
  writer.device({});
  writer.launch(launch(0), "odd", std::array{1.5});
  writer.launch(launch(1), "eightlet", std::array{2.5});
  writer.obstacle(wire::Obstacle::kMismatch, "two and three", 9, 4, true);
  writer.finish();
  const std::string bytes = bytes_of(folder / "1.strobe");
  const Result<KernelRecording> recording = decode_kernel_recording(bytes);
  ASSERT_TRUE(recording);
  EXPECT_TRUE(recording->remarks.empty());
  const readers::RecordedProcess& process = recording->processes.at(0);
  EXPECT_EQ(process.header.process_id, getpid());
  EXPECT_EQ(process.header.is_finished, 1u);
  EXPECT_EQ(process.launches.at(1).name, "eightlet");
  EXPECT_EQ(process.launches.at(1).values.at(0), 2.5);
  EXPECT_EQ(process.obstacles.at(0).text, "two and three");
  EXPECT_EQ(process.obstacles.at(0).facts.result, 9);
}

TEST(RecordingWriter, a_process_that_is_killed_leaves_its_counts_and_whole_batches) {
  TemporaryFolder folder;
  const pid_t child = fork();
  if (child == 0) {
    RecordingWriter writer;
    writer.open((folder / "1.strobe").string());
    writer.launch(launch(0), "kept", {});
    writer.flush();
    writer.launch(launch(1), "lost", {});
    writer.header().launches_seen = 2;
    const Inside inside(writer, "aCall");
    _exit(0);
  }
  waitpid(child, nullptr, 0);
  const std::string bytes = bytes_of(folder / "1.strobe");
  const Result<KernelRecording> recording = decode_kernel_recording(bytes);
  ASSERT_TRUE(recording);
  const readers::RecordedProcess& process = recording->processes.at(0);
  EXPECT_EQ(process.header.launches_seen, 2u);
  EXPECT_EQ(process.header.is_finished, 0u);
  EXPECT_EQ(readers::text_of(process.header.inside), "aCall");
  ASSERT_EQ(process.launches.size(), 1u);
  EXPECT_EQ(process.launches[0].name, "kept");
}

TEST(RecordingWriter, trouble_in_every_launch_does_not_fill_the_disk) {
  TemporaryFolder folder;
  RecordingWriter writer;
  ASSERT_TRUE(writer.open((folder / "1.strobe").string()));
  for (int i = 0; i < 10000; ++i) writer.obstacle(wire::Obstacle::kMeasure, "again");
  writer.obstacle(wire::Obstacle::kMeasure, "the end", 0, 0, true);
  const std::string bytes = bytes_of(folder / "1.strobe");
  EXPECT_LT(bytes.size(), 10'000u);
  EXPECT_EQ(decode_kernel_recording(bytes)->processes.at(0).obstacles.back().text, "the end");
}

TEST(RecordingWriter, without_a_file_it_does_nothing) {
  RecordingWriter writer;
  EXPECT_FALSE(writer.open("/no/such/folder/1.strobe"));
  writer.metric("a.sum");
  writer.header().launches_seen = 1;
  writer.finish();
}

}  // namespace
}  // namespace strobe::record
