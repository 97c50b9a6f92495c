#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "strobe/base/result.h"

namespace strobe {

struct ApartLimits {
  std::chrono::milliseconds timeout{10'000};
  std::int64_t memory_bytes = std::int64_t{1} << 30;  // beside what this process has already
  std::size_t answer_bytes = std::size_t{64} << 20;
  std::function<bool()> is_abandoned = nullptr;  // asked often; may be null
};

// Runs `work` in a copy of this process, for work that may not end when it is asked to, or may take
// all memory. The copy sees everything that is loaded without loading it again, and changes nothing
// here: it cannot write files, it has no descriptors but stderr, and it is ended when the limits
// are exceeded.
//
// Only the calling thread exists in the copy. What other threads hold locked stays locked there, so
// `work` uses no lock that others use; if it does wait for one, the timeout ends it.
//
// The answer or error of `work`; kUnsupported after the timeout, kOutOfMemory, kInterrupted if
// abandoned, kMachineLacks if there can be no copy. `where` and `hint` are then empty.
Result<std::string> run_apart(const std::function<Result<std::string>()>& work,
                              const ApartLimits& limits);

}  // namespace strobe
