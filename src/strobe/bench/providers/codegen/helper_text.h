#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "strobe/bench/cases/expression.h"
#include "strobe/bench/cell.h"

// The functions at the top of every generated kernel, as text: chip instructions first, then plain
// C++. Only what the kernel needs is written.
namespace strobe::bench {

// Cache hints of loads and stores.
enum class CacheHint : std::uint8_t {
  kPlain,
  kStreamed,  // .cs on both: evicted first
  kPastL1,    // loads bypass L1, stores are .cs
  kKept,      // the same, and loaded lines leave L2 last, after stored ones
};
std::string_view hint_name(CacheHint hint);    // "past-l1"
std::string_view hint_suffix(CacheHint hint);  // "_nl1", part of a kernel's name

struct HelperNeeds {
  DType dtype = DType::kF32;
  int packet_bytes = 16;
  CacheHint hint = CacheHint::kPlain;
  bool has_shared = false;
  bool has_bulk = false;
  bool has_async = false;
  bool has_cluster = false;
};
std::string helper_text(const HelperNeeds& needs, const Expression& expression);

// The chip's own instructions are between these two lines; to run a kernel elsewhere, replace them.
inline constexpr std::string_view kInstructionsBegin = "// -- instructions of the chip";
inline constexpr std::string_view kInstructionsEnd = "// -- end of instructions";

}  // namespace strobe::bench
