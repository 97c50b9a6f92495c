#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "strobe/base/interval.h"
#include "strobe/base/result.h"
#include "strobe/trace/trace.h"

namespace strobe::analysis {

// How a trace was cut into cycles, in the order in which the methods are tried.
enum class CycleMethod : std::uint8_t {
  kMarker,          // ranges whose name the user gave
  kSteps,           // the framework's step annotations
  kHostFrame,       // a host range that recurs
  kKernelSequence,  // the order of the kernels repeats
  kBusySignal,      // the device is busy and idle in a rhythm
  kWholeTrace       // not cut: one cycle, nothing to test
};
std::string_view word_of(CycleMethod method);  // "step annotations"

enum class CycleConfidence : std::uint8_t { kLow, kMedium, kHigh };
std::string_view word_of(CycleConfidence confidence);  // "low", "medium", "high"

// Serving alternates between short and much longer cycles; each kind is compared with itself.
enum class CycleType : std::uint8_t { kStep, kShort, kLong };
std::string_view word_of(CycleType type);  // "step", "short (decode)", "long (prefill)"

// Whose time the cycles are in.
enum class CycleClock : std::uint8_t {
  kMarks,  // the marks', or the kernels'
  kDevice  // the host made the marks and ran ahead: a cycle ends with the work it launched
};
std::string_view word_of(CycleClock clock);  // "marks", "device"

struct Cycle {
  Interval interval;
  std::string name;  // the marker's: "ProfilerStep#7"; else "cycle 7"
  CycleType type = CycleType::kStep;
  bool has_inferred_border = false;  // first or last, where the trace itself cut it
  bool is_warm_up = false;           // among the first, and far longer than the later ones
};

struct InnerPeriod {
  std::size_t kernels = 0;
  double match = 0;  // 0..1
};

struct CycleList {
  CycleMethod method = CycleMethod::kWholeTrace;
  CycleConfidence confidence = CycleConfidence::kLow;
  CycleClock clock = CycleClock::kMarks;
  std::string marker;         // what was recognised: "ProfilerStep#N", a range's or a kernel's name
  std::string process;        // of the marker, as the trace writes it; "" if there is none
  std::vector<Cycle> cycles;  // in time order, disjoint
  std::optional<InnerPeriod> inner;    // a shorter period inside the cycles: layers
  std::vector<SliceId> marker_slices;  // ascending: they are not functions
};

struct CycleOptions {
  std::optional<CycleMethod> method;  // only this one; unset: the first that succeeds
  std::string marker;                 // RE2, for kMarker
  std::string where = "--cycle";      // the flag or parameter, for errors
};

// An error says why no cycles were found and how to help.
Result<CycleList> find_cycles(const Trace& trace, const CycleOptions& options = {});

// The cycles of the kernel sequence if confidence in them is high, else nothing. Much faster than
// find_cycles: the distance between the recurring kernels is tested as the period of the sequence;
// no period is searched for.
std::optional<CycleList> find_sure_cycles(const Trace& trace);

// How to cut a run, as people write it: auto (or nothing), steps, marker=REGEX, frame, kernels,
// busy, none. `where` names the flag or parameter in errors.
Result<CycleOptions> parse_cycle_options(std::string_view where, std::string_view typed);

std::span<const std::string_view> cycle_words();

}  // namespace strobe::analysis
