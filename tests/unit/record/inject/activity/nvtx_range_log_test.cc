#include "strobe/record/inject/activity/nvtx_range_log.h"

#include <gtest/gtest.h>

#include <mutex>
#include <thread>
#include <vector>

namespace strobe::record {
namespace {

TEST(SwiftLock, one_thread_at_a_time_holds_it) {
  SwiftLock lock;
  int sum = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int turn = 0; turn < 20'000; ++turn) {
        const std::lock_guard guard(lock);
        ++sum;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(sum, 80'000);
}

TEST(RangeStack, levels_count_from_0_and_the_last_one_ends_first) {
  RangeStack stack;
  EXPECT_EQ(stack.level(), -1);
  EXPECT_EQ(stack.top(), nullptr);
  stack.pop();
  stack.push()->name = 1;
  EXPECT_EQ(stack.level(), 0);
  stack.push()->name = 2;
  EXPECT_EQ(stack.level(), 1);
  EXPECT_EQ(stack.top()->name, 2u);
  stack.pop();
  EXPECT_EQ(stack.top()->name, 1u);
  stack.pop();
  EXPECT_EQ(stack.level(), -1);
}

TEST(RangeStack, beyond_a_depth_only_levels_are_kept) {
  RangeStack stack;
  constexpr auto kMost = static_cast<int>(RangeStack::kMostOpen);
  for (int i = 0; i < kMost; ++i) EXPECT_NE(stack.push(), nullptr);
  EXPECT_EQ(stack.push(), nullptr);
  EXPECT_EQ(stack.level(), kMost);
  EXPECT_EQ(stack.not_kept(), 1u);
  EXPECT_EQ(stack.top(), nullptr);
  stack.pop();
  EXPECT_EQ(stack.level(), kMost - 1);
  EXPECT_NE(stack.top(), nullptr);
  EXPECT_EQ(stack.open().size(), RangeStack::kMostOpen);
}

TEST(NameCache, a_name_is_looked_up_until_another_takes_its_place) {
  NameCache cache;
  int lookups = 0;
  const auto find = [&](std::uint64_t hash) {
    return cache.find(hash, [&] { return static_cast<NvtxNames::Number>(10 * hash + ++lookups); });
  };
  EXPECT_EQ(find(5), 51u);
  EXPECT_EQ(find(5), 51u);
  EXPECT_EQ(find(6), 62u);
  EXPECT_EQ(find(5), 51u);
  const std::uint64_t same_place = 5 + (std::uint64_t{1} << 40);
  EXPECT_EQ(find(same_place), static_cast<NvtxNames::Number>(10 * same_place + 3));
  EXPECT_EQ(find(5), 54u);
}

}  // namespace
}  // namespace strobe::record
