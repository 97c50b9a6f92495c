#pragma once

#include <cstdint>
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

constexpr bool is_on_device(FunctionKind kind) { return kind <= FunctionKind::kMemset; }

}  // namespace strobe::compare
