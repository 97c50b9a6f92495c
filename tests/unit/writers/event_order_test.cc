#include "strobe/writers/event_order.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/sketch.h"

namespace strobe::writers {
namespace {

using namespace literals;
using ::testing::ElementsAre;

TEST(LaunchCallsTest, the_last_call_with_a_correlation_wins_and_is_new_once) {
  const Trace trace = Sketch()
                          .slice("a", kCall, 0, 1)
                          .correlation(5)
                          .slice("b", kCall, 2, 1)
                          .correlation(5)
                          .slice("no call", kOp, 3, 1)
                          .correlation(6)
                          .slice("none", kCall, 4, 1)
                          .trace();
  LaunchCalls calls(trace.slices());
  const auto found = calls.find(5);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->row, 1u);
  EXPECT_TRUE(found->is_first_use);
  EXPECT_FALSE(calls.find(5)->is_first_use);
  EXPECT_FALSE(calls.find(6));
  EXPECT_FALSE(calls.find(0));
  EXPECT_FALSE(calls.find(7));
}

// Two threads, each with two ranges and a kernel of the first one's call, one after the other.
class OrderedTrace {
 public:
  OrderedTrace() {
    for (const std::string_view thread : {"1", "2", "3"}) {
      Track track;
      track.kind = TrackKind::kHostThread;
      track.process = track.thread = builder_.intern(thread);
      tracks_.push_back(builder_.add_track(track));
    }
    Track stream;
    stream.kind = TrackKind::kDeviceStream;
    stream.process = stream.thread = builder_.intern("7");
    stream.device = 0;
    stream_ = builder_.add_track(stream);
    for (const std::size_t thread : {0u, 1u}) {
      add_slice(tracks_[thread], SliceKind::kOperator);
      add_slice(stream_, SliceKind::kKernel);
      add_slice(tracks_[thread], SliceKind::kOperator);
    }
    builder_.memory().owners_are_known = true;
  }

  void instant(std::size_t thread) {
    InstantVectors& instants = builder_.instants();
    instants.times_ns.push_back(++time_ns_);
    instants.names.push_back(builder_.intern("mark"));
    instants.tracks.push_back(tracks_[thread]);
    instants.categories.push_back(builder_.category("c"));
    instants.args.emplace_back();
  }
  void allocation(std::size_t thread, SliceId owner) {
    instant(thread);
    MemoryVectors& memory = builder_.memory();
    memory.times_ns.push_back(time_ns_);
    memory.tracks.push_back(tracks_[thread]);
    memory.actions.push_back(MemoryAction::kAllocate);
    memory.places.push_back(builder_.intern("Place(cpu)"));
    memory.bytes.push_back(1);
    memory.addresses.push_back(0);
    for (auto* column : {&memory.allocated_bytes, &memory.reserved_bytes,
                         &memory.peak_allocated_bytes, &memory.peak_reserved_bytes}) {
      column->push_back(-1);
    }
    memory.owners.push_back(owner);
  }
  TraceBuilder& builder() { return builder_; }
  Trace trace() { return std::move(builder_).build(); }

 private:
  void add_slice(TrackId track, SliceKind kind) {
    TraceBuilder::SliceRow row;
    row.name = builder_.intern("slice");
    row.track = track;
    row.category = builder_.category("c");
    row.kind = kind;
    builder_.add_slice(row);
  }

  TraceBuilder builder_;
  std::vector<TrackId> tracks_;
  TrackId stream_;
  std::int64_t time_ns_ = 0;
};

TEST(SlicesBeforeInstantsTest, an_allocation_follows_its_range) {
  OrderedTrace made;
  made.allocation(0, SliceId());    // before the first range of thread 0
  made.allocation(0, SliceId(0u));  // of the first range, before its kernel
  made.instant(0);
  made.allocation(0, SliceId(2u));
  made.allocation(1, SliceId());  // before the first range of thread 1
  made.allocation(1, SliceId(5u));
  EXPECT_THAT(slices_before_instants(made.trace()), ElementsAre(0, 1, 1, 3, 3, 6));
}

TEST(SlicesBeforeInstantsTest, a_thread_without_ranges_comes_between_two_others) {
  OrderedTrace made;
  made.allocation(0, SliceId(0u));
  made.allocation(2, SliceId());
  made.allocation(1, SliceId(3u));
  EXPECT_THAT(slices_before_instants(made.trace()), ElementsAre(1, 3, 4));
}

TEST(SlicesBeforeInstantsTest, without_owners_instants_come_last) {
  OrderedTrace made;
  made.allocation(0, SliceId());
  made.builder().memory().owners_are_known = false;
  EXPECT_THAT(slices_before_instants(made.trace()), ElementsAre(6));
}

TEST(ClockTest, only_a_wall_clock_with_fractions_is_taken_off) {
  constexpr std::int64_t kWall_ns = 1'700'000'000'000'000'000;
  const auto clock_of = [](std::int64_t start_ns) {
    return clock_to_take_off(Sketch().slice("a", kOp, start_ns, 5_us).trace());
  };
  EXPECT_EQ(clock_of(1), 0);
  EXPECT_EQ(clock_of(kWall_ns), 0);  // whole microseconds
  EXPECT_EQ(clock_of(-kWall_ns - 1), 0);
  const std::int64_t taken_ns = clock_of(kWall_ns + 1);
  constexpr std::int64_t kStep_ns = 52 * std::int64_t{86'400'000'000'000};
  EXPECT_EQ(taken_ns % kStep_ns, 0);
  EXPECT_GT(taken_ns, kWall_ns - kStep_ns);
  EXPECT_LE(taken_ns, kWall_ns);
  EXPECT_EQ(clock_of(kWall_ns + 1 + 600'000'000'000), taken_ns);  // a rank that starts later
}

}  // namespace
}  // namespace strobe::writers
