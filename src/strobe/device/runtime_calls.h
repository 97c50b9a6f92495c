#pragma once

#include <cstdint>
#include <string_view>

namespace strobe::device {

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
