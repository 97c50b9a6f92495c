#pragma once

#include <cstdint>

#include "strobe/base/id.h"
#include "strobe/base/string_pool.h"

namespace strobe {

struct SliceTag;
struct TrackTag;
struct CategoryTag;
struct ArgsTag;

using SliceId = Id<SliceTag>;
using TrackId = Id<TrackTag>;
using CategoryId = Id<CategoryTag, std::uint16_t>;
using ArgsId = Id<ArgsTag>;  // a text in the ArgsStore

// No reader accepts a trace with more events, so that 32 bits number its rows. A reader may notice
// late that it has passed the limit: there are numbers left for that.
inline constexpr std::uint64_t kMostEvents = 4'000'000'000;

// A slice that is longer is an error of its writer: nine years.
inline constexpr std::int64_t kLongestDuration_ns = std::int64_t{1} << 58;

}  // namespace strobe
