#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "strobe/compare/measure/measure.h"
#include "strobe/trace/metric_series.h"
#include "strobe/trace/trace.h"

namespace strobe::compare {

// The name by which two builds identify the same function: demangled, without the suffixes of
// compiler clones (".constprop.0", " [clone .part.3]") and without an address at the end.
std::string canonical_name(std::string_view name);

// Maps every slice to its function.
struct FunctionIndex {
  static constexpr std::uint32_t kNone = 0xFFFFFFFFu;

  std::vector<FunctionKey> keys;         // ascending
  std::vector<std::uint32_t> device_of;  // per key, of devices
  std::vector<std::string> devices;      // kHostDevice first, then by number
  std::vector<std::uint32_t> of_slice;   // of keys, or kNone
  std::vector<bool> is_operator;         // per key: some of its slices are operators, not ranges
};

using strobe::kHostDevice;

// What to do with device work that starts after the window: the host may have launched it inside.
enum class LateWork : std::uint8_t { kLeftOut, kIncluded };

// Only slices that overlap `window`; `markers`, ascending, are not functions.
FunctionIndex index_functions(const Trace& trace, const std::vector<SliceId>& markers,
                              Interval window, LateWork late = LateWork::kLeftOut);

}  // namespace strobe::compare
