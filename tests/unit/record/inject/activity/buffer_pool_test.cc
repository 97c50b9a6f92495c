#include "strobe/record/inject/activity/buffer_pool.h"

#include <gtest/gtest.h>

#include <set>

namespace strobe::record {
namespace {

TEST(BufferPoolTest, HasABoundAndTakesBuffersBack) {
  BufferPool pool;
  std::set<std::uint8_t*> taken;
  for (std::size_t i = 0; i < BufferPool::kMostBuffers; ++i) taken.insert(pool.take());
  EXPECT_EQ(taken.size(), BufferPool::kMostBuffers);
  EXPECT_FALSE(taken.contains(nullptr));
  EXPECT_EQ(pool.take(), nullptr);
  pool.give_back(*taken.begin());
  EXPECT_EQ(pool.take(), *taken.begin());
  for (std::uint8_t* buffer : taken) pool.give_back(buffer);
}

TEST(BufferPoolTest, NothingIsGivenBackForARefusal) {
  BufferPool pool;
  pool.give_back(nullptr);
  std::uint8_t* buffer = pool.take();
  EXPECT_NE(buffer, nullptr);
  pool.give_back(buffer);
}

}  // namespace
}  // namespace strobe::record
