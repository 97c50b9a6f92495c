#include "strobe/analysis/findings/long_collectives.h"

#include <gtest/gtest.h>

namespace strobe::analysis {
namespace {

using CollectiveDurations = std::vector<std::pair<StringId, std::int64_t>>;

CollectiveDurations collectives_of(std::uint32_t name, int calls, std::int64_t duration_ns) {
  return CollectiveDurations(static_cast<std::size_t>(calls), {StringId(name), duration_ns});
}

TEST(LongCollectivesTest, a_few_far_longer_ones_are_found_by_name) {
  CollectiveDurations all = collectives_of(1, 39, 300);
  all.emplace_back(StringId(1), 90'000);
  const CollectiveDurations others = collectives_of(2, 10, 5'000);
  all.insert(all.end(), others.begin(), others.end());
  const LongCollectives found = find_long_collectives(all);
  EXPECT_EQ(found.calls, 1u);
  EXPECT_EQ(found.of_calls, 40u);
  EXPECT_EQ(found.total_ns, 90'000);
  EXPECT_EQ(found.longest_ns, 90'000);
  EXPECT_EQ(found.median_ns, 300);
  EXPECT_EQ(found.all_ns, 39 * 300 + 90'000 + 50'000);
}

TEST(LongCollectivesTest, many_longer_ones_have_more_bytes) {
  CollectiveDurations all = collectives_of(1, 30, 300);
  const CollectiveDurations large = collectives_of(1, 10, 4'000);
  all.insert(all.end(), large.begin(), large.end());
  EXPECT_EQ(find_long_collectives(all).calls, 0u);
  EXPECT_EQ(find_long_collectives(all).all_ns, 30 * 300 + 40'000);
}

TEST(LongCollectivesTest, without_collectives_there_is_nothing) {
  EXPECT_EQ(find_long_collectives({}).all_ns, 0);
}

}  // namespace

}  // namespace strobe::analysis
