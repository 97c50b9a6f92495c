#include "strobe/bench/providers/cpu/thread_team.h"

#include <atomic>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace strobe::bench {
namespace {

TEST(ThreadTeam, every_element_is_done_once_whatever_the_grain) {
  ThreadTeam team({0, 0, 0});
  for (const std::int64_t count : {0, 1, 2, 3, 7, 100, 1001}) {
    for (const std::int64_t grain : {1, 4, 64, 5000}) {
      std::vector<std::atomic<int>> done(static_cast<std::size_t>(count));
      const auto work = [&](std::int64_t, std::int64_t first, std::int64_t last) {
        EXPECT_EQ(first % grain, 0);
        EXPECT_LT(first, last);
        for (std::int64_t i = first; i < last; ++i) ++done[static_cast<std::size_t>(i)];
      };
      team.share(count, grain, work);
      team.share_in_pieces(count, grain, work);
      for (const auto& times : done) EXPECT_EQ(times, 2);
    }
  }
}

TEST(ThreadTeam, who_is_done_helps_the_others) {
  ThreadTeam team({0, 0});
  // The second thread does nothing before the first has done all that the second does not hold.
  constexpr std::int64_t kCount = 1600, kPiece = 100;
  std::atomic<std::int64_t> done_by_first = 0;
  team.share_in_pieces(kCount, 1, [&](std::int64_t thread, std::int64_t first, std::int64_t last) {
    EXPECT_EQ(last - first, kPiece);
    if (thread == 0) done_by_first += kPiece;
    while (thread == 1 && done_by_first < kCount - kPiece) std::this_thread::yield();
  });
  EXPECT_GE(done_by_first, kCount - kPiece);
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
