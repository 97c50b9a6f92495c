#include "strobe/readers/recording/recording_facts.h"

#include <gmock/gmock.h>

#include "tests/unit/readers/recording/sink_sketch.h"

namespace strobe::readers {
namespace {

using test::RecordedSketch;
using test::RunFileSketch;
using ::testing::ElementsAre;
using ::testing::Pair;
using wire::NoteWhat;

TEST(RecordingFactsTest, facts_become_metadata) {
  const RecordedSketch sketch([](RunFileSketch& run) {
    run.fact("clock", "1700000000000000000").fact("rank", "3").fact("world_size", "8");
    run.fact("device.0.name", "NVIDIA H200").fact("device.0.memory_bytes", "150754820096");
    run.fact("device.0.multiprocessors", "132").fact("device.2.name", "other");
    run.fact("device.x.name", "no number").fact("device.0", "no property");
  });
  ImportReport report;
  const Metadata metadata = metadata_of(sketch.file(), report);
  EXPECT_EQ(metadata.traits.dialect, kRecordingDialect);
  EXPECT_EQ(metadata.base_time_ns, 1'700'000'000'000'000'000);
  EXPECT_EQ(metadata.distributed.rank, 3);
  EXPECT_EQ(metadata.distributed.world_size, 8);
  ASSERT_EQ(metadata.devices.size(), 2u);
  EXPECT_EQ(metadata.devices[0].name, "NVIDIA H200");
  EXPECT_EQ(metadata.devices[0].memory_bytes, 150'754'820'096);
  EXPECT_EQ(metadata.devices[0].multiprocessors, 132);
  EXPECT_EQ(metadata.devices[1].id, 2);
}

TEST(RecordingFactsTest, an_impossible_clock_is_left_out_and_reported) {
  for (const char* clock : {"4611686018427387904", "-9223372036854775808"}) {
    const RecordedSketch sketch([&](RunFileSketch& run) { run.fact("clock", clock); });
    ImportReport report;
    EXPECT_EQ(metadata_of(sketch.file(), report).base_time_ns, 0) << clock;
    EXPECT_EQ(report[ImportIssue::kBadNumber].count, 1u) << clock;
  }
}

TEST(RecordingFactsTest, facts_that_make_no_sense_are_left_out) {
  const RecordedSketch sketch([](RunFileSketch& run) {
    run.fact("rank", "-1").fact("world_size", "many").fact("device.0.multiprocessors", "-3");
  });
  ImportReport report;
  const Metadata metadata = metadata_of(sketch.file(), report);
  EXPECT_EQ(metadata.distributed.rank, std::nullopt);
  EXPECT_EQ(metadata.distributed.world_size, std::nullopt);
  EXPECT_EQ(metadata.devices[0].multiprocessors, 0);
  EXPECT_EQ(metadata.base_time_ns, 0);
}

TEST(RecordingFactsTest, notes_are_losses_or_remarks) {
  const RecordedSketch sketch([](RunFileSketch& run) {
    run.writer().note(NoteWhat::kDropped, "no room", 500);
    run.writer().note(NoteWhat::kDropped, "no room", 20);
    run.writer().note(NoteWhat::kOtherTool, "another profiler is there");
    run.writer().note(NoteWhat::kNotPermitted, "perf_event_paranoid is 4");
    run.writer().note(NoteWhat::kDeviceError, "Xid 79", 79);
    run.writer().note(NoteWhat::kRemark, "hello");
  });
  ImportReport report;
  report_notes(sketch.file(), report);
  EXPECT_EQ(report[ImportIssue::kDroppedRecords].count, 520u);
  EXPECT_EQ(report[ImportIssue::kSourceFailed].examples[0].detail, "another profiler is there");
  EXPECT_EQ(report[ImportIssue::kSourceMissing].count, 1u);
  EXPECT_EQ(report[ImportIssue::kDeviceError].count, 1u) << "its count is a code, not a number";
  EXPECT_EQ(report[ImportIssue::kRecorderRemark].examples[0].detail, "hello");
}

TEST(RecordingFactsTest, a_recording_that_does_not_say_that_it_ended_is_cut_off) {
  const RecordedSketch ended([](RunFileSketch& run) { run.process(17); });
  const RecordedSketch killed([](RunFileSketch& run) { run.fact("process", "17"); });
  ImportReport report;
  report_ending(ended.file(), report);
  EXPECT_FALSE(report.is_cut_off());
  report_ending(killed.file(), report);
  EXPECT_TRUE(report.is_cut_off());
}

TEST(RecordingFactsTest, the_programs_own_names_of_threads_win) {
  const RecordedSketch sketch([](RunFileSketch& run) {
    run.thread(21, "python3");
    run.thread(22, "python3");
    run.fact("thread.22.name", "loader").fact("thread..name", "nobody");
  });
  TraceBuilder builder;
  TrackFinder tracks(builder);
  const TrackId first = tracks.thread(17, 21);
  const TrackId second = tracks.thread(17, 22);
  name_threads(sketch.file(), tracks);
  tracks.name_all();
  EXPECT_EQ(builder.strings()[builder.tracks()[first.index()].thread_name], "thread 21 (python3)");
  EXPECT_EQ(builder.strings()[builder.tracks()[second.index()].thread_name], "thread 22 (loader)");
}

TEST(RecordingFactsTest, devices_are_matched_by_their_unique_ids) {
  const RecordedSketch process([](RunFileSketch& run) { run.fact("device.0.uuid", "GPU-b"); });
  const RecordedSketch samples([](RunFileSketch& run) {
    run.fact("device.0.uuid", "GPU-a").fact("device.1.uuid", "GPU-b");
  });
  WantedSamples wanted;
  match_devices(process.file(), samples.file(), wanted);
  EXPECT_THAT(wanted.devices_by_index, ElementsAre(Pair(1, 0)));
  EXPECT_EQ(wanted.device(1), 0);
  EXPECT_EQ(wanted.device(0), std::nullopt);
}

TEST(RecordingFactsTest, without_unique_ids_devices_keep_their_numbers) {
  const RecordedSketch process([](RunFileSketch& run) { run.fact("device.0.name", "a"); });
  const RecordedSketch samples([](RunFileSketch& run) { run.fact("device.0.uuid", "GPU-a"); });
  WantedSamples wanted;
  match_devices(process.file(), samples.file(), wanted);
  EXPECT_EQ(wanted.device(5), 5);
}

}  // namespace
}  // namespace strobe::readers
