#include "strobe/readers/start_order.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "strobe/trace/trace_builder.h"

namespace strobe::readers {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

struct NamedSlice {
  std::string name;
  std::int64_t start_ns;
  std::int64_t end_ns;
  std::size_t track = 0;
};

// The names in their order.
std::vector<std::string> ordered(const std::vector<NamedSlice>& slices, std::size_t first = 0) {
  TraceBuilder builder;
  for (const NamedSlice& one : slices) {
    builder.add_slice({.start_ns = one.start_ns,
                       .duration_ns = one.end_ns - one.start_ns,
                       .name = builder.intern(one.name),
                       .track = TrackId(one.track),
                       .category = builder.category("c"),
                       .args = {}});
  }
  const std::vector<std::uint32_t> new_rows = order_by_start(builder.slices(), first).new_rows();
  std::vector<std::string> names;
  for (const StringId id : builder.slices().names) names.emplace_back(builder.strings()[id]);
  for (std::size_t i = 0; i < new_rows.size(); ++i) {
    EXPECT_EQ(names[new_rows[i]], slices[first + i].name) << "it tells where each slice went";
  }
  return names;
}

TEST(StartOrderTest, what_is_in_order_stays) {
  EXPECT_THAT(ordered({{"a", 0, 5}, {"b", 5, 9}, {"c", 6, 7}}), ElementsAre("a", "b", "c"));
  EXPECT_THAT(ordered({{"a", 5, 6, 0}, {"b", 1, 9, 1}}), ElementsAre("a", "b"))
      << "tracks have nothing to do with each other";
  EXPECT_THAT(ordered({}), IsEmpty());
}

TEST(StartOrderTest, a_range_comes_before_what_it_contains) {
  EXPECT_THAT(ordered({{"leaf", 2, 3}, {"leaf2", 4, 5}, {"inner", 1, 6}, {"outer", 0, 7}}),
              ElementsAre("outer", "inner", "leaf", "leaf2"));
}

TEST(StartOrderTest, of_equal_ranges_the_one_that_was_written_last_is_outside) {
  EXPECT_THAT(ordered({{"inner", 1, 6}, {"outer", 1, 6}}), ElementsAre("outer", "inner"));
  EXPECT_THAT(ordered({{"inner", 1, 4}, {"outer", 1, 6}}), ElementsAre("outer", "inner"));
}

TEST(StartOrderTest, threads_are_ordered_each_for_itself) {
  EXPECT_THAT(ordered({{"a1", 2, 3, 0}, {"b1", 1, 4, 1}, {"a", 0, 5, 0}, {"b", 0, 6, 1}}),
              ElementsAre("a", "a1", "b", "b1"));
}

TEST(StartOrderTest, rows_before_the_first_are_left_alone) {
  EXPECT_THAT(ordered({{"x", 9, 10}, {"inner", 1, 2}, {"outer", 0, 3}}, 1),
              ElementsAre("x", "outer", "inner"));
}

TEST(StartOrderTest, slices_that_come_late_find_their_place) {
  EXPECT_THAT(ordered({{"leaf", 8, 9}, {"outer", 0, 10}, {"late", 5, 6}}),
              ElementsAre("outer", "late", "leaf"));
}

TEST(StartOrderTest, of_one_thread_in_order_only_neighbours_that_start_together_move) {
  EXPECT_THAT(ordered({{"a", 0, 9}, {"short", 1, 2}, {"long", 1, 5}, {"same", 1, 5}, {"b", 6, 7}}),
              ElementsAre("a", "same", "long", "short", "b"));
  EXPECT_THAT(ordered({{"x", 9, 10, 0}, {"a", 1, 2, 7}, {"b", 3, 4, 7}, {"c", 3, 9, 7}}, 1),
              ElementsAre("x", "a", "c", "b"))
      << "whatever the number of the thread";
}

TEST(StartOrderTest, any_slices_are_ordered_by_start_then_the_longest_first) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 200; ++round) {
    std::vector<NamedSlice> slices;
    for (int i = 0; i < 30; ++i) {
      const auto start_ns = static_cast<std::int64_t>(random() % 50);
      slices.push_back({std::to_string(i), start_ns,
                        start_ns + static_cast<std::int64_t>(random() % 20), random() % 2});
    }
    std::vector<std::string> left = ordered(slices);
    ASSERT_EQ(left.size(), slices.size());
    std::vector<NamedSlice> latest(2, {"", -1, -1});
    for (const std::string& name : left) {
      const NamedSlice& slice = slices[std::stoul(name)];
      const NamedSlice before = std::exchange(latest[slice.track], slice);
      EXPECT_GE(slice.start_ns, before.start_ns);
      EXPECT_TRUE(slice.start_ns != before.start_ns || slice.end_ns <= before.end_ns);
    }
    std::ranges::sort(left);
    EXPECT_EQ(std::ranges::adjacent_find(left), left.end()) << "each is there once";
  }
}

// The same slices for both ways to order them.
void add_random_slices(std::size_t count, std::uint64_t tracks, TraceBuilder& builder) {
  std::mt19937_64 random(count);
  for (std::size_t i = 0; i < count; ++i) {
    builder.add_slice({.start_ns = static_cast<std::int64_t>(random() % (2 * count)),
                       .duration_ns = static_cast<std::int64_t>(random() % 20),
                       .name = builder.intern(std::to_string(i)),
                       .track = TrackId(random() % tracks),
                       .category = builder.category("c"),
                       .args = {}});
  }
}

TEST(StartOrderTest, packed_slices_are_ordered_like_others) {
  for (const std::size_t count : {0u, 1u, 50u, 1023u, 1024u, 5000u}) {
    TraceBuilder plain;
    TraceBuilder packed;
    add_random_slices(count, 3, plain);
    add_random_slices(count, 3, packed);
    packed.pack_slices(count / 2);
    order_by_start(plain.slices(), 0);
    pack_by_start(packed);
    EXPECT_EQ(packed.packed_slices(), count);
    const Trace expected = std::move(plain).build();
    const Trace trace = std::move(packed).build();
    EXPECT_EQ(trace.slices().names, expected.slices().names);
    EXPECT_EQ(trace.slices().starts_ns, expected.slices().starts_ns);
    EXPECT_EQ(trace.slices().durations_ns, expected.slices().durations_ns);
    EXPECT_EQ(trace.slices().tracks, expected.slices().tracks);
  }
}

TEST(StartOrderTest, packed_slices_in_order_stay) {
  TraceBuilder builder;
  for (std::int64_t i = 0; i < 3000; ++i) {
    builder.add_slice({.start_ns = i,
                       .duration_ns = 1,
                       .name = {},
                       .track = TrackId(i % 2),
                       .category = {},
                       .args = {}});
  }
  pack_by_start(builder);
  EXPECT_EQ(builder.slice(SliceColumn::kTracks, 2998), TrackId(0));
  EXPECT_EQ(builder.slice(SliceColumn::kStarts, 2999), 2999);
}

TEST(StartOrderTest, sequences_follow_packed_slices) {
  TraceBuilder builder;
  add_random_slices(5000, 4, builder);
  for (std::size_t row = 0; row < 5000; row += 3) {
    builder.sequences().slices.emplace_back(row);
    builder.sequences().sequence_numbers.push_back(static_cast<std::int64_t>(row));
    builder.sequences().forward_threads.push_back(row % 2 == 0 ? 1 : 0);
  }
  builder.pack_sequences();
  pack_by_start(builder);
  const Trace trace = std::move(builder).build();
  const SequenceColumns& sequences = trace.sequences();
  ASSERT_EQ(sequences.size(), 1667u);
  EXPECT_TRUE(std::is_sorted(sequences.slices.begin(), sequences.slices.end()));
  for (std::size_t i = 0; i < sequences.size(); ++i) {
    const std::int64_t number = sequences.sequence_numbers[i];
    ASSERT_EQ(trace.name(sequences.slices[i]), std::to_string(number));
    ASSERT_EQ(sequences.forward_threads[i], number % 2 == 0 ? 1 : 0);
  }
}

}  // namespace
}  // namespace strobe::readers
