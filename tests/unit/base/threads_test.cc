#include "strobe/base/threads.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <new>
#include <thread>

namespace strobe {
namespace {

TEST(ThreadsTest, every_number_is_called_once_and_the_first_on_this_thread) {
  std::array<std::thread::id, 4> callers{};
  std::array<std::atomic<int>, 4> calls{};
  run_in_threads(4, [&](unsigned i) {
    callers.at(i) = std::this_thread::get_id();
    ++calls.at(i);
  });
  for (const std::atomic<int>& one : calls) EXPECT_EQ(one.load(), 1);
  EXPECT_EQ(callers[0], std::this_thread::get_id());
}

TEST(ThreadsTest, each_of_many_is_used_once_whatever_the_threads) {
  for (const unsigned threads : {0u, 1u, 3u, 200u}) {
    std::array<std::atomic<int>, 100> uses{};
    each_in_threads(uses.size(), threads, [&](std::size_t i) { ++uses.at(i); });
    for (const std::atomic<int>& one : uses) EXPECT_EQ(one.load(), 1) << threads;
  }
  each_in_threads(0, 2, [](std::size_t) { FAIL(); });
}

TEST(ThreadsTest, no_thread_is_no_call) {
  run_in_threads(0, [](unsigned) { FAIL(); });
}

TEST(ThreadsTest, what_one_thread_throws_arrives_after_all_have_ended) {
  for (const unsigned thrower : {0u, 1u, 2u}) {
    std::atomic<int> ended = 0;
    const auto work = [&](unsigned i) {
      if (i == thrower) throw std::bad_alloc();
      ++ended;
    };
    EXPECT_THROW(run_in_threads(3, work), std::bad_alloc) << thrower;
    EXPECT_EQ(ended.load(), 2) << thrower;
  }
}

}  // namespace
}  // namespace strobe
