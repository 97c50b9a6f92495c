#include "strobe/analysis/memory/allocator_study.h"

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace strobe::analysis {
namespace {

// Adds rows one by one; the place of a stack is a line of train.py.
class SnapshotSketch {
 public:
  AllocatorSnapshot snapshot;

  StackId stack(std::int64_t line) {
    AllocatorSnapshot& s = snapshot;
    const auto frame = [&](std::string_view function, std::string_view file, std::int64_t at) {
      s.frames.push_back({s.strings.intern(function), s.strings.intern(file), at});
      s.stack_frames.push_back(static_cast<std::uint32_t>(s.frames.size() - 1));
    };
    frame("malloc", "allocator.cpp", 1);
    frame("linear", "/usr/lib/python3/dist-packages/nn.py", 2);
    frame("train", "C:\\app\\train.py", line);
    frame("main", "/app/main.py", 9);
    s.stack_begins.push_back(s.stack_frames.size());
    return StackId(s.stack_count() - 1);
  }
  void event(AllocatorAction action, std::uint64_t address, std::int64_t bytes,
             StackId stack = {}) {
    AllocatorEvents& events = snapshot.events;
    events.times_ns.push_back(static_cast<std::int64_t>(events.size()) * 1000);
    events.actions.push_back(action);
    events.addresses.push_back(address);
    events.bytes.push_back(bytes);
    events.streams.push_back(0);
    events.stacks.push_back(stack);
    events.contexts.emplace_back();
    events.remarks.emplace_back();
    if (snapshot.histories.empty()) snapshot.histories.emplace_back();
    ++snapshot.histories[0].count;
  }
  void segment(std::string_view type, std::int64_t bytes,
               const std::vector<AllocatorBlock>& blocks) {
    if (snapshot.streams.empty()) snapshot.streams.push_back(0);
    AllocatorSegment one;
    one.type = snapshot.strings.intern(type);
    one.bytes = bytes;
    one.first_block = snapshot.blocks.size();
    one.block_count = blocks.size();
    snapshot.blocks.insert(snapshot.blocks.end(), blocks.begin(), blocks.end());
    snapshot.segments.push_back(one);
  }
  DeviceMemory study() const { return study_allocator(snapshot).devices.at(0); }
};

std::int64_t sum_of(const std::vector<StackHolding>& holdings) {
  std::int64_t sum = 0;
  for (const StackHolding& holding : holdings) sum += holding.bytes;
  return sum;
}

TEST(AllocatorStudyTest, free_memory_beside_live_blocks_is_stuck) {
  SnapshotSketch sketch;
  sketch.segment("large", 1000,
                 {{1, 400, 350, BlockState::kInUse, {}},
                  {2, 500, 0, BlockState::kFree, {}},
                  {3, 100, 90, BlockState::kAwaitingFree, {}}});
  sketch.segment("large", 300, {{4, 300, 0, BlockState::kFree, {}}});
  sketch.segment("small", 50, {{5, 50, 0, BlockState::kFree, {}}});
  const DeviceMemory device = sketch.study();
  EXPECT_EQ(device.reserved_bytes, 1350);
  EXPECT_EQ(device.active_bytes, 400);
  EXPECT_EQ(device.awaiting_free_bytes, 100);
  EXPECT_EQ(device.requested_bytes, 440);
  EXPECT_EQ(device.stuck_bytes, 500);
  EXPECT_EQ(device.releasable_bytes, 350);
  EXPECT_EQ(device.largest_free_bytes, 500);
  ASSERT_EQ(device.pools.size(), 2u);
  EXPECT_EQ(device.pools[0].type, "large");
  EXPECT_EQ(device.pools[0].free_bytes, 800);
  EXPECT_EQ(device.pools[1].largest_free_bytes, 50);
}

TEST(AllocatorStudyTest, holders_add_up_to_the_peak_and_to_what_is_in_use) {
  SnapshotSketch sketch;
  const StackId a = sketch.stack(1);
  const StackId b = sketch.stack(2);
  sketch.event(AllocatorAction::kAllocate, 1, 100, a);
  sketch.event(AllocatorAction::kAllocate, 2, 30, b);
  sketch.event(AllocatorAction::kFree, 7, 5);  // from before
  sketch.event(AllocatorAction::kFree, 1, 100);
  sketch.segment("small", 500, {{2, 32, 30, BlockState::kInUse, {}}});
  const DeviceMemory device = sketch.study();
  EXPECT_EQ(device.peak_bytes, 135);
  EXPECT_EQ(device.peak_event, 1u);
  EXPECT_EQ(device.peak_time_ns, 1000);
  ASSERT_EQ(device.at_peak.size(), 3u);
  EXPECT_EQ(sum_of(device.at_peak), device.peak_bytes);
  EXPECT_EQ(device.at_peak[0].stack, a);
  EXPECT_TRUE(device.at_peak[2].is_before_history);
  // The block has no stack of its own; its allocation has.
  ASSERT_EQ(device.now.size(), 1u);
  EXPECT_EQ(device.now[0].stack, b);
  EXPECT_EQ(sum_of(device.now), device.requested_bytes);
}

TEST(AllocatorStudyTest, what_grows_is_what_stays_between_the_steps_of_a_loop) {
  SnapshotSketch sketch;
  const StackId step = sketch.stack(1);
  const StackId leak = sketch.stack(2);
  for (std::uint64_t i = 0; i < 20; ++i) {
    sketch.event(AllocatorAction::kAllocate, 1, 1'000'000, step);
    sketch.event(AllocatorAction::kAllocate, 100 + i, 10, leak);
    sketch.event(AllocatorAction::kFree, 1, 1'000'000);
  }
  const DeviceMemory device = sketch.study();
  ASSERT_EQ(device.grown.size(), 1u);
  EXPECT_EQ(device.grown[0].stack, leak);
  EXPECT_EQ(device.grown[0].bytes, device.late_bytes - device.early_bytes);
  EXPECT_GT(device.grown[0].bytes, 100);
}

TEST(AllocatorStudyTest, a_request_that_failed_is_told_with_what_was_in_use) {
  SnapshotSketch sketch;
  sketch.event(AllocatorAction::kAllocate, 1, 100);
  sketch.event(AllocatorAction::kOutOfMemory, 77, 5000, sketch.stack(4));
  const DeviceMemory device = sketch.study();
  ASSERT_EQ(device.out_of_memory.size(), 1u);
  EXPECT_EQ(device.out_of_memory[0].requested_bytes, 5000);
  EXPECT_EQ(device.out_of_memory[0].device_free_bytes, 77);
  EXPECT_EQ(device.out_of_memory[0].allocated_bytes, 100);
}

TEST(AllocatorStudyTest, a_stack_is_called_after_the_programs_own_code) {
  SnapshotSketch sketch;
  const StackId stack = sketch.stack(4);
  EXPECT_EQ(place_of_stack(sketch.snapshot, stack), "train (train.py:4)");
  EXPECT_EQ(callers_of_stack(sketch.snapshot, stack),
            (std::vector<std::string>{"main (main.py:9)"}));
  EXPECT_EQ(frames_of_stack(sketch.snapshot, stack).size(), 4u);
  EXPECT_EQ(place_of_stack(sketch.snapshot, StackId()), "[no stack recorded]");
}

TEST(AllocatorStudyTest, a_thin_curve_keeps_its_peaks) {
  std::vector<AllocatorPoint> curve(10'000);
  for (std::size_t i = 0; i < curve.size(); ++i) curve[i].event = i;
  curve[5001].allocated_bytes = 9;
  const std::vector<AllocatorPoint> thin = thinned_curve(curve, 100);
  EXPECT_LE(thin.size(), 404u);
  EXPECT_EQ(thin.front().event, 0u);
  EXPECT_EQ(thin.back().event, 9'999u);
  EXPECT_TRUE(std::ranges::any_of(thin, [](const auto& one) { return one.event == 5001; }));
}

}  // namespace
}  // namespace strobe::analysis
