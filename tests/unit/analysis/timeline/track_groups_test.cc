#include "strobe/analysis/timeline/track_groups.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/sketch.h"
#include "tests/unit/analysis/timeline/recorded_sketch.h"

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

TEST(TrackGroupsTest, conditions_stand_below_their_thread_and_after_the_streams) {
  RecordedSketch sketch;
  sketch.thread("5", "5").slice("a", kOp, 0, 1);
  sketch.thread("5", "8").slice("b", kOp, 0, 1);
  sketch.of_process("5", "5 waits for a core").slice("w", SliceKind::kCondition, 0, 1);
  sketch.of_device(0, "clock limits").slice("power cap", SliceKind::kCondition, 0, 1);
  sketch.stream(0, "7").slice("k", SliceKind::kKernel, 0, 1);
  EXPECT_THAT(group_texts(sketch.trace()),
              ElementsAre("process 5: thread 5, 5 waits for a core, thread 8,",
                          "GPU 0: stream 7, clock limits,"));
}

TEST(TrackGroupsTest, conditions_of_a_process_that_stands_for_a_device_are_the_devices) {
  RecordedSketch sketch;
  sketch.stream(2, "7").slice("k", SliceKind::kKernel, 0, 1);
  sketch.thread("2", "clock limits").slice("power cap", SliceKind::kCondition, 0, 1);
  EXPECT_THAT(group_texts(sketch.trace()), ElementsAre("GPU 2: stream 7, clock limits,"));
}

TEST(TrackGroupsTest, a_process_may_have_the_number_of_a_device) {
  RecordedSketch sketch;
  sketch.stream(1, "7").slice("k", SliceKind::kKernel, 0, 1);
  sketch.thread("1", "1").slice("a", kOp, 0, 1);
  sketch.of_process("1").sample("process_cpu_usage", 0, 50);
  const Trace trace = sketch.trace();
  const CounterOwner owner =
      CounterOwners(trace).of(trace.counters().tracks[0], trace.counters().names[0]);
  EXPECT_EQ(owner.what, CounterOwner::What::kProcess);
  EXPECT_EQ(group_of(group_tracks(trace), owner), 0u);
}

TEST(TrackGroupsTest, a_thread_with_counters_of_its_own_is_shown_without_slices_too) {
  RecordedSketch sketch;
  sketch.thread("5", "9").sample("on_cpu_pct", 0, 50);
  sketch.thread("5", "10").sample("requests", 0, 50);
  sketch.thread("5", "11").slice("a", kOp, 0, 1);
  EXPECT_THAT(group_texts(sketch.trace()), ElementsAre("process 5: thread 11, thread 9,"))
      << "the counters of other tools are about the process";
}

TEST(TrackGroupsTest, owners_of_counters_without_tracks_have_groups) {
  RecordedSketch sketch;
  sketch.of_machine().sample("host_cpu_usage", 0, 50);
  sketch.of_process("77").sample("process_cpu_usage", 0, 50);
  sketch.of_device(3).sample("gpu_power_mw", 0, 50);
  sketch.thread("5", "5").slice("a", kOp, 0, 1);
  sketch.thread("5", "-1").slice("flush", SliceKind::kOverhead, 0, 1);
  const Trace trace = sketch.trace();
  EXPECT_THAT(group_texts(trace), ElementsAre("process 5: thread 5,", "GPU 3:", "process 77:",
                                              "Host:", "process 5: no thread,"));
  const std::vector<TrackGroup> groups = group_tracks(trace);
  EXPECT_EQ(group_of(groups, CounterOwner::of_device(3)), 1u);
  EXPECT_EQ(group_of(groups, CounterOwner{}), 3u);
  EXPECT_EQ(group_of(groups, CounterOwner::of_device(4)), groups.size());
}

TEST(TrackGroupsTest, the_counters_of_a_thread_are_in_the_group_of_its_process) {
  RecordedSketch sketch;
  sketch.thread("5", "9").sample("on_cpu_pct", 0, 50);
  const Trace trace = sketch.trace();
  const CounterOwner owner =
      CounterOwners(trace).of(trace.counters().tracks[0], trace.counters().names[0]);
  EXPECT_EQ(owner.what, CounterOwner::What::kThread);
  EXPECT_EQ(owner.thread, trace.counters().tracks[0]);
  EXPECT_EQ(group_of(group_tracks(trace), owner), 0u);
}

}  // namespace
}  // namespace strobe::analysis
