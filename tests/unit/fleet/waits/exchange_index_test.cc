#include "strobe/fleet/waits/exchange_index.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "strobe/stats/dice.h"

namespace strobe::fleet {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

struct PlacedPart {
  std::uint32_t rank;
  Interval interval;
};

void add_exchange(Job& job, const std::vector<PlacedPart>& parts) {
  job.exchanges.push_back({.first_arrival = job.arrivals.size(), .arrival_count = parts.size()});
  for (const PlacedPart& part : parts) {
    job.arrivals.push_back({.rank = part.rank, .interval = part.interval});
  }
}

// Of two ranks: 0 waits from 100 to 200 and 1 is there from 190 on; then both from 300 to 310.
Job two_meetings() {
  Job job;
  job.ranks.resize(2);
  add_exchange(job, {{0, {300, 310}}, {1, {300, 310}}});
  add_exchange(job, {{0, {100, 200}}, {1, {190, 200}}});
  return job;
}

TEST(ExchangeIndexTest, a_window_shows_what_touches_it_by_start) {
  const Job job = two_meetings();
  const ExchangeIndex index(job);
  EXPECT_THAT(index.find({.window = {0, 1000}}).exchanges, ElementsAre(1, 0));
  EXPECT_THAT(index.find({.window = {199, 300}}).exchanges, ElementsAre(1));
  EXPECT_THAT(index.find({.window = {200, 300}}).exchanges, IsEmpty());
  EXPECT_THAT(index.find({.window = {309, 400}}).exchanges, ElementsAre(0));
  EXPECT_EQ(index.find({.window = {0, 1000}}).narrower, 0u);
}

TEST(ExchangeIndexTest, one_wide_part_is_enough_and_what_has_none_is_counted) {
  const Job job = two_meetings();
  const FoundExchanges found = ExchangeIndex(job).find({.window = {0, 1000}, .least_ns = 50});
  EXPECT_THAT(found.exchanges, ElementsAre(1));
  EXPECT_EQ(found.narrower, 1u);
}

TEST(ExchangeIndexTest, only_the_parts_of_chosen_ranks_count) {
  const Job job = two_meetings();
  const ExchangeIndex index(job);
  const FoundExchanges of_late =
      index.find({.window = {0, 1000}, .least_ns = 50, .ranks = {false, true}});
  EXPECT_THAT(of_late.exchanges, IsEmpty());
  EXPECT_EQ(of_late.narrower, 2u);
  const FoundExchanges before =
      index.find({.window = {100, 190}, .least_ns = 0, .ranks = {false, true}});
  EXPECT_THAT(before.exchanges, IsEmpty());
  EXPECT_EQ(before.narrower, 0u);
}

TEST(ExchangeIndexTest, of_too_many_the_widest_are_kept) {
  Job job;
  job.ranks.resize(1);
  for (const std::int64_t length_ns : {5, 9, 2, 7}) {
    add_exchange(job, {{0, {length_ns * 100, length_ns * 101}}});
  }
  const ExchangeIndex index(job);
  const FoundExchanges found = index.find({.window = {0, 1000}, .most_parts = 2});
  EXPECT_THAT(found.exchanges, ElementsAre(3, 1));  // still by start
  EXPECT_EQ(found.narrower, 2u);
  EXPECT_THAT(index.find({.window = {0, 1000}, .most_parts = 0}).exchanges, ElementsAre(1));
}

TEST(ExchangeIndexTest, what_has_no_length_is_where_it_starts) {
  Job job;
  job.ranks.resize(1);
  add_exchange(job, {{0, {100, 100}}});
  const ExchangeIndex index(job);
  EXPECT_EQ(index.find({.window = {100, 101}}).exchanges.size(), 1u);
  EXPECT_EQ(index.find({.window = {99, 100}}).exchanges.size(), 0u);
  EXPECT_EQ(index.find({.window = {101, 102}}).exchanges.size(), 0u);
}

TEST(ExchangeIndexTest, a_job_without_exchanges_has_none_to_show) {
  const Job job;
  EXPECT_THAT(ExchangeIndex(job).find({.window = {0, 1000}}).exchanges, IsEmpty());
}

// The same, by looking at everything.
FoundExchanges found_plainly(const Job& job, const ExchangeRequest& request) {
  FoundExchanges found;
  for (std::size_t i = 0; i < job.exchanges.size(); ++i) {
    bool touches = false;
    std::int64_t longest_ns = 0;
    for (const Arrival& part : job.arrivals_of(job.exchanges[i])) {
      if (!request.ranks[part.rank]) continue;
      const auto [start_ns, end_ns] = part.interval;
      touches = touches || (start_ns < request.window.end_ns &&
                            std::max(end_ns, start_ns + 1) > request.window.start_ns);
      longest_ns = std::max(longest_ns, end_ns - start_ns);
    }
    if (!touches) continue;
    if (longest_ns < request.least_ns) {
      ++found.narrower;
    } else {
      found.exchanges.push_back(i);
    }
  }
  return found;
}

TEST(ExchangeIndexTest, the_answer_is_that_of_looking_at_everything) {
  stats::Dice dice(7);
  const auto up_to = [&](double most) {
    return static_cast<std::int64_t>(std::abs(dice.normal()) * most);
  };
  Job job;
  job.ranks.resize(4);
  for (int i = 0; i < 2000; ++i) {
    const std::int64_t start_ns = up_to(100'000);
    std::vector<PlacedPart> parts;
    for (std::uint32_t rank = 0; rank < 4; ++rank) {
      const std::int64_t arrival_ns = start_ns + up_to(50);
      if (rank % 2 == 0 || i % 3 > 0) {
        parts.push_back({rank, {arrival_ns, arrival_ns + up_to(i % 100 == 0 ? 10'000 : 40)}});
      }
    }
    add_exchange(job, parts);
  }
  const ExchangeIndex index(job);
  for (int i = 0; i < 200; ++i) {
    const std::int64_t start_ns = up_to(100'000);
    const ExchangeRequest request = {.window = {start_ns, start_ns + 1 + up_to(20'000)},
                                     .least_ns = up_to(60),
                                     .ranks = {i % 2 == 0, true, i % 5 == 0, false}};
    FoundExchanges found = index.find(request);
    EXPECT_TRUE(std::ranges::is_sorted(found.exchanges, {}, [&](std::size_t one) {
      const auto parts = job.arrivals_of(job.exchanges[one]);
      return std::ranges::min_element(parts, {},
                                      [](const Arrival& part) { return part.interval.start_ns; })
          ->interval.start_ns;
    }));
    std::ranges::sort(found.exchanges);
    const FoundExchanges expected = found_plainly(job, request);
    EXPECT_EQ(found.exchanges, expected.exchanges);
    EXPECT_EQ(found.narrower, expected.narrower);
  }
}

}  // namespace
}  // namespace strobe::fleet
