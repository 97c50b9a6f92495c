#include "strobe/trace/allocator_replay.h"

#include <vector>

#include <gtest/gtest.h>

namespace strobe {
namespace {

using Action = AllocatorAction;

void add(AllocatorSnapshot& snapshot, Action action, std::uint64_t address, std::int64_t bytes) {
  AllocatorEvents& events = snapshot.events;
  events.times_ns.push_back(AllocatorEvents::kNoTime);
  events.actions.push_back(action);
  events.addresses.push_back(address);
  events.bytes.push_back(bytes);
  events.streams.push_back(0);
  events.stacks.emplace_back();
  events.contexts.emplace_back();
  events.remarks.emplace_back();
  if (snapshot.histories.empty()) snapshot.histories.emplace_back();
  ++snapshot.histories[0].count;
}

void add_segment(AllocatorSnapshot& snapshot, std::int64_t bytes,
                 const std::vector<AllocatorBlock>& blocks) {
  AllocatorSegment segment;
  segment.bytes = bytes;
  segment.first_block = snapshot.blocks.size();
  segment.block_count = blocks.size();
  snapshot.blocks.insert(snapshot.blocks.end(), blocks.begin(), blocks.end());
  snapshot.segments.push_back(segment);
}

AllocatorBlock live(std::uint64_t address, std::int64_t requested) {
  return {address, requested, requested, BlockState::kInUse, StackId()};
}

TEST(AllocatorReplayTest, the_start_follows_from_what_is_freed_and_what_is_there) {
  AllocatorSnapshot snapshot;
  add(snapshot, Action::kAllocate, 1, 1000);
  add(snapshot, Action::kFree, 2, 100);  // allocated before
  add(snapshot, Action::kAllocate, 2, 30);
  add(snapshot, Action::kFree, 1, 1000);
  add_segment(snapshot, 4096, {live(2, 30), live(3, 200)});
  const AllocatorReplay replay = replay_history(snapshot, 0);
  EXPECT_EQ(replay.freed_only_bytes, 100);
  EXPECT_EQ(replay.always_alive_bytes, 200);
  EXPECT_EQ(replay.start_bytes, 300);
  EXPECT_EQ(replay.allocated_bytes, (std::vector<std::int64_t>{1300, 1200, 1230, 230}));
  EXPECT_EQ(replay.end_bytes, 230);  // what the blocks hold
  EXPECT_EQ(replay.peak_bytes, 1300);
  EXPECT_EQ(replay.peak_event, 0u);
}

TEST(AllocatorReplayTest, memory_is_in_use_until_its_free_completes) {
  AllocatorSnapshot snapshot;
  add(snapshot, Action::kAllocate, 1, 10);
  add(snapshot, Action::kRequestFree, 1, 10);
  add(snapshot, Action::kAllocate, 2, 5);
  add(snapshot, Action::kFree, 1, 10);
  const AllocatorReplay replay = replay_history(snapshot, 0);
  EXPECT_EQ(replay.peak_bytes, 15);
  EXPECT_EQ(replay.early_free_peak_bytes, 10);
}

TEST(AllocatorReplayTest, reserved_memory_ends_as_the_segments_are) {
  AllocatorSnapshot snapshot;
  add(snapshot, Action::kReserve, 1, 100);
  add(snapshot, Action::kMap, 2, 50);
  add(snapshot, Action::kUnreserve, 1, 100);
  add(snapshot, Action::kUnmap, 2, 20);
  add_segment(snapshot, 70, {});
  const AllocatorReplay replay = replay_history(snapshot, 0);
  EXPECT_EQ(replay.reserved_bytes, (std::vector<std::int64_t>{140, 190, 90, 70}));
  EXPECT_EQ(replay.peak_reserved_bytes, 190);
}

TEST(AllocatorReplayTest, what_was_reserved_at_the_peak_is_not_the_most_that_ever_was) {
  AllocatorSnapshot snapshot;
  add(snapshot, Action::kReserve, 1, 100);
  add(snapshot, Action::kAllocate, 1, 10);
  add(snapshot, Action::kReserve, 2, 50);
  add(snapshot, Action::kFree, 1, 10);
  add_segment(snapshot, 160, {});
  const AllocatorReplay replay = replay_history(snapshot, 0);
  EXPECT_EQ(replay.peak_event, std::size_t{1});
  EXPECT_EQ(replay.reserved_at_peak_bytes, 110);
  EXPECT_EQ(replay.peak_reserved_bytes, 160);
  AllocatorSnapshot idle;  // the peak is the start: 160 - 100
  add(idle, Action::kReserve, 1, 100);
  add_segment(idle, 160, {});
  EXPECT_EQ(replay_history(idle, 0).reserved_at_peak_bytes, 60);
}

TEST(AllocatorReplayTest, an_address_in_use_that_is_allocated_again_was_freed_unseen) {
  AllocatorSnapshot snapshot;
  add(snapshot, Action::kAllocate, 1, 10);
  add(snapshot, Action::kAllocate, 1, 40);
  const AllocatorReplay replay = replay_history(snapshot, 0);
  EXPECT_EQ(replay.lost_frees, 1u);
  EXPECT_EQ(replay.end_bytes, 40);
}

TEST(AllocatorReplayTest, without_events_the_blocks_are_all_there_is) {
  AllocatorSnapshot snapshot;
  add_segment(snapshot, 4096, {live(3, 200)});
  const AllocatorReplay replay = replay_history(snapshot, 0);
  EXPECT_EQ(replay.peak_bytes, 200);
  EXPECT_FALSE(replay.peak_event);
  EXPECT_EQ(replay.peak_reserved_bytes, 4096);
  EXPECT_EQ(replay_history(snapshot, 1).peak_bytes, 0);
}

TEST(AllocatorReplayTest, moments_show_what_is_in_use) {
  AllocatorSnapshot snapshot;
  add(snapshot, Action::kAllocate, 1, 10);
  add(snapshot, Action::kFree, 9, 4);
  add(snapshot, Action::kFree, 1, 10);
  const AllocatorReplay replay = replay_history(snapshot, 0);
  std::vector<std::int64_t> sums;
  visit_moments(snapshot, replay, {std::nullopt, 0, 1, 2},
                [&](std::size_t, const LiveMemories& memories) {
                  std::int64_t sum = 0;
                  for (const auto& [address, memory] : memories) sum += memory.bytes;
                  sums.push_back(sum);
                });
  EXPECT_EQ(sums, (std::vector<std::int64_t>{4, 14, 10, 0}));
}

}  // namespace
}  // namespace strobe
