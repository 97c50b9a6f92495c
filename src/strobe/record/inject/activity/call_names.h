#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace strobe::record {

enum class CallSet : std::uint8_t { kNone, kLaunches, kAll };
enum class CallSide : std::uint8_t { kRuntime, kDriver };

// Whether a call, by CUPTI's name for it, is recorded. Of launches only the driver's side is: every
// launch of the runtime passes through it, with the same correlation, and one record costs half.
bool is_recorded_call(CallSet set, CallSide side, std::string_view cupti_name) noexcept;

// "cudaMemcpyAsync" for "cudaMemcpyAsync_v3020" and "cudaMemcpyAsync_ptsz_v7000".
std::string_view plain_call_name(std::string_view cupti_name) noexcept;

}  // namespace strobe::record
