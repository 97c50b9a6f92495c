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

}  // namespace strobe
