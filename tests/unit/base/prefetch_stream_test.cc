#include "strobe/base/byte_stream.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <new>
#include <string>
#include <thread>
#include <vector>

namespace strobe {
namespace {

// Gives `bytes` counted bytes, then the end or damage.
class CountingStream final : public ByteStream {
 public:
  CountingStream(std::size_t bytes, bool damaged, std::atomic<std::size_t>* given = nullptr)
      : left_(bytes), damaged_(damaged), given_(given) {}

  Result<std::size_t> read(std::span<char> out) override {
    if (left_ == 0 && damaged_) return Error{ErrorCode::kMalformed, "damaged", "byte 7", ""};
    const std::size_t bytes = std::min(out.size(), left_);
    for (std::size_t i = 0; i < bytes; ++i) out[i] = static_cast<char>(next_++ * 31 / 7);
    left_ -= bytes;
    if (given_ != nullptr) *given_ += bytes;
    return bytes;
  }
  std::uint64_t consumed_bytes() const override { return next_; }

 private:
  std::size_t left_;
  bool damaged_;
  std::atomic<std::size_t>* given_;
  std::size_t next_ = 0;
};

std::string text_of(ByteStream& stream, std::size_t buffer_bytes) {
  std::string text;
  std::vector<char> buffer(buffer_bytes);
  for (;;) {
    const auto got = stream.read(buffer);
    if (!got || *got == 0) return text;
    text.append(buffer.data(), *got);
  }
}

class StreamWithoutMemory final : public ByteStream {
 public:
  Result<std::size_t> read(std::span<char>) override { throw std::bad_alloc(); }
  std::uint64_t consumed_bytes() const override { return 0; }
};

constexpr std::size_t kSeveralBlocks = 9 * (1 << 20) + 12'345;

TEST(PrefetchStreamTest, the_text_is_that_of_the_stream_behind_it) {
  CountingStream plain(kSeveralBlocks, false);
  const std::string expected = text_of(plain, 1 << 16);
  const auto ahead = prefetch(std::make_unique<CountingStream>(kSeveralBlocks, false));
  const std::string text = text_of(*ahead, 100'003);
  ASSERT_EQ(text.size(), expected.size());
  EXPECT_TRUE(text == expected);
  EXPECT_EQ(ahead->consumed_bytes(), kSeveralBlocks);
}

TEST(PrefetchStreamTest, the_end_repeats_itself) {
  const auto ahead = prefetch(std::make_unique<CountingStream>(10, false));
  EXPECT_EQ(text_of(*ahead, 64).size(), 10u);
  char byte = 0;
  for (int i = 0; i < 3; ++i) {
    const auto got = ahead->read({&byte, 1});
    ASSERT_TRUE(got.has_value());
    EXPECT_EQ(*got, 0u);
  }
}

TEST(PrefetchStreamTest, a_damage_comes_after_everything_before_it_and_repeats_itself) {
  const auto ahead = prefetch(std::make_unique<CountingStream>(kSeveralBlocks, true));
  EXPECT_EQ(text_of(*ahead, 1 << 16).size(), kSeveralBlocks);
  char byte = 0;
  for (int i = 0; i < 3; ++i) {
    const auto got = ahead->read({&byte, 1});
    ASSERT_FALSE(got.has_value());
    EXPECT_EQ(got.error().what, "damaged");
    EXPECT_EQ(got.error().where, "byte 7");
  }
}

TEST(PrefetchStreamTest, memory_that_runs_out_behind_it_is_reported_to_the_reader) {
  const auto ahead = prefetch(std::make_unique<StreamWithoutMemory>());
  char byte = 0;
  for (int i = 0; i < 2; ++i) {
    EXPECT_THROW(static_cast<void>(ahead->read({&byte, 1})), std::bad_alloc);
  }
}

TEST(PrefetchStreamTest, an_empty_stream_ends_at_once) {
  const auto ahead = prefetch(std::make_unique<CountingStream>(0, false));
  EXPECT_EQ(text_of(*ahead, 64), "");
}

TEST(PrefetchStreamTest, it_reads_ahead_only_so_far_and_can_be_dropped_half_read) {
  std::atomic<std::size_t> given = 0;
  constexpr std::size_t kMuch = std::size_t{1} << 30;
  {
    const auto ahead = prefetch(std::make_unique<CountingStream>(kMuch, false, &given));
    char byte = 0;
    ASSERT_TRUE(ahead->read({&byte, 1}).has_value());
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  EXPECT_LE(given.load(), std::size_t{16} << 20);
}

}  // namespace
}  // namespace strobe
