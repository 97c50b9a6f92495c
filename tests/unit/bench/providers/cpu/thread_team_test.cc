#include "strobe/bench/providers/cpu/thread_team.h"

#include <atomic>
#include <vector>

#include <gtest/gtest.h>

namespace strobe::bench {
namespace {

TEST(ThreadTeam, every_element_is_done_once_whatever_the_grain) {
  ThreadTeam team({0, 0, 0});
  for (const std::int64_t count : {0, 1, 2, 3, 7, 100, 1001}) {
    for (const std::int64_t grain : {1, 4, 64, 5000}) {
      std::vector<std::atomic<int>> done(static_cast<std::size_t>(count));
      team.share(count, grain, [&](std::int64_t, std::int64_t first, std::int64_t last) {
        EXPECT_EQ(first % grain, 0);
        for (std::int64_t i = first; i < last; ++i) ++done[static_cast<std::size_t>(i)];
      });
      for (const auto& times : done) EXPECT_EQ(times, 1);
    }
  }
}

TEST(ThreadTeam, threads_have_numbers_of_their_own) {
  ThreadTeam team({0, 0});
  for (int round = 0; round < 300; ++round) {
    std::atomic<int> seen = 0;
    team.run(2, [&](std::int64_t thread) { seen += thread == 0 ? 1 : 10; });
    EXPECT_EQ(seen, 11);
  }
}

TEST(ThreadTeam, more_threads_than_there_are_is_all_of_them) {
  ThreadTeam team({0});
  std::atomic<int> calls = 0;
  team.run(5, [&](std::int64_t) { ++calls; });
  EXPECT_EQ(calls, 1);
}

}  // namespace
}  // namespace strobe::bench
