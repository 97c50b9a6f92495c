#include "strobe/readers/track_finder.h"

#include <gtest/gtest.h>

namespace strobe::readers {
namespace {

TEST(TrackFinderTest, a_track_is_added_once) {
  TraceBuilder builder;
  TrackFinder tracks(builder);
  const TrackId main = tracks.thread(17, 17);
  EXPECT_EQ(tracks.thread(17, 17), main);
  EXPECT_NE(tracks.thread(17, 18), main);
  EXPECT_NE(tracks.stream(0, 17), tracks.thread(0, 17));
  EXPECT_EQ(builder.tracks().size(), 4u);
}

TEST(TrackFinderTest, streams_look_like_those_of_other_readers) {
  TraceBuilder builder;
  TrackFinder tracks(builder);
  const Track& stream = builder.tracks()[tracks.stream(1, 7).index()];
  EXPECT_EQ(stream.kind, TrackKind::kDeviceStream);
  EXPECT_EQ(builder.strings()[stream.process], "1");
  EXPECT_EQ(builder.strings()[stream.thread], "7");
  EXPECT_EQ(stream.device, 1);
  EXPECT_EQ(stream.thread_number, 7);
}

TEST(TrackFinderTest, a_process_may_have_the_number_of_a_device) {
  TraceBuilder builder;
  TrackFinder tracks(builder);
  const TrackId device = tracks.about_device(1, "metrics");
  const TrackId process = tracks.about_process(1, "metrics");
  EXPECT_NE(device, process);
  EXPECT_EQ(builder.tracks()[device.index()].device, 1);
  EXPECT_EQ(builder.tracks()[process.index()].device, std::nullopt);
}

TEST(TrackFinderTest, the_machine_is_called_host) {
  TraceBuilder builder;
  TrackFinder tracks(builder);
  const Track& machine = builder.tracks()[tracks.about_machine("metrics").index()];
  EXPECT_EQ(machine.kind, TrackKind::kOther);
  EXPECT_EQ(builder.strings()[machine.process], "Host");
}

TEST(TrackFinderTest, names_reach_every_track_of_their_process_and_thread) {
  TraceBuilder builder;
  TrackFinder tracks(builder);
  const TrackId main = tracks.thread(17, 18);
  const TrackId beside = tracks.beside_threads(17, "ranges");
  const TrackId stream = tracks.stream(17, 18);
  tracks.name_process(17, "python3");
  tracks.name_thread(18, "old");
  tracks.name_thread(18, "pt_autograd_0");
  tracks.name_thread(18, "");
  tracks.name_all();
  EXPECT_EQ(builder.strings()[builder.tracks()[main.index()].process_name], "python3");
  EXPECT_EQ(builder.strings()[builder.tracks()[main.index()].thread_name],
            "thread 18 (pt_autograd_0)");
  EXPECT_TRUE(builder.tracks()[beside.index()].process_name.valid());
  EXPECT_FALSE(builder.tracks()[beside.index()].thread_name.valid());
  EXPECT_FALSE(builder.tracks()[stream.index()].process_name.valid());
}

}  // namespace
}  // namespace strobe::readers
