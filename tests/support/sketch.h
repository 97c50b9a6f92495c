#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "strobe/trace/trace_builder.h"

namespace strobe {

// Times in tests: 10_us is 10'000 ns.
namespace literals {
constexpr std::int64_t operator""_ns(unsigned long long n) { return static_cast<std::int64_t>(n); }
constexpr std::int64_t operator""_us(unsigned long long n) { return 1000_ns * operator""_ns(n); }
constexpr std::int64_t operator""_ms(unsigned long long n) { return 1000_us * operator""_ns(n); }
}  // namespace literals

// Kinds that tests use often.
inline constexpr auto kOp = SliceKind::kOperator;
inline constexpr auto kPhase = SliceKind::kOperatorPhase;
inline constexpr auto kCall = SliceKind::kRuntimeCall;
inline constexpr auto kKernel = SliceKind::kKernel;
inline constexpr auto kAllocated = MemoryAction::kAllocate;
inline constexpr auto kFreed = MemoryAction::kFree;

// A timeline defined in a test. Calls that choose a track come first, calls that add something add
// it to the chosen track, calls that describe apply to what was added last:
//
//   Sketch()
//       .thread(1)
//       .slice("gemm", SliceKind::kOperator, 0_us, 9_us)
//       .slice("launch", SliceKind::kRuntimeCall, 1_us, 2_us).correlation(7)
//       .stream(0, 7)
//       .slice("gemm_kernel", SliceKind::kKernel, 5_us, 40_us).correlation(7)
//       .trace();
class Sketch {
 public:
  Sketch& traits(const TraceTraits& traits);
  Metadata& metadata() { return builder_.metadata(); }

  // Tracks. Naming the same one again returns to it.
  Sketch& track(std::string_view name, TrackKind kind);  // numbers at the end are the thread's
  Sketch& thread(std::int64_t thread, std::int64_t process = 1);
  Sketch& stream(std::int32_t device, std::int64_t stream);

  // A slice on the chosen track, and its properties.
  Sketch& slice(std::string_view name, SliceKind kind, std::int64_t start_ns,
                std::int64_t duration_ns);
  Sketch& correlation(std::uint32_t id);
  Sketch& external(std::uint32_t id);
  Sketch& flags(std::uint8_t slice_flags);
  Sketch& category(std::string_view name);
  Sketch& args(std::string_view json_object);
  Sketch& sequence(std::int64_t number, std::int64_t forward_thread = 0);
  Sketch& nests_until(std::int64_t end_ns);  // NestingHints.ends_ns
  Sketch& owned_by(std::string_view name);   // NestingHints.owners: the last slice of that name
  Sketch& owned_by_thread();                 // ... or no slice

  // An allocator event on the chosen track, and its properties.
  Sketch& memory(MemoryAction action, std::string_view place, std::int64_t time_ns,
                 std::int64_t bytes);
  Sketch& totals(std::int64_t allocated_bytes, std::int64_t reserved_bytes);
  Sketch& peaks(std::int64_t allocated_bytes, std::int64_t reserved_bytes);
  Sketch& address(std::uint64_t address);
  Sketch& memory_owned_by(std::string_view name);  // the last slice of that name

  // A value of a counter of the chosen track's process.
  Sketch& counter(std::string_view name, std::string_view series, std::int64_t time_ns,
                  double value);

  // One end of an arrow on the chosen track.
  Sketch& flow(std::uint64_t id, FlowPhase phase, std::int64_t time_ns,
               std::string_view category = "launch");

  SliceId last() const;                       // the slice added last
  SliceId find(std::string_view name) const;  // the last slice of that name
  Trace trace();                              // once

 private:
  TrackId track_of(std::string_view process, std::string_view thread, TrackKind kind);

  TraceBuilder builder_;
  TrackId track_;
  std::vector<std::int64_t> nest_ends_ns_;  // per slice, its own end unless set
  std::vector<SliceId> owners_;
  std::vector<std::string> args_;
  bool hints_ends_ = false;
  bool hints_owners_ = false;
};

}  // namespace strobe
