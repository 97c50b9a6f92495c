#include <algorithm>

#include <gtest/gtest.h>

#include "strobe/bench/providers/provider.h"

namespace strobe::bench {
namespace {

TEST(Registry, every_name_makes_a_provider_that_says_that_name) {
  for (const std::string_view name : provider_names()) {
    const auto provider = make_provider(name);
    ASSERT_NE(provider, nullptr) << name;
    EXPECT_EQ(provider->probe().name, name);
  }
}

TEST(Registry, the_host_is_always_there) {
  EXPECT_EQ(std::ranges::count(provider_names(), "cpu"), 1);
  EXPECT_EQ(std::ranges::count(provider_names(), "cpu-unfused"), 1);
}

TEST(Registry, an_unknown_name_makes_nothing) { EXPECT_EQ(make_provider("no-such"), nullptr); }

}  // namespace
}  // namespace strobe::bench
