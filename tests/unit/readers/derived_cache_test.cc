#include "strobe/readers/derived_cache.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <thread>

#include "tests/support/temporary_folder.h"

namespace strobe::readers {
namespace {

class DerivedCacheTest : public ::testing::Test {
 protected:
  // A file that was written long ago is known by its stamp; a new one is not.
  static void SetUpTestSuite() {
    folder_ = std::make_unique<testing::TemporaryFolder>();
    for (const char* name : {"kept.json", "new.json", "swept.json"}) {
      testing::put_bytes(*folder_ / name, "[]");
    }
    std::this_thread::sleep_for(std::chrono::nanoseconds(kLongestTickNs + 100'000'000));
  }
  static void TearDownTestSuite() { folder_.reset(); }
  static DerivedCache cache_of(const char* name, std::uint64_t maker = 1) {
    return DerivedCache(*folder_ / name, "digests", maker, {.folder = *folder_ / "cache"});
  }
  inline static std::unique_ptr<testing::TemporaryFolder> folder_;
};

TEST_F(DerivedCacheTest, what_was_kept_is_found_until_the_file_or_the_maker_changes) {
  const DerivedCache cache = cache_of("kept.json");
  EXPECT_EQ(cache.find(), std::nullopt);
  ASSERT_TRUE(cache.keep(std::string_view("a\0b", 3)));
  EXPECT_EQ(cache_of("kept.json").find(), std::string("a\0b", 3));
  EXPECT_EQ(cache_of("kept.json", 2).find(), std::nullopt);

  testing::put_bytes(*folder_ / "kept.json", "[ ]");
  EXPECT_EQ(cache_of("kept.json").find(), std::nullopt);
  ASSERT_TRUE(cache.keep("of the old file"));
  EXPECT_EQ(cache.find(), std::string("a\0b", 3));
}

TEST_F(DerivedCacheTest, a_new_file_may_still_change_and_is_not_kept) {
  testing::put_bytes(*folder_ / "new.json", "[ ]");
  const DerivedCache cache = cache_of("new.json");
  ASSERT_TRUE(cache.keep("x"));
  EXPECT_EQ(cache.find(), std::nullopt);
}

TEST_F(DerivedCacheTest, sweeping_makes_room) {
  const DerivedCache cache = cache_of("swept.json");
  ASSERT_TRUE(cache.keep("kept"));
  cache.sweep(1 << 20);
  EXPECT_TRUE(cache.find());
  cache.sweep(0);
  EXPECT_FALSE(cache.find());
}

TEST_F(DerivedCacheTest, without_a_folder_nothing_is_kept) {
  const DerivedCache none(*folder_ / "kept.json", "digests", 1, {});
  ASSERT_TRUE(none.keep("x"));
  EXPECT_EQ(none.find(), std::nullopt);
}

}  // namespace
}  // namespace strobe::readers
