#pragma once

#include <cstdint>
#include <string_view>

namespace strobe::device {

// Does a name speak of communication between devices? Upper and lower case are the same.

// A kernel of the two libraries that the classic tables know: NCCL, or a plug-in device's XCCL.
bool is_classic_collective(std::string_view kernel_name);

// A kernel of any vendor's collectives library, or one of the well-known hand-written all-reduces.
bool is_any_collective(std::string_view kernel_name);

// The classic tables' rule for operators: a plain search for three words, so an operator that only
// broadcasts a shape is caught as well.
bool is_collective_operator(std::string_view operator_name);

// What a call into a vendor's runtime or driver is for.
enum class RuntimeCall : std::uint8_t {
  kOther,
  kLaunch,
  kCopy,
  kSynchronize,  // the host waits for the device
  kAllocate,
  kFree,
  kLoadCode,  // modules and libraries: what a warm program no longer does
};

RuntimeCall runtime_call(std::string_view name);

}  // namespace strobe::device
