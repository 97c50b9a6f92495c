#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "strobe/base/result.h"
#include "strobe/bench/providers/cuda/driver_api.h"

// CUPTI's activity records as a table of calls, opened at run time. A test compares every
// declaration below with the vendor's header if that is present.
namespace strobe::bench {

using CuptiResult = int;  // 0: success

namespace cupti {

constexpr CuptiResult kSuccess = 0;
constexpr CuptiResult kMultipleSubscribers = 39;
constexpr unsigned kKernel = 3;
constexpr unsigned kDriverCall = 4;
constexpr unsigned kRuntimeCall = 5;
constexpr unsigned kConcurrentKernel = 10;  // the same record, without making kernels wait
constexpr unsigned kFlushForced = 1;
constexpr int kDriverDomain = 1;  // of the numbers of calls
constexpr int kRuntimeDomain = 2;

// The records of CUDA 12.0 (18) to 13; later layouts are unknown.
constexpr unsigned kOldest = 18;
constexpr unsigned kNewestBelow = 140000;

// The beginning of a kernel's record, which all versions since CUDA 9 share; the rest differs.
struct KernelRecord {
  std::uint32_t kind = 0;
  std::uint8_t cache[2] = {};
  std::uint16_t registers = 0;  // per thread
  std::int32_t partitioned_cache[2] = {};
  std::uint64_t start_ns = 0;  // 0: unknown
  std::uint64_t end_ns = 0;
  std::uint64_t completed_ns = 0;
  std::uint32_t device = 0;
  std::uint32_t context = 0;
  std::uint32_t stream = 0;
  std::int32_t grid[3] = {};
  std::int32_t block[3] = {};
  std::int32_t static_shared_bytes = 0;
  std::int32_t dynamic_shared_bytes = 0;
  std::uint32_t local_bytes[2] = {};
  std::uint32_t correlation = 0;
  std::int64_t grid_id = 0;
  const char* name = nullptr;
};

// The same in every version.
struct CallRecord {
  std::uint32_t kind = 0;
  std::uint32_t call = 0;      // its number
  std::uint64_t start_ns = 0;  // 0: unknown
  std::uint64_t end_ns = 0;
  std::uint32_t process = 0;
  std::uint32_t thread = 0;
  std::uint32_t correlation = 0;
  std::uint32_t result = 0;
};

using RequestBuffer = void (*)(std::uint8_t** buffer, std::size_t* bytes, std::size_t* most);
using CompleteBuffer = void (*)(CuContext, std::uint32_t stream, std::uint8_t* buffer,
                                std::size_t bytes, std::size_t valid_bytes);

}  // namespace cupti

// What CUPTI is used for, so that an error can say what does not work.
struct CuptiUse {
  std::string_view what;       // "the times of kernels"
  std::string_view flag;       // "--mode activity"
  std::string_view otherwise;  // what needs no CUPTI
};
inline constexpr CuptiUse kForKernelTimes = {"the times of kernels", "--mode activity",
                                             "the other modes need no CUPTI"};
inline constexpr CuptiUse kForApiCalls = {"API calls", "--api", "nothing else needs it"};

struct CuptiApi {
  CuptiResult (*version)(std::uint32_t*) = nullptr;
  CuptiResult (*result_text)(CuptiResult, const char**) = nullptr;
  CuptiResult (*register_callbacks)(cupti::RequestBuffer, cupti::CompleteBuffer) = nullptr;
  CuptiResult (*enable)(unsigned kind) = nullptr;
  CuptiResult (*disable)(unsigned kind) = nullptr;
  CuptiResult (*flush_all)(std::uint32_t flags) = nullptr;
  CuptiResult (*next_record)(std::uint8_t* buffer, std::size_t valid_bytes,
                             void** record) = nullptr;
  CuptiResult (*dropped)(CuContext, std::uint32_t stream, std::size_t*) = nullptr;
  CuptiResult (*timestamp)(std::uint64_t* ns) = nullptr;  // on the clock of the records
  CuptiResult (*call_name)(int domain, std::uint32_t call, const char**) = nullptr;

  // kMachineLacks: "API calls cannot be recorded: cuptiActivityEnable gives CUPTI_ERROR_... (39)"
  Result<void> check(CuptiResult result, const char* call,
                     const CuptiUse& use = kForKernelTimes) const;
};

// Tries the driver's own version of CUDA first. kMachineLacks if there is none with known records.
Result<CuptiApi> open_cupti(int newest_major);
Result<CuptiApi> open_cupti_at(const std::string& library);

}  // namespace strobe::bench
