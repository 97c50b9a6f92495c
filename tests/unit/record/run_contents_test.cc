#include "strobe/record/run_contents.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strobe/record/run_parts.h"
#include "tests/support/temporary_folder.h"
#include "tests/unit/record/run_file_sketch.h"

namespace strobe::record {
namespace {

using testing::bytes_of;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::put_bytes;
using ::testing::SizeIs;
using testing::TemporaryFolder;
using wire::ChunkKind;
using wire::NoteWhat;

class RunContentsTest : public ::testing::Test {
 protected:
  FileContents contents(const std::string& name = "process-4.strobe") {
    Result<FileContents> read = contents_of_file(folder_ / name);
    EXPECT_TRUE(read);
    return std::move(*read);
  }
  std::vector<SourceReport> judge(const DeviceConditions& conditions = {},
                                  const RunOptions& options = {}) {
    return judge_device_sources(process_files(folder_.path(), std::nullopt), options, conditions);
  }

  TemporaryFolder folder_;
};

TEST_F(RunContentsTest, rows_and_facts_are_counted) {
  RunFileSketch file(folder_ / "rank2-process-4.strobe", 4, 17);
  file.fact(wire::kFactRank, "2").kernels(5).calls(3).kernels(2).finish();
  const RecordedFile recorded = recorded_file(contents("rank2-process-4.strobe"));
  EXPECT_EQ(recorded.process, 4);
  EXPECT_EQ(recorded.program, "app");
  EXPECT_EQ(recorded.rank, 2);
  EXPECT_EQ(recorded.name, "rank2-process-4.strobe");
  EXPECT_EQ(recorded.kernels, 7u);
  EXPECT_EQ(recorded.calls, 3u);
  EXPECT_EQ(recorded.copies, 0u);
  EXPECT_EQ(recorded.bytes, bytes_of(folder_ / "rank2-process-4.strobe").size());
  EXPECT_TRUE(recorded.is_finished);
}

TEST_F(RunContentsTest, files_of_other_recorders_and_other_tools_are_left_out) {
  RunFileSketch(folder_ / "process-4.strobe", 4, 17).finish();
  RunFileSketch(folder_ / "process-5.strobe", 5, 18).finish();
  RunFileSketch(folder_ / "host-17.strobe", 4, 17).finish();
  put_bytes(folder_ / "process-6.strobe", "not a run");
  put_bytes(folder_ / "process-7.strobe", "");
  put_bytes(folder_ / "run.json", "{}");
  EXPECT_THAT(process_files(folder_.path(), 17), SizeIs(1));
  EXPECT_THAT(process_files(folder_.path(), std::nullopt), SizeIs(2));
}

TEST_F(RunContentsTest, the_beginning_of_a_file_says_whose_it_is) {
  RunFileSketch(folder_ / "process-4.strobe", 4, 17).kernels(5).fact(wire::kFactRecorder, "18");
  EXPECT_EQ(recorder_in(folder_ / "process-4.strobe"), "17");
  EXPECT_EQ(contents().fact(wire::kFactRecorder), "18");
  EXPECT_THAT(process_files(folder_.path(), 18), IsEmpty());  // the rest of it is not read
}

TEST_F(RunContentsTest, notes_with_the_same_words_are_added_up) {
  RunFileSketch file(folder_ / "process-4.strobe", 4, 17);
  file.note(NoteWhat::kDropped, "no room", 5).note(NoteWhat::kDropped, "no room", 7).finish();
  const FileContents read = contents();
  ASSERT_THAT(read.notes, SizeIs(1));
  EXPECT_EQ(read.notes[0].count, 12u);
  EXPECT_THAT(losses_in(read, true), ElementsAre("app (4): 12 records lost for want of room: "
                                                 "no room"));
}

TEST_F(RunContentsTest, texts_are_numbered_from_0_in_each_segment) {
  RunFileSketch(folder_ / "a", 4, 17).note(NoteWhat::kForked, "first").finish();
  RunFileSketch(folder_ / "b", 4, 17)
      .note(NoteWhat::kRemark, "other")
      .note(NoteWhat::kForked, "second")
      .finish();
  put_bytes(folder_ / "process-4.strobe", bytes_of(folder_ / "a") + bytes_of(folder_ / "b"));
  EXPECT_THAT(losses_in(contents(), true), ElementsAre("app (4): first", "app (4): second"));
}

TEST_F(RunContentsTest, a_killed_process_is_told_with_its_damage) {
  RunFileSketch(folder_ / "whole", 4, 17).kernels(3);
  put_bytes(folder_ / "process-4.strobe", bytes_of(folder_ / "whole") + "half");
  EXPECT_EQ(contents().damaged_bytes, 4u);
  EXPECT_EQ(recorded_file(contents()).kernels, 3u);
  EXPECT_THAT(losses_in(contents(), true),
              ElementsAre(HasSubstr("4 bytes of process-4.strobe are damaged"),
                          HasSubstr("ended abruptly")));
  EXPECT_THAT(losses_in(contents(), false), SizeIs(1));  // a dump, while the program runs
}

TEST_F(RunContentsTest, the_device_s_errors_keep_their_own_words) {
  RunFileSketch file(folder_ / "host-17.strobe", 4, 17);
  file.note(NoteWhat::kDeviceError, "GPU 0 reported Xid 79", 79)
      .note(NoteWhat::kNotPermitted, "told of its source")
      .finish();
  EXPECT_THAT(losses_in(contents("host-17.strobe"), true), ElementsAre("GPU 0 reported Xid 79"));
}

void expect_source(const SourceReport& source, SourceState state, const std::string& why) {
  EXPECT_EQ(source.state, state) << source.name;
  EXPECT_THAT(source.why, HasSubstr(why)) << source.name;
}

TEST_F(RunContentsTest, recorded_work_needs_no_words) {
  RunFileSketch(folder_ / "process-4.strobe", 4, 17).kernels(3).finish();
  const auto sources = judge();
  ASSERT_THAT(sources, SizeIs(3));
  EXPECT_EQ(sources[0].name, "gpu_work");
  EXPECT_EQ(sources[1].name, "launches");
  EXPECT_EQ(sources[2].name, "ranges");
  EXPECT_EQ(sources[0].why, "");
  EXPECT_EQ(sources[0].state, SourceState::kRecorded);
  expect_source(sources[2], SourceState::kRecorded, "made none");
}

TEST_F(RunContentsTest, why_nothing_was_recorded_is_told) {
  expect_source(judge()[0], SourceState::kRecorded, "no work on a GPU");
  expect_source(judge({.no_driver = "no driver"})[0], SourceState::kMissing, "no driver");
  EXPECT_EQ(judge({.no_driver = "no driver"})[2].state, SourceState::kRecorded);
  for (std::size_t i = 0; i < 3; ++i) {
    expect_source(judge({.no_library = "no library"})[i], SourceState::kMissing, "no library");
    expect_source(judge({.was_started = false})[i], SourceState::kMissing, "running already");
  }
}

TEST_F(RunContentsTest, an_obstacle_makes_work_missing_or_partial) {
  RunFileSketch(folder_ / "process-4.strobe", 4, 17).note(NoteWhat::kOtherTool, "busy").finish();
  expect_source(judge()[0], SourceState::kMissing, "busy");
  expect_source(judge()[1], SourceState::kMissing, "busy");
  RunFileSketch(folder_ / "process-5.strobe", 5, 17).kernels(1).finish();
  expect_source(judge()[0], SourceState::kPartly, "busy");
}

TEST_F(RunContentsTest, dropped_records_make_work_partial) {
  RunFileSketch(folder_ / "process-4.strobe", 4, 17)
      .kernels(1)
      .note(NoteWhat::kDropped, "no room", 9)
      .finish();
  expect_source(judge()[0], SourceState::kPartly, "9 records lost");
}

TEST_F(RunContentsTest, what_was_not_wanted_is_missing_for_that_reason) {
  RunFileSketch(folder_ / "process-4.strobe", 4, 17).kernels(3).finish();
  const auto sources = judge({}, {.calls = CallChoice::kNone, .ranges = false});
  EXPECT_EQ(sources[0].state, SourceState::kRecorded);
  expect_source(sources[1], SourceState::kMissing, "--api none");
  expect_source(sources[2], SourceState::kMissing, "--gpu-only");
}

}  // namespace
}  // namespace strobe::record
