#include "strobe/analysis/timeline/track_groups.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/sketch.h"

namespace strobe::analysis {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> group_texts(const Trace& trace) {
  std::vector<std::string> texts;
  for (const TrackGroup& group : group_tracks(trace)) {
    std::string text = group.name + ":";
    for (const TrackId track : group.tracks) text += " " + track_name(trace, track) + ",";
    texts.push_back(text);
  }
  return texts;
}

TEST(TrackGroupsTest, processes_come_first_with_their_main_thread_then_devices) {
  Sketch sketch;
  sketch.stream(1, 7).slice("k", SliceKind::kKernel, 0, 1);
  sketch.stream(0, 20).slice("k", SliceKind::kKernel, 0, 1);
  sketch.stream(0, 7).slice("k", SliceKind::kKernel, 0, 1);
  sketch.thread(9, 100).slice("a", kOp, 0, 1);
  sketch.thread(100, 100).slice("main", kOp, 0, 1);
  sketch.thread(11, 12).slice("b", kOp, 0, 1);
  sketch.metadata().devices.emplace_back().name = "H200";
  EXPECT_THAT(group_texts(sketch.trace()),
              ElementsAre("process 12: thread 11,", "process 100: thread 100, thread 9,",
                          "H200 · GPU 0: stream 7, stream 20,", "GPU 1: stream 7,"));
}

TEST(TrackGroupsTest, asynchronous_tracks_follow_the_threads_of_their_process) {
  Sketch sketch;
  sketch.track("requests", TrackKind::kAsync).slice("r", kOp, 0, 1);
  sketch.thread(3).slice("a", kOp, 0, 1);
  const Trace trace = sketch.trace();
  EXPECT_THAT(group_texts(trace), ElementsAre("process 1: thread 3, requests,"));
  EXPECT_EQ(group_tracks(trace)[0].kind, TrackKind::kHostThread);
}

TEST(TrackGroupsTest, a_thread_with_nothing_but_the_profilers_own_slices_comes_last) {
  Sketch sketch;
  sketch.thread(0, 0).slice("flush", SliceKind::kOverhead, 0, 1);
  sketch.thread(5, 5).slice("a", kOp, 0, 1).slice("flush", SliceKind::kOverhead, 2, 1);
  const auto groups = group_tracks(sketch.trace());
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(groups[0].name, "process 5");
  EXPECT_EQ(groups[1].kind, TrackKind::kOther);
}

TEST(TrackGroupsTest, a_process_is_called_by_its_name_and_number) {
  const auto name_of = [](std::string_view process_name) {
    TraceBuilder builder;
    Track track;
    track.kind = TrackKind::kHostThread;
    track.process = builder.intern("589");
    track.thread = builder.intern("pool ");
    track.process_name = builder.intern(process_name);
    TraceBuilder::SliceRow row;
    row.track = builder.add_track(track);
    row.name = builder.intern("slice");
    row.category = builder.category("");
    builder.add_slice(row);
    return group_texts(std::move(builder).build())[0];
  };
  EXPECT_EQ(name_of("python"), "python (589): pool,");
  EXPECT_EQ(name_of("Process 589 (CPU)"), "Process 589 (CPU): pool,");
}

TEST(TrackGroupsTest, a_device_is_called_as_its_vendor_calls_it) {
  Sketch sketch;
  sketch.metadata().traits.device_label = "NPU";
  sketch.stream(3, 7).slice("k", SliceKind::kKernel, 0, 1);
  EXPECT_THAT(group_texts(sketch.trace()), ElementsAre("NPU 3: stream 7,"));
}

TEST(TrackGroupsTest, slices_of_no_process_come_after_processes_and_show_no_number) {
  Sketch sketch;
  sketch.thread(0, -1).slice("buffer request", SliceKind::kOverhead, 0, 1);
  sketch.thread(0, -2).slice("stray", kOp, 0, 1);
  sketch.thread(-1, 5).slice("a", kOp, 0, 1);
  sketch.thread(0, 5).slice("b", kOp, 0, 1);
  EXPECT_THAT(group_texts(sketch.trace()),
              ElementsAre("process 5: no thread, thread 0,", "no process: no thread,",
                          "profiler: no thread,"));
}

TEST(TrackGroupsTest, tracks_without_slices_are_left_out) {
  Sketch sketch;
  sketch.thread(1).thread(2).slice("a", kOp, 0, 1);
  EXPECT_THAT(group_texts(sketch.trace()), ElementsAre("process 1: thread 2,"));
  EXPECT_TRUE(group_tracks(Sketch().trace()).empty());
}

}  // namespace
}  // namespace strobe::analysis
