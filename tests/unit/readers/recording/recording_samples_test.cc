#include "strobe/readers/recording/recording_samples.h"

#include <gmock/gmock.h>

#include <string>

#include "tests/unit/readers/recording/sink_sketch.h"

namespace strobe::readers {
namespace {

using test::RecordedSketch;
using test::RunFileSketch;
using test::SinkSketch;
using ::testing::ElementsAre;
using wire::SeriesOf;

std::string counter_place(const Trace& trace, std::size_t counter) {
  const Track& track = trace.tracks()[trace.counters().tracks[counter].index()];
  return std::string(trace.strings()[track.process]) + "/" +
         std::string(trace.strings()[track.thread]);
}

std::string counter_name(const Trace& trace, std::size_t counter) {
  return std::string(trace.strings()[trace.counters().names[counter]]) + "/" +
         std::string(trace.strings()[trace.counters().series[counter]]);
}

TEST(RecordingSamplesTest, series_become_counters_on_the_tracks_of_their_owners) {
  const RecordedSketch sketch([](RunFileSketch& run) {
    run.sample(run.series(SeriesOf::kMachine, 0, 0, "host_load"), 10, 2)
        .sample(run.series(SeriesOf::kDevice, 1, 0, "gpu_usage"), 20, 90)
        .sample(run.series(SeriesOf::kProcess, 17, 0, "process_rss_bytes"), 30, 5000)
        .sample(run.series(SeriesOf::kThread, 17, 21, "core"), 40, 3)
        .sample(run.series(SeriesOf::kMachine, 0, 0, "foreign_process_cpu_usage", "cc1 (9)"), 50,
                80);
  });
  SinkSketch to;
  ASSERT_TRUE(add_samples(sketch.file(), {}, to.sink));
  const Trace trace = to.trace();
  ASSERT_EQ(trace.counters().size(), 5u);
  EXPECT_EQ(counter_place(trace, 0), "Host/metrics");
  EXPECT_EQ(counter_place(trace, 1), "1/metrics");
  EXPECT_EQ(trace.tracks()[trace.counters().tracks[1].index()].device, 1);
  EXPECT_EQ(counter_place(trace, 2), "17/metrics");
  EXPECT_EQ(counter_place(trace, 3), "17/21");
  EXPECT_EQ(trace.tracks()[trace.counters().tracks[3].index()].kind, TrackKind::kHostThread);
  EXPECT_EQ(counter_name(trace, 0), "host_load/host_load");
  EXPECT_EQ(counter_name(trace, 4), "foreign_process_cpu_usage/cc1 (9)");
  EXPECT_THAT(trace.counters().values, ElementsAre(2, 90, 5000, 3, 80));
  EXPECT_THAT(trace.counters().times_ns, ElementsAre(10, 20, 30, 40, 50));
}

TEST(RecordingSamplesTest, values_are_scaled_by_powers_of_ten) {
  const RecordedSketch sketch([](RunFileSketch& run) {
    run.sample(run.series(SeriesOf::kMachine, 0, 0, "a", "", -3), 10, -1234)
        .sample(run.series(SeriesOf::kMachine, 0, 0, "b", "", 2), 20, 7);
  });
  SinkSketch to;
  ASSERT_TRUE(add_samples(sketch.file(), {}, to.sink));
  EXPECT_THAT(to.trace().counters().values, ElementsAre(-1.234, 700));
}

TEST(RecordingSamplesTest, other_processes_samples_are_left_out) {
  const RecordedSketch sketch([](RunFileSketch& run) {
    for (const std::uint64_t process : {17, 18}) {
      run.sample(run.series(SeriesOf::kProcess, process, 0, "process_rss_bytes"), 10, 1)
          .sample(run.series(SeriesOf::kThread, process, 5, "core"), 20, 1)
          .wait(process, 5, 30, 4, 99, "cc1");
    }
  });
  SinkSketch to;
  WantedSamples wanted;
  wanted.processes = {17};
  ASSERT_TRUE(add_samples(sketch.file(), wanted, to.sink));
  ASSERT_TRUE(add_core_waits(sketch.file(), wanted, to.sink));
  const Trace trace = to.trace();
  EXPECT_EQ(trace.counters().size(), 2u);
  EXPECT_EQ(trace.slice_count(), 1u);
}

TEST(RecordingSamplesTest, devices_get_the_numbers_that_the_process_uses) {
  const RecordedSketch sketch([](RunFileSketch& run) {
    for (const std::uint64_t device : {0, 3}) {
      run.sample(run.series(SeriesOf::kDevice, device, 0, "gpu_usage"), 10, 50 + device);
    }
  });
  SinkSketch to;
  WantedSamples wanted;
  wanted.keeps_device_numbers = false;
  wanted.devices_by_index = {{3, 0}};
  ASSERT_TRUE(add_samples(sketch.file(), wanted, to.sink));
  const Trace trace = to.trace();
  EXPECT_THAT(trace.counters().values, ElementsAre(53));
  EXPECT_EQ(trace.tracks()[0].device, 0);
}

TEST(RecordingSamplesTest, reasons_of_low_clocks_also_become_conditions) {
  const RecordedSketch sketch([](RunFileSketch& run) {
    const auto reasons = run.series(SeriesOf::kDevice, 1, 0, "gpu_throttle_reasons");
    run.sample(reasons, 10, 4).sample(reasons, 20, 4).sample(reasons, 30, 0);
  });
  SinkSketch to;
  ASSERT_TRUE(add_samples(sketch.file(), {}, to.sink));
  const Trace trace = to.trace();
  EXPECT_EQ(trace.counters().size(), 3u);
  ASSERT_EQ(trace.slice_count(), 1u);
  EXPECT_EQ(trace.interval(SliceId(std::size_t{0})), (Interval{10, 30}));
}

TEST(RecordingSamplesTest, waits_for_a_core_say_who_ran_instead) {
  const RecordedSketch sketch([](RunFileSketch& run) {
    run.wait(17, 21, 100, 40, 4711, "python3")
        .wait(17, 21, 200, 40, 0, "")
        .wait(17, 21, 300, 9, 8, "");
  });
  SinkSketch to;
  ASSERT_TRUE(add_core_waits(sketch.file(), {}, to.sink));
  const Trace trace = to.trace();
  ASSERT_EQ(trace.slice_count(), 3u);
  EXPECT_EQ(trace.name(SliceId(std::size_t{0})), "waits: python3 (4711) runs");
  EXPECT_EQ(trace.name(SliceId(std::size_t{1})), "waits for a core");
  EXPECT_EQ(trace.name(SliceId(std::size_t{2})), "waits: process 8 runs");
  EXPECT_EQ(trace.slices().kinds[0], SliceKind::kCondition);
  const Track& track = trace.track(SliceId(std::size_t{0}));
  EXPECT_EQ(track.kind, TrackKind::kOther);
  EXPECT_EQ(trace.strings()[track.thread], "21 waits for a core");
}

TEST(RecordingSamplesTest, samples_of_a_lost_series_are_left_out) {
  const RecordedSketch sketch([](RunFileSketch& run) { run.sample(5, 10, 1); });
  SinkSketch to;
  ASSERT_TRUE(add_samples(sketch.file(), {}, to.sink));
  EXPECT_EQ(to.trace().counters().size(), 0u);
}

}  // namespace
}  // namespace strobe::readers
