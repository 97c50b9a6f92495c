#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace strobe::serve {

enum class BenchContent : std::uint8_t { kRun, kGrids };

// What of a benchmark a file holds that begins like this, plain or packed; nothing if none.
std::optional<BenchContent> bench_content(std::string_view first_bytes);

}  // namespace strobe::serve
