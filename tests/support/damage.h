#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "strobe/readers/trace_reader.h"

// A file as a killed writer or a bad disk leaves it: cut at 200 places, and with 200 bytes flipped.
// Reading must end, with an answer or an error, and may neither crash nor invent anything.
namespace strobe::testing {

inline constexpr std::size_t kDamages = 200;

// use(std::string_view) for each cut, the shortest first.
template <class Use>
void for_each_cut(std::string_view bytes, Use use) {
  for (std::size_t i = 0; i < kDamages; ++i) use(bytes.substr(0, bytes.size() * i / kDamages));
}

// use(const std::string&) with one bit flipped, in bytes spread over all of them.
template <class Use>
void for_each_flip(std::string_view bytes, Use use) {
  std::string damaged(bytes);
  for (std::size_t i = 0; i < kDamages; ++i) {
    char& byte = damaged[(bytes.size() * i / kDamages + i * 7) % bytes.size()];
    const char whole = byte;
    byte = static_cast<char>(byte ^ (1 << (i % 8)));
    use(damaged);
    byte = whole;
  }
}

inline void expect_holds_together(const Trace& trace) {
  for (std::size_t row = 0; row < trace.slice_count(); ++row) {
    const SliceId slice(row);
    ASSERT_LT(trace.slices().tracks[row].index(), trace.tracks().size());
    ASSERT_GE(trace.end_ns(slice), trace.start_ns(slice));
    (void)trace.name(slice);
  }
  for (const TrackId track : trace.instants().tracks)
    ASSERT_LT(track.index(), trace.tracks().size());
  for (const TrackId track : trace.counters().tracks)
    ASSERT_LT(track.index(), trace.tracks().size());
}

// How many slices a damaged trace has; 0 if it is refused.
inline std::size_t slices_in_damaged(std::string_view bytes) {
  const auto loaded = readers::read_trace_bytes(bytes, "damaged", {.threads = 1});
  if (!loaded) {
    EXPECT_FALSE(loaded.error().what.empty());
    return 0;
  }
  expect_holds_together(loaded->trace);
  return loaded->trace.slice_count();
}

enum class Order {
  kFrontToBack,  // more bytes never hold less
  kAny,
};

// `bytes` are a whole trace.
inline void expect_survives(std::string_view bytes, Order order = Order::kAny) {
  const auto whole = readers::read_trace_bytes(bytes, "whole", {.threads = 1});
  ASSERT_TRUE(whole) << whole.error().what;
  // What the whole leaves out because it says it twice may be what is left of a part.
  const std::size_t most = whole->trace.slice_count() +
                           whole->report[ImportIssue::kUnreadEvents].count +
                           whole->report[ImportIssue::kMalformedEvent].count;
  std::size_t before = 0;
  for_each_cut(bytes, [&](std::string_view part) {
    const std::size_t slices = slices_in_damaged(part);
    EXPECT_LE(slices, most) << "cut at " << part.size();
    if (order == Order::kFrontToBack) {
      EXPECT_GE(slices, before) << "cut at " << part.size();
    }
    before = slices;
  });
  for_each_flip(bytes, [&](const std::string& damaged) {
    EXPECT_LE(slices_in_damaged(damaged), bytes.size());
  });
}

}  // namespace strobe::testing
