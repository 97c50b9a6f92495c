#include "strobe/writers/track_places.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/sketch.h"

namespace strobe::writers {
namespace {

using namespace literals;

constexpr std::string_view kNoLabel;

Track track_named(TraceBuilder& builder, std::string_view process, std::string_view thread) {
  Track track;
  track.kind = TrackKind::kHostThread;
  track.process = builder.intern(process);
  track.thread = builder.intern(thread);
  return track;
}

// The places of tracks with these processes and threads.
std::vector<std::string> places_in(std::string_view dialect,
                                   const std::vector<std::pair<std::string, std::string>>& tracks) {
  TraceBuilder builder;
  builder.metadata().traits.dialect = dialect;
  for (const auto& [process, thread] : tracks) {
    builder.add_track(track_named(builder, process, thread));
  }
  const Trace trace = std::move(builder).build();
  ProcessNames names;
  const TrackPlaces places(trace, Lanes(), kNoLabel, names);
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < tracks.size(); ++i) texts.emplace_back(places.of_track(TrackId(i)));
  return texts;
}

TEST(ProcessNamesTest, the_first_keeps_its_number_the_next_ones_get_free_ones) {
  ProcessNames names;
  EXPECT_EQ(names.take("0", "rank 0"), "0");
  EXPECT_EQ(names.take("500", "rank 0"), "500");
  EXPECT_EQ(names.take("0", "rank 1"), "501");
  EXPECT_EQ(names.take("501", "rank 1"), "502");
  EXPECT_EQ(names.take("Spans", "rank 0"), "\"Spans\"");
  EXPECT_EQ(names.take("Spans", "rank 1"), "\"Spans (rank 1)\"");
  EXPECT_EQ(names.take_number(), "503");
}

TEST(ProcessNamesTest, many_numbers_above_the_highest_are_passed_once) {
  constexpr std::int64_t kNumbers = 20'000;
  constexpr std::int64_t kTooHigh = std::int64_t{1} << 31;
  ProcessNames names;
  for (std::int64_t i = -1; i < kNumbers; ++i) names.take(std::to_string(kTooHigh + i), "");
  for (std::int64_t i = 0; i < kNumbers; ++i) {
    ASSERT_EQ(names.take_number(), std::to_string(kTooHigh + kNumbers + i));
  }
}

TEST(ProcessNamesTest, huge_numbers_are_kept_and_not_followed) {
  ProcessNames names;
  EXPECT_EQ(names.take("9223372036854775807", "rank 0"), "9223372036854775807");
  EXPECT_EQ(names.take_number(), "1");
  EXPECT_EQ(names.take("7", "rank 0"), "7");
  EXPECT_EQ(names.take("9223372036854775807", "rank 1"), "8");
  EXPECT_EQ(names.take("2147483647", "rank 1"), "2147483647");
  EXPECT_EQ(names.take("2147483648", "rank 1"), "2147483648");
  EXPECT_EQ(names.take_number(), "2147483649");
}

TEST(TrackPlacesTest, a_file_of_events_keeps_its_texts) {
  EXPECT_EQ(places_in("kineto", {{"5", "7"}, {"Spans", "stream 7"}, {"", "007"}}),
            (std::vector<std::string>{R"("pid":5,"tid":7)", R"("pid":"Spans","tid":"stream 7")",
                                      R"("pid":"","tid":"007")"}));
}

TEST(TrackPlacesTest, other_traces_get_numbers_that_are_free) {
  EXPECT_EQ(places_in("strobe record", {{"Host", "metrics"}, {"5", "9"}, {"5", "waits"}}),
            (std::vector<std::string>{R"("pid":6,"tid":1)", R"("pid":5,"tid":9)",
                                      R"("pid":5,"tid":10)"}));
}

TEST(TrackPlacesTest, a_device_and_a_process_with_one_number_are_apart) {
  const Trace trace =
      Sketch().thread(3, 7).slice("a", kOp, 0, 1).stream(7, 3).slice("k", kKernel, 0, 1).trace();
  ProcessNames names;
  const TrackPlaces places(trace, Lanes(), kNoLabel, names);
  EXPECT_EQ(places.of_track(TrackId(0u)), R"("pid":7,"tid":3)");
  EXPECT_EQ(places.of_track(TrackId(1u)), R"("pid":8,"tid":3)");
}

TEST(TrackPlacesTest, lanes_follow_the_threads_of_their_process) {
  const Trace trace = Sketch()
                          .thread(500)
                          .slice("a", kOp, 0_us, 10_us)
                          .slice("b", kOp, 5_us, 10_us)
                          .thread(534)
                          .slice("c", kOp, 0_us, 10_us)
                          .trace();
  ProcessNames names;
  const Lanes lanes(trace);
  const TrackPlaces places(trace, lanes, kNoLabel, names);
  EXPECT_EQ(places.of_lane(0), R"("pid":1,"tid":535)");
  EXPECT_EQ(places.thread_of(lanes.lanes()[0].of), "500");
}

TEST(TrackPlacesTest, asynchronous_slices_stand_on_a_thread_of_their_process) {
  const Trace trace = Sketch()
                          .thread(4)
                          .slice("a", kOp, 0, 1)
                          .track("requests", TrackKind::kAsync)
                          .slice("b", kOp, 0, 1)
                          .trace();
  ProcessNames names;
  const TrackPlaces places(trace, Lanes(), kNoLabel, names);
  EXPECT_EQ(places.beside_threads(TrackId(1u)), R"("pid":1,"tid":4)");
  const Trace alone = Sketch().track("requests", TrackKind::kAsync).slice("b", kOp, 0, 1).trace();
  ProcessNames other_names;
  EXPECT_EQ(TrackPlaces(alone, Lanes(), kNoLabel, other_names).beside_threads(TrackId(0u)),
            R"("pid":1,"tid":0)");
}

}  // namespace
}  // namespace strobe::writers
