#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "strobe/trace/trace.h"

namespace strobe::compare {

// What a function is, as far as comparing runs is concerned.
enum class FunctionKind : std::uint8_t {
  kKernel,
  kCollective,  // a kernel that communicates
  kMemcpy,
  kMemset,
  kHostOperator,  // operators, annotations and other ranges of the host
  kRuntimeCall,
  kScheduling,  // the operating system's: on a core, waiting for one
  kInputOutput,
  kOverhead,  // the profiler's own work
};
std::string_view word_of(FunctionKind kind);  // "kernel", "runtime_call"

// Nothing for slices that are no functions: steps, the profiler's spans and drawings, projections
// onto a device, interpreter frames, and what a device stream shows that is no work.
std::optional<FunctionKind> function_kind(SliceKind kind, std::uint8_t flags,
                                          std::string_view category, TrackKind track);

constexpr bool is_on_device(FunctionKind kind) { return kind <= FunctionKind::kMemset; }

}  // namespace strobe::compare
