#pragma once

#include <cstdint>
#include <string>

namespace strobe::readers {

// A call by its number in nvprof's databases: "cudaMemcpyAsync", or "runtime call 999" for one that
// is not known.
std::string runtime_call_name(std::int64_t number);
std::string driver_call_name(std::int64_t number);

}  // namespace strobe::readers
