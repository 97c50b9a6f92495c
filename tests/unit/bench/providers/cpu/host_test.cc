#include "strobe/bench/providers/cpu/host.h"

#include <gtest/gtest.h>

#include "strobe/bench/providers/cpu/host_buffer.h"

namespace strobe::bench {
namespace {

TEST(HostFacts, free_memory_is_what_the_kernel_calls_available) {
  EXPECT_EQ(available_bytes_in("MemTotal:  100 kB\nMemFree:   1 kB\nMemAvailable:      3 kB\n"),
            3072.0);
  EXPECT_FALSE(available_bytes_in("MemTotal:  100 kB\n"));
  EXPECT_FALSE(available_bytes_in("MemAvailable:"));
}

TEST(HostFacts, this_machine_has_processors_and_a_cache) {
  EXPECT_FALSE(usable_processors().empty());
  EXPECT_GE(last_cache_bytes(), 64 * 1024);
}

TEST(HostBuffer, memory_that_is_not_to_be_had_is_a_lack_of_the_machine) {
  const auto buffer = HostBuffer::make(std::int64_t{1} << 62);
  ASSERT_FALSE(buffer);
  EXPECT_EQ(buffer.error().code, ErrorCode::kOutOfMemory);
}

TEST(HostBuffer, memory_can_be_written_to_its_end) {
  const auto buffer = HostBuffer::make(5'000'000);
  ASSERT_TRUE(buffer);
  buffer->as<char>()[4'999'999] = 7;
  EXPECT_EQ(buffer->as<char>()[4'999'999], 7);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer->data()) % 64, 0u);
}

}  // namespace
}  // namespace strobe::bench
