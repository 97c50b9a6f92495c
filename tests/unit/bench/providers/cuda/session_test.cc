#include "strobe/bench/providers/cuda/session.h"

#include <gtest/gtest.h>

#include "tests/unit/bench/providers/cuda/scripted_driver.h"

namespace strobe::bench {
namespace {

class MemoryPoolTest : public ::testing::Test {
 protected:
  void SetUp() override {
    device_ = script_.device();
    ASSERT_NE(device_, nullptr);
    pool_ = std::make_unique<MemoryPool>(*device_);
  }
  ScriptedDriver script_;
  std::unique_ptr<CudaDevice> device_;
  std::unique_ptr<MemoryPool> pool_;
};

TEST_F(MemoryPoolTest, what_one_gave_back_the_next_one_takes) {
  CuPointer place = 0;
  {
    const auto first = pool_->take(4096, "tensors");
    ASSERT_TRUE(first);
    place = first->address();
    EXPECT_EQ(pool_->kept_bytes(), 0u);
  }
  EXPECT_EQ(pool_->kept_bytes(), 4096u);
  const auto second = pool_->take(1024, "tensors");
  ASSERT_TRUE(second);
  EXPECT_EQ(second->address(), place);
  EXPECT_EQ(pool_->kept_bytes(), 0u);
}

TEST_F(MemoryPoolTest, two_at_once_are_two_places) {
  const auto first = pool_->take(4096, "tensors");
  const auto second = pool_->take(4096, "tensors");
  ASSERT_TRUE(first);
  ASSERT_TRUE(second);
  EXPECT_NE(first->address(), second->address());
}

TEST_F(MemoryPoolTest, what_is_kept_and_too_small_makes_room_first) {
  { const auto first = pool_->take(600, "tensors"); }
  script_.free_bytes = 500;  // and 600 that are kept
  const auto second = pool_->take(1000, "tensors");
  EXPECT_TRUE(second) << second.error().what;
}

TEST_F(MemoryPoolTest, the_largest_piece_is_kept) {
  {
    auto large = pool_->take(4096, "tensors");
    auto small = pool_->take(100, "tensors");
    { const PooledMemory gone = std::move(*small); }
    EXPECT_EQ(pool_->kept_bytes(), 100u);
  }
  EXPECT_EQ(pool_->kept_bytes(), 4096u);
}

TEST_F(MemoryPoolTest, no_room_is_out_of_memory) {
  script_.free_bytes = 10;
  const auto memory = pool_->take(1000, "tensors");
  ASSERT_FALSE(memory);
  EXPECT_EQ(memory.error().code, ErrorCode::kOutOfMemory);
}

}  // namespace
}  // namespace strobe::bench
