#include "strobe/cli/cache_flags.h"

#include <gtest/gtest.h>

namespace strobe::cli {
namespace {

Arguments typed(std::initializer_list<std::pair<std::string, std::string>> flags) {
  Arguments arguments;
  for (const auto& [flag, value] : flags) arguments.add(flag, value);
  return arguments;
}

TEST(CacheFlagsTest, the_cache_lies_where_the_desktop_keeps_caches) {
  EXPECT_EQ(default_cache_folder("/c", "/h"), "/c/strobe");
  EXPECT_EQ(default_cache_folder("", "/h"), "/h/.cache/strobe");
  EXPECT_EQ(default_cache_folder("not/absolute", "/h"), "/h/.cache/strobe");
  EXPECT_EQ(default_cache_folder("", ""), "");
}

TEST(CacheFlagsTest, a_folder_can_be_chosen_and_the_cache_switched_off) {
  EXPECT_EQ(cache_options(typed({{"cache", "/x"}})).folder, "/x");
  EXPECT_EQ(cache_options(typed({{"no-cache", "on"}})).folder, "");
  EXPECT_EQ(cache_options(typed({{"cache", "/x"}, {"no-cache", "on"}})).folder, "");
}

}  // namespace
}  // namespace strobe::cli
