#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "strobe/base/result.h"

namespace strobe::analysis {

using NameFilter = std::function<bool(std::string_view)>;

// True for names in which the regular expression (RE2) matches; `where` names the flag or parameter
// in errors.
Result<NameFilter> name_filter(std::string_view where, const std::string& pattern);

// True for names that contain the text, ignoring case.
NameFilter name_contains(const std::string& text);

// The tables of a summary, in the order in which they are printed.
enum class View : std::uint8_t {
  kPerf,
  kDevice,
  kOverview,
  kSteps,
  kIdle,
  kModel,
  kDistributed,
  kOperator,
  kKernel,
  kRuntimeCalls,
  kStreams,
  kMemoryManipulation,
  kUserRanges,
  kMemory,
  kSamples,
};
inline constexpr int kViews = static_cast<int>(View::kSamples) + 1;

class ViewSet {
 public:
  constexpr ViewSet() = default;
  static constexpr ViewSet all() { return ViewSet((1u << kViews) - 1); }
  constexpr ViewSet with(View view) const { return ViewSet(bits_ | bit(view)); }
  constexpr ViewSet without(View view) const { return ViewSet(bits_ & ~bit(view)); }
  constexpr bool has(View view) const { return (bits_ & bit(view)) != 0; }
  constexpr bool empty() const { return bits_ == 0; }
  bool operator==(const ViewSet&) const = default;

 private:
  constexpr explicit ViewSet(std::uint32_t bits) : bits_(bits) {}
  static constexpr std::uint32_t bit(View view) { return 1u << static_cast<unsigned>(view); }
  std::uint32_t bits_ = 0;
};

// Descending, except the two minima.
enum class SortKey : std::uint8_t {
  kHostTotal,
  kHostAverage,
  kHostMax,
  kHostMin,
  kDeviceTotal,
  kDeviceAverage,
  kDeviceMax,
  kDeviceMin,
};

enum class TimeUnit : std::uint8_t { kSeconds, kMilliseconds, kMicroseconds, kNanoseconds };

// How to show a summary; it never changes a number.
struct TableOptions {
  ViewSet views = ViewSet::all();
  SortKey sort = SortKey::kHostTotal;
  TimeUnit unit = TimeUnit::kMilliseconds;
  bool one_unit = false;  // every duration in `unit`; otherwise each chooses its own unit
  bool operator_detail = true;
  std::size_t top = 0;                               // rows per table, 0 = all
  std::function<bool(std::string_view)> keeps_name;  // empty = every row
  std::string filter;                                // what keeps_name was made from, in words
};

}  // namespace strobe::analysis
