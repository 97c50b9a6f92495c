#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "strobe/bench/cases/expression.h"
#include "strobe/bench/cell.h"

// The functions that stand above every generated kernel, as text: instructions of the chip first,
// then what is plain C++. Only what the kernel needs is written.
namespace strobe::bench {

// What a load and a store say to the caches.
enum class CacheHint : std::uint8_t {
  kPlain,
  kStreamed,  // .cs on both: first to go
  kPastL1,    // loads leave no line in L1, stores are .cs
  kKept,      // the same, and what was loaded is the last to leave L2: stores leave it sooner
};
std::string_view hint_name(CacheHint hint);    // "past-l1"
std::string_view hint_suffix(CacheHint hint);  // "_nl1", of a kernel's name

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

// Between these two lines are the chip's own instructions; to run a kernel elsewhere, replace them.
inline constexpr std::string_view kInstructionsBegin = "// -- instructions of the chip";
inline constexpr std::string_view kInstructionsEnd = "// -- end of instructions";

}  // namespace strobe::bench
