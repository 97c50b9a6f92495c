#include "strobe/serve/workers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <new>

namespace strobe::serve {
namespace {

using std::chrono::milliseconds;

TEST(WorkersTest, one_worker_does_tasks_in_their_order) {
  std::vector<int> done;
  Workers workers(1);
  std::atomic<int> count = 0;
  for (int i = 0; i < 5; ++i) {
    workers.add([&, i] {
      done.push_back(i);
      ++count;
    });
  }
  while (count < 5) std::this_thread::yield();
  EXPECT_THAT(done, ::testing::ElementsAre(0, 1, 2, 3, 4));
}

TEST(WorkersTest, tasks_that_wait_for_each_other_need_as_many_workers) {
  std::atomic<int> begun = 0;
  Workers workers(3);
  for (int i = 0; i < 3; ++i) {
    workers.add([&] {
      ++begun;
      while (begun < 3) std::this_thread::yield();
    });
  }
  while (begun < 3) std::this_thread::yield();
  EXPECT_TRUE(workers.finish(milliseconds(20'000)));
}

TEST(WorkersTest, a_task_that_was_begun_is_waited_for_and_a_dropped_one_is_not) {
  std::atomic<bool> has_begun = false;
  std::atomic<bool> go_on = false;
  bool is_late_done = false;
  Workers workers(1);
  workers.add([&] {
    has_begun = true;
    while (!go_on) std::this_thread::yield();
  });
  workers.add([&] { is_late_done = true; });
  while (!has_begun) std::this_thread::yield();
  workers.drop_waiting();
  EXPECT_FALSE(workers.finish(milliseconds(10)));
  go_on = true;
  EXPECT_TRUE(workers.finish(milliseconds(20'000)));
  EXPECT_FALSE(is_late_done);
}

TEST(WorkersTest, a_task_that_throws_ends_no_worker) {
  std::atomic<bool> is_done = false;
  Workers workers(1);
  workers.add([] { throw std::bad_alloc(); });
  workers.add([&] { is_done = true; });
  while (!is_done) std::this_thread::yield();
  EXPECT_TRUE(workers.finish(milliseconds(20'000)));
}

TEST(WorkersTest, what_a_task_held_is_gone_when_it_is_finished) {
  auto held = std::make_shared<int>(7);
  Workers workers(1);
  std::atomic<bool> is_done = false;
  workers.add([held, &is_done] { is_done = true; });
  while (!is_done) std::this_thread::yield();
  EXPECT_TRUE(workers.finish(milliseconds(20'000)));
  EXPECT_EQ(held.use_count(), 1);
}

}  // namespace
}  // namespace strobe::serve
